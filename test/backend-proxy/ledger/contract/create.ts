// openPayment() and openPayout(): the row before the call, refusals, ids and concurrent starts.
import assert from 'node:assert/strict';
import { LookUpNeeded, type Refusal } from '../../../../backend-proxy/errors.ts';
import { type Transaction } from '../../../../backend-proxy/protocol/transaction.ts';
import { D, H, M, NOON } from '../../time.ts';
import {
  LIMITS,
  PAYMENT,
  PAYOUT,
  PENDING,
  openPending,
  payment,
  refusal,
  type Suite,
  verified,
} from '../ledger-kit.ts';
import { inWords } from '../../in-words.ts';

export function createContract({ it, setUp }: Suite): void {
  it('openPayment() writes the row before anything is sent, and a version for watchers', async (t) => {
    const { ledger } = await setUp(t);
    const { opened, order } = await ledger.openPayment(payment({ customer: '12345678', method: 'CHECKOUT' }), LIMITS);
    const expected: Transaction = {
      id: 'A',
      type: 'PAY',
      orderId: 'A',
      attempt: 1,
      refundOf: null,
      asked: 'CHECKOUT',
      method: 'CHECKOUT',
      amountMinor: 1010,
      currency: 'EUR',
      customer: '12345678',
      payer: null,
      note: null,
      metadata: null,
      fingerprint: 'print',
      startId: opened?.startId ?? '',
      stage: 'sending',
      endedBy: null,
      version: 1,
      answer: null,
      seen: false,
      resolved: null,
      paymentId: null,
      checkoutUrl: null,
      qr: null,
      appUrl: null,
      expiresAt: null,
      late: false,
      surplus: false,
      afterClose: false,
      settledMinor: 0,
      mismatch: false,
      conflict: false,
      needsReview: false,
      checking: false,
      failedAt: null,
      createdAt: NOON,
      updatedAt: NOON,
      erasedAt: null,
      history: [
        { at: NOON, event: 'created', source: 'shopper', detail: null },
        { at: NOON, event: 'sending', source: 'shopper', detail: null },
      ],
    };
    assert.deepEqual(opened, expected);
    assert.deepEqual(order, {
      orderId: 'A',
      amountMinor: 1010,
      currency: 'EUR',
      version: 2,
      paidBy: null,
      closed: null,
      seen: null,
      payments: [expected],
      refunds: [],
    });
    assert.deepEqual(await ledger.order('A'), order);
    assert.equal(await ledger.order('B'), undefined);
  });

  it("openPayment() replaces the order's open payment and leaves ended ones", async (t) => {
    const { ledger } = await setUp(t);
    const first = await openPending(ledger);
    await ledger.observe(first, verified('failed'));
    const second = await openPending(ledger);
    const { opened } = await ledger.openPayment(payment(), LIMITS);
    assert.deepEqual([first, second, opened?.id], ['A', 'A-2', 'A-3']);
    const order = (await ledger.order('A'))!;
    assert.deepEqual(inWords(order.payments, 'stage', 'attempt'), ['declined 1', 'replaced 2', 'sending 3']);
    assert.deepEqual(order.payments[1]?.history.at(-1), {
      at: NOON,
      event: 'replaced',
      source: 'shopper',
      detail: null,
    });
  });

  it("each payment of an order has the metadata of the order's first one, whatever the later tokens say", async (t) => {
    const { ledger, change } = await setUp(t);
    const metadata = { ['__proto__']: '\u{1F375} "\\ \'%_', basket: '', invoice: 'R-17' };
    await openPending(ledger, { metadata });
    await openPending(ledger, { metadata: { invoice: 'R-18' } });
    const all = async () => (await ledger.order('A'))?.payments.map((each) => JSON.stringify(each.metadata));
    assert.deepEqual(await all(), [JSON.stringify(metadata), JSON.stringify(metadata)]);
    await change(`update transactions set metadata = null where id = 'A-2'`);
    await openPending(ledger, {});
    assert.deepEqual(await all(), [JSON.stringify(metadata), 'null', JSON.stringify(metadata)], 'one still has it');
    await change('update transactions set metadata = null');
    await openPending(ledger, { metadata });
    assert.deepEqual(await all(), Array(4).fill('null'), 'what is erased does not come back');
    await openPending(ledger, { orderId: 'B' });
    await openPending(ledger, { orderId: 'B', metadata });
    assert.deepEqual(
      (await ledger.order('B'))?.payments.map((each) => each.metadata),
      [null, null],
    );
  });

  it('the call that wrote a row may send it, also if the answer to the write was lost, and no other call', async (t) => {
    const { ledger } = (await setUp(t)).ledger;
    const start = { by: 'host:1', id: 'first' };
    const starts = { of: (by: string) => ({ ...start, id: by }) };
    const same = { ...PAYMENT, iat: null, terms: 'terms' };
    const pay = async (by: string) => (await ledger.openPayment({ ...same, start: starts.of(by) }, LIMITS)).maySend;
    const payOut = async (by: string) => (await ledger.openPayout({ ...PAYOUT, start: starts.of(by) })).maySend;
    for (const open of [pay, payOut]) {
      assert.deepEqual([await open('first'), await open('other'), await open('first')], [true, false, true]);
    }
    await ledger.openPayment({ ...same, idempotencyKey: 'another', start }, LIMITS);
    assert.equal(await pay('first'), false, 'it is replaced');
    await ledger.recover('host:1');
    assert.equal(await payOut('first'), false, 'its process has restarted');
  });

  it('openPayment() with a known key finds its row, and refuses another fingerprint', async (t) => {
    const { ledger } = await setUp(t);
    const same = payment();
    assert.ok((await ledger.openPayment(same, LIMITS)).opened);
    const again = await ledger.openPayment(same, LIMITS);
    assert.equal(again.opened, undefined);
    assert.equal(again.order.payments.length, 1);
    assert.equal(
      (await refusal(ledger.openPayment({ ...same, fingerprint: 'other' }, LIMITS))).kind,
      'idempotency_key_reused',
    );
    assert.ok((await ledger.openPayment({ ...same, orderId: 'B' }, LIMITS)).opened);
  });

  it('openPayment() refuses another amount or currency for the order', async (t) => {
    const { ledger } = await setUp(t);
    await ledger.openPayment(payment(), LIMITS);
    for (const other of [{ orderAmountMinor: 1011 }, { orderAmountMinor: null }, { currency: 'USD' }]) {
      assert.equal((await refusal(ledger.openPayment(payment(other), LIMITS))).kind, 'order_changed');
    }
    const open = { orderId: 'B', orderAmountMinor: null };
    await ledger.openPayment(payment({ ...open, amountMinor: 5 }), LIMITS);
    assert.ok(
      (await ledger.openPayment(payment({ ...open, amountMinor: 7 }), LIMITS)).opened,
      'an open amount may change',
    );
    assert.equal(
      (await refusal(ledger.openPayment(payment({ orderId: 'B', orderAmountMinor: 7 }), LIMITS))).kind,
      'order_changed',
    );
  });

  it('openPayment() refuses a paid order, except for a known key', async (t) => {
    const { ledger } = await setUp(t);
    const known = payment();
    await ledger.openPayment(known, LIMITS);
    await ledger.record('A', PENDING);
    await ledger.observe('A', verified('succeeded'));
    assert.equal((await refusal(ledger.openPayment(payment(), LIMITS))).kind, 'already_paid');
    assert.equal((await ledger.openPayment(known, LIMITS)).order.paidBy, 'A');
  });

  it('openPayment() refuses exactly beyond the limits of the order', async (t) => {
    const { ledger } = await setUp(t);
    const limits = { ...LIMITS, perOrder: 4, directPerOrder: 2 };
    const direct = { method: 'DIRECT', customer: '12345678' } as const;
    for (let n = 0; n < 2; n += 1) assert.ok((await ledger.openPayment(payment(direct), limits)).opened);
    assert.equal((await refusal(ledger.openPayment(payment(direct), limits))).kind, 'method_unavailable');
    const typed = { method: 'CHECKOUT', customer: '12345678' } as const;
    for (const other of [{}, typed]) assert.ok((await ledger.openPayment(payment(other), limits)).opened);
    assert.equal((await refusal(ledger.openPayment(payment(), limits))).kind, 'too_many_payments');
  });

  it('openPayment() counts the prompts in a wallet across orders, including those that fell back to the checkout', async (t) => {
    const { ledger, skip } = await setUp(t);
    const limits = { ...LIMITS, directPerWallet: { perCustomer: 2, inAll: 2, withinMs: H } };
    const direct = (orderId: string, customer = '12345678') => payment({ orderId, customer, method: 'DIRECT' });
    await ledger.openPayment(direct('A'), limits);
    await ledger.record('A', { ...PENDING, method: 'CHECKOUT' });
    skip(10 * M);
    await ledger.openPayment(direct('B'), limits);
    const refused = await refusal(ledger.openPayment(direct('C'), limits));
    assert.deepEqual([refused.kind, refused.retryAfterS], ['too_many_prompts', 3600]);
    assert.equal(await ledger.order('C'), undefined, 'a refused start writes no order');
    assert.ok((await ledger.openPayment(direct('C', '99999999'), limits)).opened);
    assert.ok(
      (await ledger.openPayment(payment({ orderId: 'D', customer: '12345678', method: 'CHECKOUT' }), limits)).opened,
    );
    skip(50 * M);
    assert.ok((await ledger.openPayment(direct('E'), limits)).opened);
  });

  it('opening refuses an id that is too long with the prefix, and reports the limit', async (t) => {
    const { ledger } = await setUp(t, { idPrefix: 'shop-1-' });
    await ledger.openPayment(payment({ orderId: 'A'.repeat(50) }), LIMITS);
    await ledger.openPayout({ ...PAYOUT, orderId: 'P'.repeat(57) });
    for (const [opening, max, after] of [
      [() => ledger.openPayment(payment({ orderId: 'A'.repeat(51) }), LIMITS), 50, 7],
      [() => ledger.openPayout({ ...PAYOUT, orderId: 'P'.repeat(58) }), 57, 0],
    ] as const) {
      const { kind, errors } = await refusal(opening());
      const detail = `at most ${max} characters, because 7 are added before it and up to ${after} after it`;
      assert.deepEqual([kind, errors], ['invalid_request', [{ field: 'orderId', detail }]]);
    }
    assert.equal(await ledger.payout('P'.repeat(58)), undefined);
  });

  it('openPayment() chooses an id that no other transaction has', async (t) => {
    const { ledger } = await setUp(t);
    await ledger.openPayment(payment({ orderId: 'A-2' }), LIMITS);
    await ledger.openPayout({ ...PAYOUT, orderId: 'A-3' });
    await ledger.openPayment(payment(), LIMITS);
    assert.equal((await ledger.openPayment(payment(), LIMITS)).opened?.id, 'A-4');
    assert.equal((await ledger.openPayment(payment({ orderId: 'A-3' }), LIMITS)).opened?.id, 'A-3-2');
    const { opened } = await ledger.openPayment(payment({ orderId: 'A-2' }), LIMITS);
    assert.equal(opened?.id, 'A-2-2');
  });

  it('openPayment() finds an id at once where other orders have all the numbered ones', async (t) => {
    const { ledger } = await setUp(t);
    for (let n = 2; n <= 60; n += 1) await ledger.openPayment(payment({ orderId: `A-${n}` }), LIMITS);
    await ledger.openPayment(payment(), LIMITS);
    const second = (await ledger.openPayment(payment(), LIMITS)).opened?.id;
    const third = (await ledger.openPayment(payment(), LIMITS)).opened?.id;
    for (const id of [second, third]) assert.match(id ?? '', /^A-[a-z]{2}$/);
    assert.notEqual(second, third);
  });

  it('openPayout() writes one row, finds it on a retry, and refuses another payout under its order id', async (t) => {
    const { ledger } = await setUp(t);
    const first = await ledger.openPayout({ ...PAYOUT, note: 'Thanks' });
    assert.deepEqual(first, await ledger.payout('P'));
    const { type, orderId, method, note, stage } = first;
    assert.deepEqual([type, orderId, method, note, stage], ['PAYOUT', 'P', null, 'Thanks', 'sending']);
    assert.deepEqual(await ledger.openPayout(PAYOUT), first);
    assert.equal((await refusal(ledger.openPayout({ ...PAYOUT, fingerprint: 'other' }))).kind, 'order_id_taken');
    await ledger.openPayment(payment(), LIMITS);
    assert.equal((await refusal(ledger.openPayout({ ...PAYOUT, orderId: 'A' }))).kind, 'order_id_taken');
    const source = 'merchant:shop';
    const { history } = await ledger.openPayout({ ...PAYOUT, orderId: 'Q' }, source);
    assert.deepEqual(new Set([...first.history, ...history].map((each) => each.source)), new Set(['merchant', source]));
    assert.equal(await ledger.payout('A'), undefined, 'payout() finds no payment');
    assert.equal(await ledger.order('P'), undefined, 'order() finds no payout');
  });

  it('after a restore openPayout() needs a look-up of the payout since: without one it is 503, retryable', async (t) => {
    const { ledger, now, skip } = await setUp(t);
    const first = await ledger.openPayout(PAYOUT);
    await ledger.recordRestore(now());
    assert.deepEqual(await ledger.openPayout(PAYOUT), first, 'nothing is sent for one that is known');
    const next = { ...PAYOUT, orderId: 'Q' };
    for (const lookedUp of [undefined, { restoredAt: now() - 1 }]) {
      const error = await refusal(ledger.openPayout({ ...next, lookedUp }));
      assert.deepEqual([error.kind, error.retryAfterS], ['unavailable', 1]);
      assert.ok(error instanceof LookUpNeeded);
      assert.equal(error.restoredAt, now());
    }
    const lookedUp = { restoredAt: now() };
    skip(10 * M - 1_500);
    const early = await refusal(ledger.openPayout({ ...next, lookedUp }));
    assert.deepEqual([early.kind, early.retryAfterS], ['unavailable', 2], 'a status check may lag');
    assert.equal(await ledger.payout('Q'), undefined);
    skip(1_500);
    assert.equal((await ledger.openPayout({ ...next, lookedUp })).stage, 'sending');
    skip(7 * D);
    assert.equal((await ledger.openPayout({ ...PAYOUT, orderId: 'R' })).stage, 'sending', 'too long ago');
  });

  it('concurrent calls of openPayout() write one row', async (t) => {
    const { ledger, open, rows } = await setUp(t);
    const other = await open();
    const all = await Promise.all(
      [ledger, other, ledger, other, ledger, other].map((either) => either.openPayout(PAYOUT)),
    );
    assert.equal(new Set(all.map(({ id }) => id)).size, 1);
    assert.deepEqual(await rows('select id from transactions'), [{ id: 'P' }]);
  });

  it('concurrent starts with one key create one payment', async (t) => {
    const { ledger, open, now } = await setUp(t);
    const other = await open(now);
    const same = payment();
    const all = await Promise.all([ledger, other, ledger, other].map((either) => either.openPayment(same, LIMITS)));
    assert.equal(all.filter(({ opened }) => opened !== undefined).length, 1);
    assert.equal((await ledger.order('A'))?.payments.length, 1);
  });

  it("concurrent starts with many keys keep to the order's limit and leave one payment open", async (t) => {
    const { ledger, open, now } = await setUp(t);
    const other = await open(now);
    const all = await Promise.allSettled(
      Array.from({ length: 10 }, (_, n) => (n % 2 ? ledger : other).openPayment(payment(), LIMITS)),
    );
    const refused = all.flatMap((one) => (one.status === 'rejected' ? [(one.reason as Refusal).kind] : []));
    assert.deepEqual(
      refused,
      Array.from({ length: 5 }, () => 'too_many_payments'),
    );
    const { payments } = (await ledger.order('A'))!;
    assert.deepEqual(inWords(payments, 'stage'), ['replaced', 'replaced', 'replaced', 'replaced', 'sending']);
    assert.deepEqual(
      payments.map(({ attempt }) => attempt),
      [1, 2, 3, 4, 5],
    );
  });

  it('concurrent starts for one wallet keep to its limit across orders', async (t) => {
    const { ledger, open, now } = await setUp(t);
    const other = await open(now);
    const direct = (n: number) => payment({ orderId: `O${n}`, customer: '12345678', method: 'DIRECT' });
    const all = await Promise.allSettled(
      Array.from({ length: 12 }, (_, n) => (n % 2 ? ledger : other).openPayment(direct(n), LIMITS)),
    );
    assert.equal(all.filter(({ status }) => status === 'fulfilled').length, 5);
  });

  it('concurrent starts that choose the same free id get different ids', async (t) => {
    const { ledger, open, now } = await setUp(t);
    const other = await open(now);
    await ledger.openPayment(payment({ orderId: 'A' }), LIMITS);
    const [second, own] = await Promise.all([
      ledger.openPayment(payment({ orderId: 'A' }), LIMITS),
      other.openPayment(payment({ orderId: 'A-2' }), LIMITS),
    ]);
    assert.ok(second.opened && own.opened);
    assert.notEqual(second.opened.id, own.opened.id);
  });
}
