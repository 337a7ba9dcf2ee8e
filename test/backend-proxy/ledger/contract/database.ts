// The database as a whole: lists, counts, reopening.
import assert from 'node:assert/strict';
import { D, M, NOON } from '../../time.ts';
import {
  LIMITS,
  PAYOUT,
  PENDING,
  type Suite,
  openPending,
  openSentPayout,
  payment,
  read,
  refusal,
  verified,
  differing,
  INCOMPLETE,
} from '../ledger-kit.ts';
import { inWords } from '../../in-words.ts';

export function databaseContract({ it, setUp }: Suite): void {
  it('the history keeps the order of events within one millisecond', async (t) => {
    const { ledger } = await setUp(t);
    const id = await openPending(ledger);
    await openPending(ledger);
    await ledger.observe(id, verified('succeeded'));
    const { history } = await read(ledger, id);
    assert.deepEqual(inWords(history, 'event'), ['created', 'sending', 'pending', 'replaced', 'succeeded']);
  });

  it('a reopened ledger returns the same orders and webhooks', async (t) => {
    const { ledger, open, now } = await setUp(t, { ownConnection: true });
    const id = await openPending(ledger);
    await ledger.observe(id, verified('succeeded'));
    const [order, webhooks] = [await ledger.order('A'), await ledger.webhooks(undefined, 10)];
    await ledger.close();
    const again = await open(now, { ownConnection: true });
    assert.deepEqual(await again.order('A'), order);
    assert.deepEqual(await again.webhooks(undefined, 10), webhooks);
  });

  it('recover() makes rows that a dead process of this host and port was sending uncertain, and no others', async (t) => {
    const { ledger } = await setUp(t);
    for (const orderId of ['B', 'C']) await ledger.openPayment(payment({ orderId }), LIMITS);
    await ledger.record('C', PENDING);
    const elsewhere = { iat: null, terms: 'terms', start: { by: 'other:1', id: 'D' } };
    await ledger.ledger.openPayment({ ...payment({ orderId: 'D' }), ...elsewhere }, LIMITS);
    await ledger.recover();
    await ledger.recover();
    const all = await Promise.all(['B', 'C', 'D'].map((id) => read(ledger, id)));
    const stages = all.map(({ stage, answer }) => [stage, answer]);
    assert.deepEqual(stages, [
      ['uncertain', 'lost'],
      ['pending', 'identified'],
      ['sending', null],
    ]);
    assert.deepEqual((await read(ledger, 'B')).history.at(-1), {
      at: NOON,
      event: 'uncertain',
      source: 'restart',
      detail: 'the process restarted during the call',
    });
  });

  it('recover() leaves what this process itself has begun to send, before it was asked to recover', async (t) => {
    const { ledger, skip } = await setUp(t);
    await ledger.openPayment(payment({ orderId: 'B' }), LIMITS);
    skip(1);
    await ledger.setOwner({ gateway: 'gateway.example', hasStatusCheck: true, keyDigest: 'k' });
    skip(1);
    await ledger.openPayment(payment({ orderId: 'C' }), LIMITS);
    await ledger.recover();
    const stages = await Promise.all(['B', 'C'].map(async (id) => (await read(ledger, id)).stage));
    assert.deepEqual(stages, ['uncertain', 'sending']);
  });

  it('counts() counts open transactions, reviews, checks and webhooks that are not delivered', async (t) => {
    const { ledger, skip } = await setUp(t);
    assert.deepEqual(await ledger.counts(), {
      transactions: [],
      needReview: 0,
      unmatchedIpns: 0,
      checks: [
        { state: 'planned', count: 0 },
        { state: 'due', count: 0 },
      ],
      webhooks: [],
      oldestPendingWebhookMs: 0,
    });
    await openPending(ledger, { orderId: 'A' });
    await ledger.openPayment(payment({ orderId: 'B' }), LIMITS);
    await openPending(ledger, { orderId: 'C' });
    await ledger.observe('C', verified('succeeded'));
    await openSentPayout(ledger, 'P', PENDING);
    skip(D + 2 * M);
    await ledger.observe('P', INCOMPLETE);
    const { transactions, oldestPendingWebhookMs, ...counts } = await ledger.counts();
    assert.equal(oldestPendingWebhookMs, D + 2 * M, 'the webhook of the paid order');
    assert.deepEqual(transactions.map(({ type, status, count }) => `${type} ${status} ${count}`).toSorted(), [
      'PAY INITIALIZED 1',
      'PAY PROCESSING 1',
      'PAYOUT PROCESSING 1',
    ]);
    const sorted = { ...counts, webhooks: counts.webhooks.toSorted((a, b) => a.state.localeCompare(b.state)) };
    assert.deepEqual(sorted, {
      needReview: 1,
      unmatchedIpns: 0,
      checks: [
        { state: 'planned', count: 3 },
        { state: 'due', count: 2 },
      ],
      webhooks: [{ state: 'pending', count: 2 }],
    });
    await ledger.observe('P', verified('succeeded'));
    assert.equal((await ledger.counts()).needReview, 0, 'the end of the payout clears its review');
    await ledger.observe('A', differing());
    await ledger.observe('A', verified('succeeded'));
    assert.equal((await ledger.counts()).needReview, 1, 'a disputed payment still needs a person');
    await ledger.resolve('A', { status: 'SUCCESS', by: 'ada', note: 'the amount was mistyped' });
    assert.equal((await ledger.counts()).needReview, 0);
  });

  it('a closed ledger refuses every call as unavailable', async (t) => {
    const { ledger } = await setUp(t, { ownConnection: true });
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

  it('the ledger stores every character and the largest amount exactly', async (t) => {
    const { ledger } = await setUp(t);
    const note = '\'";-- \u{1F375} \\ % _ \u0001 ä';
    await ledger.openPayout({ ...PAYOUT, amountMinor: 999_999_999_999_999, note });
    const payout = await ledger.payout('P');
    assert.deepEqual([payout?.amountMinor, payout?.note], [999_999_999_999_999, note]);
  });
}
