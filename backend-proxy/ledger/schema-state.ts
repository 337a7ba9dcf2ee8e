// How far the tables of a database are from those of this version, told by the names of the migrations that were made.
import { MIGRATIONS } from './migrations.ts';

export interface SchemaState {
  /** The newest migration that was made; undefined before the first start. */
  newest: string | undefined;
  /** Those that the next start will make. */
  pending: string[];
  /** Those of a newer version. */
  unknown: string[];
}

export function schemaState(made: readonly string[]): SchemaState {
  return {
    newest: made.toSorted().at(-1),
    pending: MIGRATIONS.filter((name) => !made.includes(name)),
    unknown: made.filter((name) => !MIGRATIONS.includes(name)),
  };
}
