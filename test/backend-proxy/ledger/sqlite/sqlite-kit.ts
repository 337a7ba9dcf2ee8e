// Shared parts of the SQLite tests: a temporary database file, and a store on it.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { connectDatabase } from '../../../../backend-proxy/ledger/connect.ts';
import type { Store } from '../../../../backend-proxy/ledger/store.ts';
import { temporaryFolder } from '../../../temporary-folder.ts';

export const die = (error: unknown): never => assert.fail(String(error));

export function temporaryFile(t: TestContext): string {
  const folder = temporaryFolder(t);
  return join(folder, 'payments.db');
}

export async function openedStore(t: TestContext, file = temporaryFile(t)): Promise<Store> {
  const store = await connectDatabase(`file:${file}`, die);
  t.after(() => store.close().catch(() => undefined));
  return store;
}
