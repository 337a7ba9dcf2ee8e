// What a check proves, what the clock decides after it, and when proven unknowns end a transaction.
import assert from 'node:assert/strict';
import { D, M, NOON, S, H } from '../../time.ts';
import {
  LIMITS,
  PAYOUT,
  PENDING,
  UNAVAILABLE,
  UNKNOWN,
  type Suite,
  openPending,
  openSent,
  openSentPayout,
  payment,
  read,
  stageOf,
  uncertain,
  verified,
  webhookTypes,
  differing,
  INCOMPLETE,
  sendIpn,
  endCheck,
  type LedgerById,
} from '../ledger-kit.ts';
import type { PostOutcome, TransactionType } from '../../../../backend-proxy/protocol/transaction.ts';

export function checksContract({ it, setUp }: Suite): void {
  it('a mismatch is flagged once, with its field, asks for a review, and pays nothing', async (t) => {
    const { ledger } = await setUp(t);
    const id = await openPending(ledger);
    await ledger.observe(id, differing());
    await ledger.observe(id, differing('currency'));
    const { stage, mismatch, needsReview, history } = await read(ledger, id);
    const details = history.slice(-2).map(({ event, detail }) => `${event}: ${detail}`);
    assert.deepEqual(
      [stage, mismatch, needsReview, details],
      [
        'pending',
        true,
        true,
        ['mismatch: amount: asked 10.10 EUR, reported 0.07 EUR as pending', 'needs_review: mismatch'],
      ],
    );
    await openSentPayout(ledger, 'P', uncertain('lost'));
    await ledger.observe('P', differing());
    assert.deepEqual(await webhookTypes(ledger), [
      'payment.mismatch',
      'payment.needs_review',
      'payout.mismatch',
      'payout.needs_review',
    ]);
  });

  it('a report is compared with the answer that came after its check was claimed, and an answer with a report', async (t) => {
    const { ledger, now, skip } = await setUp(t);
    const claim = async (id: string) => {
      const transaction = await read(ledger, id);
      return { transaction, beganAt: now(), leaseUntil: now() + 45 * S, ipnsReceived: 0 };
    };
    for (const orderId of ['A', 'B']) await openSent(ledger, { orderId, method: 'DIRECT', customer: '12345678' });
    const claimed = await claim('A');
    await ledger.record('A', PENDING);
    await endCheck(ledger.ledger, claimed, verified('succeeded', '999'));
    skip(45 * S);
    await ledger.observe('B', verified('pending', '999'));
    await ledger.record('B', PENDING);
    await openPending(ledger, { orderId: 'C' }, { ...PENDING, paymentId: null });
    for (const id of ['111', '999']) await ledger.observe('C', verified('pending', id));
    for (const id of ['A', 'B', 'C']) {
      const { stage, paymentId, mismatch, needsReview, history } = await read(ledger, id);
      assert.deepEqual([id, stage, paymentId, mismatch, needsReview], [id, 'pending', '111', true, true]);
      assert.ok(history.some(({ event, detail }) => event === 'mismatch' && detail === 'paymentId'));
    }
  });

  it('a check that proves nothing changes nothing', async (t) => {
    const { ledger } = await setUp(t);
    const id = await openPending(ledger);
    const { version } = (await ledger.order('A'))!;
    for (const nothing of [UNAVAILABLE, INCOMPLETE, verified('pending')] as const) await ledger.observe(id, nothing);
    const order = (await ledger.order('A'))!;
    assert.deepEqual([order.version, order.payments[0]?.stage], [version, 'pending']);
  });

  it('a payout becomes FAILED by two checks that agree, 30 s apart, with no contrary check in between', async (t) => {
    const { ledger, skip } = await setUp(t);
    await openSentPayout(ledger, 'P', PENDING);
    await ledger.observe('P', verified('failed'));
    skip(30 * S - 1);
    await ledger.observe('P', verified('failed'));
    assert.equal(await stageOf(ledger, 'P'), 'pending');
    await ledger.observe('P', verified('pending'));
    skip(30 * S);
    await ledger.observe('P', verified('failed'));
    assert.equal(await stageOf(ledger, 'P'), 'pending', 'the count of FAILED started again');
    await ledger.observe('P', UNAVAILABLE);
    skip(30 * S);
    await ledger.observe('P', verified('failed'));
    assert.deepEqual([await stageOf(ledger, 'P'), await webhookTypes(ledger)], ['declined', ['payout.failed']]);
  });

  it('the history has each first report that a payout failed, also where a later one is contrary', async (t) => {
    const { ledger, now, skip } = await setUp(t);
    await openSentPayout(ledger, 'P', PENDING);
    const reported = [];
    for (const [at, outcome] of (['failed', 'failed', 'pending', 'failed', 'succeeded'] as const).entries()) {
      skip(S);
      await ledger.observe('P', verified(outcome));
      if (at === 0 || at === 3) reported.push({ at: now(), event: 'reported_failed', source: 'check', detail: null });
    }
    const { history } = await read(ledger, 'P');
    assert.deepEqual(history.slice(-3), [...reported, { ...reported[0], at: now(), event: 'succeeded' }]);
  });

  it('a payout becomes FAILED only if the second check began 30 s after the first ended', async (t) => {
    const { ledger, now, skip } = await setUp(t);
    const id = await openSentPayout(ledger, 'P', PENDING);
    const beganAt = now();
    skip(20 * S);
    await ledger.observe(id, verified('failed'), { beganAt });
    const endedAt = now();
    skip(40 * S);
    await ledger.observe(id, verified('failed'), { beganAt: endedAt + 30 * S - 1 });
    assert.equal(await stageOf(ledger, id), 'pending');
    await ledger.observe(id, verified('failed'), { beganAt: endedAt + 30 * S });
    assert.equal(await stageOf(ledger, id), 'declined');
  });

  it('a payout that only an IPN reports as FAILED stays open and needs a review', async (t) => {
    const { ledger } = await setUp(t);
    const id = await openSentPayout(ledger, 'P', PENDING);
    for (let n = 0; n < 2; n += 1)
      await ledger.observe(id, { kind: 'report', report: { outcome: 'failed' }, isIpn: true });
    const { stage, needsReview } = await read(ledger, id);
    assert.deepEqual([stage, needsReview], ['pending', true]);
    assert.deepEqual(await webhookTypes(ledger), ['payout.needs_review']);
  });

  it('a check that finds a transaction makes it newestFound() of its type', async (t) => {
    const { ledger, skip } = await setUp(t);
    for (const orderId of ['A', 'B', 'C']) await openPending(ledger, { orderId });
    assert.equal(await ledger.newestFound('PAY'), undefined);
    await ledger.observe('B', verified('pending'));
    skip(S);
    await ledger.observe('A', INCOMPLETE);
    await ledger.observe('C', UNKNOWN);
    assert.equal((await ledger.newestFound('PAY'))?.id, 'A');
    assert.equal(await ledger.newestFound('PAYOUT'), undefined);
  });

  it('newestFound() is the transaction that was found last, however many were opened since', async (t) => {
    const { ledger, skip } = await setUp(t);
    for (const orderId of ['A', 'B']) await openPending(ledger, { orderId });
    await openSentPayout(ledger, 'P', PENDING);
    await ledger.observe('B', verified('succeeded'));
    skip(S);
    for (const id of ['A', 'P']) await ledger.observe(id, verified('pending'));
    skip(S);
    for (let n = 0; n < 150; n += 1) {
      await ledger.openPayment(payment({ orderId: `later ${n}` }), LIMITS);
      await ledger.openPayout({ ...PAYOUT, orderId: `Q${n}` });
    }
    assert.equal((await ledger.newestFound('PAY'))?.id, 'A');
    assert.equal((await ledger.newestFound('PAYOUT'))?.orderId, 'P');
  });

  it('a payment becomes FAILED by one check, and the gateway’s code for it is kept in the history', async (t) => {
    const { ledger } = await setUp(t);
    const id = await openPending(ledger);
    await ledger.observe(id, verified('failed', null, null, 'TOKEN_EXPIRED'));
    const { event, detail } = (await ledger.order('A'))?.payments[0]?.history.at(-1) ?? {};
    assert.deepEqual([event, detail], ['declined', 'TOKEN_EXPIRED']);
    assert.deepEqual(await webhookTypes(ledger), ['payment.failed']);
  });

  it('a CHECKOUT expires 17 minutes after it was sent, by a check that began then and reports pending', async (t) => {
    const { ledger, skip } = await setUp(t);
    await ledger.openPayment(payment({ method: 'CHECKOUT' }), LIMITS);
    await ledger.record('A', { ...PENDING, method: 'CHECKOUT', checkoutUrl: 'https://c.example/' });
    assert.equal((await read(ledger, 'A')).expiresAt, NOON + 15 * M);
    skip(17 * M - 1);
    await ledger.observe('A', verified('pending'));
    assert.equal(await stageOf(ledger, 'A'), 'pending');
    skip(1);
    await ledger.observe('A', verified('pending'));
    const { stage, history } = await read(ledger, 'A');
    assert.deepEqual([stage, history.at(-1)?.source], ['expired', 'clock']);
  });

  it('a payment expires by an unknown, but not by an unanswered, incomplete or earlier check', async (t) => {
    const { ledger, now, skip } = await setUp(t);
    await openPending(ledger, { payWithinMs: M });
    skip(3 * M - 1);
    const beganAt = now();
    skip(1);
    await ledger.observe('A', UNAVAILABLE);
    await ledger.observe('A', INCOMPLETE);
    await ledger.observe('A', verified('pending'), { beganAt });
    assert.equal(await stageOf(ledger, 'A'), 'pending');
    await ledger.observe('A', UNKNOWN);
    assert.equal(await stageOf(ledger, 'A'), 'expired');
  });

  it('without a status check, the clock alone expires a payment, but never a payout', async (t) => {
    const { ledger, skip } = await setUp(t);
    await openPending(ledger, { payWithinMs: M });
    const payout = await openSentPayout(ledger, 'P', PENDING);
    skip(3 * M - 1);
    await ledger.observe('A', { kind: 'silent' });
    assert.equal(await stageOf(ledger, 'A'), 'pending');
    skip(1);
    await ledger.observe('A', { kind: 'silent' });
    await ledger.observe(payout, { kind: 'silent' });
    assert.deepEqual([await stageOf(ledger, 'A'), await stageOf(ledger, payout)], ['expired', 'pending']);
  });

  it('a SUCCESS reported by the check at the expiry wins over the clock', async (t) => {
    const { ledger, skip } = await setUp(t);
    await openPending(ledger, { method: 'CHECKOUT' }, { ...PENDING, method: 'CHECKOUT' });
    skip(D);
    await ledger.observe('A', verified('succeeded'));
    const { stage, late } = await read(ledger, 'A');
    assert.deepEqual([stage, late], ['succeeded', false]);
  });

  it('a CHECKOUT whose answer was lost expires as well', async (t) => {
    const { ledger, skip } = await setUp(t);
    await openPending(ledger, { method: 'CHECKOUT' }, uncertain('lost'));
    skip(2 * S);
    await ledger.observe('A', verified('pending'));
    assert.equal((await read(ledger, 'A')).expiresAt, NOON + 15 * M);
  });

  it('after 45 s a row being sent is uncertain', async (t) => {
    const { ledger, skip } = await setUp(t);
    await openSent(ledger);
    await ledger.openPayout(PAYOUT);
    for (const [ms, stage] of [
      [45 * S - 1, 'sending'],
      [1, 'uncertain'],
    ] as const) {
      skip(ms);
      await Promise.all([ledger.observe('A', UNAVAILABLE), ledger.observe('P', UNAVAILABLE)]);
      assert.deepEqual([await stageOf(ledger, 'A'), await stageOf(ledger, 'P')], [stage, stage]);
    }
  });

  it('a review is asked for once, after 24 h for an open payout and 7 days for an open payment', async (t) => {
    const { ledger, skip } = await setUp(t);
    await openSentPayout(ledger, 'P', PENDING);
    await openPending(ledger, { orderId: 'A' });
    await openPending(ledger, { orderId: 'B' });
    await ledger.observe('B', verified('succeeded'));
    await openPending(ledger, { orderId: 'C' });
    await ledger.observe('C', verified('failed'));
    const all = async () => {
      for (const id of ['P', 'A', 'B', 'C']) await ledger.observe(id, UNAVAILABLE);
      return Promise.all(['P', 'A', 'B', 'C'].map(async (id) => (await read(ledger, id)).needsReview));
    };
    skip(D + 2 * M - 1);
    assert.deepEqual(await all(), [false, false, false, false]);
    skip(1);
    assert.deepEqual(await all(), [true, false, false, false]);
    skip(6 * D - 2 * M - 1);
    assert.deepEqual(await all(), [true, false, false, false]);
    skip(1);
    assert.deepEqual(await all(), [true, true, false, false]);
    assert.equal(
      (await ledger.webhooks(undefined, 100)).webhooks.filter(({ type }) => type === 'payout.needs_review').length,
      1,
    );
  });
}

