// The store on PostgreSQL, a look at a database before the start, and whether a failover could lose commits.
// Several proxies may use one database. A write is one statement that loads and one that saves, each a transaction of
// its own on a pooled connection (connection.ts). Nothing is locked in between: the save changes nothing if a loaded
// row has changed meanwhile (rows.ts), and the write begins again. So a save whose outcome was lost can be repeated,
// too. The other proxies find what changed by a look each second (access.ts).
import { Kysely, PostgresDialect, sql, type CompiledQuery } from 'kysely';
import { types } from 'pg';
import { unavailable } from '../../errors.ts';
import type { Log, Warning } from '../../protocol/log.ts';
import { migrate, schemaState, type SchemaState, IS_OF_ORDER } from '../schema/schema.ts';
import type { Tables } from '../schema/tables.ts';
import type { Store, Db } from '../store.ts';
import {
  createPool,
  isBroken,
  isOutcomeUnknown,
  isRepeatable,
  setSettings,
  type Connection,
  type Connections,
  describeServer,
  connect,
  query,
} from './connection.ts';
import { CLOCK, POSTGRES_SQL } from './rows.ts';
import { Timeline } from './timeline.ts';
import { inTransaction, MAX_ERRORS, Write, loadOn } from './write.ts';

/** The newest changes that a poll looks at; each poll looks back over several. */
const MAX_CHANGES = 50_000;
const INT8 = 20;
/** A change of the tables may take longer than any other statement. */
const STEP_LIMIT_MS = 3_600_000;

export async function openPostgres(databaseUrl: string, connections: number, log: Log): Promise<Store> {
  // Every bigint here is a time or an amount of at most 15 digits.
  types.setTypeParser(INT8, Number);
  const timeline = new Timeline((newer) =>
    log('warn', 'a standby that may lack commits took over: the database counts as restored', { timeline: newer }),
  );
  await prepareTables(databaseUrl, timeline, log);
  const pool = createPool({ databaseUrl, connections, timeline });
  const db = new Kysely<Tables>({ dialect: new PostgresDialect({ pool: pool.forKysely }) });
  return {
    db,
    sql: POSTGRES_SQL,
    place: { ...describeServer(databaseUrl), connections },
    write: (subject, decide) => new Write(subject, decide).run(pool),
    load: (subject) => read(pool, (on) => loadOn(on, subject, new WeakMap())),
    execute: (statement, undo) => execute(pool, statement, undo),
    time: () => time(pool),
    changedSince: (since) => changedSince(pool, since),
    ping: () => read(pool, ({ runSimple }) => runSimple(PING)),
    shrink: () => Promise.resolve(false),
    freeBytes: () => undefined,
    warnings: () => standbyWarnings(db),
    close: () => pool.end(),
  };
}

/** By a connection of its own, which the pool's connections then find as it leaves the tables. */
async function prepareTables(databaseUrl: string, timeline: Timeline, log: Log): Promise<void> {
  const pool = createPool({ databaseUrl, connections: 1, timeline, silenceLimitMs: STEP_LIMIT_MS });
  const db = new Kysely<Tables>({ dialect: new PostgresDialect({ pool: pool.forKysely }) });
  try {
    // First, so that a problem with the server is reported as itself, not as a failed change of the tables.
    await time(pool);
    await requireSchema(db);
    await migrate(db, 'postgres', log);
  } finally {
    await pool.end();
  }
}

/**
 * As a start writes: a row that needs a new page, because a full disk still takes changes within the old ones, and
 * locks of the tables, because a person may hold one. It leaves the row of `meta` where somebody else has it.
 */
const PING = `begin isolation level read committed; ${setSettings('transaction')};
  set local lock_timeout = '2s'; set local statement_timeout = '2500ms'; set local temp_tablespaces = '';
  lock table orders, transactions, history, ipns, webhooks in row exclusive mode;
  create temporary table ping on commit drop as select 1;
  update meta set value = ${CLOCK}::text
    where key in (select key from meta where key = 'pinged_at' for update skip locked);
  commit`;

async function time(pool: Connections): Promise<number> {
  const [row] = await read(pool, ({ run }) => run<{ ms: number }>({ sql: `select ${CLOCK} as ms`, parameters: [] }));
  return row?.ms ?? Number.NaN;
}

/** Once more on another connection, if the first one was being closed. */
async function read<T>(pool: Connections, work: (on: Connection) => Promise<T>): Promise<T> {
  try {
    return await pool.use(work);
  } catch (error) {
    if (!isRepeatable(error) && !isBroken(error)) throw error;
    return pool.use(work);
  }
}

