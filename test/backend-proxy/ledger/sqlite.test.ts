// The ledger on SQLite: the contract, and what only this store promises: queued writes share a commit and fail alone,
// durable pragmas, recovery from a full disk, and a foreign lock that delays only writes.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, it, type TestContext } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { Kysely, SqliteDialect, sql } from 'kysely';
import { Refusal } from '../../../backend-proxy/errors.ts';
import { createLedger } from '../../../backend-proxy/ledger/sql-ledger.ts';
import { connectDatabase } from '../../../backend-proxy/ledger/connect.ts';
import { migrate } from '../../../backend-proxy/ledger/migrations.ts';
import { createStatements } from '../../../backend-proxy/ledger/sqlite-statements.ts';
import type { Store } from '../../../backend-proxy/ledger/store.ts';
import type { Tables } from '../../../backend-proxy/ledger/tables.ts';
import { ledgerContract } from './contract.ts';
import { writeEmptyDatabase } from './empty-database.ts';
import { PAYOUT } from './ledger-kit.ts';
import { NOTHING, ORDER, raise, versions } from './order-writes.ts';

const die = (error: unknown): never => assert.fail(String(error));

function temporaryFile(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'ledger-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  return join(folder, 'payments.db');
}

ledgerContract({
  name: 'SQLite',
  runs: 40,
  async openDatabase(t) {
    const file = temporaryFile(t);
    await writeEmptyDatabase(file);
    return {
      async open(options) {
        const ledger = createLedger(await connectDatabase(`file:${file}`, die), options);
        t.after(() => ledger.close());
        return ledger;
      },
      rows: async <Row>(text: string) => {
        const database = new DatabaseSync(file, { readOnly: true });
        const rows = database.prepare(text).all();
        database.close();
        return rows.map((row) => ({ ...row }) as Row);
      },
      async change(text) {
        const database = new DatabaseSync(file, { timeout: 5_000 });
        database.exec(text);
        database.close();
      },
    };
  },
});

async function openedStore(t: TestContext, file = temporaryFile(t)): Promise<Store> {
  const store = await connectDatabase(`file:${file}`, die);
  t.after(() => store.close().catch(() => undefined));
  return store;
}

const IPN = { order_id: null, reading: null, matched: 0, told: 0, seen: 1, first_at: 0, last_at: 0 };
const storeIpn = (store: Store, id: string, body: string) =>
  store.write({ transactions: [] }, () => ({ changes: { ...NOTHING, ipn: { ...IPN, id, body } }, result: undefined }));

