// POST /transactions/{gatewayOrderId}/resolve: how a person resolves a transaction that needs review.
import assert from 'node:assert/strict';
import { it, type TestContext } from 'node:test';
import type { Problem } from '../../../backend-proxy/protocol/wire.ts';
import { createWorld, type World } from '../world.ts';

const WORD = { status: 'SUCCESS', by: 'Mia', note: 'seen at the gateway’s desk' };

/** A payment with a different reported amount. */
async function disputed(t: TestContext): Promise<World> {
  const world = await createWorld(t);
  await world.start(world.token(), { method: 'QR' });
  await world.faults({ status: { tamper: { amount: 1 } } });
  world.skip(1);
  await world.settleAfter('approve', 'A-1');
  return world;
}

it('a person resolves what needs review once, and the history has the name and the note', async (t) => {
  const world = await disputed(t);
  const { body: listed } = await world.merchant<{ transactions: { gatewayOrderId: string }[] }>(
    'GET',
    '/transactions?needsReview=true',
  );
  const gatewayOrderIds = listed.transactions.map(({ gatewayOrderId }) => gatewayOrderId);
  assert.deepEqual(gatewayOrderIds, ['A-1']);
  const { status, body } = await world.merchant('POST', '/transactions/A-1/resolve', WORD);
  const { history, ...payment } = body as { history: { event: string; source: string; detail: string }[] } & object;
  assert.equal(status, 200);
  assert.partialDeepStrictEqual(payment, { type: 'PAY', status: 'SUCCESS', reason: null, needsReview: false });
  const said = history.find(({ event }) => event === 'resolved');
  assert.deepEqual([said?.source, said?.detail], ['merchant', 'SUCCESS by Mia: seen at the gateway’s desk']);
  assert.equal((await world.view(world.token())).paid, true);
  const again = await world.merchant('POST', '/transactions/A-1/resolve', WORD);
  assert.deepEqual([again.status, again.body], [200, body], 'a reverse proxy may repeat the request');
  const other = await world.merchant<Problem>('POST', '/transactions/A-1/resolve', { ...WORD, by: 'Bo' });
  assert.deepEqual([other.status, other.body.code], [409, 'no_review_needed']);
});

it('a resolution against what the gateway reports, or of another version, is 409 unless the request says so', async (t) => {
  const world = await createWorld(t);
  await world.paid();
  await world.faults({ status: { tamper: { status: 'FAILED' } } });
  world.skip(1);
  await world.settleAfter('ipn', 'A-1');
  const answerTo = async (given: object) => {
    const { status, body } = await world.merchant('POST', '/transactions/A-1/resolve', { ...WORD, ...given });
    return [status, body['code'], /The gateway reports FAILED/.test(String(body['detail']))];
  };
  assert.deepEqual(await answerTo({}), [409, 'gateway_contradicts', true]);
  assert.deepEqual(await answerTo({ gatewayReports: 'SUCCESS' }), [409, 'gateway_contradicts', true]);
  const known = { gatewayReports: 'FAILED' };
  assert.deepEqual(await answerTo({ ...known, version: 1 }), [409, 'version_changed', false]);
  const { body } = await world.merchant<{ payments: { version: number }[] }>('GET', '/orders/A-1');
  assert.deepEqual(await answerTo({ ...known, version: body.payments[0]?.version }), [200, undefined, false]);
});

it('a resolution is 409 if no review is needed, 404 for an unknown id, and 400 if it is invalid', async (t) => {
  const world = await disputed(t);
  await world.start(world.token({ orderId: 'B-1' }), { method: 'QR' });
  assert.equal((await world.merchant('POST', '/transactions/B-1/resolve', WORD)).status, 409);
  assert.equal((await world.merchant('POST', '/transactions/C-1/resolve', WORD)).status, 404);
  for (const wrong of [
    { ...WORD, status: 'PROCESSING' },
    { ...WORD, by: '' },
    { ...WORD, note: 'two\nlines' },
    { ...WORD, amount: 5 },
    { status: 'SUCCESS' },
  ]) {
    const { status, body } = await world.merchant<Problem>('POST', '/transactions/A-1/resolve', wrong);
    assert.deepEqual([status, body.code], [400, 'invalid_request'], JSON.stringify(wrong));
  }
  assert.equal((await world.view(world.token())).paid, false);
});
