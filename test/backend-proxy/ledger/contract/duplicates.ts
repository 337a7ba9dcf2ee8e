// A transaction that the gateway called a duplicate is probably not ours: it stays marked, no check can make it pending
// or a success, and only a report that differs or a person ends it. Then what each report does, for each answer to our
// POST and each way of paying: every combination of protocol/verify.ts.
import assert from 'node:assert/strict';
import { H, M, S } from '../../time.ts';
import {
  LIMITS,
  UNKNOWN,
  type Suite,
  openPending,
  openSent,
  openSentPayout,
  payment,
  read,
  refusal,
  stageOf,
  uncertain,
  verified,
  webhookTypes,
  differing,
  INCOMPLETE,
  PENDING,
  PAYOUT,
  type LedgerById,
  type ShortFact,
} from '../ledger-kit.ts';
import { inWords } from '../../in-words.ts';

const openMarked = (ledger: LedgerById, orderId = 'A') => openPending(ledger, { orderId }, uncertain('duplicate'));
const openMarkedPayout = (ledger: LedgerById) => openSentPayout(ledger, 'P', uncertain('duplicate'));
const DIFFERS = differing();

const NOT_OURS = { status: 'FAILED', by: 'ada', note: 'of another shop', gatewayReports: 'SUCCESS' } as const;

export function duplicatesContract({ it, setUp }: Suite): void {
  it('no check and no end of its time moves the stage of a transaction marked as a duplicate', async (t) => {
    const { ledger, skip } = await setUp(t);
    const timed = await openPending(ledger, { payWithinMs: M }, uncertain('duplicate'));
    const ids = [timed, await openMarkedPayout(ledger)];
    for (const seen of [UNKNOWN, verified('pending', '7'), verified('failed'), INCOMPLETE] as const) {
      for (let n = 0; n < 2; n += 1) {
        skip(4 * H);
        for (const id of ids) await ledger.observe(id, seen);
      }
    }
    for (const id of ids) assert.deepEqual([id, await stageOf(ledger, id)], [id, 'uncertain']);
  });

  it('a SUCCESS of a marked payment pays nothing, is not a surplus, and asks for one review', async (t) => {
    const { ledger } = await setUp(t);
    const id = await openMarked(ledger);
    for (let n = 0; n < 3; n += 1) await ledger.observe(id, verified('succeeded'));
    const { stage, needsReview, surplus } = await read(ledger, id);
    assert.deepEqual([stage, needsReview, surplus], ['uncertain', true, false]);
    assert.deepEqual(await webhookTypes(ledger), ['payment.needs_review']);
    assert.equal((await ledger.order('A'))?.paidBy, null);
  });

  it('a seen SUCCESS that pays nothing is checked: no payment starts until a person has resolved it', async (t) => {
    const { ledger } = await setUp(t);
    const id = await openMarked(ledger);
    const second = await openPending(ledger);
    await ledger.observe(id, verified('succeeded'));
    assert.equal((await read(ledger, id)).checking, true);
    assert.equal((await refusal(ledger.openPayment(payment(), LIMITS))).kind, 'payment_under_review');
    await ledger.resolve(id, NOT_OURS);
    assert.equal((await read(ledger, id)).checking, false);
    await openPending(ledger);
    await ledger.observe(second, verified('succeeded'));
    assert.equal((await ledger.order('A'))?.paidBy, second);
  });

  it('a person may end a marked transaction at once, and only once', async (t) => {
    const { ledger } = await setUp(t);
    for (const id of [await openMarked(ledger), await openMarkedPayout(ledger)]) {
      assert.equal((await ledger.resolve(id, NOT_OURS))?.stage, 'declined');
      assert.equal((await refusal(ledger.resolve(id, { ...NOT_OURS, by: 'bob' }))).kind, 'no_review_needed');
    }
  });

  it('a marked payment is rejected at once, without a mismatch, if a report differs from it', async (t) => {
    const { ledger } = await setUp(t);
    const id = await openMarked(ledger);
    await ledger.observe(id, DIFFERS);
    const { stage, mismatch, needsReview } = await read(ledger, id);
    assert.deepEqual([stage, mismatch, needsReview], ['rejected', false, false]);
    assert.deepEqual(await webhookTypes(ledger), ['payment.failed']);
  });

  it('a marked payout is rejected by two differing reports, 30 s apart', async (t) => {
    const { ledger, skip } = await setUp(t);
    const id = await openMarkedPayout(ledger);
    await ledger.observe(id, DIFFERS);
    skip(30 * S - 1);
    await ledger.observe(id, DIFFERS);
    assert.equal(await stageOf(ledger, id), 'uncertain');
    skip(1);
    await ledger.observe(id, DIFFERS);
    assert.deepEqual([await stageOf(ledger, id), await webhookTypes(ledger)], ['rejected', ['payout.failed']]);
  });

  it('a SUCCESS that came while the answer seemed lost needs a review whatever else the answer then says', async (t) => {
    const { ledger, skip } = await setUp(t);
    const ANSWERS = [
      [uncertain('duplicate'), false],
      [{ stage: 'rejected', detail: 'HTTP 400 X' }, true],
      [{ stage: 'not_created', detail: 'ECONNREFUSED' }, false],
    ] as const;
    for (const [n, [answer, contradicts]] of ANSWERS.entries()) {
      for (const [method, customer, stage] of [
        ['DIRECT', '12345678', 'succeeded'],
        ['QR', null, 'uncertain'],
      ] as const) {
        const id = await openSent(ledger, { orderId: `${method}-${n}`, method, customer });
        skip(45 * S);
        await ledger.observe(id, verified('succeeded'));
        await ledger.record(id, answer);
        const { needsReview, conflict, checking, ...seen } = await read(ledger, id);
        const isPaid = stage === 'succeeded';
        assert.deepEqual([id, seen.stage, needsReview, checking], [id, stage, true, !isPaid]);
        assert.equal(conflict, isPaid && contradicts, id);
      }
    }
    assert.deepEqual(
      (await webhookTypes(ledger)).filter((type) => type === 'payment.failed'),
      [],
    );
  });

  it('no later check overrules a person on a marked transaction, and a new contrary is reported once', async (t) => {
    const { ledger, skip } = await setUp(t);
    const [failed, paid] = [await openMarked(ledger, 'A'), await openMarked(ledger, 'B')];
    for (const id of [failed, paid]) await ledger.observe(id, verified('succeeded'));
    await ledger.resolve(failed, NOT_OURS);
    await ledger.resolve(paid, { status: 'SUCCESS', by: 'ada', note: 'it is ours' });
    const before = await webhookTypes(ledger);
    for (const seen of [verified('succeeded'), verified('failed'), DIFFERS, UNKNOWN]) {
      skip(M);
      for (const id of [failed, paid]) await ledger.observe(id, seen);
    }
    const ends = await Promise.all([failed, paid].map((id) => read(ledger, id)));
    assert.deepEqual(inWords(ends, 'stage', 'conflict', 'needsReview'), [
      'declined false false',
      'succeeded true true',
    ]);
    const news = ['payment.conflict', 'payment.needs_review'];
    assert.deepEqual(await webhookTypes(ledger), [...before, ...news].toSorted());
    assert.equal((await ledger.order('B'))?.paidBy, paid, 'a person may resolve a marked payment as SUCCESS');
  });

  it('marked payments count toward 10 of an order, not toward its 5 payments and 3 prompts', async (t) => {
    const { ledger } = await setUp(t);
    const direct = { method: 'DIRECT', customer: '12345678' } as const;
    for (let n = 0; n < 4; n += 1) await openPending(ledger, direct, uncertain('duplicate'));
    for (let n = 0; n < 3; n += 1) await openPending(ledger, direct);
    assert.equal((await refusal(ledger.openPayment(payment(direct), LIMITS))).kind, 'method_unavailable');
    for (let n = 0; n < 2; n += 1) await openPending(ledger);
    assert.equal((await refusal(ledger.openPayment(payment(), LIMITS))).kind, 'too_many_payments');
    for (let n = 0; n < 10; n += 1) await openMarked(ledger, 'B');
    assert.equal((await refusal(ledger.openPayment(payment({ orderId: 'B' }), LIMITS))).kind, 'too_many_payments');
  });
}

