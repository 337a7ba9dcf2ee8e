// openRefund(): what may be sent back, that a payment never sends back more than it brought, that a key is one refund,
// and what a restored database has lost.
import assert from 'node:assert/strict';
import { describe } from 'node:test';
import type { FoundRefund, LookedUp, NewRefund } from '../../../../backend-proxy/ledger/model.ts';
import { LookUpNeeded } from '../../../../backend-proxy/errors.ts';
import type { MerchantSource } from '../../../../backend-proxy/protocol/merchant-key.ts';
import { leftOf } from '../../../../backend-proxy/protocol/refundable.ts';
import { D, H, M, NOON, S } from '../../time.ts';
import {
  PENDING,
  REFUND,
  UNKNOWN,
  differing,
  openPending,
  openSent,
  read,
  refusal,
  uncertain,
  verified,
  webhookTypes,
  type Setup,
  type Suite,
  type LedgerById,
} from '../ledger-kit.ts';
import { inWords } from '../../in-words.ts';

export const PAYER = '87654321';
const RESTORED = 'the database was restored, and the gateway has it already';
let calls = 0;

const asked = (given: Partial<NewRefund> = {}): NewRefund => ({
  ...REFUND,
  idempotencyKey: `key-${(calls += 1)}`,
  start: { by: 'proxy', id: `start-${calls}` },
  ...given,
});
export const refund = ({ ledger }: LedgerById, given: Partial<NewRefund> = {}, source?: MerchantSource) =>
  ledger.openRefund(asked(given), source);
const recordFound = (ledger: LedgerById, ...found: FoundRefund[]) =>
  ledger.recordFound({ orderId: 'A', transactionId: 'A', found });

async function paid(ledger: LedgerById, payer: string | null = PAYER): Promise<string> {
  const id = await openPending(ledger);
  await ledger.observe(id, verified('succeeded', null, payer));
  return id;
}

/** Two checks that agree. */
export async function fail({ ledger, skip }: Setup, id: string): Promise<void> {
  await ledger.record(id, PENDING);
  await ledger.observe(id, verified('failed'));
  skip(M);
  await ledger.observe(id, verified('failed'));
}

/** Two checks whose "unknown" is proven. */
async function endUnknown(ledger: LedgerById, id: string, skip: Setup['skip']): Promise<void> {
  await ledger.record(id, uncertain('refused'));
  for (const wait of [2 * M, M + S]) {
    skip(wait);
    await ledger.observe(id, UNKNOWN);
  }
  assert.equal((await read(ledger, id)).stage, 'not_created');
}

export async function left(ledger: LedgerById, paymentId = 'A', orderId = 'A'): Promise<number> {
  return leftOf(await read(ledger, paymentId), (await ledger.order(orderId))?.refunds ?? []);
}

