// An empty SQLite payment database for each test. The migrations run once in a process and their result is copied: to run them in
// every test would cost an eighth of the time of all of them. Opening the copy still checks that no migration is missing.
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connectDatabase } from '../../../backend-proxy/ledger/connect.ts';

let migrated: Promise<Buffer> | undefined;

/** `file` does not exist yet. */
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