async function execute<Row>(
  pool: Connections,
  statement: CompiledQuery<Row>,
  undo: CompiledQuery | undefined,
): Promise<Row[]> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await pool.use((on) => executeOn(on, statement));
    } catch (error) {
      if (undo !== undefined && isOutcomeUnknown(error))
        await pool.use((on) => executeOn(on, undo)).catch(() => undefined);
      if (!isRepeatable(error) || tries >= MAX_ERRORS) throw unavailable(error);
    }
  }
}

async function executeOn<Row>(on: Connection, statement: CompiledQuery<Row>): Promise<Row[]> {
  if (!on.isPooled) return on.run<Row>(statement);
  return inTransaction(on, undefined, async (commit) => {
    const rows = await on.run<Row>(statement);
    await commit();
    return rows;
  });
}

async function changedSince(pool: Connections, since: number): Promise<Map<string, number>> {
  const newest = `select order_id from transactions where ${IS_OF_ORDER} and updated_at >= $1
    order by updated_at desc limit ${MAX_CHANGES}`;
  const text = `select o.order_id, o.version from (${newest}) t join orders o on o.order_id = t.order_id
    union all (select order_id, version from orders where closed_at >= $1 order by closed_at desc limit ${MAX_CHANGES})`;
  const rows = await read(pool, ({ run }) =>
    run<{ order_id: string; version: number }>({ sql: text, parameters: [since] }),
  );
  return new Map(rows.map(({ order_id, version }) => [order_id, version]));
}

/** Kysely replaces this error by the next one that it causes. */
async function requireSchema(db: Kysely<Tables>): Promise<void> {
  const { rows } = await sql<{ name: string | null; is_open: boolean | null }>`select current_schema() as name,
    to_regclass('meta') is not null or has_schema_privilege(current_schema(), 'create') as is_open`.execute(db);
  const { name = null, is_open: isOpen } = rows[0] ?? {};
  if (name === null) throw Object.assign(new Error('no schema has been selected to create in'), { code: '3F000' });
  if (isOpen !== true) throw Object.assign(new Error(`permission denied for schema ${name}`), { code: '42501' });
}

// Looks at a PostgreSQL database without changing it, by a connection with the settings that the proxy needs.

interface InspectedPostgres {
  schema: SchemaState;
  /** `15.18`. */
  version: string;
  /** Whether this role may make tables here. */
  mayCreate: boolean;
  role: string;
  schemaName: string;
  /** The database's clock, ms since 1970. */
  now: number;
}

const FACTS = `select current_setting('server_version') as version, current_user as role,
  coalesce(current_schema(), 'public') as schema_name,
  has_schema_privilege(coalesce(current_schema(), 'public'), 'CREATE') as may_create,
  to_regclass('transactions') is not null as has_tables,
  to_regclass('meta') is not null as has_meta,
  (extract(epoch from clock_timestamp()) * 1000)::float8 as now`;

/** Throws the error of the server or the driver if it cannot be used. */
export async function inspectPostgres(url: string): Promise<InspectedPostgres> {
  const client = await connect(url);
  try {
    const [facts] = (
      await query<{
        version: string;
        role: string;
        schema_name: string;
        may_create: boolean;
        has_tables: boolean;
        has_meta: boolean;
        now: number;
      }>(client, FACTS)
    ).rows;
    if (facts === undefined) throw new Error('The server answered no row');
    const meta = facts.has_meta
      ? (await query<{ key: string; value: string }>(client, 'select key, value from meta')).rows
      : [];
    return {
      schema: schemaState(meta, facts.has_tables),
      version: facts.version.split(' ')[0] ?? '',
      mayCreate: facts.may_create,
      role: facts.role,
      schemaName: facts.schema_name,
      now: facts.now,
    };
  } finally {
    await client.end();
  }
}

// Whether a failover could lose commits: PostgreSQL has standbys, and commits wait for none of them.

const WARNING =
  'A standby of the database is not synchronous: if it takes over, the last payments and payouts are lost. ' +
  'Set synchronous_standby_names; after such a failover set DATABASE_RESTORED.';

/**
 * Base backups and logical subscribers never take over. A role without pg_monitor sees the connections of standbys but
 * not their state, hence the setting and not `sync_state`.
 */
const ENDANGERED = `select exists (
  select from pg_stat_replication
  where state is distinct from 'backup' and not exists (
    select from pg_replication_slots where slot_type = 'logical' and active_pid = pg_stat_replication.pid
  )
) and current_setting('synchronous_standby_names') = '' as endangered`;

/** Empty on a service that hides its replication. */
async function standbyWarnings(db: Db): Promise<Warning[]> {
  const { rows } = await sql
    .raw<{ endangered: boolean }>(ENDANGERED)
    .execute(db)
    .catch(() => ({ rows: [] }));
  return rows[0]?.endangered === true ? [{ warning: WARNING }] : [];
}
