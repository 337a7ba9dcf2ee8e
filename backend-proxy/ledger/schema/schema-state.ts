// How far the tables of a database are from those of this version, determined by the names of the applied changes.
import { VERSION } from '../../version.ts';
import { UNRELEASED, refuseNewer, type MadeStep } from './schema-steps.ts';
import { FIRST_STEP, STEPS } from './steps.ts';

export interface SchemaState {
  /** The newest change that was made; undefined before the first start. */
  newest: string | undefined;
  /** Those that the next start will make. */
  pending: string[];
  /** Why this version cannot use it, written for the operator; undefined if it can. */
  refusal: string | undefined;
}

/** `hasTables`: whether there are any, made by steps or not. */
export function schemaState(made: readonly MadeStep[], hasTables: boolean): SchemaState {
  const names = new Set(made.map(({ name }) => name));
  const known = STEPS.map(({ name }) => name);
  return {
    newest: made.at(-1)?.name,
    pending: known.filter((name) => !names.has(name)),
    refusal:
      hasTables && !names.has(FIRST_STEP.name)
        ? UNRELEASED
        : refusalOf(made.filter(({ name }) => !known.includes(name))),
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
