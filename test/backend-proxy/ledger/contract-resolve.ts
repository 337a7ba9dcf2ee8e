// A person's word on what needs review, and what the gateway says after it, or after FAILED was told.
import assert from 'node:assert/strict';
import { describe } from 'node:test';
import type { LedgerById } from './by-id.ts';
import { D, H, M, S } from '../time.ts';
import {
  LEASE_MS,
  PENDING,
  UNKNOWN,
  openPending,
  openSentPayout,
  read,
  refusal,
  stageOf,
  uncertain,
  verified,
  webhookTypes,
  type Suite,
} from './ledger-kit.ts';

const SUCCESS = { status: 'SUCCESS', by: 'ada', note: 'the statement has it' } as const;
const FAILED = { status: 'FAILED', by: 'ada', note: 'the gateway says so by phone' } as const;

async function openInReview(ledger: LedgerById, orderId = 'A'): Promise<string> {
  const id = await openPending(ledger, { orderId });
  await ledger.observe(id, { kind: 'mismatch', field: 'amount' });
  return id;
}

async function failPayout(ledger: LedgerById, skip: (ms: number) => void, orderId = 'P'): Promise<string> {
  const id = await openSentPayout(ledger, orderId, PENDING);
  await ledger.observe(id, verified('failed'));
  skip(30 * S);
  await ledger.observe(id, verified('failed'));
  assert.equal(await stageOf(ledger, id), 'declined');
  return id;
}

const numbered = async (ledger: LedgerById, type: string) =>
  new Set((await ledger.webhooks(undefined, 100)).filter((each) => each.type === type).map(({ id }) => id)).size;

