// Writes an empty SQLite payment database for each test. The tables are made once per process and the file is copied,
// because making them in every test takes an eighth of the suite's time. Opening the copy still looks for missing
// steps.
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connectDatabase } from '../../../backend-proxy/ledger/connect.ts';

let made: Promise<Buffer> | undefined;

/** `file` must not exist yet. */
export async function writeEmptyDatabase(file: string): Promise<void> {
  made ??= make(`${file}.first`);
  writeFileSync(file, await made);
}

async function make(file: string): Promise<Buffer> {
  const store = await connectDatabase(`file:${file}`, (error) => {
    throw error;
  });
  await store.close();
  const bytes = readFileSync(file);
  rmSync(file);
  return bytes;
}
