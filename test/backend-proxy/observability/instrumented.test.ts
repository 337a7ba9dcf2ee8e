// The instrumented gateway: it keeps the contract of the port, and each call is reported with outcome, duration and
// Retry-After.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { instrument, type Call } from '../../../backend-proxy/observability/metrics.ts';
import type { Checked, Collection, Gateway, PayoutOrder, Sent } from '../../../backend-proxy/gateway/gateway.ts';
import { DEFAULT_PROFILE } from '../../../backend-proxy/gateway/profile.ts';
import { gatewayContract } from '../gateway/contract.ts';
import { openHttp } from '../gateway/scripted-gateway.ts';
import { createWorld } from '../world.ts';

gatewayContract({
  name: 'instrumented',
  async open(t, opening) {
    const scripted = await openHttp(DEFAULT_PROFILE)(t, opening);
    return { ...scripted, gateway: instrument(scripted.gateway, () => undefined) };
  },
});

interface Answers {
  pay: Awaited<ReturnType<Gateway['pay']>>;
  payout: Sent<{ paymentId: string | null }>;
  status: Checked;
}

/** Each call takes `ms` of the virtual clock. */
function listening(answers: Answers, ms: number) {
  let time = 5_000.4;
  const calls: Call[] = [];
  const after = async <Answer>(answer: Answer): Promise<Answer> => {
    await Promise.resolve();
    time += ms;
    return answer;
  };
  const gateway: Gateway = {
    pay: () => after(answers.pay),
    payout: () => after(answers.payout),
    status: () => after(answers.status),
    readIpn: () => ({ kind: 'unreadable' }),
    refundMethods: new Set(),
    payoutDecimals: false,
    isTest: true,
    walletAppUrl: null,
    causeOf: () => null,
    clockOffset: () => undefined,
    close: () => Promise.resolve(),
  };
  return {
    calls,
    gateway: instrument(
      gateway,
      (call) => calls.push(call),
      () => time,
    ),
  };
}

it('an instrumented status check is reported with its outcome and duration', async () => {
  const refused = { kind: 'refused', detail: 'HTTP 400 WALLET_NOT_FOUND' } as const;
  const accepted = { kind: 'accepted', answer: { paymentId: null } } as const;
  const unknown = { kind: 'unknown', isNoSuchOrder: true } as const;
  const { gateway, calls } = listening({ pay: refused, payout: accepted, status: unknown }, 41.3);
  assert.equal(await gateway.pay({} as Collection), refused);
  assert.equal(await gateway.payout({} as PayoutOrder), accepted);
  assert.equal(await gateway.status?.('A-1', 'PAY'), unknown);
  assert.deepEqual(calls, [
    { operation: 'pay', outcome: 'refused', ms: 41, detail: 'HTTP 400 WALLET_NOT_FOUND' },
    { operation: 'payout', outcome: 'accepted', ms: 41 },
    { operation: 'status', outcome: 'unknown', ms: 41 },
  ]);
});

it('an instrumented status check is reported with the wait of its Retry-After', async () => {
  const lost = { kind: 'lost', detail: 'HTTP 429' } as const;
  const unavailable = { kind: 'unavailable', detail: 'HTTP 503', retryAfterMs: 60_000 } as const;
  const { gateway, calls } = listening({ pay: lost, payout: lost, status: unavailable }, 0);
  await gateway.status?.('A-1', 'PAY');
  assert.equal(calls[0]?.retryAfterMs, 60_000);
});

it("a caller's traceparent goes on to the gateway, if it has the form of W3C", async (t) => {
  const seen: unknown[] = [];
  const wrapGateway = (gateway: Gateway): Gateway => ({
    ...gateway,
    pay: (collection, headers) => (seen.push(headers), gateway.pay(collection, headers)),
  });
  const world = await createWorld(t, { wrapGateway });
  const traceparent = `00-${'4b'.repeat(16)}-${'f0'.repeat(8)}-01`;
  for (const [orderId, given] of [
    ['A-1', traceparent],
    ['A-2', 'canary'],
  ] as const) {
    const headers = { Authorization: `Bearer ${world.token({ orderId })}`, 'Content-Type': 'application/json', 'Idempotency-Key': 'k', traceparent: given }; // prettier-ignore
    await world.request('POST', '/order/payments', { headers, body: JSON.stringify({ method: 'QR' }) });
  }
  assert.deepEqual(seen, [{ traceparent }, {}]);
});
