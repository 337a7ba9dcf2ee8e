// Changes of the tables of a SQLite file: each is made once, whole or not at all, and an older version goes on.
import assert from 'node:assert/strict';
import { DatabaseSync } from 'node:sqlite';
import { describe, it, type TestContext } from 'node:test';
import { UNRELEASED, schemaState } from '../../../../backend-proxy/ledger/schema/schema-steps.ts';
import { inspectSqlite } from '../../../../backend-proxy/ledger/sqlite/copy.ts';
import { upgradeSqlite } from '../../../../backend-proxy/ledger/sqlite/steps.ts';
import { STEPS, type Step } from '../../../../backend-proxy/ledger/schema/steps.ts';
import { NEWER_STEPS } from '../../../upgrade/newer-steps.ts';
import { openedStore, temporaryFile } from './sqlite-kit.ts';
import { raise } from '../order-writes.ts';

const ADD: Step = {
  name: 'add',
  compatibleWith: '0.1.0',
  change: ({ int, strict }) => [
    `alter table orders add column shop_at ${int}`,
    `create table shops (id text not null primary key) ${strict}`,
  ],
};

describe('SQLite: changes of tables', () => {
  async function opened(t: TestContext) {
    const file = temporaryFile(t);
    const store = await openedStore(t, file);
    const lines: string[] = [];
    const log = (level: string, event: string, fields = {}) =>
      void lines.push(`${level} ${event} ${JSON.stringify(fields)}`);
    const upgrade = (steps: readonly Step[], version = '0.2.0') =>
      upgradeSqlite(store.db, { log, steps: [...STEPS, ...steps], version });
    const database = new DatabaseSync(file);
    t.after(() => database.close());
    const ask = (text: string) =>
      database
        .prepare(text)
        .all()
        .map((row) => ({ ...row }));
    return { store, upgrade, ask, lines };
  }

  it('steps of every kind are made once, and an open store goes on with rows that lack the new columns', async (t) => {
    const { store, upgrade, ask, lines } = await opened(t);
    for (let n = 0; n < 3; n += 1) await raise(store, `A${n}`);
    await upgrade(NEWER_STEPS);
    const made = lines.length;
    assert.ok(made >= 16);
    await upgrade(NEWER_STEPS);
    assert.equal(lines.length, made);
    assert.equal(await raise(store, 'A1'), 0);
    await raise(store, 'B');
    assert.deepEqual(ask('select order_id, version, future_note, future_count from orders order by order_id'), [
      { order_id: 'A0', version: 0, future_note: 'filled', future_count: 7 },
      { order_id: 'A1', version: 1, future_note: 'filled', future_count: 7 },
      { order_id: 'A2', version: 0, future_note: 'filled', future_count: 7 },
      { order_id: 'B', version: 0, future_note: null, future_count: 7 },
    ]);
    assert.deepEqual(ask(`select name from sqlite_master where name = 'orders_future'`), [{ name: 'orders_future' }]);
  });

  it('a backfill reaches every row of many pages', async (t) => {
    const { upgrade, ask } = await opened(t);
    ask(`insert into orders (order_id, currency, version)
      select 'filled-' || value, 'EUR', 1 from (with recursive numbers(value) as
        (select 1 union all select value + 1 from numbers where value < 2500) select value from numbers)`);
    await upgrade(NEWER_STEPS);
    assert.deepEqual(ask(`select count(*) as n from orders where future_note = 'filled'`), [{ n: 2_500 }]);
  });

  it('a step that fails leaves nothing of it, and the next start makes it', async (t) => {
    const { upgrade, ask } = await opened(t);
    const wrong: Step = { ...ADD, change: (by) => [...ADD.change(by), 'alter table nowhere add column x text'] };
    await assert.rejects(upgrade([wrong]), /no such table: nowhere/);
    assert.deepEqual(ask(`select name from sqlite_master where name = 'shops'`), []);
    assert.deepEqual(ask("select name from schema_steps where name = 'add'"), []);
    await upgrade([ADD]);
    assert.deepEqual(ask("select name, written_by, compatible_with from schema_steps where name = 'add'"), [
      { name: 'add', written_by: '0.2.0', compatible_with: '0.1.0' },
    ]);
  });

  it('a file of a newer version is opened if its steps allow it, and refused otherwise', async (t) => {
    const { upgrade, lines } = await opened(t);
    await upgrade([ADD], '0.4.0');
    await upgrade([], '0.2.0');
    assert.match(lines.at(-1) ?? '', /^warn the database was changed by a newer version.*"0.4.0".*"0.2.0"/);
    await upgrade([ADD, { name: 'later', compatibleWith: '0.10.0', change: () => [] }], '0.10.1');
    await assert.rejects(upgrade([], '0.9.0'), {
      message:
        'This database was written by payment-proxy 0.10.1; it needs at least 0.10.0, and this is 0.9.0. ' +
        'Install that version, or restore a backup from before it.',
    });
  });

  it('the newest step is the last in the list that was made, or one that only a newer version knows', () => {
    const made = (name: string) => ({ name, written_by: '0.2.0', compatible_with: '0.2.0' });
    const steps = [...STEPS, { ...ADD, name: 'z' }, { ...ADD, name: 'b' }, { ...ADD, name: 'pending' }];
    const names = [...STEPS.map(({ name }) => name), 'b', 'z'];
    const newest = (...also: string[]) =>
      schemaState([...names, ...also].map(made), true, { steps, version: '0.2.0' }).newest;
    assert.equal(newest(), 'b');
    assert.equal(newest('a of a newer version'), 'a of a newer version');
  });

  it('a file that was made before the first release is refused, and stays as it is', async (t) => {
    const file = temporaryFile(t);
    const old = new DatabaseSync(file);
    old.exec('create table orders (order_id text); create table transactions (id text)');
    old.close();
    await assert.rejects(openedStore(t, file), { message: `${file}: ${UNRELEASED}` });
    const { schema } = inspectSqlite(file);
    assert.deepEqual(schema, { newest: undefined, pending: STEPS.map(({ name }) => name), refusal: UNRELEASED });
  });
});
