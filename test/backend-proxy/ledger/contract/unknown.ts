// When proven unknowns end a transaction, and when they never do.
import assert from 'node:assert/strict';
import type { PostOutcome, TransactionType } from '../../../../backend-proxy/protocol/transaction.ts';
import type { LedgerById } from '../by-id.ts';
import { D, H, M, S } from '../../time.ts';
import {
  PENDING,
  UNAVAILABLE,
  UNKNOWN,
  openPending,
  openSentPayout,
  stageOf,
  uncertain,
  verified,
  webhookTypes,
  type Suite,
  sendIpn,
  INCOMPLETE,
} from '../ledger-kit.ts';
import { endCheck } from '../by-id.ts';

/** Type, answer, time from the POST to the first check that counts, and from its end to the second. */
const BY_TWO = [
  ['PAY', 'lost', 90 * S, M],
  ['PAY', 'foreign', 0, 10 * S],
  ['PAYOUT', 'refused', 90 * S, M],
  ['PAYOUT', 'unreached', 90 * S, M],
] as const satisfies readonly (readonly [TransactionType, PostOutcome, number, number])[];

const openSent = (ledger: LedgerById, type: TransactionType, answer: PostOutcome) =>
  type === 'PAY' ? openPending(ledger, {}, uncertain(answer)) : openSentPayout(ledger, 'P', uncertain(answer));

export function unknownContract({ it, setUp }: Suite): void {
  for (const [type, answer, first, apart] of BY_TWO) {
    const promised = `${first / S} s after the POST and ${apart / S} s apart`;
    it(`two proven unknowns end a ${type} whose answer was ${answer}, ${promised}`, async (t) => {
      const { ledger, skip } = await setUp(t);
      const id = await openSent(ledger, type, answer);
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
