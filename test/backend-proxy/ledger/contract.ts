// What every ledger promises, over whatever it stands: one suite that each adapter's test calls. It speaks only the port,
// and looks behind it only where a promise is about what is stored. `open` gives a further ledger on the same books, as a
// second process would have it. Time is the test's own.
import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import fc from 'fast-check';
import { Refusal } from '../../../backend-proxy/errors.ts';
import type {
  Ledger,
  NewPayment,
  NewPayout,
  Observation,
  PaymentLimits,
} from '../../../backend-proxy/ledger/ledger.ts';
import { STAGES, advance, type Stage, type Transaction } from '../../../backend-proxy/protocol/transaction.ts';
import type { IpnReading } from '../../../backend-proxy/protocol/verify.ts';
import { byId, type LedgerById, type ShortFact as Fact } from './by-id.ts';

const S = 1000;
const M = 60 * S;
const H = 60 * M;
const D = 24 * H;
const NOON = Date.UTC(2026, 10, 20, 12);
const LIMITS: PaymentLimits = { perOrder: 5, directPerOrder: 3, withDuplicates: 10, inAll: 20, directPerWallet: { perCustomer: 5, inAll: 8, withinMs: H } }; // prettier-ignore
const LEASE_MS = 45 * S;

/** Books that are empty when the test begins. */
export interface Bench {
  /** Another ledger on the same books; closed when the test ends. `alone`: with a connection of its own, which it closes. */
  open(now: () => number, alone?: 'alone'): Promise<Ledger>;
  rows<Row>(sql: string): Promise<Row[]>;
}

export interface Adapter {
  name: string;
  /** Runs of the property tests. */
  runs: number;
  bench(t: TestContext): Promise<Bench>;
}

interface Room extends Omit<Bench, 'open'> {
  open(now: () => number, alone?: 'alone'): Promise<LedgerById>;
  ledger: LedgerById;
  now(): number;
  skip(ms: number): void;
}

const PAYMENT: NewPayment = {
  orderId: 'A',
  orderAmountMinor: 1010,
  amountMinor: 1010,
  currency: 'EUR',
  method: 'QR',
  customer: null,
  customerReferenceNo: null,
  payWithinMs: null,
  idempotencyKey: 'key',
  fingerprint: 'print',
};
const PAYOUT: NewPayout = { orderId: 'P', amountMinor: 5000, currency: 'EUR', customer: '12345678', note: null, fingerprint: 'print' }; // prettier-ignore
const MEANS = { paymentId: '111', method: null, checkoutUrl: null, qr: null, appUrl: null } as const;
const PENDING: Fact & { stage: 'pending' } = { stage: 'pending', ...MEANS };
const verified = (outcome: 'pending' | 'failed' | 'succeeded', paymentId: string | null = null, customer: string | null = null, message?: string): Observation => ({ kind: 'verified', outcome, paymentId, customer, ...(message && { message }) }); // prettier-ignore
/** An IPN with no more than is sure to be in one. */
const BARE_READING: IpnReading = { orderId: 'A', type: 'PAY', paymentId: null, customer: null, amount: null, currency: null, outcome: null }; // prettier-ignore
const UNKNOWN: Observation = { kind: 'unknown' };
const UNAVAILABLE: Observation = { kind: 'unavailable' };

let keys = 0;
const payment = (given: Partial<NewPayment> = {}): NewPayment => ({
  ...PAYMENT,
  idempotencyKey: `key-${(keys += 1)}`,
  ...given,
});

/** The transaction as it stands. */
async function read(ledger: LedgerById, id: string): Promise<Transaction> {
  const found = (await ledger.order(id))?.payments[0] ?? (await ledger.payout(id));
  if (found?.id === id) return found;
  const { transactions } = await ledger.transactions({ limit: 1000 });
  return transactions.find((transaction) => transaction.id === id) ?? assert.fail(`no ${id}`);
}

const stageOf = async (ledger: LedgerById, id: string) => (await read(ledger, id)).stage;
const webhookTypes = async (ledger: LedgerById) =>
  (await ledger.webhooks(undefined, 100)).map(({ type }) => type).toSorted();

async function openPending(ledger: LedgerById, given: Partial<NewPayment> = {}, fact: Fact = PENDING): Promise<string> {
  const { opened } = await ledger.openPayment(payment(given), LIMITS);
  assert.ok(opened);
  await ledger.record(opened.id, { stage: 'sending' }, 'shopper');
  await ledger.record(opened.id, fact, 'answer');
  return opened.id;
}

async function refusal(work: Promise<unknown>): Promise<Refusal> {
  const error: unknown = await work.then(
    () => assert.fail('it was not refused'),
    (reason: unknown) => reason,
  );
  assert.ok(error instanceof Refusal, String(error));
  return error;
}

/** Brings a payment to a stage by the road that leads there. */
const ROADS: Record<Stage, (room: Room, id: string) => Promise<unknown>> = {
  created: async () => undefined,
  sending: ({ ledger }, id) => ledger.record(id, { stage: 'sending' }, 'shopper'),
  async uncertain(room, id) {
    await ROADS.sending(room, id);
    await room.ledger.record(id, { stage: 'uncertain', why: 'reset' }, 'answer');
  },
  async pending(room, id) {
    await ROADS.sending(room, id);
    await room.ledger.record(id, { ...PENDING, paymentId: null }, 'answer');
  },
  async replaced(room, id) {
    await ROADS.sending(room, id);
    const { orderId } = await read(room.ledger, id);
    await room.ledger.openPayment(payment({ orderId }), LIMITS);
  },
  async expired(room, id) {
    await ROADS.sending(room, id);
    await room.ledger.record(id, { ...PENDING, paymentId: null, method: 'CHECKOUT' }, 'answer');
    room.skip(17 * M);
    await room.ledger.observe(id, UNAVAILABLE);
  },
  async rejected(room, id) {
    await ROADS.sending(room, id);
    await room.ledger.record(id, { stage: 'rejected', why: 'HTTP 400' }, 'answer');
  },
  async not_created(room, id) {
    await ROADS.uncertain(room, id);
    room.skip(90 * S);
    await room.ledger.observe(id, UNKNOWN);
    room.skip(60 * S);
    await room.ledger.observe(id, UNKNOWN);
  },
  async declined(room, id) {
    await ROADS.pending(room, id);
    await room.ledger.observe(id, verified('failed'));
  },
  async succeeded(room, id) {
    await ROADS.pending(room, id);
    await room.ledger.observe(id, verified('succeeded'));
  },
};

/** Each fact that can be told of a payment, and the stage it stands for. */
const FACTS: { fact: Stage; tell: (ledger: LedgerById, id: string) => Promise<unknown> }[] = [
  { fact: 'sending', tell: (ledger, id) => ledger.record(id, { stage: 'sending' }, 'shopper') },
  { fact: 'uncertain', tell: (ledger, id) => ledger.record(id, { stage: 'uncertain', why: 'reset' }, 'answer') },
  { fact: 'pending', tell: (ledger, id) => ledger.record(id, { ...PENDING, paymentId: null }, 'answer') },
  { fact: 'rejected', tell: (ledger, id) => ledger.record(id, { stage: 'rejected', why: 'HTTP 400' }, 'answer') },
  { fact: 'pending', tell: (ledger, id) => ledger.observe(id, verified('pending')) },
  { fact: 'declined', tell: (ledger, id) => ledger.observe(id, verified('failed')) },
  { fact: 'succeeded', tell: (ledger, id) => ledger.observe(id, verified('succeeded')) },
];

