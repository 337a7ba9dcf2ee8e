// Runs the proxy through every kind of failure with a canary for each secret, then searches log lines, answers,
// webhooks and the database for them. Tokens and whole wallet ids are searched for in the log.
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { it } from 'node:test';
import { createSearch } from '../../secret-search.ts';
import { SECRETS, SHOP, createWorld } from '../world.ts';
import { words } from '../in-words.ts';

const JSON_BODY = { 'Content-Type': 'application/json' };
const PAYOUT = { orderId: 'P-1', amount: 5, currency: 'EUR', customer: '12345678' };

const search = createSearch(SECRETS);

function assertNone(seen: string | Uint8Array, where: string): void {
  assert.deepEqual(search(seen), [], where);
}

it('no secret appears in a log, an answer, a webhook or the database, whatever goes wrong', async (t) => {
  let isBroken = false;
  const answers: string[] = [];
  const world = await createWorld(t, {
    webhooks: true,
    wrapLedger: (ledger) => ({
      ...ledger,
      orderAt: (orderId) => (isBroken ? Promise.reject(new Error(JSON.stringify(SECRETS))) : ledger.orderAt(orderId)),
      receiveIpn: (ipn) => (isBroken ? Promise.reject(new Error(SECRETS.ipn)) : ledger.receiveIpn(ipn)),
      claimChecks: (most, leaseMs) =>
        isBroken ? Promise.reject(new Error(SECRETS.gatewayKey)) : ledger.claimChecks(most, leaseMs),
    }),
  });
  const ask = async (method: string, path: string, init: RequestInit = {}) => {
    const response = await world.request(method, path, init);
    answers.push(
      JSON.stringify([...response.headers]),
      response.headers.get('content-type')?.includes('event-stream') ? '' : await response.text(),
    );
    await response.body?.cancel().catch(() => undefined);
    return response.status;
  };
  const token = world.token({ customer: '99887766', customerReferenceNo: 'C-1' });
  const bearer = (value: string) => ({ Authorization: `Bearer ${value}` });
  const everything = async () => {
    for (const headers of [
      bearer(token),
      bearer(SECRETS.order),
      bearer(SECRETS.merchant),
      { ...bearer(token), Origin: 'https://evil.example' },
      {},
    ]) {
      for (const path of [
        ...words`
        /order /order/events /orders/A-1 /payouts/P-1 /transactions /webhooks /metrics /openapi.json /readyz
      `,
        `/${SECRETS.merchant}`,
        `/ipn/${SECRETS.ipn}`,
      ]) {
        await ask('GET', path, { headers });
      }
      for (const [path, body] of [
        ['/order/payments', { method: 'CHECKOUT' }],
        ['/order/payments', { method: SECRETS.order, amount: SECRETS.gatewayKey }],
        [
          '/orders',
          { orderId: SECRETS.order, currency: SECRETS.ipn, customer: SECRETS.gatewayKey, returnUrl: SECRETS.webhook },
        ],
        ['/orders', { orderId: 'B', amount: '1', currency: 'EUR', returnUrl: `${SHOP}/` }],
        ['/payouts', PAYOUT],
        ['/payouts', { ...PAYOUT, amount: SECRETS.merchant }],
        [`/ipn/${SECRETS.ipn}`, { orderId: 'A-1', type: 'PAY', status: 'SUCCESS' }],
        [`/ipn/${SECRETS.ipn}x`, {}],
        [`/webhooks/${SECRETS.merchant}/redeliver`, {}],
      ] as const) {
        await ask('POST', path, {
          headers: { ...headers, ...JSON_BODY, 'Idempotency-Key': `k${answers.length}` },
          body: JSON.stringify(body),
        });
      }
    }
  };
  for (const fault of [
    {},
    { pay: { status: 401 }, payout: { status: 500 } },
    { pay: { garbage: true }, status: { status: 500 } },
  ]) {
    await world.faults(fault);
    await everything();
    await world.pass(60_000);
  }
  await world.faults({});
  world.receiver.answers = [500, 'cut', 200];
  await world.customer('approve', 'A-1').catch(() => undefined);
  await world.pass(3_600_000);
  isBroken = true;
  await everything();
  await assert.rejects(world.proxy.tick());

  assert.ok(answers.length > 200 && world.log.length > 200 && world.receiver.received.length > 0);
  const log = JSON.stringify(world.log);
  assertNone(log, 'the log');
  assertNone(answers.join('\n'), 'an answer');
  assertNone(
    world.receiver.received.map(({ body, headers }) => body + JSON.stringify(headers)).join('\n'),
    'a webhook',
  );
  for (const suffix of ['', '-wal']) {
    if (existsSync(world.file + suffix)) assertNone(readFileSync(world.file + suffix), `the database${suffix}`);
  }
  assert.ok(!log.includes(token), 'a token is in the log');
  assert.ok(!log.includes('99887766') && !log.includes('12345678'), 'a wallet id is in the log');
});