/** Type, answer, time from the POST to the first check that counts, and from its end to the second. */
const BY_TWO = [
  ['PAY', 'lost', 90 * S, M],
  ['PAY', 'foreign', 0, 10 * S],
  ['PAYOUT', 'refused', 90 * S, M],
  ['PAYOUT', 'unreached', 90 * S, M],
] as const satisfies readonly (readonly [TransactionType, PostOutcome, number, number])[];

const openAnswered = (ledger: LedgerById, type: TransactionType, answer: PostOutcome) =>
  type === 'PAY' ? openPending(ledger, {}, uncertain(answer)) : openSentPayout(ledger, 'P', uncertain(answer));

export function unknownContract({ it, setUp }: Suite): void {
  for (const [type, answer, first, apart] of BY_TWO) {
    const promised = `${first / S} s after the POST and ${apart / S} s apart`;
    it(`two proven unknowns end a ${type} whose answer was ${answer}, ${promised}`, async (t) => {
      const { ledger, skip } = await setUp(t);
      const id = await openAnswered(ledger, type, answer);
      if (first > 0) {
        skip(first - 1);
        await ledger.observe(id, UNKNOWN);
        skip(apart);
        await ledger.observe(id, UNKNOWN);
        assert.equal(await stageOf(ledger, id), 'uncertain', 'the first unknown came too early to count');
      } else await ledger.observe(id, UNKNOWN);
      skip(apart - 1);
      await ledger.observe(id, UNKNOWN);
      assert.equal(await stageOf(ledger, id), 'uncertain', 'too soon after the first');
      skip(1);
      await ledger.observe(id, UNAVAILABLE);
      assert.equal(await stageOf(ledger, id), 'uncertain', 'a check without an answer proves nothing');
      await ledger.observe(id, UNKNOWN);
      assert.equal(await stageOf(ledger, id), 'not_created');
      assert.deepEqual(await webhookTypes(ledger), [type === 'PAY' ? 'payment.failed' : 'payout.failed']);
    });
  }

  for (const answer of ['lost', 'foreign'] as const) {
    it(`proven unknowns end a payout whose answer was ${answer} only 1 h and again 24 h after the POST`, async (t) => {
      const { ledger, skip } = await setUp(t);
      const id = await openSentPayout(ledger, 'P', uncertain(answer));
      skip(H - 1);
      await ledger.observe(id, UNKNOWN);
      skip(23 * H + 1);
      await ledger.observe(id, UNKNOWN);
      assert.equal(await stageOf(ledger, id), 'uncertain', 'only this second unknown counts as the first');
      skip(M);
      await ledger.observe(id, UNKNOWN);
      assert.equal(await stageOf(ledger, id), 'not_created');
      const other = await openSentPayout(ledger, 'Q', uncertain(answer));
      skip(H);
      await ledger.observe(other, UNKNOWN);
      skip(23 * H - 1);
      await ledger.observe(other, UNKNOWN);
      assert.equal(await stageOf(ledger, other), 'uncertain', 'not yet 24 h');
      skip(1);
      await ledger.observe(other, UNKNOWN);
      assert.equal(await stageOf(ledger, other), 'not_created');
    });
  }

  it('the wait between two unknowns runs from the end of the first to the start of the second', async (t) => {
    const { ledger, now, skip } = await setUp(t);
    const id = await openPending(ledger, {}, uncertain('lost'));
    skip(90 * S);
    const beganAt = now();
    skip(20 * S);
    await ledger.recordUnknown({ transactionId: id, beganAt, endedAt: now() });
    const endedAt = now();
    skip(M + 20 * S);
    await ledger.recordUnknown({ transactionId: id, beganAt: endedAt + M - 1, endedAt: now() });
    assert.equal(await stageOf(ledger, id), 'uncertain');
    await ledger.recordUnknown({ transactionId: id, beganAt: endedAt + M, endedAt: now() });
    assert.equal(await stageOf(ledger, id), 'not_created');
  });

  it('two proven unknowns show that an expired payment was not created', async (t) => {
    const { ledger, skip } = await setUp(t);
    const id = await openPending(ledger, { payWithinMs: M }, uncertain('lost'));
    skip(3 * M);
    await ledger.observe(id, UNKNOWN);
    assert.equal(await stageOf(ledger, id), 'expired');
    skip(M);
    await ledger.observe(id, UNKNOWN);
    assert.equal(await stageOf(ledger, id), 'not_created');
  });

  it('unknowns that are not proven end nothing', async (t) => {
    const { ledger, now, skip } = await setUp(t);
    const id = await openPending(ledger, {}, uncertain('lost'));
    for (const wait of [H, 2 * H, 3 * H, 6 * H]) {
      skip(wait);
      const [claim] = await ledger.ledger.claimChecks(1, 45 * S);
      await endCheck(ledger.ledger, { ...claim!, beganAt: now() }, UNKNOWN);
    }
    assert.equal(await stageOf(ledger, id), 'uncertain');
  });

  it('unknowns never end what the gateway has shown to know by a payment id, a report or an IPN', async (t) => {
    const { ledger, skip } = await setUp(t);
    await openPending(ledger, { orderId: 'identified' });
    await openPending(ledger, { orderId: 'identified-late' }, uncertain('lost'));
    await ledger.record('identified-late', PENDING);
    await openPending(ledger, { orderId: 'found' }, uncertain('lost'));
    await ledger.observe('found', INCOMPLETE);
    await openPending(ledger, { orderId: 'named' }, uncertain('lost'));
    await sendIpn(ledger, 'named');
    await sendIpn(ledger, 'named-early');
    await openPending(ledger, { orderId: 'named-early' }, uncertain('lost'));
    await sendIpn(ledger, 'named-out');
    await openSentPayout(ledger, 'named-out', uncertain('refused'));
    const ids = ['identified', 'identified-late', 'found', 'named', 'named-early', 'named-out'];
    for (let n = 0; n < 4; n += 1) {
      skip(5 * M);
      for (const id of ids) await ledger.observe(id, UNKNOWN);
    }
    for (const id of ids) assert.notEqual(await stageOf(ledger, id), 'not_created', id);
  });

  it('unknowns never end a payout that was found after the first unknown', async (t) => {
    const { ledger, skip } = await setUp(t);
    const id = await openSentPayout(ledger, 'P', uncertain('refused'));
    skip(2 * M);
    await ledger.observe(id, UNKNOWN);
    await ledger.observe(id, verified('pending'));
    for (let n = 0; n < 3; n += 1) {
      skip(D);
      await ledger.observe(id, UNKNOWN);
    }
    assert.equal(await stageOf(ledger, id), 'pending');
  });

  it('unknowns change nothing for an ended or missing transaction', async (t) => {
    const { ledger, now, skip } = await setUp(t);
    const id = await openPending(ledger, { orderId: 'B' }, { ...PENDING, paymentId: null });
    await ledger.observe(id, verified('failed'));
    for (let n = 0; n < 2; n += 1) {
      skip(2 * M);
      for (const each of ['B', 'nothing'])
        await ledger.recordUnknown({ transactionId: each, beganAt: now(), endedAt: now() });
    }
    assert.equal(await stageOf(ledger, 'B'), 'declined');
  });
}
