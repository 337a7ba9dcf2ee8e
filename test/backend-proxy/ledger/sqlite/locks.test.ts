// Another process's lock on the file of SQLite: it delays only writes, and never close().
import assert from 'node:assert/strict';
import { DatabaseSync } from 'node:sqlite';
import { it, type TestContext } from 'node:test';
import { NOTHING, raise, versions } from '../order-writes.ts';
import { openedStore, temporaryFile } from './sqlite-kit.ts';

/** Locks the file until the returned function is called. */
function lock(t: TestContext, file: string): () => void {
  const holder = new DatabaseSync(file);
  t.after(() => holder.close());
  holder.exec('begin immediate');
  return () => holder.exec('rollback');
}

it("another process's lock delays writes, in their order, and nothing else", async (t) => {
  const file = temporaryFile(t);
  const store = await openedStore(t, file);
  const release = lock(t, file);
  const done: string[] = [];
  const writes = ['A', 'B'].map((id) => raise(store, id).then(() => done.push(id)));
  for (let reads = 0; reads < 20; reads += 1) {
    assert.deepEqual(await versions(store), []);
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
  assert.deepEqual(done, []);
  release();
  await Promise.all(writes);
  assert.deepEqual(done, ['A', 'B']);
});

it('ten thousand writes may wait for a lock; the next is refused at once', async (t) => {
  const file = temporaryFile(t);
  const store = await openedStore(t, file);
  const release = lock(t, file);
  const waiting = Array.from({ length: 10_000 }, () =>
    store.write({ transactions: [] }, () => ({ changes: NOTHING, result: undefined })),
  );
  await assert.rejects(raise(store, 'B'), { kind: 'unavailable' });
  release();
  await Promise.all(waiting);
  await raise(store, 'B');
});

it("opening the database waits for another process's lock", async (t) => {
  const file = temporaryFile(t);
  const release = lock(t, file);
  const order: string[] = [];
  setTimeout(() => {
    order.push('released');
    release();
  }, 30);
  const store = await openedStore(t, file);
  order.push('opened');
  assert.deepEqual(order, ['released', 'opened']);
  await raise(store, 'A');
});

it("close() does not wait for another process's lock, and rejects waiting writes", async (t) => {
  const file = temporaryFile(t);
  const store = await openedStore(t, file);
  lock(t, file);
  const waiting = assert.rejects(raise(store, 'A'), { kind: 'unavailable' });
  await new Promise((resolve) => setTimeout(resolve, 10));
  await store.close();
  await waiting;
});