const WALLET = '12345678';

const BY_ANSWER: Record<string, ShortFact | null> = {
  identified: PENDING,
  accepted: { ...PENDING, paymentId: null },
  refused: { stage: 'rejected', detail: 'HTTP 400 X' },
  foreign: uncertain('foreign'),
  lost: uncertain('lost'),
  unreached: { stage: 'not_created', detail: 'ECONNREFUSED' },
  duplicate: uncertain('duplicate'),
  // Our POST is still under way.
  none: null,
};

const REPORTS = {
  pending: verified('pending'),
  failed: verified('failed'),
  success: verified('succeeded'),
  'other wallet': verified('succeeded', null, '99999999'),
  differs: differing(),
  'success differs': { kind: 'report', report: { outcome: 'succeeded', amount: '0.07' } },
  incomplete: INCOMPLETE,
  unknown: UNKNOWN,
} as const;

const METHODS = { payout: [null], prompt: ['DIRECT'], shown: ['CHECKOUT', 'JETGO', 'QR'] } as const;

/** Stage, then `m`ismatch, `c`onflict, needs `r`eview, is `k`ept from a new start (checking). */
// prettier-ignore
const EXPECTED = `
answer     | way    | pending     | failed      | success         | other wallet    | differs       | success differs | incomplete  | unknown
identified | payout | pending     | pending     | succeeded       | pending m r k   | pending m r   | pending m r k   | pending     | pending
identified | prompt | pending     | declined    | succeeded       | succeeded       | pending m r   | pending m r k   | pending     | pending
identified | shown  | pending     | declined    | succeeded       | succeeded       | pending m r   | pending m r k   | pending     | pending
accepted   | payout | pending     | pending     | succeeded       | pending m r k   | pending m r   | pending m r k   | pending     | pending
accepted   | prompt | pending     | declined    | succeeded       | succeeded       | pending m r   | pending m r k   | pending     | pending
accepted   | shown  | pending     | declined    | succeeded       | succeeded       | pending m r   | pending m r k   | pending     | pending
refused    | payout | pending     | uncertain   | succeeded       | uncertain m r k | uncertain m r | uncertain m r k | uncertain   | uncertain
refused    | prompt | rejected    | declined    | rejected c r k  | rejected c r k  | rejected m r  | rejected m r k  | rejected    | rejected
refused    | shown  | rejected    | declined    | rejected c r k  | rejected c r k  | rejected m r  | rejected m r k  | rejected    | rejected
foreign    | payout | pending     | uncertain   | succeeded       | uncertain m r k | uncertain m r | uncertain m r k | uncertain   | uncertain
foreign    | prompt | pending     | declined    | succeeded       | uncertain m r k | uncertain m r | uncertain m r k | uncertain   | uncertain
foreign    | shown  | pending     | declined    | uncertain r k   | uncertain r k   | uncertain m r | uncertain m r k | uncertain   | uncertain
lost       | payout | pending     | uncertain   | succeeded       | uncertain m r k | uncertain m r | uncertain m r k | uncertain   | uncertain
lost       | prompt | pending     | declined    | succeeded       | uncertain m r k | uncertain m r | uncertain m r k | uncertain   | uncertain
lost       | shown  | pending     | declined    | uncertain r k   | uncertain r k   | uncertain m r | uncertain m r k | uncertain   | uncertain
unreached  | payout | pending     | uncertain   | succeeded       | uncertain m r k | uncertain m r | uncertain m r k | uncertain   | uncertain
unreached  | prompt | not_created | not_created | not_created r k | not_created r k | not_created   | not_created     | not_created | not_created
unreached  | shown  | not_created | not_created | not_created r k | not_created r k | not_created   | not_created     | not_created | not_created
duplicate  | payout | uncertain   | uncertain   | uncertain r k   | uncertain r k   | uncertain     | uncertain r k   | uncertain   | uncertain
duplicate  | prompt | uncertain   | uncertain   | uncertain r k   | uncertain r k   | rejected      | rejected        | uncertain   | uncertain
duplicate  | shown  | uncertain   | uncertain   | uncertain r k   | uncertain r k   | rejected      | rejected        | uncertain   | uncertain
none       | payout | sending     | sending     | sending         | sending         | sending       | sending         | sending     | sending
none       | prompt | sending     | sending     | sending         | sending         | sending       | sending         | sending     | sending
none       | shown  | sending     | sending     | sending         | sending         | sending       | sending         | sending     | sending
`;

