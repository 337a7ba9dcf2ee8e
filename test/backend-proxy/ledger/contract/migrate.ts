// What both databases promise of a change of the tables: each step is made once, whole or not at all, and a version
// that is too old is refused.
import assert from 'node:assert/strict';
import { it, type TestContext } from 'node:test';
import { STEPS, type Step } from '../../../../backend-proxy/ledger/schema/schema.ts';

/** A database of its own. */
export interface Migrating {
  /** As a start does. */
  start(steps?: readonly Step[]): Promise<unknown>;
  run(text: string): Promise<Record<string, unknown>[]>;
}

const LAST = STEPS.length;
const ADD: Step = {
  oldest: LAST,
  statements: ({ int, strict }) => [
    `alter table orders add column shop ${int} not null default 7`,
    `create table shops (id text not null primary key) ${strict}`,
    // A second time would make another row.
    `insert into shops (id) select 'shop-' || count(*) from shops`,
  ],
};

export function migrateContract(name: string, empty: (t: TestContext) => Promise<Migrating>): void {
  const numbers = async ({ run }: Migrating) =>
    (await run(`select key, value from meta where key in ('schema', 'oldest') order by key desc`)).map(({ value }) =>
      Number(value),
    );

  it(`${name}: processes that start together make each step once, and a later start makes none`, async (t) => {
    const database = await empty(t);
    const steps = [...STEPS, ADD];
    await Promise.all([1, 2, 3].map(() => database.start(steps)));
    await database.start(steps);
    assert.deepEqual(await database.run('select id from shops'), [{ id: 'shop-0' }]);
    assert.deepEqual(await numbers(database), [LAST + 1, LAST]);
  });

  it(`${name}: a row of the version before has the new column's default`, async (t) => {
    const database = await empty(t);
    await database.start();
    await database.run(`insert into orders (order_id, currency, version) values ('A', 'EUR', 0)`);
    await database.start([...STEPS, ADD]);
    const [row] = await database.run('select order_id, shop from orders');
    assert.deepEqual({ ...row, shop: Number(row?.['shop']) }, { order_id: 'A', shop: 7 });
  });

  it(`${name}: a database of each step before is brought to the tables of the last`, async (t) => {
    for (const [at] of STEPS.entries()) {
      const database = await empty(t);
      await database.start(STEPS.slice(0, at + 1));
      await database.start();
      assert.deepEqual(await database.run('select settled_minor from transactions'), []);
    }
  });

  it(`${name}: a step that fails leaves nothing of it, and the next start makes it`, async (t) => {
    const database = await empty(t);
    const wrong: Step = {
      ...ADD,
      statements: (by) => [...ADD.statements(by), 'alter table nowhere add column x text'],
    };
    await assert.rejects(database.start([...STEPS, wrong]), /nowhere/);
    await assert.rejects(database.run('select id from shops'));
    assert.deepEqual(await numbers(database), [LAST, LAST]);
    await database.start([...STEPS, ADD]);
    assert.deepEqual(await numbers(database), [LAST + 1, LAST]);
  });

  it(`${name}: a version that a step excludes is refused, and one that it allows goes on`, async (t) => {
    const database = await empty(t);
    await database.start([...STEPS, ADD]);
    await database.start(STEPS);
    await database.start([...STEPS, ADD, { oldest: LAST + 1, statements: () => [] }]);
    await database.start([...STEPS, ADD]);
    await assert.rejects(database.start(STEPS), {
      message:
        `A newer version has changed this database (schema ${LAST + 2}, and this version knows ${LAST}): ` +
        'install that version, or restore a backup from before it.',
    });
    assert.deepEqual(await numbers(database), [LAST + 2, LAST + 1]);
  });

  it(`${name}: a database of before the first release is refused, and stays as it is`, async (t) => {
    const database = await empty(t);
    await database.run('create table transactions (id text)');
    await assert.rejects(database.start(), /^Error: This database was made before the first release/);
    await assert.rejects(database.run('select 1 from meta'));
  });
}
