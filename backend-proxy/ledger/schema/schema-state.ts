// How far the tables of a database are from those of this version, determined by the names of the applied changes.
import { VERSION } from '../../version.ts';
import { MIGRATIONS } from './migrations.ts';
import { refuseNewer, type MadeStep } from './schema-steps.ts';
import { STEPS } from './steps.ts';

export interface SchemaState {
  /** The newest change that was made; undefined before the first start. */
  newest: string | undefined;
  /** Those that the next start will make. */
  pending: string[];
  /** Why this version cannot use it, written for the operator; undefined if it can. */
  refusal: string | undefined;
}

export function schemaState(migrations: readonly string[], steps: readonly MadeStep[]): SchemaState {
  const made = new Set([...migrations, ...steps.map(({ name }) => name)]);
  const known = [...MIGRATIONS, ...STEPS.map(({ name }) => name)];
  return {
    newest: steps.at(-1)?.name ?? known.findLast((name) => made.has(name)),
    pending: known.filter((name) => !made.has(name)),
    refusal: refusalOf(steps.filter(({ name }) => !known.includes(name))),
  };
}

function refusalOf(unknown: readonly MadeStep[]): string | undefined {
  try {
    refuseNewer(unknown, { version: VERSION, log: () => undefined });
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
