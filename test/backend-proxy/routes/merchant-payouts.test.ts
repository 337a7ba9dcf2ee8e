// POST /payouts and GET /payouts/{orderId}: one call to the gateway for each id, whatever is sent again; exact amounts.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { Problem } from '../../../backend-proxy/protocol/wire.ts';
import { NOON } from '../time.ts';
import { createWorld } from '../world.ts';
import { PAYOUT } from './merchant-kit.ts';
import { words } from '../in-words.ts';

it('POST /payouts answers 202 with the payout, which GET /payouts returns too', async (t) => {
  const world = await createWorld(t);
  const { status, body } = await world.merchant('POST', '/payouts', PAYOUT);
  assert.equal(status, 202);
  const { history, ...view } = body as { history: { event: string; source: string }[] };
  assert.deepEqual(view, {
    type: 'PAYOUT',
    orderId: 'P-1',
    gatewayOrderId: 'P-1',
    paymentId: '100001',
    amount: '50.00',
    currency: 'EUR',
    customer: '12345678',
    note: 'Thank you',
    status: 'PROCESSING',
    reason: null,
    needsReview: false,
    version: 3,
    createdAt: new Date(NOON).toISOString(),
    updatedAt: new Date(world.now()).toISOString(),
    erasedAt: null,
  });
  const steps = history.map(({ event, source }) => [event, source]);
  assert.deepEqual(steps, [
    ['created', 'merchant'],
    ['sending', 'merchant'],
    ['pending', 'answer'],
  ]);
  assert.deepEqual((await world.merchant('GET', '/payouts/P-1')).body, body);
  assert.equal((await world.merchant('GET', '/payouts/P-2')).status, 404);
  assert.equal((await world.merchant('GET', '/payouts/%00')).status, 400);
});

it('POST /payouts with the same body again returns the stored payout, and nothing is sent twice', async (t) => {
  const world = await createWorld(t);
  const answers = await Promise.all(Array.from({ length: 6 }, () => world.merchant('POST', '/payouts', PAYOUT)));
  assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([202]));
  await world.merchant('POST', '/payouts', { ...PAYOUT, amount: '50' });
  assert.equal((await world.gatewayHas('P-1'))?.createRequests, 1);
});

it('POST /payouts needs a whole amount above 0, read from its source text and never as a float', async (t) => {
  const world = await createWorld(t);
  for (const amount of [
    ...words`
    0 -5 5.5 5.01 1e3 1E3 1.0000000000000000001 9007199254740993 10000000000000 "5.000" "1e3" "١٢" "" "0" null true
    [5] {}
  `,
    '" 5"',
  ]) {
    const body = JSON.stringify(PAYOUT).replace('50', amount);
    const refused = await world.merchant<Problem>('POST', '/payouts', body);
    assert.deepEqual([refused.status, refused.body.errors?.[0]?.field], [400, 'amount'], amount);
  }
  assert.equal(await world.gatewayHas('P-1'), undefined);
  for (const [orderId, amount, shown] of [
    ['P-2', '5', '5.00'],
    ['P-3', '"7"', '7.00'],
    ['P-5', '8.0', '8.00'],
    ['P-6', '"9.00"', '9.00'],
    ['P-4', '9999999999999', '9999999999999.00'],
  ] as const) {
    const body = JSON.stringify({ ...PAYOUT, orderId }).replace('50', amount);
    const { body: payout } = await world.merchant('POST', '/payouts', body);
    assert.equal(payout['amount'], shown);
    const again = JSON.stringify({ ...PAYOUT, orderId, amount: payout['amount'] });
    assert.deepEqual(await world.merchant('POST', '/payouts', again).then((answer) => answer.body), payout, 'as told');
  }
});

it('POST /payouts accepts decimals if the profile allows them', async (t) => {
  const world = await createWorld(t, { profile: { payoutDecimals: true } });
  await world.faults({ payout: { dropAnswer: true } });
  assert.equal((await world.merchant('POST', '/payouts', { ...PAYOUT, amount: '10.10' })).body['amount'], '10.10');
  for (const amount of ['10.101', '0.00', '1e1']) {
    const { body } = await world.merchant<Problem>('POST', '/payouts', { ...PAYOUT, orderId: 'P-2', amount });
    assert.deepEqual(body.errors, [
      { field: 'amount', detail: 'an amount above 0 of at most 13 digits and 2 decimals' },
    ]);
  }
});

it('POST /payouts names every invalid field and unknown key', async (t) => {
  const world = await createWorld(t);
  const wrong = { orderId: 'a b', amount: 5, currency: 'X', customer: '1', note: '', type: 'JETGO' };
  const { body } = await world.merchant<Problem>('POST', '/payouts', wrong);
  assert.deepEqual(body.errors?.map(({ field }) => field).toSorted(), words`currency customer note orderId type`);
  assert.equal((await world.merchant('POST', '/payouts', { ...PAYOUT, note: 'x'.repeat(201) })).status, 400);
  assert.equal((await world.merchant('POST', '/payouts', { ...PAYOUT, note: 'x'.repeat(200) })).status, 202);
});