export function resolveContract({ it, setUp }: Suite): void {
  describe('resolve()', () => {
    it('is refused where no review was asked for, and undefined of what is not there', async (t) => {
      const { ledger } = await setUp(t);
      const id = await openPending(ledger);
      assert.equal((await refusal(ledger.resolve(id, SUCCESS))).kind, 'no_review_needed');
      assert.equal(await stageOf(ledger, id), 'pending');
      assert.equal(await ledger.resolve('nothing', SUCCESS), undefined);
    });

    it('ends it, clears the flag, is in the history with who and detail, and tells the usual webhook', async (t) => {
      const { ledger } = await setUp(t);
      const [paid, failed] = [await openInReview(ledger, 'A'), await openInReview(ledger, 'B')];
      const resolved = [await ledger.resolve(paid, SUCCESS), await ledger.resolve(failed, FAILED)];
      assert.deepEqual(
        resolved.map((each) => [each?.stage, each?.needsReview, each?.endedBy]),
        [
          ['succeeded', false, null],
          ['declined', false, 'RESOLVED'],
        ],
      );
      assert.deepEqual(
        resolved.map((each) =>
          each?.history
            .filter(({ source }) => source === 'person')
            .map(({ event, detail }) => `${event}: ${detail}`)
            .toSorted(),
        ),
        [
          ['resolved: SUCCESS by ada: the statement has it', 'succeeded: RESOLVED'],
          ['declined: RESOLVED', 'resolved: FAILED by ada: the gateway says so by phone'],
        ],
      );
      assert.equal((await ledger.order('A'))?.paidBy, paid);
      const told = (await webhookTypes(ledger)).filter((type) => /succeeded|failed/.test(type));
      assert.deepEqual(told, ['payment.failed', 'payment.succeeded']);
      assert.equal((await refusal(ledger.resolve(paid, FAILED))).kind, 'no_review_needed', 'once');
    });

    it('is followed by watching; what agrees with it changes nothing', async (t) => {
      const { ledger, skip } = await setUp(t);
      const id = await openInReview(ledger);
      await ledger.resolve(id, FAILED);
      skip(H);
      assert.deepEqual(
        (await ledger.claimChecks(10, LEASE_MS)).map((each) => each.id),
        [id],
      );
      await ledger.observe(id, verified('failed'));
      await ledger.observe(id, verified('pending'));
      const { stage, conflict, needsReview } = await read(ledger, id);
      assert.deepEqual([stage, conflict, needsReview], ['declined', false, false]);
    });

    it('and then the contrary is a conflict with its own number and review, and may be resolved again', async (t) => {
      const { ledger, skip } = await setUp(t);
      const id = await openPending(ledger);
      await ledger.observe(id, verified('succeeded'));
      for (let n = 1; n <= 3; n += 1) {
        await ledger.observe(id, verified('failed'));
        await ledger.observe(id, verified('failed'));
        assert.equal(await numbered(ledger, 'payment.conflict'), n);
        assert.equal(await numbered(ledger, 'payment.needs_review'), n);
        assert.equal((await read(ledger, id)).history.filter(({ event }) => event === 'conflict').length, n);
        skip(S);
        assert.equal((await ledger.resolve(id, SUCCESS))?.needsReview, false);
      }
      assert.equal(await stageOf(ledger, id), 'succeeded');
    });

    it('of FAILED and then SUCCESS counts the money, and raises conflict and review', async (t) => {
      const { ledger } = await setUp(t);
      const id = await openInReview(ledger);
      await ledger.resolve(id, FAILED);
      await ledger.observe(id, verified('succeeded'));
      const { stage, late, conflict, needsReview } = await read(ledger, id);
      assert.deepEqual([stage, late, conflict, needsReview], ['succeeded', true, true, true]);
      assert.equal((await ledger.order('A'))?.paidBy, id);
    });

    it('that a success did not bring the money is kept, and the gateway’s SUCCESS after it is a conflict anew', async (t) => {
      const { ledger } = await setUp(t);
      const id = await openPending(ledger);
      await ledger.observe(id, verified('succeeded'));
      await ledger.observe(id, verified('failed'));
      await ledger.resolve(id, FAILED);
      await ledger.observe(id, verified('failed'));
      assert.equal((await read(ledger, id)).needsReview, false, 'the gateway agrees');
      await ledger.observe(id, verified('succeeded'));
      assert.equal((await read(ledger, id)).needsReview, true);
      assert.equal(await numbered(ledger, 'payment.conflict'), 2);
    });
  });

  describe('a payout', () => {
    it('is ended by no answer to its POST, whose code is in the history at once', async (t) => {
      const { ledger } = await setUp(t);
      for (const answer of ['refused', 'foreign', 'duplicate', 'lost', 'unreached'] as const) {
        const id = await openSentPayout(ledger, answer, uncertain(answer));
        const { stage, history } = await read(ledger, id);
        assert.deepEqual([stage, history.at(-1)?.detail], ['uncertain', answer]);
      }
      assert.deepEqual(await webhookTypes(ledger), []);
    });

    it('that was told FAILED and is then SUCCESS is told so, with conflict and review', async (t) => {
      const { ledger, skip } = await setUp(t);
      const id = await failPayout(ledger, skip);
      await ledger.observe(id, verified('succeeded'));
      assert.equal(await stageOf(ledger, id), 'succeeded');
      assert.deepEqual(await webhookTypes(ledger), [
        'payout.conflict',
        'payout.failed',
        'payout.needs_review',
        'payout.succeeded',
      ]);
    });

    it('that was told FAILED and is then found is a conflict, and needs review', async (t) => {
      const { ledger, skip } = await setUp(t);
      const declined = await failPayout(ledger, skip, 'P');
      const gone = await openSentPayout(ledger, 'Q', uncertain('refused'));
      for (let n = 0; n < 2; n += 1) {
        skip(2 * M);
        await ledger.observe(gone, UNKNOWN);
      }
      assert.equal(await stageOf(ledger, gone), 'not_created');
      for (const id of [declined, gone]) {
        await ledger.observe(id, verified('pending'));
        await ledger.observe(id, verified('pending'));
        const { stage, conflict, needsReview, history } = await read(ledger, id);
        assert.deepEqual([conflict, needsReview], [true, true], stage);
        assert.equal(history.filter(({ event }) => event === 'conflict').length, 1);
      }
    });

    it('that a person ended FAILED, and that the gateway then has after all, is a conflict; one it had before is not', async (t) => {
      const { ledger, skip } = await setUp(t);
      const unseen = await openSentPayout(ledger, 'P', uncertain('lost'));
      const known = await openSentPayout(ledger, 'Q', PENDING);
      await ledger.observe(known, verified('pending'));
      skip(D + 2 * M);
      for (const id of [unseen, known]) {
        await ledger.observe(id, { kind: 'unavailable' });
        await ledger.resolve(id, FAILED);
        await ledger.observe(id, verified('pending'));
      }
      assert.equal((await read(ledger, unseen)).conflict, true);
      assert.equal((await read(ledger, known)).conflict, false);
    });

    it('that was told FAILED stays in the late sweep: after 1, 6, 24 h, then daily to 7 days', async (t) => {
      const { ledger, now, skip } = await setUp(t);
      const from = now();
      const id = await failPayout(ledger, skip);
      const asked: number[] = [];
      for (let hours = 1; hours <= 8 * 24; hours += 1) {
        skip(H - ((now() - from) % H));
        if ((await ledger.claimChecks(1, LEASE_MS)).length === 0) continue;
        asked.push((now() - from) / H);
        await ledger.observe(id, verified('failed'));
      }
      assert.deepEqual(asked, [1, 6, 24, 48, 72, 96, 120, 144, 168]);
    });
  });

  describe('a payment that ended without a report', () => {
    for (const [stage, fact] of [
      ['rejected', { stage: 'rejected', detail: 'HTTP 400 X' }],
      ['not_created', { stage: 'not_created', detail: 'ECONNREFUSED' }],
    ] as const) {
      it(`as ${stage} is still in the sweep to 7 days, and its SUCCESS counts, late`, async (t) => {
        const { ledger, skip } = await setUp(t);
        const id = await openPending(ledger, {}, fact);
        skip(15 * S);
        assert.equal((await ledger.claimChecks(1, LEASE_MS)).length, 1);
        await ledger.observe(id, UNKNOWN);
        skip(7 * D - 15 * S);
        assert.equal((await ledger.claimChecks(1, LEASE_MS)).length, 1);
        await ledger.observe(id, verified('succeeded'));
        const { stage: end, late } = await read(ledger, id);
        assert.deepEqual([end, late], ['succeeded', true]);
      });
    }
  });
}
