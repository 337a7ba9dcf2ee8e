// The log lines about payments, payouts and webhooks: one for each fact, after its commit, each with its order,
// transaction and request.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { eventNames } from '../../../backend-proxy/observability/business-events.ts';
import { H } from '../time.ts';
import { createWorld, type World } from '../world.ts';
import { differing, endCheck } from '../ledger/ledger-kit.ts';
import { inWords } from '../in-words.ts';

const PAYOUT = { orderId: 'P-1', amount: 5, currency: 'EUR', customer: '12345678' };

const NAMES = new Set(eventNames());

function eventsOf({ log }: World, ...fields: string[]): unknown[][] {
  return log
    .filter(({ event }) => NAMES.has(String(event)))
    .map((line) => [line['level'], line['event'], ...fields.map((field) => line[field])]);
}

const at = (world: World, event: string) => world.log.filter((line) => line['event'] === event);

it('a payment is logged as started, sent, accepted and paid, each with its order, transaction and request', async (t) => {
  const world = await createWorld(t);
  await world.paid();
  assert.deepEqual(eventsOf(world, 'orderId', 'transactionId', 'method', 'source'), [
    ['info', 'payment started', 'A-1', 'A-1', 'QR', 'shopper'],
    ['debug', 'payment sent', 'A-1', 'A-1', 'QR', 'shopper'],
    ['info', 'payment accepted', 'A-1', 'A-1', 'QR', 'answer'],
    ['info', 'payment paid', 'A-1', 'A-1', 'QR', 'check'],
  ]);
  const start = at(world, 'request').find(({ route }) => route === '/order/payments');
  const [[started], [accepted]] = [at(world, 'payment started'), at(world, 'payment accepted')];
  assert.equal(start?.['orderId'], 'A-1');
  assert.ok(start['requestId'] !== undefined && start['requestId'] === started?.['requestId']);
  assert.equal(accepted?.['requestId'], start['requestId']);
});

it('a payment that fails is logged once with its reason, and one that is paid later as late', async (t) => {
  const world = await createWorld(t);
  await world.faults({ pay: { status: 400 } });
  await world.start(world.token(), { method: 'QR' });
  await world.faults({});
  await world.start(world.token({ orderId: 'A-2' }), { method: 'QR' });
  await world.start(world.token({ orderId: 'A-2' }), { method: 'CHECKOUT' });
  await world.settleAfter('approve', 'A-2');
  await world.start(world.token({ orderId: 'A-3' }), { method: 'CHECKOUT' });
  await world.customer('decline', 'A-3');
  await world.pass(30_000);
  assert.deepEqual(inWords(at(world, 'payment failed'), 'level', 'transactionId', 'reason'), [
    'info A-1 REJECTED',
    'info A-2 REPLACED',
    'info A-3 DECLINED',
  ]);
  assert.equal(at(world, 'payment failed')[0]?.['detail'], 'HTTP 400 SANDBOX_FAULT');
  assert.deepEqual(inWords(at(world, 'payment paid'), 'transactionId', 'late'), ['A-2 true']);
  await world.settleAfter('approve', 'A-2-2');
  assert.deepEqual(
    inWords([...at(world, 'payment surplus'), ...at(world, 'payment paid')], 'level', 'transactionId'),
    ['warn A-2-2', 'info A-2'],
    'a surplus pays nothing',
  );
});

it('a mismatch, a review and its resolution are logged, the note of the person is not', async (t) => {
  const world = await createWorld(t);
  await world.start(world.token(), { method: 'QR' });
  world.skip(20_000);
  const [claim] = await world.ledger.claimChecks(1, 1_000);
  await endCheck(world.ledger, claim, differing());
  const resolution = { status: 'FAILED', by: 'Ada', note: 'canary: she phoned the customer' };
  const { headers } = await world.merchant('POST', '/transactions/A-1/resolve', resolution);
  assert.deepEqual(eventsOf(world, 'transactionId', 'detail', 'reason').slice(3), [
    ['error', 'payment mismatch', 'A-1', 'amount: asked 10.10 EUR, reported 0.07 EUR as pending', undefined],
    ['warn', 'payment needs review', 'A-1', 'mismatch', undefined],
    ['info', 'payment resolved', 'A-1', 'FAILED by Ada', undefined],
    ['info', 'payment failed', 'A-1', 'RESOLVED', 'RESOLVED'],
  ]);
  assert.equal(at(world, 'payment resolved')[0]?.['requestId'], headers.get('x-request-id'));
  assert.doesNotMatch(JSON.stringify(world.log), /canary/);
});

it('a payout is logged as started, sent and uncertain with the cause, and as succeeded', async (t) => {
  const world = await createWorld(t);
  await world.faults({ payout: { dropAnswer: true } });
  await world.merchant('POST', '/payouts', PAYOUT);
  await world.faults({});
  await world.pass(60_000);
  assert.deepEqual(eventsOf(world, 'orderId', 'answer', 'detail').slice(0, 3), [
    ['info', 'payout started', 'P-1', undefined, undefined],
    ['info', 'payout sent', 'P-1', undefined, undefined],
    ['warn', 'payout uncertain', 'P-1', 'lost', 'UND_ERR_SOCKET'],
  ]);
  assert.equal(at(world, 'payout succeeded').length, 1);
  await world.merchant('POST', '/payouts', PAYOUT);
  assert.equal(at(world, 'payout started').length, 1, 'a repeated request is no second payout');
});

