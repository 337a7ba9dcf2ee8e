// Brings a database to the tables of this version by numbered steps. Each is one transaction under a lock: a process
// that is killed leaves it made or not made, and processes that start together make it once. The table `meta` has the
// number of the last step as `schema`, and as `oldest` the lowest number that a version must know to work on the
// tables.
import { sql, type Kysely } from 'kysely';
import type { Log } from '../../protocol/log.ts';
import { DIALECTS, type Dialect, type SchemaSql, schemaStatements } from './schema.ts';
import type { Tables } from './tables.ts';

export interface Step {
  /** Nobody else writes to a table that they change until the last of them has ended. */
  statements: (by: SchemaSql) => string[];
  /** The number of the oldest step whose version works on the tables after this one; its own if none before does. */
  oldest: number;
}

/** In their order; the first has the number 1. A step that was released is never changed. */
export const STEPS: readonly Step[] = [{ statements: schemaStatements, oldest: 1 }];

/** For the operator. */
export const UNRELEASED =
  'This database was made before the first release, and no version changes it: set DATABASE_URL to a new database.';

/** How far the tables of a database are from those of this version. */
export interface SchemaState {
  /** The number of the last step that was made; 0 before the first start. */
  schema: number;
  /** How many steps the next start will make. */
  pending: number;
  /** Why this version cannot use it, written for the operator; undefined if it can. */
  refusal: string | undefined;
}

/** `meta`: the table's rows. `hasTables`: whether there were any before `meta` was read. */
export function schemaState(
  meta: readonly { key: string; value: string }[],
  hasTables: boolean,
  steps = STEPS,
): SchemaState {
  const numberOf = (name: string) => Number(meta.find(({ key }) => key === name)?.value ?? 0);
  const [schema, oldest] = [numberOf('schema'), numberOf('oldest')];
  const newer =
    `A newer version has changed this database (schema ${schema}, and this version knows ${steps.length}): ` +
    'install that version, or restore a backup from before it.';
  const refusal = oldest > steps.length ? newer : hasTables && schema === 0 ? UNRELEASED : undefined;
  return { schema, pending: Math.max(0, steps.length - schema), refusal };
}

/**
 * May be called again after any failure.
 * @throws an Error for the operator if this version cannot use the database
 */
export async function migrate(db: Kysely<Tables>, dialect: Dialect, log: Log, steps = STEPS): Promise<void> {
  const { schema } = await readState(db, dialect, steps);
  for (const [at, step] of steps.entries()) {
    const number = at + 1;
    if (number <= schema) continue;
    const startedAt = performance.now();
    await whileLocked(db, dialect, async (tx) => {
      // Another process may have made it since.
      if ((await readState(tx, dialect, steps)).schema >= number) return;
      for (const statement of step.statements(DIALECTS[dialect])) await sql.raw(statement).execute(tx);
      await sql`insert into meta (key, value) values ('schema', ${String(number)}), ('oldest', ${String(step.oldest)})
        on conflict (key) do update set value = excluded.value`.execute(tx);
    });
    const level = number === 1 ? 'debug' : 'info';
    log(level, 'database changed', { schema: number, ms: Math.round(performance.now() - startedAt) });
  }
}

async function readState(db: Kysely<Tables>, dialect: Dialect, steps: readonly Step[]): Promise<SchemaState> {
  const has = async (table: string) => (await DIALECTS[dialect].hasTable(table).execute(db)).rows.length > 0;
  // Before `meta` is read: another process may make all tables now, in one commit.
  const hasTables = await has('transactions');
  const meta = (await has('meta')) ? await db.selectFrom('meta').select(['key', 'value']).execute() : [];
  const state = schemaState(meta, hasTables, steps);
  if (state.refusal !== undefined) throw new Error(state.refusal);
  return state;
}

function whileLocked(db: Kysely<Tables>, dialect: Dialect, work: (tx: Kysely<Tables>) => Promise<void>): Promise<void> {
  return db.connection().execute(async (tx) => {
    try {
      for (const statement of DIALECTS[dialect].beginLocked) await sql.raw(statement).execute(tx);
      await work(tx);
      await sql`commit`.execute(tx);
    } catch (error) {
      await sql`rollback`.execute(tx).catch(() => undefined);
      throw error;
    }
  });
}
