// Prepares each SQLite statement once, for the hot paths and for Kysely.
import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite';
import type { SqliteDatabase } from 'kysely';

/** More than the statements of the code; lists with filters have a few hundred forms. */
const MAX_STATEMENTS = 1_000;

export type Prepare = (text: string) => StatementSync;

/** `onError` gets the errors of Kysely's statements. */
export function createStatements(
  database: DatabaseSync,
  onError: (error: unknown) => void,
): { prepare: Prepare; forKysely: SqliteDatabase } {
  const statements = new Map<string, StatementSync>();
  /** Read once: `columns()` costs as much as a small read. */
  const readers = new WeakMap<StatementSync, boolean>();

  function prepare(text: string): StatementSync {
    const known = statements.get(text);
    if (known !== undefined) return known;
    const statement = database.prepare(text);
    if (statements.size < MAX_STATEMENTS) statements.set(text, statement);
    return statement;
  }

  function isReader(statement: StatementSync): boolean {
    const known = readers.get(statement) ?? statement.columns().length > 0;
    readers.set(statement, known);
    return known;
  }

  function reporting<T>(work: () => T): T {
    try {
      return work();
    } catch (error) {
      onError(error);
      throw error;
    }
  }

  return {
    prepare,
    forKysely: {
      close: () => database.close(),
      prepare(text) {
        const statement = prepare(text);
        return {
          reader: isReader(statement),
          all: (parameters) => reporting(() => statement.all(...(parameters as SQLInputValue[]))),
          run: (parameters) => reporting(() => statement.run(...(parameters as SQLInputValue[]))),
          iterate: (parameters) => statement.iterate(...(parameters as SQLInputValue[])),
        };
      },
    },
  };
}
