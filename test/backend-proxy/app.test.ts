// The running proxy: checks, deliveries, pruning, limits, log and stop. Some ports are fakes.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { Gateway } from '../../backend-proxy/gateway/gateway.ts';
import type { Ledger } from '../../backend-proxy/ledger/ledger.ts';
import type { Claim, Observation } from '../../backend-proxy/ledger/model.ts';
import type { Problem } from '../../backend-proxy/protocol/wire.ts';
import type { Transaction } from '../../backend-proxy/protocol/transaction.ts';
import { type UnknownProof, createStatusChecks } from '../../backend-proxy/use-cases/status-checks.ts';
import { createCheckRate, type CheckRate } from '../../backend-proxy/use-cases/check-rate.ts';
import { open } from './routes/events-kit.ts';
import { until } from './until.ts';
import { createWorld, environmentOf, startHeaders } from './world.ts';
import { inWords } from './in-words.ts';
import { Hono } from 'hono';
import { createProxy } from '../../backend-proxy/index.ts';

const NO_PROOF: UnknownProof = {
  found: async () => undefined,
  unknown: () => undefined,
  proveWaiting: async () => false,
  isProven: async () => false,
  wrongPaths: () => [],
};

it('run() checks the transaction of an IPN and sends the webhook; its stop ends the event streams', async (t) => {
  const world = await createWorld(t, { webhooks: true });
  const work = world.proxy.run();
  const token = world.token();
  await world.start(token, { method: 'QR' });
  await world.customer('approve', 'A-1');
  await world.sandbox.tick();
  await until(async () => (await world.view(token)).paid);
  await until(() => world.receiver.received.length === 1);
  const stream = await open(world, world.token({ orderId: 'B-1' }));
  assert.equal((await stream.view()).payment, null);
  await work.stop();
  assert.equal(await stream.next(), 'end');
});

it('the log has the error of a refused request under its request id', async (t) => {
  const world = await createWorld(t);
  const answer = await world.request('GET', '/order', { headers: { Origin: 'https://elsewhere.example' } });
  const { requestId, code, detail } = (await answer.json()) as Problem;
  assert.match(detail, /ALLOWED_ORIGINS/);
  const line = world.log.find((entry) => entry['requestId'] === requestId);
  assert.deepEqual([line?.['status'], line?.['code'], line?.['detail']], [403, code, detail]);
});

it('the log has no text of a caller, nor the field names of a refused body', async (t) => {
  const world = await createWorld(t);
  const answer = await world.request('POST', '/order/payments', {
    headers: startHeaders(world.token()),
    body: JSON.stringify({ method: 'QR', 'card 4111111111111111': 'value' }),
  });
  const { requestId, code, detail } = (await answer.json()) as Problem;
  assert.match(detail, /card 4111/, 'the caller gets the field name');
  const line = world.log.find((entry) => entry['requestId'] === requestId);
  assert.deepEqual([line?.['code'], line?.['detail']], [code, undefined]);
  assert.doesNotMatch(JSON.stringify(world.log), /4111/);
});

it('the log and the metrics show the outcome of each gateway call that did not succeed', async (t) => {
  const world = await createWorld(t);
  await world.faults({ pay: { status: 401 }, status: { status: 503 } });
  await world.start(world.token(), { method: 'QR' });
  await world.faults({ pay: { dropAnswer: true }, status: { status: 503 } });
  await world.start(world.token({ orderId: 'A-2' }), { method: 'QR' });
  await world.pass(3_000);
  const calls = world.log.filter(({ event }) => event === 'gateway call');
  assert.deepEqual(inWords(calls.slice(0, 3), 'level', 'operation', 'outcome', 'detail'), [
    'warn pay refused HTTP 401 SANDBOX_FAULT',
    'warn pay lost UND_ERR_SOCKET',
    'warn status unavailable HTTP 503',
  ]);
  assert.match(await world.metrics(), /gateway_calls_total\{operation="pay",outcome="refused"\} 1\n/);
});

it('run() prunes the database every hour', async (t) => {
  t.mock.timers.enable({ apis: ['setInterval'] });
  let pruned = 0;
  const world = await createWorld(t, {
    wrapLedger: (ledger) => ({ ...ledger, prune: async () => void (pruned += 1) }),
  });
  const work = world.proxy.run();
  t.mock.timers.tick(3_599_999);
  assert.equal(pruned, 0);
  t.mock.timers.tick(1);
  assert.equal(pruned, 1);
  await work.stop();
  t.mock.timers.tick(3_600_000);
  assert.equal(pruned, 1);
});

it('the status checks run at most 24 checks at once, each with a lease longer than a check', async () => {
  const observed: [id: string, Observation][] = [];
  const leases = new Set<number>();
  const ledger = {
    claimChecks: async (most: number, leaseMs: number) => {
      leases.add(leaseMs);
      return Array.from({ length: most }, (_, n) => {
        const transaction = { id: `A-${n}`, type: 'PAY' } as Transaction;
        return { transaction, beganAt: 0, leaseUntil: leaseMs, ipnsReceived: 0 };
      });
    },
    observe: async ({ transaction }: Claim, observation: Observation) => observed.push([transaction.id, observation]),
  } as unknown as Ledger;
  const answers: (() => void)[] = [];
  const gateway = {
    status: () =>
      new Promise((answer) => answers.push(() => answer({ kind: 'unavailable', detail: 'HTTP 500' } as const))),
  } as unknown as Gateway;
  const rate: CheckRate = { ...createCheckRate(), available: () => 1_000 };
  const worker = createStatusChecks({ gateway, ledger, proof: NO_PROOF, rate }, (error) => assert.fail(String(error)));
  await worker.begin();
  await worker.begin();
  assert.equal(answers.length, 24);
  for (const answer of answers.splice(0)) answer();
  await until(() => observed.length === 24);
  assert.deepEqual([...leases], [5_000]);
  assert.deepEqual(observed[0]?.[1], { kind: 'unavailable' });
});

it('checks follow the rate of the status check alone within the configured limit, and the metrics show it', async (t) => {
  const world = await createWorld(t, { config: { checksPerSecond: 16 } });
  const rate = async () => /^payment_proxy_checks_per_second (\d+)$/m.exec(await world.metrics())?.[1];
  assert.equal(await rate(), '16');
  await world.faults({ pay: { status: 429 }, status: { status: 429 } });
  await world.start(world.token(), { method: 'QR' });
  assert.equal(await rate(), '16');
  world.skip(60_000);
  await world.proxy.tick();
  assert.equal(await rate(), '8');
});

it('without a status check the worker ignores the check rate', async () => {
  const claimed: number[] = [];
  const ledger = {
    claimChecks: async (most: number) => {
      claimed.push(most);
      return [];
    },
  } as unknown as Ledger;
  const rate: CheckRate = { ...createCheckRate(), available: () => 0 };
  const worker = createStatusChecks({ gateway: {} as Gateway, ledger, proof: NO_PROOF, rate }, (error) =>
    assert.fail(String(error)),
  );
  await worker.begin();
  assert.deepEqual(claimed, [24]);
});

it('createProxy() answers under a path of another Hono app, and ends', async (t) => {
  const world = await createWorld(t);
  const proxy = await createProxy(environmentOf(world), { log: () => undefined });
  const shop = new Hono().route('/pay', proxy.app);
  assert.equal((await shop.request('/pay/healthz')).status, 200);
  const own = new Request('http://127.0.0.1/healthz');
  assert.equal((await proxy.fetch(own)).status, 200);
  await proxy.stop();
  assert.equal((await proxy.fetch(new Request('http://127.0.0.1/readyz'))).status, 503);
});
