// closeOrder() and claimCheck(): what a closed order takes, what a success pays then, and that closed and paid exclude
// each other.
import assert from 'node:assert/strict';
import type { Closing } from '../../../../backend-proxy/ledger/model.ts';
import { D, M, S } from '../../time.ts';
import type { LedgerById } from '../by-id.ts';
import {
  BRING_TO,
  LEASE_MS,
  LIMITS,
  UNAVAILABLE,
  differing,
  openPending,
  openSent,
  payment,
  read,
  refusal,
  sendIpn,
  uncertain,
  verified,
  webhookTypes,
  type Suite,
} from '../ledger-kit.ts';

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
    await ledger.observe(first, UNAVAILABLE);
    assert.equal((await refusal(close(ledger, { ifUnpaidSince: since }))).kind, 'unavailable');
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
