// The limits of an order and a wallet, the time a payment is valid, the terms of tokens, and ids with a prefix.
import assert from 'node:assert/strict';
import type { NewPayment, TokenTerms } from '../../../../backend-proxy/ledger/model.ts';
import { H, M, S } from '../../time.ts';
import {
  LIMITS,
  PAYOUT,
  PENDING,
  openPending,
  openSentPayout,
  payment,
  read,
  refusal,
  uncertain,
  verified,
  type Suite,
} from '../ledger-kit.ts';

const WALLET = { ...LIMITS, directPerWallet: { perCustomer: 3, inAll: 10, withinMs: H } };
const seen = (iat: number | null, terms: string, given: Partial<NewPayment> = {}): NewPayment & TokenTerms => ({
  ...payment(given),
  iat,
  terms,
});

export function limitsContract({ it, setUp }: Suite): void {
  it('expired payments do not count toward the 5 of an order, but toward 20 in all', async (t) => {
    const { ledger, skip } = await setUp(t);
    const expired = await openPending(ledger, { payWithinMs: M });
    skip(3 * M);
    await ledger.observe(expired, verified('pending'));
    const failed = await openPending(ledger, { payWithinMs: M });
    skip(M);
    await ledger.observe(failed, verified('failed'));
    for (let n = 0; n < 15; n += 1) {
      await openPending(ledger, { payWithinMs: M });
      skip(M);
    }
    for (let n = 0; n < 3; n += 1) await openPending(ledger);
    const { payments } = (await ledger.order('A'))!;
    assert.equal(payments.length, 20);
    assert.deepEqual(
      payments.slice(0, 18).map(({ stage, endedBy }) => (stage === 'expired' ? stage : endedBy)),
      ['expired', ...Array.from({ length: 16 }, () => 'EXPIRED'), null],
      'payments replaced after their time expired, too',
    );
    assert.equal((await refusal(ledger.openPayment(payment(), LIMITS))).kind, 'too_many_payments', '20 in all');
  });

  it('expired payments do not reduce the 5 that count', async (t) => {
    const { ledger, skip } = await setUp(t);
    for (let n = 0; n < 3; n += 1) {
      await openPending(ledger, { payWithinMs: M });
      skip(M);
    }
    await openPending(ledger);
    for (let n = 0; n < 4; n += 1) await openPending(ledger);
    assert.equal((await refusal(ledger.openPayment(payment(), LIMITS))).kind, 'too_many_payments');
  });

  const direct = (orderId: string, customerReference: string | null = 'c-1') =>
    payment({ orderId, method: 'DIRECT', customer: '12345678', customerReference });

  it('a wallet gets 3 prompts an hour from one customer of the merchant, and 10 from all', async (t) => {
    const { ledger, skip } = await setUp(t);
    const orders: string[] = [];
    const prompt = (reference: string | null) =>
      ledger.openPayment(direct(orders[orders.push(`O${orders.length}`) - 1]!, reference), WALLET);
    for (const reference of ['c-1', 'c-2', 'c-3']) {
      for (let n = 0; n < 3; n += 1) await prompt(reference);
      const refused = await refusal(prompt(reference));
      assert.deepEqual([refused.kind, refused.retryAfterS], ['too_many_requests', 3600]);
    }
    await prompt('c-4');
    const refused = await refusal(prompt('c-5'));
    assert.deepEqual([refused.kind, refused.retryAfterS], ['too_many_requests', 3600]);
    skip(H);
    await prompt('c-1');
  });

  it('prompts that were rejected, not created or duplicates do not count', async (t) => {
    const { ledger } = await setUp(t);
    const prompt = { method: 'DIRECT', customer: '12345678', customerReference: 'c-1' } as const;
    const ended = [
      { stage: 'rejected', detail: 'HTTP 400 X' },
      { stage: 'not_created', detail: 'ECONNREFUSED' },
      uncertain('duplicate'),
    ] as const;
    for (const [n, fact] of ended.entries()) {
      for (let many = 0; many < 3; many += 1) await openPending(ledger, { ...prompt, orderId: `E${n}-${many}` }, fact);
    }
    for (let n = 0; n < 3; n += 1) await ledger.openPayment(direct(`O${n}`), WALLET);
    assert.equal((await refusal(ledger.openPayment(direct('O3'), WALLET))).kind, 'too_many_requests');
  });

  it("a payment's time runs from the sending, limited to 15 minutes for a checkout", async (t) => {
    const { ledger, now, skip } = await setUp(t);
    const cases = [
      ['QR', 10 * M, 10 * M],
      ['QR', H, H],
      ['QR', null, null],
      ['CHECKOUT', 10 * M, 10 * M],
      ['CHECKOUT', H, 15 * M],
      ['CHECKOUT', null, 15 * M],
    ] as const;
    for (const [n, [method, payWithinMs, expected]] of cases.entries()) {
      const orderId = `O${n}`;
      await ledger.openPayment(payment({ orderId, method, payWithinMs }), LIMITS);
      const sentAt = now();
      assert.equal(
        (await read(ledger, orderId)).expiresAt,
        payWithinMs && sentAt + payWithinMs,
        'set before any answer',
      );
      skip(3 * S);
      await ledger.record(orderId, { ...PENDING, method });
      assert.equal((await read(ledger, orderId)).expiresAt, expected && sentAt + expected, `${method} ${payWithinMs}`);
    }
  });

  it('a FAILED that the gateway calls expired, or that comes at the end of the time, is EXPIRED', async (t) => {
    const { ledger, skip } = await setUp(t);
    const ids = ['word', 'early', 'close', 'after', 'none'];
    for (const orderId of ids) await openPending(ledger, { orderId, payWithinMs: orderId === 'none' ? null : 10 * M });
    await ledger.observe('word', { kind: 'report', report: { outcome: 'failed', isExpired: true } });
    skip(10 * M - 5 * S - 1);
    await ledger.observe('early', verified('failed'));
    skip(1);
    await ledger.observe('close', verified('failed'));
    skip(M);
    await ledger.observe('after', verified('failed'));
    await ledger.observe('none', verified('failed'));
    const ends = await Promise.all(ids.map((id) => read(ledger, id)));
    assert.deepEqual(
      ends.map(({ stage, endedBy }) => [stage, endedBy]),
      ['EXPIRED', null, 'EXPIRED', 'EXPIRED', null].map((endedBy) => ['declined', endedBy]),
    );
    const webhook = (await ledger.webhooks(undefined, 10)).webhooks.find(({ orderId }) => orderId === 'close')!;
    assert.equal((JSON.parse(webhook.body) as { data: { reason: string } }).data.reason, 'EXPIRED');
  });

  it('an older token with other terms than the newest seen starts nothing', async (t) => {
    const { ledger } = await setUp(t);
    await ledger.recordTerms(seen(200, 'new'));
    assert.equal((await refusal(ledger.openPayment(seen(100, 'old'), LIMITS))).kind, 'order_changed');
    assert.deepEqual((await ledger.order('A'))?.seen, { iat: 200, terms: 'new' });
  });

  it('an older token with the same terms, or a newer token, starts a payment', async (t) => {
    const { ledger } = await setUp(t);
    await ledger.recordTerms(seen(200, 'new'));
    assert.ok((await ledger.openPayment(seen(100, 'new'), LIMITS)).opened);
    assert.ok((await ledger.openPayment(seen(300, 'newest'), LIMITS)).opened);
    assert.equal((await refusal(ledger.openPayment(seen(200, 'new'), LIMITS))).kind, 'order_changed');
  });

  it('an order that was seen but never started takes its terms from the first start', async (t) => {
    const { ledger } = await setUp(t);
    await ledger.recordTerms(seen(100, 'old', { orderAmountMinor: 500 }));
    const before = (await ledger.order('A'))!;
    assert.deepEqual([before.payments, before.paidBy, before.version], [[], null, 0]);
    await ledger.openPayment(seen(200, 'new', { orderAmountMinor: 700, amountMinor: 700, currency: 'USD' }), LIMITS);
    const { amountMinor, currency } = (await ledger.order('A'))!;
    assert.deepEqual([amountMinor, currency], [700, 'USD']);
  });

  it('an id is stored with its prefix, and another prefix later changes none', async (t) => {
    const { ledger, open, now } = await setUp(t, { idPrefix: 'shop-' });
    const first = await openPending(ledger);
    const payout = await openSentPayout(ledger, 'P', PENDING);
    assert.deepEqual([first, payout], ['shop-A', 'shop-P']);
    assert.equal((await ledger.openPayment(payment(), LIMITS)).opened?.id, 'shop-A-2');
    const later = await open(now, { idPrefix: 'other.' });
    assert.equal((await later.openPayout(PAYOUT)).id, 'shop-P', 'found by the merchant’s order id');
    assert.equal((await later.payout('P'))?.id, 'shop-P');
    assert.equal((await refusal(later.openPayout({ ...PAYOUT, fingerprint: 'other' }))).kind, 'order_id_taken');
    assert.equal((await later.openPayment(payment(), LIMITS)).opened?.id, 'other.A-3');
    await later.observe(first, verified('succeeded'));
    assert.equal((await later.order('A'))?.paidBy, 'shop-A');
  });

  it('payoutIds() names the id under each prefix that a process had, the own first', async (t) => {
    const { ledger, open, now } = await setUp(t);
    const later = await open(now, { idPrefix: 'shop-' });
    assert.deepEqual(await later.payoutIds('P'), ['shop-P']);
    const owner = { gateway: 'gateway.example', hasStatusCheck: true, keyDigest: 'k1' };
    for (const each of [ledger, later, later]) await each.setOwner(owner);
    assert.deepEqual(await later.payoutIds('P'), ['shop-P', 'P']);
    assert.deepEqual(await ledger.payoutIds('P'), ['P', 'shop-P']);
  });
}
