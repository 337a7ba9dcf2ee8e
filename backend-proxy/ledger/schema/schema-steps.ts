// The table of the steps that were made: which version made each, and the oldest version that still works with it. By
// it an older version decides whether it can use a database that a newer one has changed.
import { sql, type Kysely } from 'kysely';
import type { Log } from '../../protocol/log.ts';
import { VERSION } from '../../version.ts';
import { DIALECTS, type Dialect } from './dialect.ts';
import { FIRST_STEP, STEPS, type Step } from './steps.ts';
import type { Tables } from './tables.ts';

export interface Upgrade {
  log: Log;
  /** Of this process; other values are for tests. */
  steps: readonly Step[];
  version: string;
}

export function upgradeBy(log: Log): Upgrade {
  return { log, steps: STEPS, version: VERSION };
}

/** For the operator. */
export const UNRELEASED =
  'This database was made before the first release, and no version changes it: set DATABASE_URL to a new database.';

export interface MadeStep {
  name: string;
  written_by: string;
  compatible_with: string;
}

/** How far the tables of a database are from those of a version. */
export interface SchemaState {
  /** The newest step that was made; undefined before the first start. */
  newest: string | undefined;
  /** Those that the next start will make. */
  pending: string[];
  /** Why this version cannot use it, written for the operator; undefined if it can. */
  refusal: string | undefined;
}

/** `made`: in the order of their time. `hasTables`: whether there were any before the steps were read. */
export function schemaState(
  made: readonly MadeStep[],
  hasTables: boolean,
  { steps, version }: Pick<Upgrade, 'steps' | 'version'> = { steps: STEPS, version: VERSION },
): SchemaState {
  const names = new Set(made.map(({ name }) => name));
  const unknown = unknownTo(steps, made);
  const isUnreleased = hasTables && !names.has(FIRST_STEP.name);
  return {
    // Several steps may have one time, so those that this version knows are in its order; the others came later.
    newest: (unknown.at(-1) ?? steps.findLast(({ name }) => names.has(name)))?.name,
    pending: steps.map(({ name }) => name).filter((name) => !names.has(name)),
    refusal: isUnreleased ? UNRELEASED : needsNewer(unknown, version),
  };
}

function unknownTo(steps: readonly Step[], made: readonly MadeStep[]): MadeStep[] {
  return made.filter(({ name }) => !steps.some((step) => step.name === name));
}

function needsNewer(unknown: readonly MadeStep[], version: string): string | undefined {
  const needed = newestOf(unknown.map((step) => step.compatible_with));
  if (!isNewer(needed, version)) return undefined;
  const writtenBy = newestOf(unknown.map((step) => step.written_by));
  return (
    `This database was written by payment-proxy ${writtenBy}; it needs at least ${needed}, and this is ${version}. ` +
    'Install that version, or restore a backup from before it.'
  );
}

/**
 * The steps to make.
 * @throws an Error for the operator if this version cannot use the database
 */
export async function missingSteps(db: Kysely<Tables>, dialect: Dialect, upgrade: Upgrade): Promise<Step[]> {
  // Before the steps are read: another process may make the tables now, in one transaction with their record.
  const hasTables = await hasTable(db, dialect, 'transactions');
  const made = (await hasTable(db, dialect, 'schema_steps'))
    ? (await sql<MadeStep>`select name, written_by, compatible_with from schema_steps`.execute(db)).rows
    : [];
  const { pending, refusal } = schemaState(made, hasTables, upgrade);
  if (refusal !== undefined) throw new Error(refusal);
  const unknown = unknownTo(upgrade.steps, made);
  if (unknown.length > 0) {
    const fields = { writtenBy: newestOf(unknown.map((step) => step.written_by)), version: upgrade.version };
    upgrade.log('warn', 'the database was changed by a newer version; this one works with it', fields);
  }
  return upgrade.steps.filter(({ name }) => pending.includes(name));
}

/** Safe to call again. */
export async function createStepsTable(db: Kysely<Tables>, dialect: Dialect): Promise<void> {
  const { int, strict } = DIALECTS[dialect];
  await sql`create table if not exists schema_steps (name text not null primary key, written_by text not null,
    compatible_with text not null, applied_at ${sql.raw(int)} not null) ${sql.raw(strict)}`.execute(db);
}

/** False if it is recorded already. In one transaction with the step, that makes the step once. */
export async function recordStep(db: Kysely<Tables>, step: Step, { version }: Upgrade): Promise<boolean> {
  const { name, compatibleWith } = step;
  const { rows } = await sql`insert into schema_steps (name, written_by, compatible_with, applied_at)
    values (${name}, ${version}, ${compatibleWith}, ${Date.now()}) on conflict do nothing returning name`.execute(db);
  return rows.length > 0;
}

async function hasTable(db: Kysely<Tables>, dialect: Dialect, name: string): Promise<boolean> {
  return (await DIALECTS[dialect].hasTable(name).execute(db)).rows.length > 0;
}

function newestOf(versions: string[]): string {
  return versions.reduce((newest, version) => (isNewer(version, newest) ? version : newest), '');
}

function isNewer(version: string, than: string): boolean {
  return version.localeCompare(than, 'en', { numeric: true }) > 0;
}
