// Writes an empty SQLite payment database for each test. The migrations run once per process and the result is copied,
// because migrating in every test takes an eighth of the suite's time. Opening the copy still checks for missing
// migrations.
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connectDatabase } from '../../../backend-proxy/ledger/connect.ts';

let migrated: Promise<Buffer> | undefined;

/** `file` must not exist yet. */
export async function writeEmptyDatabase(file: string): Promise<void> {
  migrated ??= migrate(`${file}.first`);
  writeFileSync(file, await migrated);
}

async function migrate(file: string): Promise<Buffer> {
  const store = await connectDatabase(`file:${file}`, (error) => {
    throw error;
  });
  await store.close();
  const bytes = readFileSync(file);
  rmSync(file);
  return bytes;
}
