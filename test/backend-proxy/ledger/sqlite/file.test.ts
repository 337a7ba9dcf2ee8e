// The file of SQLite: durable settings, strict tables, a full disk, other processes that write it, and its log.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import {
  closeSync,
  copyFileSync,
  openSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
  mkdirSync,
} from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { sql } from 'kysely';
import { IS_OF_ORDER } from '../../../../backend-proxy/ledger/schema/schema.ts';
import type { Refusal } from '../../../../backend-proxy/errors.ts';
import { connectDatabase } from '../../../../backend-proxy/ledger/connect.ts';
import type { Store } from '../../../../backend-proxy/ledger/store.ts';
import { NOTHING, ORDER, raise, versions } from '../order-writes.ts';
import { die, openedStore, temporaryFile } from './sqlite-kit.ts';
import { join } from 'node:path';
import { createPrivately } from '../../../../backend-proxy/ledger/sqlite/files.ts';
import { temporaryFolder } from '../../../temporary-folder.ts';

const IPN = { transaction_id: null, reading: null, matched: 0, n: 0, reported: 0, seen: 1, first_at: 0, last_at: 0 };
const storeIpn = (store: Store, id: string, body: string) =>
  store.write({ transactions: [] }, () => ({ changes: { ...NOTHING, ipn: { ...IPN, id, body } }, result: undefined }));

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
    ['orders', 'transactions', 'history', 'ipns', 'webhooks', 'meta'].includes(name),
  );
  const strictness = ours.map(({ strict }) => strict);
  assert.deepEqual(strictness, [1, 1, 1, 1, 1, 1]);
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
  const opening = fileURLToPath(new URL('../../../../backend-proxy/ledger/connect.ts', import.meta.url));
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
      insert into transactions (id, type, order_id, attempt, amount_minor, currency, idempotency_key, fingerprint, rank, created_at, updated_at)
      values ('${id}', 'PAY', '${id}', 1, 1, 'EUR', 'k', 'f', 3, ${at}, ${at})`);
  write('A', 100);
  write('B', 200);
  assert.deepEqual([...(await changedSince(200))], [['B', 7]]);
  assert.deepEqual([...(await changedSince(0))], [], 'nobody has written since');
  write('C', 50);
  assert.deepEqual([...(await changedSince(0))].map(([id]) => id).toSorted(), ['A', 'B', 'C']);
  const { rows: plan } = await sql<{ detail: string }>`explain query plan select o.order_id, o.version
    from transactions t join orders o on o.order_id = t.order_id where ${sql.raw(IS_OF_ORDER)} and t.updated_at >= 1`.execute(
    db,
  );
  assert.match(plan[0]?.detail ?? '', /SEARCH t USING INDEX transactions_updated \(type=\? AND updated_at>/);
});

it('a file that was replaced, removed or damaged under the process ends it, before anything is acknowledged', async (t) => {
  const body = 'x'.repeat(4000);
  const damage = (file: string) => {
    const checkpoint = new DatabaseSync(file);
    checkpoint.exec('pragma wal_checkpoint(truncate)');
    checkpoint.close();
    const opened = openSync(file, 'r+');
    for (let page = 2; page < 100; page += 1) writeSync(opened, Buffer.alloc(4096, 7), 0, 4096, page * 4096);
    closeSync(opened);
  };
  const read = (store: Store) => store.db.selectFrom('ipns').selectAll().execute();
  const write = (store: Store) => storeIpn(store, 'after', body);
  for (const [change, use, says] of [
    [(file: string) => renameSync(file, `${file}.old`), write, /was replaced or removed/],
    [(file: string) => (copyFileSync(file, `${file}.copy`), renameSync(`${file}.copy`, file)), write, /was replaced/],
    [damage, write, /malformed/],
    [damage, read, /malformed/],
    [damage, (store: Store) => store.load({ order: 'A' }), /malformed/],
  ] as const) {
    const file = temporaryFile(t);
    const filled = await connectDatabase(`file:${file}`, die);
    for (let n = 0; n < 20; n += 1) await storeIpn(filled, String(n), body);
    await raise(filled, 'A');
    await filled.close();
    const fatal: unknown[] = [];
    const store = await connectDatabase(`file:${file}`, (error) => void fatal.push(error));
    t.after(() => store.close());
    change(file);
    await assert.rejects(use(store));
    assert.match(String(fatal[0]), says);
  }
});

it('copies that an interrupted restore has left are named until they are deleted', async (t) => {
  const file = temporaryFile(t);
  const copies = ['', '-wal'].map((part) => `${file}.restoring-0a1b2c3d${part}`);
  for (const copy of copies) writeFileSync(copy, '');
  writeFileSync(`${file}.replaced-2026`, '');
  const { warnings } = await openedStore(t, file);
  const warning = 'An interrupted restore has left a copy of the database, which has wallet ids: delete it.';
  const named = (await warnings()).toSorted((a, b) => String(a.detail).localeCompare(String(b.detail)));
  assert.deepEqual(
    named,
    copies.map((detail) => ({ warning, detail })),
  );
  for (const copy of copies) rmSync(copy);
  assert.deepEqual(await warnings(), []);
});

it('a file that cannot be opened is an error', async (t) => {
  const file = temporaryFile(t);
  writeFileSync(file, '');
  await assert.rejects(connectDatabase(`file:${file}/below.db`, die), /below\.db cannot be written: not a directory$/);
});

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

const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8);

describe('a new database', { skip: process.platform === 'win32' && 'skipped: Windows has no such rights' }, () => {
  it('a new database and its folder are readable for their own user alone, whatever the umask', async (t) => {
    const before = process.umask(0);
    t.after(() => process.umask(before));
    const path = join(temporaryFolder(t), 'new', 'deeper', 'payments.db');
    const store = await connectDatabase(`file:${path}`, die);
    assert.deepEqual(store.place, { path });
    assert.deepEqual([path, `${path}-wal`, `${path}-shm`].map(modeOf), ['600', '600', '600']);
    assert.deepEqual([join(path, '..'), join(path, '..', '..')].map(modeOf), ['700', '700']);
    await store.close();
  });

  it('a database that exists keeps its content and its rights', (t) => {
    const path = join(temporaryFolder(t), 'payments.db');
    writeFileSync(path, 'content', { mode: 0o640 });
    createPrivately(path);
    assert.equal(statSync(path).size, 'content'.length);
    assert.equal(modeOf(path), '640');
  });
});

it('a database that cannot be made or opened is named with its absolute path and the reason', async (t) => {
  const path = temporaryFolder(t);
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
