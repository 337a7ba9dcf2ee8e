// resolve(), and what the gateway reports after it or after FAILED.
import assert from 'node:assert/strict';
import { D, H, M, S } from '../../time.ts';
import {
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
  claimIds,
  differing,
  sendIpn,
  type LedgerById,
  type Seen,
} from '../ledger-kit.ts';
import { inWords } from '../../in-words.ts';

const SUCCESS = { status: 'SUCCESS', by: 'ada', note: 'the statement has it' } as const;
const FAILED = { status: 'FAILED', by: 'ada', note: 'the gateway says so by phone' } as const;

async function openInReview(ledger: LedgerById, orderId = 'A'): Promise<string> {
  const id = await openPending(ledger, { orderId });
  await ledger.observe(id, differing());
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
  new Set((await ledger.webhooks(undefined, 100)).webhooks.filter((each) => each.type === type).map(({ id }) => id))
    .size;

export function resolveContract({ it, setUp }: Suite): void {
  it('resolve() refuses if no review is needed, and returns undefined for an unknown id', async (t) => {
    const { ledger } = await setUp(t);
    const id = await openPending(ledger);
    assert.equal((await refusal(ledger.resolve(id, SUCCESS))).kind, 'no_review_needed');
    assert.equal(await stageOf(ledger, id), 'pending');
    assert.equal(await ledger.resolve('nothing', SUCCESS), undefined);
  });

  it('preview() says which webhook resolve() would queue, and changes nothing', async (t) => {
    const { ledger } = await setUp(t);
    const id = await openInReview(ledger);
    const before = await ledger.order('A');
    const { transaction, expected, webhook } = (await ledger.preview(id, SUCCESS))!;
    assert.deepEqual(transaction, before?.payments[0]);
    assert.deepEqual(
      [expected, webhook],
      [{ version: transaction.version, paidBy: null, closed: false, owed: 0 }, 'payment.succeeded'],
    );
    assert.equal((await ledger.preview(id, FAILED))?.webhook, 'payment.failed');
    assert.deepEqual(await ledger.order('A'), before);
    assert.ok(!(await webhookTypes(ledger)).includes('payment.succeeded'));
    await ledger.resolve(id, SUCCESS, expected);
    assert.equal((await refusal(ledger.preview(id, FAILED))).kind, 'no_review_needed');
    assert.equal(await ledger.preview('nothing', SUCCESS), undefined);
  });

  it('resolve() queues the webhook that preview() said, in every state', async (t) => {
    const setup = await setUp(t);
    const { ledger } = setup;
    const seen: Record<string, Seen[]> = {
      open: [differing()],
      failed: [verified('failed'), differing()],
      paid: [verified('succeeded'), verified('failed')],
    };
    const said: string[] = [];
    for (const [state, reports] of Object.entries(seen)) {
      for (const word of [SUCCESS, FAILED]) {
        const id = await openPending(ledger, { orderId: `${state}-${word.status}` });
        for (const report of reports) await ledger.observe(id, report);
        const before = await webhookTypes(ledger);
        const { webhook, gatewayReports } = (await ledger.preview(id, word))!;
        await ledger.resolve(id, { ...word, ...(gatewayReports && { gatewayReports }) });
        assert.deepEqual(await webhookTypes(ledger), [...before, ...(webhook ? [webhook] : [])].toSorted(), id);
        said.push(`${id} ${webhook}`);
      }
    }
    assert.deepEqual(said, [
      'open-SUCCESS payment.succeeded',
      'open-FAILED payment.failed',
      'failed-SUCCESS payment.succeeded',
      'failed-FAILED null',
      'paid-SUCCESS null',
      'paid-FAILED null',
    ]);
  });

  it('resolve() stores a note with half a surrogate pair, which JSON can carry and no database', async (t) => {
    const { ledger } = await setUp(t);
    const id = await openInReview(ledger);
    await ledger.resolve(id, { ...SUCCESS, note: 'half \ud800' });
    const { history } = await read(ledger, id);
    assert.equal(history.find(({ event }) => event === 'resolved')?.detail, 'SUCCESS by ada: half \ufffd');
  });

  it('resolve() ends the transaction, clears the flag, writes who and why, and sends the usual webhook', async (t) => {
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
    const webhooks = (await webhookTypes(ledger)).filter((type) => /succeeded|failed/.test(type));
    assert.deepEqual(webhooks, ['payment.failed', 'payment.succeeded']);
    assert.equal((await refusal(ledger.resolve(paid, FAILED))).kind, 'no_review_needed', 'once');
    const byKey = await ledger.resolve(await openInReview(ledger, 'C'), SUCCESS, undefined, 'merchant:office');
    assert.equal(byKey?.history.find(({ event }) => event === 'resolved')?.source, 'merchant:office');
  });

  it('a resolved payment is still checked, and a report that agrees changes nothing', async (t) => {
    const { ledger, skip } = await setUp(t);
    const id = await openInReview(ledger);
    await ledger.resolve(id, FAILED);
    skip(H);
    assert.deepEqual(await claimIds(ledger, 10), [id]);
    await ledger.observe(id, verified('failed'));
    await ledger.observe(id, verified('pending'));
    const { stage, conflict, needsReview } = await read(ledger, id);
    assert.deepEqual([stage, conflict, needsReview], ['declined', false, false]);
  });

  it('each new report that contradicts a resolution is a new conflict with a new review', async (t) => {
    const { ledger, skip } = await setUp(t);
    const id = await openPending(ledger);
    for (let n = 1; n <= 3; n += 1) {
      await ledger.observe(id, verified('succeeded'));
      await ledger.observe(id, verified('failed'));
      await ledger.observe(id, verified('failed'));
      assert.equal(await numbered(ledger, 'payment.conflict'), n);
      assert.equal(await numbered(ledger, 'payment.needs_review'), n);
      assert.equal((await read(ledger, id)).history.filter(({ event }) => event === 'conflict').length, n);
      skip(S);
      const resolved = await ledger.resolve(id, { ...SUCCESS, note: `${n}`, gatewayReports: 'FAILED' });
      assert.equal(resolved?.needsReview, false);
      await ledger.observe(id, verified('failed'));
      assert.equal((await read(ledger, id)).needsReview, false, 'the person knew');
    }
    assert.equal(await stageOf(ledger, id), 'succeeded');
  });

  it('a conflict that a person has resolved is reported again in a review that has another cause', async (t) => {
    const { ledger } = await setUp(t);
    const id = await openPending(ledger);
    for (const outcome of ['succeeded', 'failed'] as const) await ledger.observe(id, verified(outcome));
    await ledger.resolve(id, { ...SUCCESS, gatewayReports: 'FAILED' });
    await ledger.observe(id, differing());
    for (const outcome of ['succeeded', 'failed'] as const) await ledger.observe(id, verified(outcome));
    assert.equal(await numbered(ledger, 'payment.conflict'), 2);
  });

  it('a review that learns something new reports it with the next number, and once', async (t) => {
    const { ledger, skip } = await setUp(t);
    const id = await openSentPayout(ledger, 'P', uncertain('duplicate'));
    skip(D + 2 * M);
    await ledger.observe(id, { kind: 'unavailable' });
    const { version } = await read(ledger, id);
    for (let n = 0; n < 2; n += 1) await ledger.observe(id, verified('succeeded'));
    const { history, needsReview, version: next } = await read(ledger, id);
    const reviews = history.filter(({ event }) => event === 'needs_review').map(({ detail }) => detail);
    const seen = 'SUCCESS for an order id that the gateway reported as a duplicate';
    assert.deepEqual([reviews, needsReview, next], [[null, seen], true, version + 1]);
    assert.equal(await numbered(ledger, 'payout.needs_review'), 2);
    assert.equal((await refusal(ledger.resolve(id, FAILED))).kind, 'gateway_contradicts');
    assert.equal((await ledger.resolve(id, { ...FAILED, gatewayReports: 'SUCCESS' }))?.stage, 'declined');
    skip(D);
    for (const [outcome, conflicts] of [
      ['succeeded', 0],
      ['failed', 0],
      ['succeeded', 1],
    ] as const) {
      assert.deepEqual(await claimIds(ledger, 1), [id]);
      await ledger.observe(id, verified(outcome));
      assert.equal(await numbered(ledger, 'payout.conflict'), conflicts, outcome);
      skip(D);
    }
  });

  it('resolve() repeated in the same words answers the same, and refuses where the version is another', async (t) => {
    const { ledger } = await setUp(t);
    const id = await openInReview(ledger);
    const { version } = await read(ledger, id);
    assert.equal((await refusal(ledger.resolve(id, FAILED, { version: version - 1 }))).kind, 'version_changed');
    const resolved = await ledger.resolve(id, FAILED, { version });
    assert.equal(resolved?.stage, 'declined');
    assert.deepEqual(await ledger.resolve(id, FAILED, { version }), resolved);
    assert.equal((await refusal(ledger.resolve(id, { ...FAILED, by: 'bob' }))).kind, 'no_review_needed');
    assert.equal((await read(ledger, id)).history.filter(({ event }) => event === 'resolved').length, 1);
  });

  it('a FAILED after a seen SUCCESS contradicts the gateway, although its next report lags behind', async (t) => {
    const { ledger } = await setUp(t);
    const id = await openPending(ledger, {}, uncertain('duplicate'));
    for (const outcome of ['succeeded', 'pending'] as const) await ledger.observe(id, verified(outcome));
    assert.equal((await ledger.preview(id, FAILED))?.gatewayReports, 'SUCCESS');
    assert.equal((await refusal(ledger.resolve(id, FAILED))).kind, 'gateway_contradicts');
    assert.equal((await ledger.resolve(id, { ...FAILED, gatewayReports: 'SUCCESS' }))?.stage, 'declined');
  });

  it('a SUCCESS after a person resolved FAILED counts, with conflict and review', async (t) => {
    const { ledger } = await setUp(t);
    const id = await openInReview(ledger);
    await ledger.observe(id, { kind: 'report', report: { amount: '1.00', outcome: 'succeeded' } });
    assert.equal((await refusal(ledger.resolve(id, FAILED))).kind, 'gateway_contradicts', 'of another amount, too');
    await ledger.resolve(id, { ...FAILED, gatewayReports: 'SUCCESS' });
    await ledger.observe(id, verified('succeeded'));
    const { stage, late, conflict, needsReview } = await read(ledger, id);
    assert.deepEqual([stage, late, conflict, needsReview], ['succeeded', true, true, true]);
    assert.equal((await ledger.order('A'))?.paidBy, id);
  });

  it('resolving a SUCCESS as FAILED is accepted by a FAILED report and contradicted by a SUCCESS', async (t) => {
    const { ledger } = await setUp(t);
    const id = await openPending(ledger);
    await ledger.observe(id, verified('succeeded'));
    await ledger.observe(id, verified('failed'));
    await ledger.resolve(id, FAILED);
    await ledger.observe(id, verified('failed'));
    assert.equal((await read(ledger, id)).needsReview, false, 'no review if the gateway agrees');
    await ledger.observe(id, verified('succeeded'));
    assert.equal((await read(ledger, id)).needsReview, true);
    assert.equal(await numbered(ledger, 'payment.conflict'), 2);
  });

  it('a FAILED payout that then succeeds is reported, with conflict and review', async (t) => {
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

  it('a FAILED payout that is then found is one conflict with a review', async (t) => {
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

  it('a payout resolved as FAILED conflicts if it is found for the first time, not if it was found before', async (t) => {
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

  it('a refused payment is checked up to 7 days, one that was never sent only for an IPN, and a SUCCESS asks a person', async (t) => {
    const { ledger, skip } = await setUp(t);
    await openPending(ledger, { orderId: 'A' }, { stage: 'rejected', detail: 'HTTP 400 X' });
    await openPending(ledger, { orderId: 'B' }, { stage: 'not_created', detail: 'ECONNREFUSED' });
    for (const wait of [15 * S, 7 * D - 15 * S]) {
      skip(wait);
      assert.deepEqual(await claimIds(ledger), ['A']);
      await ledger.observe('A', UNKNOWN);
    }
    for (const id of ['A', 'B']) await sendIpn(ledger, id);
    assert.deepEqual((await claimIds(ledger)).toSorted(), ['A', 'B']);
    for (const id of ['A', 'B']) await ledger.observe(id, verified('succeeded'));
    const ends = await Promise.all(['A', 'B'].map((id) => read(ledger, id)));
    assert.deepEqual(inWords(ends, 'stage', 'conflict', 'needsReview', 'checking'), [
      'rejected true true true',
      'not_created false true true',
    ]);
  });
}
