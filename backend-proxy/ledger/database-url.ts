// What DATABASE_URL names: `file:PATH` is SQLite, every other URL PostgreSQL.

/** The path of the SQLite file; undefined for PostgreSQL. */
export function filePathOf(databaseUrl: string): string | undefined {
  return databaseUrl.startsWith('file:') ? databaseUrl.slice('file:'.length) : undefined;
}