it('nothing that was refused or not committed is logged', async (t) => {
  const world = await createWorld(t);
  await world.start(world.token(), { method: 'QR' }, 'key');
  const logged = eventsOf(world).length;
  await world.start(world.token(), { method: 'QR' }, 'key');
  await world.refused(world.token(), { method: 'CHECKOUT' }, 'key');
  await world.merchant('POST', '/transactions/A-1/resolve', { status: 'FAILED', by: 'Ada', note: 'x' });
  assert.equal(eventsOf(world).length, logged);
});

it('each gateway call is logged with its order, transaction, duration and the request that caused it', async (t) => {
  const world = await createWorld(t);
  const { headers } = await world.start(world.token(), { method: 'QR' });
  await world.pass(20_000);
  const [pay, status] = at(world, 'gateway call');
  assert.deepEqual(
    [pay?.['orderId'], pay?.['transactionId'], pay?.['requestId']],
    ['A-1', 'A-1', headers.get('x-request-id')],
  );
  assert.deepEqual([status?.['orderId'], status?.['transactionId'], status?.['requestId']], ['A-1', 'A-1', undefined]);
  assert.ok(typeof pay?.['ms'] === 'number' && typeof status?.['ms'] === 'number');
});

it('the check that an IPN begins is logged with the request of the IPN', async (t) => {
  const world = await createWorld(t);
  await world.start(world.token(), { method: 'QR' });
  const work = world.proxy.run();
  const { headers } = await world.ipn({ orderId: 'A-1', type: 'PAY', status: 'SUCCESS' });
  await work.stop();
  const check = at(world, 'gateway call').find(({ operation }) => operation === 'status');
  assert.deepEqual([check?.['orderId'], check?.['requestId']], ['A-1', headers.get('x-request-id')]);
});

it('each failed attempt is a warning with the answer and the next try, the last one an error, a delivery information', async (t) => {
  const world = await createWorld(t, { webhooks: true });
  await world.start(world.token(), { method: 'QR' });
  world.receiver.answers = [500, 'cut', 410];
  await world.customer('approve', 'A-1');
  await world.pass(H);
  world.receiver.answers = [200];
  await world.paid({ orderId: 'A-2' });
  const lines = world.log.filter(({ event }) => String(event).startsWith('webhook '));
  assert.deepEqual(inWords(lines, 'level', 'event', 'orderId', 'transactionId', 'type', 'answer', 'attempt'), [
    'warn webhook failed A-1 A-1 payment.succeeded HTTP 500 1',
    'warn webhook failed A-1 A-1 payment.succeeded UND_ERR_SOCKET 2',
    'error webhook dead A-1 A-1 payment.succeeded HTTP 410 3',
    'info webhook delivered A-2 A-2 payment.succeeded HTTP 200 1',
  ]);
  const { webhookId, nextAttemptAt } = lines[0] ?? {};
  assert.equal(webhookId, world.receiver.received[0]?.headers['webhook-id']);
  assert.ok(Date.parse(String(nextAttemptAt)) > 0);
});

it('health probes and scrapes are debug lines, unless they fail', async (t) => {
  let isAway = false;
  const world = await createWorld(t, {
    wrapLedger: (ledger) => ({ ...ledger, ping: () => (isAway ? Promise.reject(new Error('away')) : ledger.ping()) }),
  });
  await world.request('GET', '/healthz');
  await world.request('GET', '/readyz');
  isAway = true;
  world.skip(1_000);
  await world.request('GET', '/readyz');
  await world.request('GET', '/metrics');
  assert.deepEqual(
    inWords(
      at(world, 'request').filter(({ route }) => route !== '/openapi.json'),
      'level',
      'route',
    ),
    ['debug /healthz', 'debug /readyz', 'warn /readyz', 'info /metrics'],
  );
});

it('a refused origin is a warning once an hour, of at most a hundred origins', async (t) => {
  const world = await createWorld(t);
  const askFrom = async (origin: string) => {
    await world.request('GET', '/order', { headers: { Origin: origin } });
    const { level, code, origin: logged } = at(world, 'request').at(-1) ?? {};
    return [level, code, logged];
  };
  const origin = 'https://www.shop.example';
  assert.deepEqual(await askFrom(origin), ['warn', 'forbidden_origin', origin]);
  assert.deepEqual(await askFrom(origin), ['info', 'forbidden_origin', origin]);
  for (const wrong of ['whatever a caller writes', 'null', 'https://elsewhere.example/canary', 'data:canary'])
    assert.deepEqual(await askFrom(wrong), ['info', 'forbidden_origin', undefined], wrong);
  for (let n = 1; n < 100; n += 1) assert.equal((await askFrom(`https://${n}.example`))[0], 'warn');
  assert.equal((await askFrom('https://100.example'))[0], 'info');
  for (const ms of [H, -H]) {
    world.skip(ms);
    assert.deepEqual([(await askFrom(origin))[0], (await askFrom(origin))[0]], ['warn', 'info']);
  }
});

it('an id in an IPN is logged without characters that could reorder the line', async (t) => {
  const world = await createWorld(t);
  await world.ipn({ orderId: 'B\u202e-1', type: 'PAY', status: 'SUCCESS' });
  const line = at(world, 'an IPN matches no transaction in the database')[0];
  assert.equal(line?.['transactionId'], 'B?-1');
});
