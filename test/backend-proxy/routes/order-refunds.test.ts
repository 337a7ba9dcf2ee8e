// What the shopper's view and stream say of refunds: only what the gateway has accepted or sent.
import assert from 'node:assert/strict';
import { DatabaseSync } from 'node:sqlite';
import { it, type TestContext } from 'node:test';
import { REFUNDS_QR, SECRETS, createWorld, type World } from '../world.ts';
import { open } from './events-kit.ts';

/** A-1 is paid. */
async function createPaid(t: TestContext): Promise<World & { refund(amount: string): Promise<unknown> }> {
  const world = await createWorld(t, {
    profile: REFUNDS_QR,
  });
  await world.start(world.token({ amount: '10.00' }), { method: 'QR' });
  await world.settleAfter('approve', 'A-1', '23456789');
  const refund = (amount: string) =>
    world.request('POST', '/orders/A-1/refunds', {
      headers: {
        Authorization: `Bearer ${SECRETS.merchant}`,
        'Content-Type': 'application/json',
        'Idempotency-Key': `key-${amount}`,
      },
      body: JSON.stringify({ amount, note: 'One cup was cold' }),
    });
  return Object.assign(world, { refund });
}

const refundsOf = async (world: World) => (await world.view(world.token())).refunds;

it('the order view has the amounts of refunds that are accepted or sent, and nothing of those that failed', async (t) => {
  const world = await createPaid(t);
  assert.deepEqual(await refundsOf(world), []);
  await world.refund('4.00');
  await world.settleAfter('approve', 'A-1-r1');
  await world.refund('3.00');
  await world.settleAfter('decline', 'A-1-r2');
  await world.pass(60_000);
  await world.refund('1.00');
  assert.deepEqual(await refundsOf(world), [
    { amount: '4.00', status: 'SUCCESS' },
    { amount: '1.00', status: 'PROCESSING' },
  ]);
});

it('the order view says nothing of a refund whose answer is lost, until a status check has found it', async (t) => {
  const world = await createPaid(t);
  await world.faults({ payout: { dropAnswer: true } });
  await world.refund('4.00');
  assert.equal((await world.merchant('GET', '/transactions/A-1-r1')).body['status'], 'INITIALIZED');
  assert.deepEqual(await refundsOf(world), []);
  await world.pass(5_000);
  assert.deepEqual(
    (await refundsOf(world)).map(({ amount }) => amount),
    ['4.00'],
  );
});

for (const flag of ['needs_review', 'mismatch', 'conflict']) {
  it(`the order view says nothing of a refund with the flag ${flag}, accepted or sent`, async (t) => {
    const world = await createPaid(t);
    for (const amount of ['4.00', '3.00']) await world.refund(amount);
    await world.settleAfter('approve', 'A-1-r1');
    assert.equal((await refundsOf(world)).length, 2);
    const database = new DatabaseSync(world.file);
    database.exec(`update transactions set ${flag} = 1 where type = 'REFUND'`);
    database.close();
    assert.deepEqual(await refundsOf(world), []);
  });
}

it('the event stream of a paid order goes on while a refund is on its way, and shows when it was sent', async (t) => {
  const world = await createPaid(t);
  await world.refund('4.00');
  const stream = await open(world, world.token());
  assert.deepEqual((await stream.view()).refunds, [{ amount: '4.00', status: 'PROCESSING' }]);
  await world.settleAfter('approve', 'A-1-r1');
  assert.deepEqual((await stream.view()).refunds, [{ amount: '4.00', status: 'SUCCESS' }]);
  assert.equal(await stream.next(), 'end');
});