export function ledgerContract({ name, runs, bench }: Adapter): void {
  async function room(t: TestContext, alone?: 'alone'): Promise<Room> {
    let time = NOON;
    const now = () => time;
    const books = await bench(t);
    const open: Room['open'] = async (clock, own) => byId(await books.open(clock, own), clock);
    return { ...books, open, ledger: await open(now, alone), now, skip: (ms) => void (time += ms) };
  }

  describe(`${name}: opening a payment`, () => {
    it('writes the row before anything is sent, and a version that watchers can wait for', async (t) => {
      const { ledger } = await room(t);
      const { opened, order } = await ledger.openPayment(payment({ customer: '12345678', method: 'CHECKOUT' }), LIMITS);
      const expected: Transaction = {
        id: 'A',
        type: 'PAY',
        orderId: 'A',
        attempt: 1,
        asked: 'CHECKOUT',
        method: 'CHECKOUT',
        amountMinor: 1010,
        currency: 'EUR',
        customer: '12345678',
        note: null,
        fingerprint: 'print',
        stage: 'created',
        endedBy: null,
        version: 1,
        answer: null,
        paymentId: null,
        checkoutUrl: null,
        qr: null,
        appUrl: null,
        expiresAt: null,
        late: false,
        surplus: false,
        mismatch: false,
        conflict: false,
        needsReview: false,
        createdAt: NOON,
        updatedAt: NOON,
        history: [{ at: NOON, event: 'created', source: 'shopper', detail: null }],
      };
      assert.deepEqual(opened, expected);
      assert.deepEqual(order, {
        orderId: 'A',
        amountMinor: 1010,
        currency: 'EUR',
        version: 1,
        paidBy: null,
        seen: null,
        payments: [expected],
      });
      assert.deepEqual(await ledger.order('A'), order);
      assert.equal(await ledger.order('B'), undefined);
    });

    it('replaces the one that is open, and leaves alone those that have ended', async (t) => {
      const { ledger } = await room(t);
      const first = await openPending(ledger);
      await ledger.observe(first, verified('failed'));
      const second = await openPending(ledger);
      const { opened } = await ledger.openPayment(payment(), LIMITS);
      assert.deepEqual([first, second, opened?.id], ['A', 'A-2', 'A-3']);
      const order = await ledger.order('A');
      assert.deepEqual(
        order?.payments.map(({ stage, attempt }) => [stage, attempt]),
        [
          ['declined', 1],
          ['replaced', 2],
          ['created', 3],
        ],
      );
      assert.deepEqual(order.payments[1]?.history.at(-1), {
        at: NOON,
        event: 'replaced',
        source: 'shopper',
        detail: null,
      });
    });

    it('that was replaced before it was sent gives no permission to send it', async (t) => {
      const { ledger } = await room(t);
      const { opened } = await ledger.openPayment(payment(), LIMITS);
      await ledger.openPayment(payment(), LIMITS);
      assert.equal(await ledger.record(opened!.id, { stage: 'sending' }, 'shopper'), false);
      assert.equal(await stageOf(ledger, 'A'), 'replaced');
    });

    it('with the same key finds the row; with another fingerprint it is refused; of another order it is another', async (t) => {
      const { ledger } = await room(t);
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

    it('is refused with another amount or currency of the order', async (t) => {
      const { ledger } = await room(t);
      await ledger.openPayment(payment(), LIMITS);
      for (const other of [{ orderAmountMinor: 1011 }, { orderAmountMinor: null }, { currency: 'USD' }]) {
        assert.equal((await refusal(ledger.openPayment(payment(other), LIMITS))).kind, 'order_changed');
      }
      const open = { orderId: 'B', orderAmountMinor: null };
      await ledger.openPayment(payment({ ...open, amountMinor: 5 }), LIMITS);
      assert.ok(
        (await ledger.openPayment(payment({ ...open, amountMinor: 7 }), LIMITS)).opened,
        'an open amount may be another',
      );
      assert.equal(
        (await refusal(ledger.openPayment(payment({ orderId: 'B', orderAmountMinor: 7 }), LIMITS))).kind,
        'order_changed',
      );
    });

    it('is refused once the order is paid, but for the key that is known', async (t) => {
      const { ledger } = await room(t);
      const known = payment();
      await ledger.openPayment(known, LIMITS);
      await ledger.record('A', { stage: 'sending' }, 'shopper');
      await ledger.observe('A', verified('succeeded'));
      assert.equal((await refusal(ledger.openPayment(payment(), LIMITS))).kind, 'already_paid');
      assert.equal((await ledger.openPayment(known, LIMITS)).order.paidBy, 'A');
    });

    it('is refused beyond the limits of the order, to the number', async (t) => {
      const { ledger } = await room(t);
      const limits = { ...LIMITS, perOrder: 4, directPerOrder: 2 };
      const direct = { method: 'DIRECT', customer: '12345678' } as const;
      for (let n = 0; n < 2; n += 1) assert.ok((await ledger.openPayment(payment(direct), limits)).opened);
      assert.equal((await refusal(ledger.openPayment(payment(direct), limits))).kind, 'method_unavailable');
      for (let n = 0; n < 2; n += 1) assert.ok((await ledger.openPayment(payment(), limits)).opened);
      assert.equal((await refusal(ledger.openPayment(payment(), limits))).kind, 'too_many_payments');
      assert.equal((await ledger.order('A'))?.payments.length, 4);
    });

    it('counts the prompts of a wallet over all orders, also those that fell back to the checkout', async (t) => {
      const { ledger, skip } = await room(t);
      const limits = { ...LIMITS, directPerWallet: { perCustomer: 2, inAll: 2, withinMs: H } };
      const direct = (orderId: string, customer = '12345678') => payment({ orderId, customer, method: 'DIRECT' });
      await ledger.openPayment(direct('A'), limits);
      await ledger.record('A', { stage: 'sending' }, 'shopper');
      await ledger.record('A', { ...PENDING, method: 'CHECKOUT' }, 'answer');
      skip(10 * M);
      await ledger.openPayment(direct('B'), limits);
      const refused = await refusal(ledger.openPayment(direct('C'), limits));
      assert.deepEqual([refused.kind, refused.retryAfterS], ['too_many_requests', 3600]);
      assert.equal(await ledger.order('C'), undefined, 'what is refused leaves nothing behind');
      assert.ok((await ledger.openPayment(direct('C', '99999999'), limits)).opened);
      assert.ok(
        (await ledger.openPayment(payment({ orderId: 'D', customer: '12345678', method: 'CHECKOUT' }), limits)).opened,
      );
      skip(50 * M);
      assert.ok((await ledger.openPayment(direct('E'), limits)).opened);
    });

    it('gives it an id that no other transaction has', async (t) => {
      const { ledger } = await room(t);
      await ledger.openPayment(payment({ orderId: 'A-2' }), LIMITS);
      await ledger.openPayout({ ...PAYOUT, orderId: 'A-3' });
      await ledger.openPayment(payment(), LIMITS);
      assert.equal((await ledger.openPayment(payment(), LIMITS)).opened?.id, 'A-4');
      assert.equal((await ledger.openPayment(payment({ orderId: 'A-3' }), LIMITS)).opened?.id, 'A-3-2');
      const { opened } = await ledger.openPayment(payment({ orderId: 'A-2' }), LIMITS);
      assert.equal(opened?.id, 'A-2-2');
    });
  });

  describe(`${name}: opening a payout`, () => {
    it('writes its row once; the same again finds it, another under its id is refused', async (t) => {
      const { ledger } = await room(t);
      const first = await ledger.openPayout({ ...PAYOUT, note: 'Thanks' });
      assert.equal(first.opened, true);
      assert.deepEqual({ ...first.payout, history: [] }, { ...(await ledger.payout('P')), history: [] });
      const { type, orderId, method, note, stage } = first.payout;
      assert.deepEqual([type, orderId, method, note, stage], ['PAYOUT', 'P', null, 'Thanks', 'created']);
      assert.equal((await ledger.openPayout(PAYOUT)).opened, false);
      assert.equal((await refusal(ledger.openPayout({ ...PAYOUT, fingerprint: 'other' }))).kind, 'order_id_taken');
      await ledger.openPayment(payment(), LIMITS);
      assert.equal((await refusal(ledger.openPayout({ ...PAYOUT, orderId: 'A' }))).kind, 'order_id_taken');
      assert.equal(await ledger.payout('A'), undefined, 'a payment is no payout');
      assert.equal(await ledger.order('P'), undefined, 'and a payout no order');
    });

    it('by two at once is one row', async (t) => {
      const { ledger, open, now } = await room(t);
      const other = await open(now);
      const all = await Promise.all(
        [ledger, other, ledger, other, ledger, other].map((either) => either.openPayout(PAYOUT)),
      );
      assert.equal(all.filter(({ opened }) => opened).length, 1);
    });
  });

  describe(`${name}: a fact`, () => {
    it('raises the stage or changes nothing, for every stage and every fact', async (t) => {
      const books = await room(t);
      const { ledger } = books;
      const check = async (from: Stage, at: number): Promise<void> => {
        const { fact, tell } = FACTS[at]!;
        const [orderId, pair] = [`${from}-${at}`, `${from}, then ${fact}`];
        await ledger.openPayment(payment({ orderId }), LIMITS);
        await ROADS[from](books, orderId);
        const before = await read(ledger, orderId);
        assert.equal(before.stage, from);
        const raised = await tell(ledger, orderId);
        const after = await read(ledger, orderId);
        assert.equal(after.stage, advance(from, fact), pair);
        if (typeof raised === 'boolean') assert.equal(raised, after.stage !== from, pair);
        const news = after.history.slice(before.history.length).map(({ event }) => event);
        const conflicts = from === 'succeeded' && fact === 'declined';
        assert.deepEqual(news, conflicts ? ['conflict'] : after.stage === from ? [] : [fact], pair);
        assert.equal(after.late, fact === 'succeeded' && STAGES[from].ended, pair);
      };
      // One stage after the other, because the roads to some of them take time.
      for (const from of Object.keys(STAGES) as Stage[]) await Promise.all(FACTS.map((_, at) => check(from, at)));
    });

    it('may come in any order and any number of times: the end is the same', async (t) => {
      const { ledger } = await room(t);
      let orders = 0;
      const indexes = fc.array(fc.nat(FACTS.length - 1), { minLength: 1, maxLength: 6 });
      await fc.assert(
        fc.asyncProperty(indexes, fc.infiniteStream(fc.nat()), async (told, shuffle) => {
          const repeated = [...told, ...told]
            .map((at) => [shuffle.next().value, at] as const)
            .toSorted(([a], [b]) => a - b);
          const ends: Stage[] = [];
          for (const order of [told, repeated.map(([, at]) => at)]) {
            const orderId = `O${(orders += 1)}`;
            await ledger.openPayment(payment({ orderId }), LIMITS);
            for (const at of order) await FACTS[at]!.tell(ledger, orderId);
            ends.push(await stageOf(ledger, orderId));
          }
          const expected = told.reduce<Stage>((stage, at) => advance(stage, FACTS[at]!.fact), 'created');
          assert.deepEqual(ends, [expected, expected]);
        }),
        { numRuns: runs },
      );
    });

    it('is the one permission to send, for whoever asks first', async (t) => {
      const { ledger, open, now } = await room(t);
      const other = await open(now);
      await ledger.openPayment(payment(), LIMITS);
      const permissions = await Promise.all(
        [ledger, other, ledger, other].map((either) => either.record('A', { stage: 'sending' }, 'shopper')),
      );
      assert.equal(permissions.filter(Boolean).length, 1);
    });

    it('of an answer keeps what it brought, whatever came before it, and tells the watchers', async (t) => {
      const { ledger } = await room(t);
      await ledger.openPayment(payment(), LIMITS);
      await ledger.record('A', { stage: 'sending' }, 'shopper');
      await ledger.observe('A', verified('pending', '111'));
      const { version } = (await ledger.order('A'))!;
      const qr = { text: 'https://wallet.example', size: 21, modules: 'AA' };
      const fact: Fact = { ...PENDING, paymentId: '222', method: 'JETGO', qr, appUrl: 'jetgo://pay' };
      assert.equal(await ledger.record('A', fact, 'answer'), false);
      const order = (await ledger.order('A'))!;
      const { paymentId, method, qr: kept, appUrl, expiresAt } = order.payments[0]!;
      assert.deepEqual([paymentId, method, kept, appUrl, expiresAt], ['111', 'JETGO', qr, 'jetgo://pay', null]);
      assert.ok(order.version > version);
      await ledger.record('A', fact, 'answer');
      assert.deepEqual(await ledger.order('A'), order, 'the same again changes nothing, the version neither');
    });

    it('of nothing that is there is no fact', async (t) => {
      const { ledger } = await room(t);
      assert.equal(await ledger.record('nothing', PENDING, 'answer'), false);
      assert.deepEqual((await ledger.transactions({ limit: 10 })).transactions, []);
    });
  });

  describe(`${name}: success`, () => {
    it('pays the order once; a second one is surplus, told in place of a success', async (t) => {
      const { ledger, skip } = await room(t);
      const first = await openPending(ledger);
      const second = await openPending(ledger);
      await ledger.observe(second, verified('succeeded'));
      skip(S);
      await ledger.observe(first, verified('succeeded'));
      await ledger.observe(first, verified('succeeded'));
      const order = (await ledger.order('A'))!;
      assert.equal(order.paidBy, second);
      assert.deepEqual(
        order.payments.map(({ stage, late, surplus }) => [stage, late, surplus]),
        [
          ['succeeded', true, true],
          ['succeeded', false, false],
        ],
      );
      assert.deepEqual(await webhookTypes(ledger), ['payment.failed', 'payment.succeeded', 'payment.surplus']);
      const told = (await ledger.webhooks(undefined, 10)).find(({ type }) => type === 'payment.surplus')!;
      const { data } = JSON.parse(told.body) as { data: Record<string, unknown> };
      assert.deepEqual([data['gatewayOrderId'], data['surplus'], data['late']], [first, true, true]);
    });

    it('seen by two at once is told once', async (t) => {
      const { ledger, open, now } = await room(t);
      const other = await open(now);
      const id = await openPending(ledger);
      await Promise.all([ledger, other, ledger, other].map((either) => either.observe(id, verified('succeeded'))));
      assert.deepEqual(await webhookTypes(ledger), ['payment.succeeded']);
      assert.equal((await read(ledger, id)).history.filter(({ event }) => event === 'succeeded').length, 1);
    });

    it('of two payments of one order at once pays it by one of them', async (t) => {
      const { ledger, open, now } = await room(t);
      const other = await open(now);
      const first = await openPending(ledger);
      const second = await openPending(ledger);
      await Promise.all([ledger.observe(first, verified('succeeded')), other.observe(second, verified('succeeded'))]);
      assert.deepEqual(await webhookTypes(ledger), ['payment.failed', 'payment.succeeded', 'payment.surplus']);
      const order = (await ledger.order('A'))!;
      assert.equal(order.payments.filter(({ surplus }) => surplus).length, 1);
      assert.equal(order.payments.find(({ surplus }) => !surplus)?.id, order.paidBy);
    });

    it('of a payment names who paid, once, in its webhook too; a payout keeps whom it was sent to', async (t) => {
      const { ledger } = await room(t);
      await openPending(ledger);
      await ledger.observe('A', verified('pending', null, '1111'));
      assert.equal((await read(ledger, 'A')).customer, PAYMENT.customer, 'nobody has paid yet');
      await ledger.observe('A', verified('succeeded', null, '2222'));
      await ledger.observe('A', verified('succeeded', null, '3333'));
      assert.equal((await read(ledger, 'A')).customer, '2222');
      const [webhook] = await ledger.webhooks('pending', 10);
      assert.equal((JSON.parse(webhook!.body) as { data: { customer: string } }).data.customer, '2222');
      await ledger.openPayout(PAYOUT);
      await ledger.record('P', PENDING, 'answer');
      await ledger.observe('P', verified('succeeded', null, '4444'));
      assert.equal((await read(ledger, 'P')).customer, PAYOUT.customer);
    });

    it('and then FAILED is a conflict: told once, and nothing changes', async (t) => {
      const { ledger } = await room(t);
      const id = await openPending(ledger);
      await ledger.observe(id, verified('succeeded'));
      await ledger.observe(id, verified('failed'));
      await ledger.observe(id, verified('failed'));
      const { stage, conflict, history } = await read(ledger, id);
      assert.deepEqual(
        [stage, conflict, history.filter(({ event }) => event === 'conflict').length],
        ['succeeded', true, 1],
      );
      assert.deepEqual(await webhookTypes(ledger), ['payment.conflict', 'payment.succeeded']);
      assert.equal((await ledger.order('A'))?.paidBy, id);
    });

    it('of a payout is told as its own', async (t) => {
      const { ledger } = await room(t);
      await ledger.openPayout(PAYOUT);
      await ledger.observe('P', verified('succeeded', '9'));
      assert.deepEqual([(await ledger.payout('P'))?.stage, (await ledger.payout('P'))?.paymentId], ['succeeded', '9']);
      assert.deepEqual(await webhookTypes(ledger), ['payout.succeeded']);
    });
  });

  describe(`${name}: a check`, () => {
    it('that differs flags it, once, with the field, and changes nothing of what is paid', async (t) => {
      const { ledger } = await room(t);
      const id = await openPending(ledger);
      await ledger.observe(id, { kind: 'mismatch', field: 'amount' });
      await ledger.observe(id, { kind: 'mismatch', field: 'currency' });
      const { stage, mismatch, history } = await read(ledger, id);
      assert.deepEqual([stage, mismatch, history.at(-1)?.detail], ['pending', true, 'amount']);
      await ledger.openPayout(PAYOUT);
      await ledger.observe('P', { kind: 'mismatch', field: 'type' });
      assert.deepEqual(await webhookTypes(ledger), ['payment.mismatch', 'payout.mismatch']);
    });

    it('that proves nothing changes nothing', async (t) => {
      const { ledger } = await room(t);
      const id = await openPending(ledger);
      const { version } = (await ledger.order('A'))!;
      for (const nothing of [UNAVAILABLE, { kind: 'incomplete' }, verified('pending')] as const)
        await ledger.observe(id, nothing);
      const order = (await ledger.order('A'))!;
      assert.deepEqual([order.version, order.payments[0]?.stage], [version, 'pending']);
    });

    it('keeps the first payment id that it or the answer brought', async (t) => {
      const { ledger } = await room(t);
      await ledger.openPayment(payment(), LIMITS);
      await ledger.record('A', { stage: 'sending' }, 'shopper');
      await ledger.observe('A', verified('pending', '7'));
      await ledger.observe('A', verified('pending', '8'));
      assert.equal((await read(ledger, 'A')).paymentId, '7');
    });

    it('says "not created" only by two unknowns, 60 s apart and 90 s after the sending', async (t) => {
      const { ledger, skip } = await room(t);
      await ledger.openPayment(payment(), LIMITS);
      await ledger.record('A', { stage: 'sending' }, 'shopper');
      await ledger.record('A', { stage: 'uncertain', why: 'reset' }, 'answer');
      skip(90 * S - 1);
      await ledger.observe('A', UNKNOWN);
      skip(60 * S);
      await ledger.observe('A', UNKNOWN);
      assert.equal(await stageOf(ledger, 'A'), 'uncertain', 'the first one came too early to count');
      skip(60 * S - 1);
      await ledger.observe('A', UNKNOWN);
      assert.equal(await stageOf(ledger, 'A'), 'uncertain');
      skip(1);
      await ledger.observe('A', UNAVAILABLE);
      assert.equal(await stageOf(ledger, 'A'), 'uncertain');
      await ledger.observe('A', UNKNOWN);
      assert.equal(await stageOf(ledger, 'A'), 'not_created');
      assert.deepEqual(await webhookTypes(ledger), ['payment.failed']);
    });

    it('counts unknowns anew once the gateway knew it', async (t) => {
      const { ledger, skip } = await room(t);
      await ledger.openPayout(PAYOUT);
      await ledger.record('P', { stage: 'sending' }, 'merchant');
      await ledger.record('P', { stage: 'uncertain', why: 'reset' }, 'answer');
      skip(90 * S);
      await ledger.observe('P', UNKNOWN);
      await ledger.observe('P', verified('pending'));
      skip(60 * S);
      await ledger.observe('P', UNKNOWN);
      assert.equal(await stageOf(ledger, 'P'), 'pending');
      skip(60 * S);
      await ledger.observe('P', UNKNOWN);
      assert.equal(await stageOf(ledger, 'P'), 'pending', 'what the gateway once had was created');
    });

    it('never says "not created" of one that has a payment id, or that was never sent', async (t) => {
      const { ledger, skip } = await room(t);
      await ledger.openPayment(payment(), LIMITS);
      await ledger.record('A', { stage: 'sending' }, 'shopper');
      await ledger.record('A', { stage: 'uncertain', why: 'reset' }, 'answer');
      await ledger.record('A', PENDING, 'answer');
      await openPending(ledger, { orderId: 'B' });
      for (let n = 0; n < 3; n += 1) {
        skip(90 * S);
        await ledger.observe('A', UNKNOWN);
        await ledger.observe('B', UNKNOWN);
      }
      assert.deepEqual([await stageOf(ledger, 'A'), await stageOf(ledger, 'B')], ['pending', 'pending']);
    });

    it('tells a payout FAILED by two that agree, 30 s apart, with none in between that says otherwise', async (t) => {
      const { ledger, skip } = await room(t);
      await ledger.openPayout(PAYOUT);
      await ledger.record('P', { stage: 'sending' }, 'merchant');
      await ledger.record('P', PENDING, 'answer');
      await ledger.observe('P', verified('failed'));
      skip(30 * S - 1);
      await ledger.observe('P', verified('failed'));
      assert.equal(await stageOf(ledger, 'P'), 'pending');
      await ledger.observe('P', verified('pending'));
      skip(30 * S);
      await ledger.observe('P', verified('failed'));
      assert.equal(await stageOf(ledger, 'P'), 'pending', 'it began anew');
      await ledger.observe('P', UNAVAILABLE);
      skip(30 * S);
      await ledger.observe('P', verified('failed'));
      assert.deepEqual([await stageOf(ledger, 'P'), await webhookTypes(ledger)], ['declined', ['payout.failed']]);
    });

    it('keeps the gateway’s code for a failure in its history', async (t) => {
      const { ledger } = await room(t);
      const id = await openPending(ledger);
      await ledger.observe(id, verified('failed', null, null, 'TOKEN_EXPIRED'));
      const { event, detail } = (await ledger.order('A'))?.payments[0]?.history.at(-1) ?? {};
      assert.deepEqual([event, detail], ['declined', 'TOKEN_EXPIRED']);
    });

    it('tells a payment FAILED at once', async (t) => {
      const { ledger } = await room(t);
      const id = await openPending(ledger);
      await ledger.observe(id, verified('failed'));
      assert.deepEqual([await stageOf(ledger, id), await webhookTypes(ledger)], ['declined', ['payment.failed']]);
    });
  });

  describe(`${name}: our clock`, () => {
    it('ends a CHECKOUT 15 minutes and 2 of grace after it was sent, by whatever check', async (t) => {
      const { ledger, skip } = await room(t);
      await ledger.openPayment(payment({ method: 'CHECKOUT' }), LIMITS);
      skip(3 * S);
      await ledger.record('A', { stage: 'sending' }, 'shopper');
      await ledger.record('A', { ...PENDING, method: 'CHECKOUT', checkoutUrl: 'https://c.example/' }, 'answer');
      assert.equal((await read(ledger, 'A')).expiresAt, NOON + 3 * S + 15 * M);
      skip(17 * M - 1);
      await ledger.observe('A', verified('pending'));
      assert.equal(await stageOf(ledger, 'A'), 'pending');
      skip(1);
      await ledger.observe('A', UNAVAILABLE);
      const { stage, history } = await read(ledger, 'A');
      assert.deepEqual([stage, history.at(-1)?.source], ['expired', 'clock']);
    });

    it('lets the word of the gateway win in that very check', async (t) => {
      const { ledger, skip } = await room(t);
      await openPending(ledger, { method: 'CHECKOUT' }, { ...PENDING, method: 'CHECKOUT' });
      skip(D);
      await ledger.observe('A', verified('succeeded'));
      const { stage, late } = await read(ledger, 'A');
      assert.deepEqual([stage, late], ['succeeded', false]);
    });

    it('runs also for a CHECKOUT whose answer was lost', async (t) => {
      const { ledger, skip } = await room(t);
      await ledger.openPayment(payment({ method: 'CHECKOUT' }), LIMITS);
      await ledger.record('A', { stage: 'sending' }, 'shopper');
      await ledger.record('A', { stage: 'uncertain', why: 'reset' }, 'answer');
      skip(2 * S);
      await ledger.observe('A', verified('pending'));
      assert.equal((await read(ledger, 'A')).expiresAt, NOON + 15 * M);
    });

    it('takes a row that was never sent for not created after 45 s, and one being sent for uncertain', async (t) => {
      const { ledger, skip } = await room(t);
      await ledger.openPayment(payment({ orderId: 'A' }), LIMITS);
      await ledger.openPayment(payment({ orderId: 'B' }), LIMITS);
      await ledger.record('B', { stage: 'sending' }, 'shopper');
      skip(45 * S - 1);
      await Promise.all([ledger.observe('A', UNAVAILABLE), ledger.observe('B', UNAVAILABLE)]);
      assert.deepEqual([await stageOf(ledger, 'A'), await stageOf(ledger, 'B')], ['created', 'sending']);
      skip(1);
      await Promise.all([ledger.observe('A', UNAVAILABLE), ledger.observe('B', UNAVAILABLE)]);
      assert.deepEqual([await stageOf(ledger, 'A'), await stageOf(ledger, 'B')], ['not_created', 'uncertain']);
    });

    it('asks for a person after 24 h of a payout and 7 days of a payment, once, and only where there is no end', async (t) => {
      const { ledger, skip } = await room(t);
      await ledger.openPayout(PAYOUT);
      await ledger.record('P', { stage: 'sending' }, 'merchant');
      await ledger.record('P', PENDING, 'answer');
      await openPending(ledger, { orderId: 'A' });
      await openPending(ledger, { orderId: 'B' });
      await ledger.observe('B', verified('succeeded'));
      await openPending(ledger, { orderId: 'C' });
      await ledger.observe('C', verified('failed'));
      const all = async () => {
        for (const id of ['P', 'A', 'B', 'C']) await ledger.observe(id, UNAVAILABLE);
        return Promise.all(['P', 'A', 'B', 'C'].map(async (id) => (await read(ledger, id)).needsReview));
      };
      skip(D - 1);
      assert.deepEqual(await all(), [false, false, false, false]);
      skip(1);
      assert.deepEqual(await all(), [true, false, false, false]);
      skip(6 * D - 1);
      assert.deepEqual(await all(), [true, false, false, false]);
      skip(1);
      assert.deepEqual(await all(), [true, true, false, false]);
      assert.equal(
        (await ledger.webhooks(undefined, 100)).filter(({ type }) => type === 'payout.needs_review').length,
        1,
      );
    });
  });

  describe(`${name}: an IPN`, () => {
    const reading: IpnReading = { ...BARE_READING, outcome: 'succeeded' };
    const due = async (ledger: LedgerById) => (await ledger.claimChecks(100, LEASE_MS)).map(({ id }) => id);

    it('rings for its transaction in the same commit', async (t) => {
      const { ledger, skip } = await room(t);
      await openPending(ledger);
      assert.deepEqual(await due(ledger), []);
      skip(S);
      await ledger.receiveIpn({ id: 'i1', body: '{}', reading });
      assert.deepEqual(await due(ledger), ['A']);
      assert.deepEqual(await ledger.ipnReadings('A'), [reading]);
    });

    it('that comes again is one IPN, seen twice, and rings again', async (t) => {
      const { ledger, rows, skip } = await room(t);
      await openPending(ledger);
      for (let n = 0; n < 3; n += 1) {
        skip(S);
        await ledger.receiveIpn({ id: 'i1', body: '{}', reading });
        assert.deepEqual(await due(ledger), ['A']);
        await ledger.observe('A', verified('pending'));
      }
      assert.deepEqual(await rows('select seen, first_at, last_at, matched from ipns'), [
        { seen: 3, first_at: NOON + S, last_at: NOON + 3 * S, matched: 1 },
      ]);
      assert.equal((await ledger.ipnReadings('A')).length, 1);
    });

    it('that comes before its row is kept, and rings when the row is there', async (t) => {
      const { ledger, rows } = await room(t);
      await ledger.receiveIpn({ id: 'i1', body: '{}', reading });
      await ledger.receiveIpn({ id: 'i2', body: '{}', reading: { ...reading, orderId: 'P', type: 'PAYOUT' } });
      assert.deepEqual(await due(ledger), []);
      await ledger.openPayment(payment(), LIMITS);
      await ledger.openPayout(PAYOUT);
      assert.deepEqual((await due(ledger)).toSorted(), ['A', 'P']);
      assert.deepEqual(await rows('select matched from ipns'), [{ matched: 1 }, { matched: 1 }]);
    });

    it('that was written before customers were kept has none', async (t) => {
      const { ledger } = await room(t);
      await openPending(ledger);
      const { customer: _, ...older } = reading;
      await ledger.receiveIpn({ id: 'i1', body: '{}', reading: older as IpnReading });
      assert.deepEqual(await ledger.ipnReadings('A'), [reading]);
    });

    it('that cannot be read is kept with no order', async (t) => {
      const { ledger, rows } = await room(t);
      await ledger.receiveIpn({ id: 'i1', body: 'It works!', reading: undefined });
      assert.deepEqual(await rows('select order_id, reading, body, matched from ipns'), [
        { order_id: null, reading: null, body: 'It works!', matched: 0 },
      ]);
    });

    it('that matched nothing is dropped 7 days after it was last seen; a matched one stays', async (t) => {
      const { ledger, rows, skip } = await room(t);
      await openPending(ledger);
      await ledger.receiveIpn({ id: 'matched', body: '{}', reading });
      await ledger.receiveIpn({ id: 'once', body: '{}', reading: { ...reading, orderId: 'B' } });
      await ledger.receiveIpn({ id: 'again', body: '{}', reading: undefined });
      skip(S);
      await ledger.receiveIpn({ id: 'again', body: '{}', reading: undefined });
      const left = async () => {
        await ledger.prune();
        return (await rows<{ id: string }>('select id from ipns order by id')).map(({ id }) => id);
      };
      skip(7 * D - S);
      assert.deepEqual(await left(), ['again', 'matched', 'once']);
      skip(1);
      assert.deepEqual(await left(), ['again', 'matched']);
      skip(S);
      assert.deepEqual(await left(), ['matched']);
    });
  });

  describe(`${name}: claiming checks`, () => {
    it('gives what is due, the longest due first, as many as asked for', async (t) => {
      const { ledger, skip } = await room(t);
      for (const orderId of ['C', 'A', 'B']) {
        await openPending(ledger, { orderId });
        skip(S);
      }
      skip(20 * S);
      const claimed = await ledger.claimChecks(2, LEASE_MS);
      assert.deepEqual(claimed.map(({ id, stage }) => `${id} ${stage}`).toSorted(), ['A pending', 'C pending']);
      assert.deepEqual(
        (await ledger.claimChecks(2, LEASE_MS)).map(({ id }) => id),
        ['B'],
      );
      assert.deepEqual(await ledger.claimChecks(2, LEASE_MS), []);
    });

    it('gives what an IPN rang for before the sweep, however long that has been due', async (t) => {
      const { ledger, skip } = await room(t);
      const ring = (orderId: string) =>
        ledger.receiveIpn({
          id: orderId,
          body: '{}',
          reading: { ...BARE_READING, orderId },
        });
      for (const orderId of ['A', 'B', 'C', 'D']) {
        await openPending(ledger, { orderId });
        skip(S);
      }
      skip(M);
      await ring('C');
      skip(S);
      await ring('B');
      const order: string[] = [];
      for (let n = 0; n < 4; n += 1) order.push(...(await ledger.claimChecks(1, LEASE_MS)).map(({ id }) => id));
      assert.deepEqual(order, ['C', 'B', 'A', 'D']);
    });

    it('gives each to one holder until the lease has run out or the check has ended', async (t) => {
      const { ledger, open, now, skip } = await room(t);
      const other = await open(now);
      await openPending(ledger);
      skip(15 * S);
      assert.equal((await ledger.claimChecks(1, LEASE_MS)).length, 1);
      skip(LEASE_MS - 1);
      assert.equal((await other.claimChecks(1, LEASE_MS)).length, 0);
      skip(1);
      assert.equal((await other.claimChecks(1, LEASE_MS)).length, 1);
      await other.observe('A', UNAVAILABLE);
      skip(M);
      assert.equal((await ledger.claimChecks(1, LEASE_MS)).length, 1);
    });

    it('by many at once gives nothing to two', async (t) => {
      const { ledger, open, now, skip } = await room(t);
      const other = await open(now);
      const ids = Array.from({ length: 40 }, (_, n) => `O${n}`);
      for (const orderId of ids) await openPending(ledger, { orderId });
      skip(15 * S);
      const rounds = await Promise.all(
        Array.from({ length: 16 }, (_, n) => (n % 2 ? ledger : other).claimChecks(5, LEASE_MS)),
      );
      const claimed = rounds.flat().map(({ id }) => id);
      assert.equal(new Set(claimed).size, claimed.length, 'none twice');
      while (claimed.length < ids.length) {
        const more = await ledger.claimChecks(5, LEASE_MS);
        assert.ok(more.length > 0, 'none lost');
        claimed.push(...more.map(({ id }) => id));
      }
      assert.deepEqual(claimed.toSorted(), ids.toSorted());
    });

    it('remembers when the last five began, and never lets a sixth begin within the minute', async (t) => {
      const { ledger, rows, skip } = await room(t);
      await openPending(ledger);
      const reading = BARE_READING;
      let made = 0;
      for (let n = 0; n < 60; n += 1) {
        skip(S);
        await ledger.receiveIpn({ id: `i${n}`, body: '{}', reading });
        if ((await ledger.claimChecks(1, LEASE_MS)).length === 1) {
          made += 1;
          await ledger.observe('A', verified('pending'));
        }
      }
      assert.equal(made, 5);
      const [row] = await rows<{ checks: string }>('select checks from transactions');
      assert.deepEqual(
        JSON.parse(row!.checks),
        [1, 2, 3, 4, 5].map((n) => ({ at: NOON + n * S, rung: true })),
      );
    });

    it('gives a payment that has ended to nobody', async (t) => {
      const { ledger, skip } = await room(t);
      await openPending(ledger);
      await ledger.observe('A', verified('succeeded'));
      skip(30 * D);
      assert.deepEqual(await ledger.claimChecks(10, LEASE_MS), []);
    });
  });

  describe(`${name}: webhooks`, () => {
    async function queued(ledger: LedgerById, ...orderIds: string[]): Promise<void> {
      for (const orderId of orderIds) {
        const id = await openPending(ledger, { orderId });
        await ledger.observe(id, verified('succeeded'));
      }
    }

    it('are written with the fact, their bytes frozen, each type once per transaction', async (t) => {
      const { ledger, skip } = await room(t);
      const first = await openPending(ledger);
      await openPending(ledger);
      const [before] = await ledger.webhooks('pending', 10);
      assert.deepEqual(
        [before?.type, before?.orderId, before?.attempts, before?.nextAt],
        ['payment.failed', 'A', 0, NOON],
      );
      skip(S);
      await ledger.observe(first, verified('failed'));
      const [after] = await ledger.webhooks('pending', 10);
      assert.deepEqual(after, before, 'FAILED for another reason is no second message');
      assert.match(before?.id ?? '', /^msg_[0-9a-f]{40}$/);
    });

    it('are claimed by one holder until the lease has run out, and counted', async (t) => {
      const { ledger, open, now, skip } = await room(t);
      const other = await open(now);
      await queued(ledger, 'A');
      const [claimed] = await ledger.claimWebhooks(10, 30 * S);
      assert.deepEqual([claimed?.type, claimed?.attempts], ['payment.succeeded', 1]);
      skip(30 * S - 1);
      assert.deepEqual(await other.claimWebhooks(10, 30 * S), []);
      skip(1);
      const [again] = await other.claimWebhooks(10, 30 * S);
      assert.deepEqual([again?.id, again?.attempts, again?.body], [claimed?.id, 2, claimed?.body]);
    });

    it('by many at once are claimed by one each', async (t) => {
      const { ledger, open, now } = await room(t);
      const other = await open(now);
      const orderIds = Array.from({ length: 20 }, (_, n) => `O${n}`);
      await queued(ledger, ...orderIds);
      const rounds = await Promise.all(
        Array.from({ length: 12 }, (_, n) => (n % 2 ? ledger : other).claimWebhooks(4, 30 * S)),
      );
      const claimed = rounds.flat().map(({ orderId }) => orderId);
      assert.equal(new Set(claimed).size, claimed.length);
      for (
        let more = await ledger.claimWebhooks(20, 30 * S);
        more.length > 0;
        more = await ledger.claimWebhooks(20, 30 * S)
      ) {
        claimed.push(...more.map(({ orderId }) => orderId));
      }
      assert.deepEqual(claimed.toSorted(), orderIds.toSorted());
    });

    it('are delivered, tried again, dead, and sent again by hand', async (t) => {
      const { ledger, skip } = await room(t);
      await queued(ledger, 'A');
      const [webhook] = await ledger.claimWebhooks(10, 30 * S);
      const { id } = webhook!;
      await ledger.recordDelivery(id, { state: 'pending', nextAt: NOON + 5 * S, answer: 'HTTP 500' });
      skip(5 * S - 1);
      assert.deepEqual(await ledger.claimWebhooks(10, 30 * S), []);
      skip(1);
      assert.equal((await ledger.claimWebhooks(10, 30 * S))[0]?.attempts, 2);
      await ledger.recordDelivery(id, { state: 'dead', answer: 'HTTP 410' });
      skip(D);
      assert.deepEqual(await ledger.claimWebhooks(10, 30 * S), []);
      const [dead] = await ledger.webhooks('dead', 10);
      assert.deepEqual([dead?.id, dead?.lastAnswer], [id, 'HTTP 410']);
      assert.deepEqual((await ledger.redeliver(id))?.attempts, 0);
      assert.equal((await ledger.claimWebhooks(10, 30 * S))[0]?.attempts, 1);
      await ledger.recordDelivery(id, { state: 'delivered', answer: 'HTTP 200' });
      assert.equal((await ledger.webhooks('delivered', 10)).length, 1);
      assert.deepEqual(await ledger.webhooks('pending', 10), []);
      assert.equal(await ledger.redeliver('nothing'), undefined);
    });

    it('are listed newest first, as many as asked for', async (t) => {
      const { ledger, skip } = await room(t);
      for (const orderId of ['A', 'B', 'C']) {
        await queued(ledger, orderId);
        skip(S);
      }
      assert.deepEqual(
        (await ledger.webhooks(undefined, 2)).map(({ orderId }) => orderId),
        ['C', 'B'],
      );
    });
  });

  describe(`${name}: watching`, () => {
    it('is told after the commit that changed the order, and not of another order', async (t) => {
      const { ledger } = await room(t);
      const seen: (number | undefined)[] = [];
      const told: Promise<void>[] = [];
      const unwatch = ledger.watch(
        'A',
        () => void told.push(ledger.order('A').then((order) => void seen.push(order?.version))),
      );
      await ledger.openPayment(payment({ orderId: 'B' }), LIMITS);
      assert.equal(told.length, 0);
      await ledger.openPayment(payment(), LIMITS);
      await ledger.record('A', { stage: 'sending' }, 'shopper');
      await Promise.all(told);
      assert.deepEqual(seen, [1, 2], 'what was told of could be read');
      unwatch();
      await ledger.record('A', PENDING, 'answer');
      assert.equal(told.length, 2);
    });

    it('is told nothing of what was refused or changed nothing', async (t) => {
      const { ledger } = await room(t);
      const id = await openPending(ledger);
      let told = 0;
      t.after(ledger.watch('A', () => void (told += 1)));
      await refusal(ledger.openPayment(payment({ currency: 'USD' }), LIMITS));
      await ledger.record(id, { stage: 'sending' }, 'shopper');
      await ledger.observe(id, verified('pending'));
      await ledger.openPayout(PAYOUT);
      assert.equal(told, 0);
    });

    it('may be by several; one that leaves leaves the others', async (t) => {
      const { ledger } = await room(t);
      const told = [0, 0];
      const first = ledger.watch('A', () => void (told[0]! += 1));
      t.after(ledger.watch('A', () => void (told[1]! += 1)));
      await ledger.openPayment(payment(), LIMITS);
      first();
      first();
      await ledger.record('A', { stage: 'sending' }, 'shopper');
      assert.deepEqual(told, [1, 2]);
    });

    it('hears of what another process committed', async (t) => {
      const { ledger, open, now } = await room(t);
      const other = await open(now);
      await ledger.openPayment(payment(), LIMITS);
      const heard = Promise.withResolvers<void>();
      t.after(ledger.watch('A', () => heard.resolve()));
      // The first look after watching begins tells in any case; what is waited for comes after it.
      await heard.promise;
      const again = Promise.withResolvers<void>();
      t.after(ledger.watch('A', () => again.resolve()));
      await other.record('A', { stage: 'sending' }, 'shopper');
      await again.promise;
      assert.equal((await ledger.order('A'))?.payments[0]?.stage, 'sending');
    });
  });

  describe(`${name}: listing transactions`, () => {
    it('pages through all, each once, in the order of their last change', async (t) => {
      const { ledger, skip } = await room(t);
      for (let n = 0; n < 7; n += 1) {
        await ledger.openPayment(payment({ orderId: `O${n}` }), LIMITS);
        if (n % 3 === 2) skip(S);
      }
      await ledger.record('O0', { stage: 'sending' }, 'shopper');
      const all = (await ledger.transactions({ limit: 100 })).transactions.map(({ id }) => id);
      assert.deepEqual(all, ['O1', 'O2', 'O3', 'O4', 'O5', 'O0', 'O6']);
      for (const limit of [1, 2, 3, 7]) {
        const paged: string[] = [];
        let cursor: string | undefined;
        do {
          const page = await ledger.transactions({ limit, cursor });
          paged.push(...page.transactions.map(({ id }) => id));
          cursor = page.nextCursor ?? undefined;
        } while (cursor !== undefined);
        assert.deepEqual(paged, all, String(limit));
      }
      assert.equal((await ledger.transactions({ limit: 7 })).nextCursor, null);
    });

    it('filters by time, status and type', async (t) => {
      const { ledger, skip } = await room(t);
      await openPending(ledger, { orderId: 'A' });
      skip(S);
      await ledger.openPayout(PAYOUT);
      await openPending(ledger, { orderId: 'B' });
      await ledger.observe('B', verified('failed'));
      const list = async (query: object) =>
        (await ledger.transactions({ limit: 10, ...query })).transactions.map(({ id }) => id).toSorted();
      assert.deepEqual(await list({ updatedSince: NOON + 1 }), ['B', 'P']);
      assert.deepEqual(await list({ updatedSince: NOON + S }), ['B', 'P']);
      assert.deepEqual(await list({ updatedSince: NOON }), ['A', 'B', 'P']);
      assert.deepEqual(await list({ status: 'FAILED' }), ['B']);
      assert.deepEqual(await list({ status: 'INITIALIZED' }), ['P']);
      assert.deepEqual(await list({ type: 'PAY', status: 'PROCESSING' }), ['A']);
    });

    it('tells the history in the order of what happened, also within one millisecond', async (t) => {
      const { ledger } = await room(t);
      const id = await openPending(ledger);
      await openPending(ledger);
      await ledger.observe(id, verified('succeeded'));
      const { history } = await read(ledger, id);
      assert.deepEqual(
        history.map(({ event }) => event),
        ['created', 'sending', 'pending', 'replaced', 'succeeded'],
      );
    });
  });

  describe(`${name}: two who start at once`, () => {
    it('with one key make one payment', async (t) => {
      const { ledger, open, now } = await room(t);
      const other = await open(now);
      const same = payment();
      const all = await Promise.all([ledger, other, ledger, other].map((either) => either.openPayment(same, LIMITS)));
      assert.equal(all.filter(({ opened }) => opened !== undefined).length, 1);
      assert.equal((await ledger.order('A'))?.payments.length, 1);
    });

    it('with many keys keep to the limit, and leave one open', async (t) => {
      const { ledger, open, now } = await room(t);
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
      assert.deepEqual(
        payments.map(({ stage }) => stage),
        ['replaced', 'replaced', 'replaced', 'replaced', 'created'],
      );
      assert.deepEqual(
        payments.map(({ attempt }) => attempt),
        [1, 2, 3, 4, 5],
      );
    });

    it('for one wallet keep to its limit over all orders', async (t) => {
      const { ledger, open, now } = await room(t);
      const other = await open(now);
      const direct = (n: number) => payment({ orderId: `O${n}`, customer: '12345678', method: 'DIRECT' });
      const all = await Promise.allSettled(
        Array.from({ length: 12 }, (_, n) => (n % 2 ? ledger : other).openPayment(direct(n), LIMITS)),
      );
      assert.equal(all.filter(({ status }) => status === 'fulfilled').length, 5);
    });

    it('and take the same free id end with one each', async (t) => {
      const { ledger, open, now } = await room(t);
      const other = await open(now);
      await ledger.openPayment(payment({ orderId: 'A' }), LIMITS);
      const [second, own] = await Promise.all([
        ledger.openPayment(payment({ orderId: 'A' }), LIMITS),
        other.openPayment(payment({ orderId: 'A-2' }), LIMITS),
      ]);
      assert.ok(second.opened && own.opened);
      assert.notEqual(second.opened.id, own.opened.id);
    });
  });

  describe(`${name}: the books`, () => {
    it('are the same after they were closed and opened again', async (t) => {
      const { ledger, open, now } = await room(t, 'alone');
      const id = await openPending(ledger);
      await ledger.observe(id, verified('succeeded'));
      const [order, webhooks] = [await ledger.order('A'), await ledger.webhooks(undefined, 10)];
      await ledger.close();
      const again = await open(now, 'alone');
      assert.deepEqual(await again.order('A'), order);
      assert.deepEqual(await again.webhooks(undefined, 10), webhooks);
    });

    it('take rows that a dead process was sending for uncertain, and no others', async (t) => {
      const { ledger } = await room(t);
      for (const orderId of ['A', 'B', 'C']) await ledger.openPayment(payment({ orderId }), LIMITS);
      await ledger.record('B', { stage: 'sending' }, 'shopper');
      await ledger.record('C', { stage: 'sending' }, 'shopper');
      await ledger.record('C', PENDING, 'answer');
      await ledger.recover();
      await ledger.recover();
      const stages = await Promise.all(['A', 'B', 'C'].map((id) => stageOf(ledger, id)));
      assert.deepEqual(stages, ['created', 'uncertain', 'pending']);
      assert.deepEqual((await read(ledger, 'B')).history.at(-1), {
        at: NOON,
        event: 'uncertain',
        source: 'restart',
        detail: 'found being sent at start',
      });
    });

    it('count what they hold', async (t) => {
      const { ledger, skip } = await room(t);
      assert.deepEqual(await ledger.counts(), {
        transactions: [],
        needReview: 0,
        checks: [
          { state: 'planned', count: 0 },
          { state: 'due', count: 0 },
        ],
        webhooks: [],
      });
      await openPending(ledger, { orderId: 'A' });
      await ledger.openPayment(payment({ orderId: 'B' }), LIMITS);
      await openPending(ledger, { orderId: 'C' });
      await ledger.observe('C', verified('succeeded'));
      await ledger.openPayout(PAYOUT);
      await ledger.record('P', PENDING, 'answer');
      skip(D);
      await ledger.observe('P', UNAVAILABLE);
      const { transactions, ...counts } = await ledger.counts();
      assert.deepEqual(transactions.map(({ type, status, count }) => `${type} ${status} ${count}`).toSorted(), [
        'PAY INITIALIZED 1',
        'PAY PROCESSING 1',
        'PAY SUCCESS 1',
        'PAYOUT PROCESSING 1',
      ]);
      assert.deepEqual(
        { ...counts, webhooks: counts.webhooks.toSorted((a, b) => a.state.localeCompare(b.state)) },
        {
          needReview: 1,
          checks: [
            { state: 'planned', count: 3 },
            { state: 'due', count: 2 },
          ],
          webhooks: [{ state: 'pending', count: 2 }],
        },
      );
      await ledger.observe('P', verified('succeeded'));
      assert.equal((await ledger.counts()).needReview, 0);
    });

    it('can be written, or say that they cannot', async (t) => {
      const { ledger } = await room(t, 'alone');
      await ledger.ping();
      await ledger.close();
      for (const work of [
        () => ledger.ping(),
        () => ledger.order('A'),
        () => ledger.openPayout(PAYOUT),
        () => ledger.counts(),
      ]) {
        assert.equal((await refusal(work())).kind, 'unavailable');
      }
    });

    it('keep every letter and digit that they were given', async (t) => {
      const { ledger } = await room(t);
      const note = '\'";-- \u{1F375} \\ % _ \u0001 ä';
      await ledger.openPayout({ ...PAYOUT, amountMinor: 999_999_999_999_999, note });
      const payout = await ledger.payout('P');
      assert.deepEqual([payout?.amountMinor, payout?.note], [999_999_999_999_999, note]);
    });
  });
}