describe('SQLite: queued writes', () => {
  it('a write whose decision throws changes nothing, and those queued with it are saved', async (t) => {
    const store = await openedStore(t);
    const results = await Promise.allSettled([
      raise(store, 'A'),
      store.write({ order: 'B' }, () => {
        throw new Refusal('already_paid', 'no');
      }),
      raise(store, 'C'),
    ]);
    assert.deepEqual(
      results.map(({ status }) => status),
      ['fulfilled', 'rejected', 'fulfilled'],
    );
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
});

describe('SQLite: the file', () => {
  it('the file is written durably, with WAL and synchronous FULL', async (t) => {
    const { db } = await openedStore(t);
    const pragma = async (name: string) =>
      Object.values((await sql<Record<string, unknown>>`${sql.raw(`pragma ${name}`)}`.execute(db)).rows[0] ?? {})[0];
    assert.deepEqual(
      [await pragma('journal_mode'), await pragma('synchronous'), await pragma('foreign_keys')],
      ['wal', 2, 1],
    );
  });

  it('all tables are strict, so that no text can be stored as money', async (t) => {
    const { db } = await openedStore(t);
    const { rows } = await sql<{ name: string; strict: number }>`pragma table_list`.execute(db);
    const ours = rows.filter(({ name }) =>
      ['orders', 'transactions', 'history', 'ipns', 'webhooks', 'meta', 'counts'].includes(name),
    );
    assert.deepEqual(
      ours.map(({ strict }) => strict),
      [1, 1, 1, 1, 1, 1, 1],
    );
  });

  it('a full disk is reported as unavailable, and writes succeed once there is room', async (t) => {
    const store = await openedStore(t);
    const pages = (await sql<{ page_count: number }>`pragma page_count`.execute(store.db)).rows[0]!.page_count;
    await sql.raw(`pragma max_page_count = ${pages + 2}`).execute(store.db);
    const body = 'x'.repeat(4000);
    const fill = (n: number) => storeIpn(store, String(n), body);
    const results = await Promise.allSettled(Array.from({ length: 20 }, (_, n) => fill(n)));
    const refused = results.flatMap((result) => (result.status === 'rejected' ? [result.reason as Refusal] : []));
    assert.ok(refused.length > 10);
    assert.deepEqual(new Set(refused.map(({ kind }) => kind)), new Set(['unavailable']));
    const { count } = await store.db
      .selectFrom('ipns')
      .select((eb) => eb.fn.countAll<number>().as('count'))
      .executeTakeFirstOrThrow();
    assert.equal(count, results.length - refused.length, 'exactly the acknowledged writes are stored');
    await sql.raw('pragma max_page_count = 1000000').execute(store.db);
    await fill(100);
  });

  it('several processes may create the file at once', async (t) => {
    const file = temporaryFile(t);
    const opening = fileURLToPath(new URL('../../../backend-proxy/ledger/connect.ts', import.meta.url));
    const program = `
      const { connectDatabase } = await import(${JSON.stringify(opening)});
      const store = await connectDatabase(${JSON.stringify(`file:${file}`)}, (error) => { throw error; });
      for (let n = 0; n < 20; n += 1) {
        const order = { ...${JSON.stringify(ORDER)}, order_id: process.pid + '-' + n };
        const changes = { orders: [{ before: undefined, after: order }], transactions: [], history: [], webhooks: [] };
        await store.write({ order: order.order_id }, () => ({ changes }));
      }
      await store.close();`;
    const run = () => promisify(execFile)(process.execPath, ['--input-type=module', '-e', program]);
    await Promise.all([run(), run(), run()]);
    const store = await connectDatabase(`file:${file}`, die);
    t.after(() => store.close());
    assert.equal((await versions(store)).length, 60, 'no process saw a busy error');
  });

  it('changes are looked for by an index, and only after another process has written', async (t) => {
    const { db, changedSince } = await openedStore(t);
    const { rows } = await sql<{ file: string }>`pragma database_list`.execute(db);
    const other = new DatabaseSync(rows[0]!.file);
    t.after(() => other.close());
    const write = (id: string, at: number) =>
      other.exec(`insert into orders (order_id, amount_minor, currency, version) values ('${id}', 1, 'EUR', 7);
        insert into transactions (id, type, order_id, attempt, amount_minor, currency, idempotency_key, fingerprint, rank, prior_rank, created_at, updated_at)
        values ('${id}', 'PAY', '${id}', 1, 1, 'EUR', 'k', 'f', 3, 3, ${at}, ${at})`);
    write('A', 100);
    write('B', 200);
    assert.deepEqual([...(await changedSince(200))], [['B', 7]]);
    assert.deepEqual([...(await changedSince(0))], [], 'nobody has written since');
    write('C', 50);
    assert.deepEqual([...(await changedSince(0))].map(([id]) => id).toSorted(), ['A', 'B', 'C']);
    const { rows: plan } = await sql<{ detail: string }>`explain query plan select o.order_id, o.version
      from transactions t join orders o on o.order_id = t.order_id where t.updated_at >= 1`.execute(db);
    assert.match(plan[0]?.detail ?? '', /SEARCH t USING INDEX transactions_updated \(updated_at>/);
  });

  it('a file that cannot be opened is an error', async () => {
    await assert.rejects(connectDatabase('file:/nowhere/payments.db', die), /unable to open/);
  });
});

describe("SQLite: another process's lock", () => {
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
    const opening = openedStore(t, file);
    setTimeout(release, 30);
    await raise(await opening, 'A');
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
});

describe('SQLite: the log', () => {
  it('the log is cut to 8 MB by the first commit after a long reader has gone', async (t) => {
    const file = temporaryFile(t);
    const store = await openedStore(t, file);
    const body = 'x'.repeat(1024 * 1024);
    const fill = (id: string) => storeIpn(store, id, body);
    const reader = new DatabaseSync(file, { readOnly: true });
    t.after(() => reader.close());
    reader.exec('begin; select count(*) from ipns');
    for (let n = 0; n < 20; n += 1) await fill(`while-${n}`);
    const size = () => statSync(`${file}-wal`).size / 1024 / 1024;
    assert.ok(size() > 16, `${size()} MB`);
    reader.exec('rollback');
    // The first checkpoint without a reader empties the log; the commit after it restarts and cuts it.
    await fill('after');
    await fill('then');
    assert.ok(size() <= 8, `${size()} MB`);
  });
});

describe('SQLite: a database of an earlier version', () => {
  it('the migration plans checks of ended transactions, marks old duplicates, and asks for reviews of conflicts', async (t) => {
    const file = temporaryFile(t);
    const earlier = new DatabaseSync(file);
    const dialect = new SqliteDialect({ database: createStatements(earlier).forKysely });
    await migrate(new Kysely<Tables>({ dialect }), 'sqlite', '2026-11-true-on-a-real-network');
    const [now, week] = [Date.now(), 7 * 24 * 3_600_000];
    const insert = earlier.prepare(
      `insert into transactions (id, type, order_id, attempt, amount_minor, currency, fingerprint, rank, prior_rank, conflict,
        created_at, updated_at, sent_at, answer) values (?, ?, ?, 1, 100, 'EUR', 'f', ?, 3, ?, ?, ?, ?, 'refused')`,
    );
    const ended = [
      ['refused', 'PAY', 6, 0, now],
      ['duplicate', 'PAY', 6, 0, now],
      ['not created', 'PAY', 7, 0, now],
      ['payout refused', 'PAYOUT', 6, 0, now],
      ['payout failed', 'PAYOUT', 8, 0, now],
      ['declined', 'PAY', 8, 0, now],
      ['long ago', 'PAYOUT', 6, 0, now - week],
      ['never sent', 'PAY', 7, 0, null],
      ['disputed', 'PAY', 9, 1, now],
    ] as const;
    for (const [id, type, rank, conflict, sentAt] of ended) insert.run(id, type, id, rank, conflict, now, now, sentAt);
    earlier.exec(`insert into history (transaction_id, event, at, source, detail)
      values ('duplicate', 'rejected', 0, 'answer', 'HTTP 409 DUPLICATE_ORDER'), ('refused', 'rejected', 0, 'answer', 'HTTP 400')`);
    earlier.close();
    const { db } = await openedStore(t, file);
    const rows = await db.selectFrom('transactions').selectAll().execute();
    const ids = (which: (row: (typeof rows)[number]) => boolean) => rows.filter(which).map(({ id }) => id);
    const asked = ['refused', 'duplicate', 'not created', 'payout refused', 'payout failed'];
    assert.deepEqual(
      ids((row) => row.next_check_at !== null),
      asked,
    );
    assert.deepEqual(
      ids((row) => row.answer === 'duplicate'),
      ['duplicate'],
    );
    assert.deepEqual(
      ids((row) => row.needs_review === 1),
      ['disputed'],
    );
    const counts = await db.selectFrom('counts').selectAll().where('name', 'like', 'PAY%').orderBy('name').execute();
    assert.deepEqual(
      counts.map(({ name, count }) => `${name}: ${count}`),
      ['PAY 6: 2', 'PAY 7: 2', 'PAY 8: 1', 'PAY 9: 1', 'PAYOUT 6: 2', 'PAYOUT 8: 1'],
    );
    assert.equal((await db.selectFrom('history').selectAll().execute()).length, 2);
  });
});
