// The limits of an order and a wallet, the time a payment is valid, the terms of tokens, ids with a prefix, and the
// closing of an order: what a success pays then, and that closed and paid exclude each other.
import assert from 'node:assert/strict';
import type { NewPayment, TokenTerms, Closing } from '../../../../backend-proxy/ledger/model.ts';
import { H, M, S, D } from '../../time.ts';
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
  BRING_TO,
  LEASE_MS,
  INCOMPLETE,
  UNAVAILABLE,
  differing,
  openSent,
  sendIpn,
  webhookTypes,
  type LedgerById,
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
      assert.deepEqual([refused.kind, refused.retryAfterS], ['too_many_prompts', 3600]);
    }
    await prompt('c-4');
    const refused = await refusal(prompt('c-5'));
    assert.deepEqual([refused.kind, refused.retryAfterS], ['too_many_prompts', 3600]);
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
    assert.equal((await refusal(ledger.openPayment(direct('O3'), WALLET))).kind, 'too_many_prompts');
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

const CLOSING: Closing = { orderId: 'A', reason: null, ifUnpaidSince: null };
const close = (ledger: LedgerById, given: Partial<Closing> = {}) => ledger.closeOrder({ ...CLOSING, ...given });
const ROUNDS = 20;

export function closingContract({ it, setUp }: Suite): void {
  it('an order that nobody has started is closed for good: no start and no newer token opens it', async (t) => {
    const { ledger, now, skip } = await setUp(t);
    const closed = await close(ledger, { reason: 'out of stock' });
    assert.deepEqual(closed.closed, { at: now(), reason: 'out of stock' });
    skip(S);
    await ledger.recordTerms({ orderId: 'A', currency: 'EUR', orderAmountMinor: 1010, iat: 9, terms: 'newer' });
    assert.equal((await refusal(ledger.openPayment(payment({ orderId: 'A' }), LIMITS))).kind, 'order_closed');
    const again = await close(ledger, { reason: 'another reason' });
    assert.deepEqual([again.closed, again.payments], [closed.closed, []]);
  });

  it('a paid order is not closed', async (t) => {
    const { ledger } = await setUp(t);
    await ledger.observe(await openPending(ledger), verified('succeeded'));
    assert.equal((await refusal(close(ledger))).kind, 'already_paid');
    assert.equal((await ledger.order('A'))?.closed, null);
  });

  it('a start that is repeated with its key is answered, and another one is refused', async (t) => {
    const { ledger } = await setUp(t);
    const start = payment();
    await ledger.openPayment(start, LIMITS);
    const before = await ledger.order('A');
    const { version } = await close(ledger);
    assert.ok(version > (before?.version ?? version), 'the shopper is shown it');
    assert.equal((await ledger.openPayment(start, LIMITS)).opened, undefined);
    assert.equal((await refusal(ledger.openPayment(payment(), LIMITS))).kind, 'order_closed');
  });

  it('each SUCCESS after the closing pays nothing, is reported as after_close, and needs review', async (t) => {
    const { ledger } = await setUp(t);
    const ids = [await openPending(ledger), await openPending(ledger)];
    await close(ledger);
    for (const id of ids) {
      await ledger.observe(id, verified('succeeded'));
      await ledger.observe(id, verified('succeeded'));
      const { stage, afterClose, surplus, needsReview } = await read(ledger, id);
      assert.deepEqual([stage, afterClose, surplus, needsReview], ['succeeded', true, false, true]);
    }
    assert.equal((await ledger.order('A'))?.paidBy, null);
    const types = ['payment.after_close', 'payment.needs_review'].flatMap((type) => [type, type]);
    assert.deepEqual(await webhookTypes(ledger), ['payment.failed', ...types].toSorted());
    const resolved = await ledger.resolve(ids[0]!, { status: 'SUCCESS', by: 'ada', note: 'sent back' });
    assert.deepEqual([resolved?.needsReview, resolved?.afterClose], [false, true]);
    assert.equal((await ledger.order('A'))?.paidBy, null);
  });

  it('a SUCCESS by a person pays a closed order as little, and asks for no further review', async (t) => {
    const { ledger } = await setUp(t);
    const id = await openPending(ledger);
    await ledger.observe(id, differing());
    await close(ledger);
    const resolution = { status: 'SUCCESS', by: 'ada', note: 'the statement has it' } as const;
    assert.equal((await ledger.preview(id, resolution))?.webhook, 'payment.after_close');
    const { stage, needsReview } = (await ledger.resolve(id, resolution))!;
    assert.deepEqual([stage, needsReview, (await ledger.order('A'))?.paidBy], ['succeeded', false, null]);
    const types = await webhookTypes(ledger);
    assert.deepEqual(types, ['payment.after_close', 'payment.mismatch', 'payment.needs_review']);
  });

  it('with ifUnpaidSince, an order with an open payment, or one under review, stays open', async (t) => {
    const setup = await setUp(t);
    const { ledger, now } = setup;
    for (const stage of ['sending', 'uncertain', 'pending'] as const) {
      await BRING_TO[stage](setup, await openSent(ledger, { orderId: stage }));
      const { kind } = await refusal(close(ledger, { orderId: stage, ifUnpaidSince: now() }));
      assert.equal(kind, 'payment_open', stage);
    }
    const reviewed = await openSent(ledger);
    await ledger.record(reviewed, uncertain('duplicate'));
    await ledger.observe(reviewed, verified('succeeded'));
    assert.equal((await refusal(close(ledger, { ifUnpaidSince: now() }))).kind, 'payment_open');
    assert.ok((await close(ledger)).closed, 'without it, the merchant may');
  });

  it('with ifUnpaidSince, each payment that may still be paid has to be checked since then', async (t) => {
    const setup = await setUp(t);
    const { ledger, skip, now } = setup;
    const [first, last] = [await openPending(ledger), await openPending(ledger)];
    await ledger.observe(last, verified('failed'));
    await ledger.observe(first, verified('pending'));
    skip(M);
    const since = now();
    assert.equal((await refusal(close(ledger, { ifUnpaidSince: since }))).kind, 'unavailable');
    for (const nothing of [UNAVAILABLE, INCOMPLETE]) {
      await ledger.observe(first, nothing);
      assert.equal((await refusal(close(ledger, { ifUnpaidSince: since }))).kind, 'unavailable');
    }
    await ledger.observe(first, verified('pending'));
    assert.ok((await close(ledger, { ifUnpaidSince: since })).closed);
  });

  it('closed and paid exclude each other, whichever of two processes is first', async (t) => {
    const { ledger, open, now } = await setUp(t);
    const other = await open(now);
    for (let n = 0; n < ROUNDS; n += 1) {
      const orderId = `both-${n}`;
      const id = await openPending(ledger, { orderId });
      const paid = ledger.observe(id, verified('succeeded'));
      // So that either is first in some rounds.
      if (n === 0) await paid;
      for (let reads = 0; reads < n % 4; reads += 1) await other.order(orderId);
      await Promise.all([paid, close(other, { orderId }).catch(() => undefined)]);
      const order = (await ledger.order(orderId))!;
      assert.equal(order.closed === null, order.paidBy === id, orderId);
      assert.equal((await read(ledger, id)).afterClose, order.closed !== null);
    }
  });

  it('of a start and a closing at once, no start comes after the closing', async (t) => {
    const { ledger, open, now } = await setUp(t);
    const other = await open(now);
    for (let n = 0; n < ROUNDS; n += 1) {
      const orderId = `start-${n}`;
      const start = () => ledger.openPayment(payment({ orderId }), LIMITS).catch((error: unknown) => error);
      const [started, closed] = await Promise.all([start(), close(other, { orderId })]);
      const refused = started instanceof Error;
      assert.equal(closed.payments.length, refused ? 0 : 1, orderId);
      assert.equal((await refusal(ledger.openPayment(payment({ orderId }), LIMITS))).kind, 'order_closed');
    }
  });

  it('erasing and retention remove why an order was closed, started or not, and keep that it was', async (t) => {
    const { ledger, skip, rows } = await setUp(t);
    await close(ledger, { reason: 'canary' });
    await close(ledger, { orderId: 'B', reason: 'canary' });
    assert.deepEqual(await ledger.erase('A', { sendsWebhooks: true }), []);
    assert.equal(await ledger.erase('C', { sendsWebhooks: true }), undefined);
    const closed = await rows<{ order_id: string }>('select order_id from orders where close_reason is not null');
    assert.deepEqual(closed, [{ order_id: 'B' }]);
    skip(8 * D);
    await ledger.erasePage({ afterMs: 8 * D, payersMs: 0, sendsWebhooks: true }, '');
    assert.equal((await ledger.order('B'))?.closed?.reason, 'canary', 'not yet');
    skip(S);
    await ledger.erasePage({ afterMs: 8 * D, payersMs: 0, sendsWebhooks: true }, '');
    assert.deepEqual(
      [(await ledger.order('B'))?.closed?.reason, (await ledger.order('A'))?.closed?.reason],
      [null, null],
    );
  });

  it('a check is claimed before it is due, by one alone, and at most three in a minute, which leaves two to IPNs', async (t) => {
    const { ledger, skip } = await setUp(t);
    const id = await openPending(ledger);
    assert.deepEqual(await ledger.claimChecks(10, LEASE_MS), [], 'none is due');
    for (let n = 0; n < 3; n += 1) {
      skip(S);
      const claim = await ledger.claimCheck(id, LEASE_MS);
      assert.ok(claim, `check ${n}`);
      assert.equal(await ledger.claimCheck(id, LEASE_MS), undefined, 'it is under way');
      await ledger.observe(id, verified('pending'), claim);
    }
    skip(S);
    assert.equal(await ledger.claimCheck(id, LEASE_MS), undefined);
    for (const n of [1, 2]) {
      await sendIpn(ledger, id);
      assert.equal((await ledger.claimChecks(10, LEASE_MS)).length, 1, `IPN ${n} is asked about at once`);
      await ledger.observe(id, verified('pending'));
      skip(S);
    }
    skip(M);
    assert.ok(await ledger.claimCheck(id, LEASE_MS));
    assert.equal(await ledger.claimCheck('nothing', LEASE_MS), undefined);
  });
}
