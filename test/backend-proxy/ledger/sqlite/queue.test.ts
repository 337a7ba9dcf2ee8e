// Queued writes of SQLite: they share a commit, see each other in their order, and fail alone.
import assert from 'node:assert/strict';
import { DatabaseSync } from 'node:sqlite';
import { it, type TestContext } from 'node:test';
import { Refusal } from '../../../../backend-proxy/errors.ts';
import { connectDatabase } from '../../../../backend-proxy/ledger/connect.ts';
import { createLedger } from '../../../../backend-proxy/ledger/ledger.ts';
import { PAYOUT } from '../ledger-kit.ts';
import { NOTHING, ORDER, raise, versions } from '../order-writes.ts';
import { openedStore, temporaryFile } from './sqlite-kit.ts';

it('a write whose decision throws changes nothing, and those queued with it are saved', async (t) => {
  const store = await openedStore(t);
  const results = await Promise.allSettled([
    raise(store, 'A'),
    store.write({ order: 'B' }, () => {
      throw new Refusal('already_paid', 'no');
    }),
    raise(store, 'C'),
  ]);
  const statuses = results.map(({ status }) => status);
  assert.deepEqual(statuses, ['fulfilled', 'rejected', 'fulfilled']);
  assert.equal(((results[1] as PromiseRejectedResult).reason as Refusal).kind, 'already_paid');
  assert.deepEqual(await versions(store), ['A0', 'C0']);
});

it('a write of which one statement fails rolls back alone', async (t) => {
  const store = await openedStore(t);
  const results = await Promise.allSettled([
    raise(store, 'A'),
    store.write({ order: 'B' }, () => {
      const rows = ['B', 'B'].map((id) => ({ before: undefined, after: { ...ORDER, order_id: id } }));
      return { changes: { ...NOTHING, orders: rows }, result: undefined };
    }),
    raise(store, 'C'),
  ]);
  assert.equal(((results[1] as PromiseRejectedResult).reason as Refusal).kind, 'unavailable');
  assert.deepEqual(await versions(store), ['A0', 'C0']);
});

it('a write that meets a damaged page ends the process, and nothing that was queued with it is committed', async (t) => {
  const file = temporaryFile(t);
  const fatal: unknown[] = [];
  const store = await connectDatabase(`file:${file}`, (error) => void fatal.push(error));
  t.after(() => store.close());
  const damaged = Object.assign(new Error('database disk image is malformed'), { errcode: 11 });
  const results = await Promise.allSettled([
    raise(store, 'A'),
    store.write({ order: 'B' }, () => {
      throw damaged;
    }),
    raise(store, 'C'),
  ]);
  assert.ok(results.every(({ status }) => status === 'rejected'));
  assert.deepEqual([fatal, await versions(store)], [[damaged], []]);
});

it('a write whose new row violates another constraint than its id is not decided again', async (t) => {
  const store = await openedStore(t);
  const ledger = createLedger(store);
  await ledger.openPayout(PAYOUT);
  const { transactions } = await store.load({ payout: 'P', id: 'P' });
  const row = { ...transactions[0]!, id: 'P-2' };
  let decided = 0;
  const again = store.write({ transactions: [] }, () => {
    decided += 1;
    return { changes: { ...NOTHING, transactions: [{ before: undefined, after: row }] }, result: undefined };
  });
  await assert.rejects(again, { kind: 'unavailable' });
  assert.equal(decided, 1);
});

it('a write that chooses an id again that was in use fails', async (t) => {
  const store = await openedStore(t);
  await createLedger(store).openPayout(PAYOUT);
  const { transactions } = await store.load({ payout: 'P', id: 'P' });
  const row = { ...transactions[0]!, order_id: 'Q' };
  let decided = 0;
  const again = store.write({ transactions: [] }, () => {
    decided += 1;
    assert.ok(decided < 9);
    return {
      changes: { ...NOTHING, transactions: [{ before: undefined, after: row }] },
      result: undefined,
    };
  });
  await assert.rejects(again, { kind: 'unavailable' });
  assert.equal(decided, 2);
});

it('queued writes see each other in their order, hundreds of them', async (t) => {
  const store = await openedStore(t);
  await raise(store, 'A');
  const seen = await Promise.all(Array.from({ length: 300 }, () => raise(store, 'A')));
  assert.deepEqual(
    seen,
    Array.from({ length: 300 }, (_, n) => n),
  );
  assert.deepEqual(await versions(store), ['A300']);
});

it('a write resolves only after its commit', async (t) => {
  const file = temporaryFile(t);
  const store = await openedStore(t, file);
  const reader = new DatabaseSync(file, { readOnly: true });
  t.after(() => reader.close());
  const count = () => reader.prepare('select count(*) as count from orders').get()?.['count'];
  const writing = raise(store, 'A');
  assert.equal(count(), 0);
  await writing;
  assert.equal(count(), 1);
});

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