export function reportsContract({ it, setUp }: Suite): void {
  it('each report does what the table says, for each answer and each method', async (t) => {
    const { ledger } = await setUp(t);
    const seen = [['answer', 'way', ...Object.keys(REPORTS)]];
    let n = 0;
    for (const [answer, fact] of Object.entries(BY_ANSWER)) {
      for (const [way, methods] of Object.entries(METHODS)) {
        const rows: string[][] = [];
        for (const method of methods) {
          const cells: string[] = [];
          for (const report of Object.values(REPORTS)) {
            const orderId = `O-${(n += 1)}`;
            // Each has a wallet of its own, because prompts are limited.
            const customer = `${WALLET}${n}`;
            if (method === null) await ledger.openPayout({ ...PAYOUT, orderId, customer });
            else await openSent(ledger, { orderId, method, customer: way === 'prompt' ? customer : null });
            const ofPayout = { ...uncertain('refused'), ...(answer === 'unreached' && uncertain('unreached')) };
            const isRefusal = answer === 'refused' || answer === 'unreached';
            if (fact !== null) await ledger.record(orderId, method === null && isRefusal ? ofPayout : fact);
            await ledger.observe(orderId, report);
            const { stage, mismatch, conflict, needsReview, checking } = await read(ledger, orderId);
            const flags = [mismatch && 'm', conflict && 'c', needsReview && 'r', checking && 'k'].filter(Boolean);
            cells.push([stage, ...flags].join(' '));
          }
          rows.push(cells);
        }
        for (const cells of rows) assert.deepEqual(cells, rows[0], `${answer} ${way}: the same for each method`);
        seen.push([answer, way, ...(rows[0] ?? [])]);
      }
    }
    const expected = EXPECTED.trim().split('\n');
    assert.deepEqual(
      seen,
      expected.map((line) => line.split('|').map((cell) => cell.trim())),
    );
  });
}