export function refundsContract({ it, setUp }: Suite): void {
  it('sends back what is left, to the wallet that paid, and is in the order', async (t) => {
    const { ledger } = await setUp(t);
    await paid(ledger);
    const before = await ledger.order('A');
    const opened = await refund(ledger, { note: 'sorry' }, 'merchant:desk');
    const { id, type, orderId, refundOf, amountMinor, currency, customer, note, stage, history } = opened.refund;
    assert.deepEqual(
      [id, type, orderId, refundOf, amountMinor, currency, customer, note, stage],
      ['A-r1', 'REFUND', 'A', 'A', 1010, 'EUR', PAYER, 'sorry', 'sending'],
    );
    assert.deepEqual(inWords(history, 'event', 'source'), ['created merchant:desk', 'sending merchant:desk']);
    assert.deepEqual([opened.maySend, opened.method], [true, 'QR']);
    const order = await ledger.order('A');
    assert.deepEqual(order?.refunds, [opened.refund]);
    assert.equal(order.payments.length, 1);
    assert.ok(order.version > (before?.version ?? order.version), 'others see it');
    assert.equal(order.paidBy, 'A', 'the order stays paid');
  });

  it('never sends back more than the payment brought; uncertain and reviewed refunds stay reserved', async (t) => {
    const setup = await setUp(t);
    const { ledger, skip } = setup;
    await paid(ledger);
    const { id: first } = (await refund(ledger, { amount: '4' })).refund;
    await ledger.record(first, uncertain('lost'));
    const { id: second } = (await refund(ledger, { amount: '6.00' })).refund;
    await ledger.record(second, PENDING);
    await ledger.observe(second, differing('currency'));
    assert.equal((await read(ledger, second)).needsReview, true);
    const refused = await refusal(refund(ledger, { amount: '0.11' }));
    assert.deepEqual([refused.kind, refused.status, refused.members], ['invalid_request', 422, { refundable: '0.10' }]);
    assert.equal((await refund(ledger)).refund.amountMinor, 10);
    assert.deepEqual((await refusal(refund(ledger))).members, { refundable: '0.00' });
    skip(S);
    await ledger.observe(first, verified('succeeded'));
    assert.equal(await left(ledger), 0);
    await ledger.resolve(second, { status: 'FAILED', by: 'ada', note: 'asked' });
    assert.equal(await left(ledger), 600);
  });

  it('only FAILED frees what it reserved: two checks that agree, or a person', async (t) => {
    const setup = await setUp(t);
    const { ledger } = setup;
    await paid(ledger);
    const { id } = (await refund(ledger)).refund;
    await ledger.record(id, PENDING);
    await ledger.observe(id, verified('failed'));
    assert.equal(await left(ledger), 0);
    setup.skip(M);
    await ledger.observe(id, verified('failed'));
    assert.equal(await left(ledger), 1010);
    assert.equal((await refund(ledger)).refund.id, 'A-r2');
    await ledger.observe(id, verified('succeeded'));
    assert.equal(await left(ledger), 0, 'a late SUCCESS counts');
    const types = (await webhookTypes(ledger)).filter((type) => type.startsWith('refund.'));
    assert.deepEqual(types, ['refund.conflict', 'refund.failed', 'refund.needs_review', 'refund.succeeded']);
  });

  it('a FAILED refund that the gateway then shows is reserved again, until a person has decided', async (t) => {
    const setup = await setUp(t);
    const { ledger } = setup;
    await paid(ledger);
    const { id } = (await refund(ledger)).refund;
    await fail(setup, id);
    assert.equal(await left(ledger), 1010);
    await ledger.observe(id, verified('pending'));
    assert.equal(await left(ledger), 0);
  });

  it('of 8 at once with keys of their own, no more are opened than the payment brought', async (t) => {
    const { ledger, open } = await setUp(t);
    const others = [ledger, await open(), await open()];
    await paid(ledger);
    const opening = Array.from({ length: 8 }, (_, n) => refund(others[n % 3] ?? ledger, { amount: '3' }));
    const results = await Promise.allSettled(opening);
    const opened = results.flatMap((result) => (result.status === 'fulfilled' ? [result.value.refund.id] : []));
    assert.deepEqual(opened.toSorted(), ['A-r1', 'A-r2', 'A-r3']);
    assert.equal(await left(ledger), 110);
  });

  it('a key is one refund, and only its first call may send it', async (t) => {
    const { ledger } = await setUp(t);
    await paid(ledger);
    const first = asked({ amount: '3', idempotencyKey: 'k' });
    const opened = await ledger.ledger.openRefund(first);
    const again = await refund(ledger, { amount: '3', idempotencyKey: 'k' });
    assert.deepEqual([again.maySend, again.refund.id], [false, opened.refund.id]);
    assert.equal((await ledger.ledger.openRefund(first)).maySend, true, 'the answer to its commit was lost');
    const other = refund(ledger, { idempotencyKey: 'k', fingerprint: 'other' });
    assert.equal((await refusal(other)).kind, 'idempotency_key_reused');
    assert.equal((await ledger.order('A'))?.refunds.length, 1);
  });

  it('names the payment where more than one succeeded; a surplus is sent back like any other', async (t) => {
    const { ledger } = await setUp(t);
    const ids = [await openPending(ledger), await openPending(ledger)];
    for (const id of ids) await ledger.observe(id, verified('succeeded', null, PAYER));
    const refused = await refusal(refund(ledger));
    assert.deepEqual(inWords(refused.errors, 'field'), ['gatewayOrderId']);
    const { refundOf, id } = (await refund(ledger, { transactionId: 'A-2' })).refund;
    assert.deepEqual([id, refundOf, await left(ledger, 'A-2'), await left(ledger, 'A')], ['A-2-r1', 'A-2', 0, 1010]);
    assert.equal((await refusal(refund(ledger, { transactionId: 'B' }))).kind, 'not_found');
  });

  it('what was paid after the order was closed can be sent back, which ends the review until the gateway contradicts it', async (t) => {
    const { ledger } = await setUp(t);
    const id = await openPending(ledger);
    await ledger.closeOrder({ orderId: 'A', reason: null, ifUnpaidSince: null });
    await ledger.observe(id, verified('succeeded', null, PAYER));
    const { version } = await read(ledger, id);
    assert.equal((await refund(ledger)).refund.amountMinor, 1010);
    assert.partialDeepStrictEqual(await read(ledger, id), { needsReview: false, version: version + 1 });
    await ledger.observe(id, verified('failed'));
    assert.equal((await read(ledger, id)).needsReview, true);
    assert.equal((await refusal(refund(ledger))).members.cause, 'conflict');
  });

  const CAUSES: Record<string, (setup: Setup) => Promise<Partial<NewRefund> | void>> = {
    not_paid: async ({ ledger }) => void (await openPending(ledger)),
    payer_unknown: async ({ ledger }) => void (await paid(ledger, '****4321')),
    method: async ({ ledger }) => {
      await paid(ledger);
      return { rules: { ...REFUND.rules, refundMethods: new Set(['DIRECT']) } };
    },
    conflict: async ({ ledger }) => {
      await paid(ledger);
      await ledger.observe('A', verified('failed'));
    },
    'conflict, which a person has called FAILED': async ({ ledger }) => {
      await paid(ledger);
      await ledger.observe('A', verified('failed'));
      await ledger.resolve('A', { status: 'FAILED', by: 'ada', note: 'asked' });
    },
    'under_review, while the payment that paid is in doubt': async ({ ledger }) => {
      const [paying, other] = [await openPending(ledger), await openPending(ledger)];
      for (const outcome of ['succeeded', 'failed'] as const) await ledger.observe(paying, verified(outcome));
      await ledger.observe(other, verified('succeeded', null, PAYER));
      return { transactionId: other };
    },
    under_review: async ({ ledger }) => {
      await openSent(ledger);
      await ledger.record('A', PENDING);
      await ledger.observe('A', differing());
      await ledger.observe('A', verified('succeeded', null, PAYER));
    },
    resolved: async ({ ledger }) => {
      await openPending(ledger);
      await ledger.observe('A', differing());
      await ledger.resolve('A', { status: 'SUCCESS', by: 'ada', note: 'asked' });
    },
    marked: async ({ ledger }) => {
      await openPending(ledger, {}, uncertain('duplicate'));
      await ledger.resolve('A', { status: 'SUCCESS', by: 'ada', note: 'asked' });
    },
    erased: async ({ ledger, skip }) => {
      await paid(ledger);
      skip(9 * D);
      await ledger.erase('A', { sendsWebhooks: false });
    },
  };
  for (const [cause, bring] of Object.entries(CAUSES)) {
    it(`refuses, and changes nothing: ${cause}`, async (t) => {
      const setup = await setUp(t);
      const given = (await bring(setup)) ?? {};
      const before = await setup.ledger.order('A');
      const { kind, members } = await refusal(refund(setup.ledger, given));
      assert.deepEqual([kind, members], ['not_refundable', { cause: cause.split(',')[0] }]);
      assert.deepEqual(await setup.ledger.order('A'), before);
    });
  }

  it('ten that the gateway has not shown are sent, and no other while one of them is open: 503, retryable', async (t) => {
    const { ledger } = await setUp(t);
    await paid(ledger);
    const ids = Array.from({ length: 10 }, async () => (await refund(ledger, { amount: '0.50' })).refund.id);
    assert.equal(new Set(await Promise.all(ids)).size, 10);
    const { kind, retryAfterS } = await refusal(refund(ledger, { amount: '1' }));
    assert.deepEqual([kind, retryAfterS], ['unavailable', 10]);
    await ledger.record('A-r2', PENDING);
    assert.equal((await refund(ledger, { amount: '0.50' })).refund.id, 'A-r11', 'it was shown');
  });

  it('after ten that the gateway never had, it is refundable again 7 days after the first of them', async (t) => {
    const { ledger, skip, now } = await setUp(t);
    await paid(ledger);
    const first = now();
    for (let n = 1; n <= 10; n += 1) {
      await refund(ledger, { amount: '1' });
      skip(M);
    }
    for (let n = 1; n <= 10; n += 1) await endUnknown(ledger, `A-r${n}`, skip);
    const before = await ledger.order('A');
    const { kind, members } = await refusal(refund(ledger));
    const until = new Date(first + 7 * D).toISOString();
    assert.deepEqual([kind, members], ['not_refundable', { cause: 'failing', until }]);
    assert.deepEqual(await ledger.order('A'), before);
    skip(first + 7 * D - now());
    assert.equal((await refund(ledger)).refund.id, 'A-r11');
  });

  it('what the gateway has reported FAILED blocks nothing, however often', async (t) => {
    const setup = await setUp(t);
    await paid(setup.ledger);
    for (let n = 0; n < 11; n += 1) await fail(setup, (await refund(setup.ledger)).refund.id);
    assert.equal((await refund(setup.ledger)).refund.id, 'A-r12');
  });

  it('numbers that others use count too: the look-up after a restore asks for them in vain', async (t) => {
    const { ledger } = await setUp(t);
    await paid(ledger);
    for (const n of [1, 2, 3]) await openPending(ledger, { orderId: `A-r${n}` });
    for (let n = 4; n <= 10; n += 1) assert.equal((await refund(ledger, { amount: '1' })).refund.id, `A-r${n}`);
    assert.equal((await refusal(refund(ledger, { amount: '1' }))).kind, 'unavailable');
  });

  it('a conflict that a person has called SUCCESS is refundable, until the gateway contradicts them', async (t) => {
    const { ledger } = await setUp(t);
    await paid(ledger);
    await ledger.observe('A', verified('failed'));
    await ledger.resolve('A', { status: 'SUCCESS', by: 'ada', note: 'asked', gatewayReports: 'FAILED' });
    assert.equal((await refund(ledger, { amount: '1' })).maySend, true);
    await ledger.observe('A', verified('succeeded'));
    await ledger.observe('A', verified('failed'));
    assert.equal((await refusal(refund(ledger, { amount: '1' }))).members.cause, 'conflict');
  });

  it('a wrong amount names what is refundable; nothing is rounded', async (t) => {
    const { ledger } = await setUp(t);
    await paid(ledger);
    for (const amount of ['0', '-1', '1e1', '10.111', '10.11', '', '١']) {
      const { status, errors, members } = await refusal(refund(ledger, { amount }));
      assert.deepEqual([status, errors?.[0]?.field, members.refundable], [422, 'amount', '10.10'], amount);
    }
    const rules = { ...REFUND.rules, payoutDecimals: false };
    for (const amount of [undefined, '10.10', '0.50']) {
      const { status, members } = await refusal(refund(ledger, { amount, rules }));
      assert.deepEqual([status, members.refundable], [422, '10.00'], amount);
    }
    assert.equal((await refund(ledger, { amount: '10', rules })).refund.amountMinor, 1000);
  });

  describe('openRefund() after a restore', () => {
    const found = (id: string, attempt: number, amountMinor: number) => ({
      id,
      attempt,
      amountMinor,
      needsReview: false,
    });
    const restoredAt = NOON - 10 * M;
    const lookedUp = (given: Partial<LookedUp>): LookedUp => ({
      transactionId: 'A',
      restoredAt,
      ...given,
    });
    const setUpRestored: Suite['setUp'] = async (...given) => {
      const setup = await setUp(...given);
      await setup.ledger.recordRestore(restoredAt);
      return setup;
    };

    it('without a look-up of this payment since the restore, nothing is sent: 503, retryable', async (t) => {
      const { ledger, skip, now } = await setUpRestored(t);
      await paid(ledger);
      const before = await ledger.order('A');
      const withheld = { detail: 'the gateway did not answer', needsReview: true, attempt: 1 };
      const others = {
        none: undefined,
        another: lookedUp({ transactionId: 'A-2' }),
        earlier: lookedUp({ restoredAt: 0 }),
      };
      for (const [name, looked] of Object.entries({ ...others, failed: { ...others.another, withheld } })) {
        const error = await refusal(refund(ledger, { lookedUp: looked }));
        assert.deepEqual([error.kind, error.retryAfterS], ['unavailable', 1], name);
        assert.ok(error instanceof LookUpNeeded);
        assert.deepEqual(
          [error.refunded?.payment.id, error.refunded?.refunds, error.restoredAt],
          ['A', [], restoredAt],
        );
      }
      assert.deepEqual(await ledger.order('A'), before);
      assert.equal((await refund(ledger, { amount: '1', lookedUp: lookedUp({}) })).maySend, true);
      skip(H);
      await ledger.recordRestore(now());
      const again = await refusal(refund(ledger, { lookedUp: lookedUp({}) }));
      assert.equal(again.kind, 'unavailable', 'it was restored again');
      const early = await refusal(refund(ledger, { lookedUp: lookedUp({ restoredAt: now() }) }));
      assert.deepEqual([early.kind, early.retryAfterS], ['unavailable', 600], 'a status check may lag');
      skip(7 * D);
      assert.equal((await refund(ledger)).maySend, true, 'too long ago');
    });

    it('a request that was lost is found, whatever the gateway has not shown', async (t) => {
      const { ledger } = await setUpRestored(t);
      await paid(ledger);
      for (let n = 1; n <= 10; n += 1) await refund(ledger, { amount: '0.10', lookedUp: lookedUp({}) });
      await recordFound(ledger, found('A-r11', 11, 400));
      const looked = lookedUp({});
      const again = await refund(ledger, { amount: '4', lookedUp: looked });
      assert.deepEqual([again.maySend, again.refund.id], [false, 'A-r11']);
      assert.equal((await refund(ledger, { amount: '1', lookedUp: looked })).refund.id, 'A-r12', 'the gateway has one');
    });

    it('adopts what the gateway has, reserves it, and takes a request of that amount for its repetition', async (t) => {
      const { ledger } = await setUpRestored(t);
      await paid(ledger);
      await recordFound(ledger, found('A-r1', 1, 400), found('A-r2', 2, 300));
      assert.equal(await left(ledger), 310);
      const looked = lookedUp({});
      const again = await refund(ledger, { amount: '3', idempotencyKey: 'lost', lookedUp: looked });
      assert.deepEqual([again.maySend, again.refund.id, await left(ledger)], [false, 'A-r2', 310]);
      assert.ok(again.refund.history.some(({ event, detail }) => event === 'uncertain' && detail === RESTORED));
      const repeated = await refund(ledger, { amount: '3', idempotencyKey: 'lost', lookedUp: looked });
      assert.deepEqual([repeated.maySend, repeated.refund.id], [false, 'A-r2']);
      const fresh = await refund(ledger, { amount: '3', lookedUp: looked });
      assert.deepEqual([fresh.maySend, fresh.refund.id, await left(ledger)], [true, 'A-r3', 10]);
    });

    it('a refund that was adopted and then FAILED is no repetition: a request of its amount is sent', async (t) => {
      const setup = await setUpRestored(t);
      const { ledger } = setup;
      await paid(ledger);
      await recordFound(ledger, found('A-r1', 1, 300));
      const looked = lookedUp({});
      await refund(ledger, { amount: '5', lookedUp: looked });
      await fail(setup, 'A-r1');
      const fresh = await refund(ledger, { amount: '3', lookedUp: looked });
      assert.deepEqual([fresh.maySend, fresh.refund.id], [true, 'A-r3']);
    });

    it('a refund has the metadata of its payment, also one that the gateway has', async (t) => {
      const { ledger } = await setUpRestored(t);
      const metadata = { invoice: 'R-17' };
      await openPending(ledger, { metadata });
      await ledger.observe('A', verified('succeeded', null, PAYER));
      await recordFound(ledger, found('A-r1', 1, 300));
      await refund(ledger, { amount: '5', lookedUp: lookedUp({}) });
      const order = await ledger.order('A');
      assert.deepEqual(
        order?.refunds.map((each) => each.metadata),
        [metadata, metadata],
      );
    });

    it('without an amount, a whole refund that the gateway has is the repetition', async (t) => {
      const { ledger } = await setUpRestored(t);
      await paid(ledger);
      await recordFound(ledger, found('A-r1', 1, 1010));
      const whole = await refund(ledger, { lookedUp: lookedUp({}) });
      assert.deepEqual([whole.maySend, whole.refund.id, await left(ledger)], [false, 'A-r1', 0]);
    });

    it('what could not be looked up is reserved, needs review and is not sent', async (t) => {
      const { ledger } = await setUpRestored(t);
      await paid(ledger);
      const withheld = { detail: 'the gateway did not answer', needsReview: true, attempt: 2 };
      await recordFound(ledger, found('A-r1', 1, 300));
      const opened = await refund(ledger, { amount: '5', lookedUp: lookedUp({ withheld }) });
      const { id, needsReview, stage, answer } = opened.refund;
      assert.deepEqual(
        [opened.maySend, id, needsReview, stage, answer],
        [false, 'A-r2', true, 'uncertain', 'withheld'],
      );
      assert.equal(await left(ledger), 210);
    });

    it('what could not be looked up has the next number if its own is in use', async (t) => {
      const { ledger } = await setUpRestored(t);
      await paid(ledger);
      await openPending(ledger, { orderId: 'A-r2' });
      const withheld = { detail: 'the gateway did not answer', needsReview: true, attempt: 1 };
      const ids: string[] = [];
      for (const amount of ['5', '2']) {
        const { refund: each } = await refund(ledger, { amount, lookedUp: lookedUp({ withheld }) });
        ids.push(each.id);
      }
      assert.deepEqual(ids, ['A-r1', 'A-r3']);
    });

    it('an answer whose row the restore lost inserts the row again', async (t) => {
      const { ledger, change } = await setUpRestored(t);
      await paid(ledger);
      const opened = await refund(ledger, { amount: '5', lookedUp: lookedUp({}) });
      await change(`delete from transactions where id = 'A-r1'`);
      await change(`delete from history where transaction_id = 'A-r1'`);
      await ledger.ledger.record(opened.refund, { stage: 'uncertain', answer: 'lost', detail: 'timeout' });
      const { refundOf, amountMinor, customer, stage } = await read(ledger, 'A-r1');
      assert.deepEqual([refundOf, amountMinor, customer, stage], ['A', 500, PAYER, 'uncertain']);
      assert.equal((await refund(ledger, { amount: '5', lookedUp: lookedUp({}) })).maySend, false, 'its key is lost');
      assert.equal(await left(ledger), 510);
    });
  });
}
