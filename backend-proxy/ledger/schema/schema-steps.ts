// The table of the steps that were made: which version made each, and the oldest version that still works with it. By
// it an older version decides whether it can use a database that a newer one has changed. Kysely's own table has the
// migrations of 0.1.0 and stays as it is, because 0.1.0 refuses a database with any other row there.
import { sql, type Kysely } from 'kysely';
import type { Log } from '../../protocol/log.ts';
import { VERSION } from '../../version.ts';
import type { Dialect } from './dialect.ts';
import { STEPS, type Step } from './steps.ts';
import type { Tables } from './tables.ts';

const FIRST_VERSION = '0.1.0';

export interface Upgrade {
  log: Log;
  /** Of this process; other values are for tests. */
  steps: readonly Step[];
  version: string;
}

export function upgradeBy(log: Log): Upgrade {
  return { log, steps: STEPS, version: VERSION };
}

export interface MadeStep {
  name: string;
  written_by: string;
  compatible_with: string;
}

/**
 * The steps to make; undefined if there is no table of steps, so the migrations of 0.1.0 may be missing, too.
 * @throws an Error for the operator if the database needs a newer version
 */
export async function missingSteps(
  db: Kysely<Tables>,
  dialect: Dialect,
  upgrade: Upgrade,
): Promise<Step[] | undefined> {
  if (!(await hasTable(db, dialect, 'schema_steps'))) return undefined;
  const { rows: made } = await sql<MadeStep>`select name, written_by, compatible_with from schema_steps`.execute(db);
  const known = new Set(upgrade.steps.map(({ name }) => name));
  refuseNewer(
    made.filter(({ name }) => !known.has(name)),
    upgrade,
  );
  const names = new Set(made.map(({ name }) => name));
  return upgrade.steps.filter(({ name }) => !names.has(name));
}

/**
 * Given the steps that this version does not know.
 * @throws an Error for the operator if the database needs a newer version
 */
export function refuseNewer(unknown: readonly MadeStep[], { version, log }: Pick<Upgrade, 'version' | 'log'>): void {
  if (unknown.length === 0) return;
  const writtenBy = newestOf(unknown.map((step) => step.written_by));
  const needed = newestOf(unknown.map((step) => step.compatible_with));
  if (isNewer(needed, version)) {
    throw new Error(
      `This database was written by payment-proxy ${writtenBy}; it needs at least ${needed}, and this is ${version}. ` +
        'Install that version, or restore a backup from before it.',
    );
  }
  log('warn', 'the database was changed by a newer version; this one works with it', { writtenBy, version });
}

/** Safe to call again. */
export async function createStepsTable(db: Kysely<Tables>, dialect: Dialect): Promise<void> {
  const [int, strict] = dialect === 'sqlite' ? ['integer', 'strict'] : ['bigint', ''];
  await sql`create table if not exists schema_steps (name text not null primary key, written_by text not null,
    compatible_with text not null, applied_at ${sql.raw(int)} not null) ${sql.raw(strict)}`.execute(db);
}

/** False if it is recorded already. In one transaction with the step, that makes the step once. */
export async function recordStep(db: Kysely<Tables>, step: Step, { version }: Upgrade): Promise<boolean> {
  const { name, compatibleWith } = step;
  const { rows } = await sql`insert into schema_steps (name, written_by, compatible_with, applied_at)
    values (${name}, ${version}, ${compatibleWith}, ${Date.now()}) on conflict do nothing returning name`.execute(db);
  // Only this stops 0.1.0, which does not read the table of steps.
  if (isNewer(compatibleWith, FIRST_VERSION)) {
    await sql`insert into kysely_migration (name, timestamp)
      values (${`needs payment-proxy ${compatibleWith}`}, ${new Date().toISOString()}) on conflict do nothing`.execute(
      db,
    );
  }
  return rows.length > 0;
}

/** Before the first start: the tables are made, and nothing in them changed. */
export async function isEmptyDatabase(db: Kysely<Tables>, dialect: Dialect): Promise<boolean> {
  return !(await hasTable(db, dialect, 'transactions'));
}

async function hasTable(db: Kysely<Tables>, dialect: Dialect, name: string): Promise<boolean> {
  const found =
    dialect === 'sqlite'
      ? sql`select 1 from sqlite_master where type = 'table' and name = ${name}`
      : sql`select 1 where to_regclass(${name}) is not null`;
  return (await found.execute(db)).rows.length > 0;
}

function newestOf(versions: string[]): string {
  return versions.reduce((newest, version) => (isNewer(version, newest) ? version : newest));
}

function isNewer(version: string, than: string): boolean {
  return version.localeCompare(than, 'en', { numeric: true }) > 0;
}
