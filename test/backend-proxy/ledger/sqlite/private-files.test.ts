// New database files are for their own user alone, whatever the umask, and a place that cannot be written is named.
import assert from 'node:assert/strict';
import { mkdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { connectDatabase } from '../../../../backend-proxy/ledger/connect.ts';
import { createPrivately } from '../../../../backend-proxy/ledger/sqlite/files.ts';
import { temporaryFolder } from '../../../temporary-folder.ts';

function folder(t: TestContext): string {
  const path = temporaryFolder(t);
  return path;
}

const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8);
const die = (error: unknown): never => assert.fail(String(error));

describe('a new database', { skip: process.platform === 'win32' && 'skipped: Windows has no such rights' }, () => {
  it('a new database and its folder are readable for their own user alone, whatever the umask', async (t) => {
    const before = process.umask(0);
    t.after(() => process.umask(before));
    const path = join(folder(t), 'new', 'deeper', 'payments.db');
    const store = await connectDatabase(`file:${path}`, die);
    assert.deepEqual(store.place, { path });
    assert.deepEqual([path, `${path}-wal`, `${path}-shm`].map(modeOf), ['600', '600', '600']);
    assert.deepEqual([join(path, '..'), join(path, '..', '..')].map(modeOf), ['700', '700']);
    await store.close();
  });

  it('a database that exists keeps its content and its rights', (t) => {
    const path = join(folder(t), 'payments.db');
    writeFileSync(path, 'content', { mode: 0o640 });
    createPrivately(path);
    assert.equal(statSync(path).size, 'content'.length);
    assert.equal(modeOf(path), '640');
  });
});

it('a database that cannot be made or opened is named with its absolute path and the reason', async (t) => {
  const path = folder(t);
  writeFileSync(join(path, 'file'), 'no database at all, but long enough to look like one'.repeat(20));
  mkdirSync(join(path, 'payments.db'));
  for (const [name, reason] of [
    ['file/payments.db', 'cannot be written: not a directory'],
    ['payments.db', 'cannot be written: illegal operation on a directory'],
  ]) {
    await assert.rejects(connectDatabase(`file:${join(path, name ?? '')}`, die), {
      message: `${join(path, name ?? '')} ${reason}`,
    });
  }
  const file = join(path, 'file');
  await assert.rejects(connectDatabase(`file:${file}`, die), { message: `${file}: file is not a database` });
});
