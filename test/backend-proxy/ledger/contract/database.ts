// The database as a whole: counts, reopening, the gateway it belongs to, late answers, and a restored copy.
import assert from 'node:assert/strict';
import { D, M, NOON, H, S } from '../../time.ts';
import {
  LIMITS,
  PAYOUT,
  PENDING,
  type Suite,
  openPending,
  payment,
  read,
  refusal,
  verified,
  LEASE_MS,
  UNAVAILABLE,
  openSent,
  stageOf,
  sendIpn,
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

  it('counts() says how many checks are due, and how old the oldest webhook is that is not delivered, with its last answer', async (t) => {
    const { ledger, skip } = await setUp(t);
    assert.equal((await ledger.counts()).oldestPendingWebhookMs, 0);
    await ledger.observe(await openPending(ledger), verified('succeeded'));
    await openPending(ledger, { orderId: 'B' });
    skip(M);
    const { checks, oldestDueCheckMs, oldestPendingWebhookMs } = await ledger.counts();
    assert.deepEqual(inWords(checks, 'state', 'count'), ['planned 1', 'due 1']);
    assert.ok(oldestDueCheckMs > 0 && oldestDueCheckMs < M, String(oldestDueCheckMs));
    assert.equal(oldestPendingWebhookMs, M);
    const answer = async () => (await ledger.counts()).oldestPendingWebhookAnswer;
    assert.equal(await answer(), null);
    const webhook = (await ledger.claimWebhooks(1, S))[0] ?? assert.fail();
    await ledger.recordDelivery(webhook, { state: 'pending', afterMs: S, answer: 'HTTP 503' });
    assert.equal(await answer(), 'HTTP 503');
    await ledger.redeliver(webhook.id);
    assert.equal(await answer(), null, 'no attempt of the new sending has failed');
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

const OURS = { gateway: 'gateway.example/api', hasStatusCheck: true, keyDigest: 'k1' };

export function ownerContract({ it, setUp }: Suite): void {
  it('owner() returns what setOwner() wrote, and undefined before', async (t) => {
    const { ledger } = await setUp(t);
    assert.equal(await ledger.owner(), undefined);
    await ledger.setOwner(OURS);
    assert.deepEqual(await ledger.owner(), OURS);
    await ledger.setOwner({ ...OURS, keyDigest: 'k2' });
    assert.deepEqual(await ledger.owner(), { ...OURS, keyDigest: 'k2' });
  });

  for (const [what, other] of [
    ['another gateway', { ...OURS, gateway: 'other.example' }],
    ['no status check', { ...OURS, hasStatusCheck: false }],
  ] as const) {
    it(`another process that sets ${what} stops checks and starts here until it is corrected`, async (t) => {
      const { ledger, open, skip } = await setUp(t);
      const [idle, second] = [await open(), await open()];
      await openPending(ledger);
      for (const either of [ledger, idle]) await either.setOwner(OURS);
      skip(15 * S);
      await second.setOwner(other);
      assert.deepEqual(await ledger.claimChecks(10, LEASE_MS), []);
      assert.match(ledger.ownerMismatch() ?? '', /^the database /);
      const starts = [() => ledger.openPayment(payment(), LIMITS), () => ledger.openPayout(PAYOUT)];
      for (const start of starts) assert.equal((await refusal(start())).kind, 'unavailable');
      assert.equal((await ledger.order('A'))?.payments.length, 1);
      await second.setOwner(OURS);
      assert.equal((await ledger.claimChecks(10, LEASE_MS)).length, 1);
      assert.equal(ledger.ownerMismatch(), undefined);
    });
  }

  it('claimChecks() reads the owner even if nothing is due', async (t) => {
    const { ledger, open } = await setUp(t);
    await ledger.setOwner(OURS);
    await (await open()).setOwner({ ...OURS, gateway: 'other.example' });
    await ledger.claimChecks(10, LEASE_MS);
    assert.equal(ledger.ownerMismatch(), 'the database belongs to the gateway other.example');
  });

  it('another API key of the same gateway stops nothing', async (t) => {
    const { ledger, open } = await setUp(t);
    await ledger.setOwner(OURS);
    await (await open()).setOwner({ ...OURS, keyDigest: 'k2' });
    await ledger.claimChecks(10, LEASE_MS);
    assert.equal(ledger.ownerMismatch(), undefined);
  });

  it('a row being sent becomes uncertain after 45 s, and its late answer still counts', async (t) => {
    const { ledger, open, skip } = await setUp(t);
    const ids = ['A', 'B', 'C'];
    for (const orderId of ids) {
      const start = { by: 'dead:1', id: orderId };
      await ledger.ledger.openPayment({ ...payment({ orderId }), iat: null, terms: 'terms', start }, LIMITS);
    }
    const other = await open();
    skip(45 * S);
    assert.equal((await other.claimChecks(10, LEASE_MS)).length, 3);
    for (const id of ids) await other.observe(id, UNAVAILABLE);
    for (const id of ids) {
      const { stage, answer } = await read(ledger, id);
      assert.deepEqual([stage, answer], ['uncertain', 'lost']);
    }
    await ledger.record('A', PENDING);
    await ledger.record('B', { stage: 'rejected', detail: 'HTTP 400 X' });
    await ledger.record('C', { stage: 'uncertain', answer: 'duplicate', detail: 'HTTP 409' });
    const ends = await Promise.all(ids.map((id) => read(ledger, id)));
    const shown = ends.map(({ stage, answer, paymentId }) => [stage, answer, paymentId]);
    assert.deepEqual(shown, [
      ['pending', 'identified', '111'],
      ['rejected', 'refused', null],
      ['uncertain', 'duplicate', null],
    ]);
    await ledger.record('C', { stage: 'uncertain', answer: 'lost', detail: 'timeout' });
    assert.equal((await read(ledger, 'C')).answer, 'duplicate', 'a lost answer does not replace a known one');
  });

  it('a payment replaced while it is sent keeps the fields of its answer', async (t) => {
    const { ledger } = await setUp(t);
    await openSent(ledger);
    await ledger.openPayment(payment(), LIMITS);
    await ledger.record('A', PENDING);
    const { stage, paymentId } = await read(ledger, 'A');
    assert.deepEqual([stage, paymentId], ['replaced', '111']);
    await ledger.observe('A', verified('succeeded'));
    assert.equal(await stageOf(ledger, 'A'), 'succeeded');
  });

  it('wasRestoredLately() is true for 7 days after the latest restore', async (t) => {
    const { ledger, open, now, skip } = await setUp(t);
    assert.equal(await ledger.wasRestoredLately(), false);
    await ledger.recordRestore(now());
    await (await open()).recordRestore(now() - H);
    skip(7 * D - 1);
    assert.equal(await ledger.wasRestoredLately(), true);
    skip(1);
    assert.equal(await ledger.wasRestoredLately(), false);
  });

  it('a restore time in the future counts as now', async (t) => {
    const { ledger, now, skip } = await setUp(t);
    await ledger.recordRestore(now() + 400 * D);
    skip(7 * D - 1);
    assert.equal(await ledger.wasRestoredLately(), true);
    skip(1);
    assert.equal(await ledger.wasRestoredLately(), false);
  });

  it('unmatchedIpns() lists the newest first, and reportUnmatched() counts each once, after an hour', async (t) => {
    const { ledger, skip } = await setUp(t);
    await openPending(ledger);
    assert.equal(await sendIpn(ledger, 'A'), true);
    assert.equal(await sendIpn(ledger, 'gone'), false);
    skip(S);
    assert.equal(await sendIpn(ledger, 'gone'), false);
    assert.equal(await sendIpn(ledger, 'other'), false);
    await ledger.receiveIpn({ id: 'unreadable', body: 'It works!', reading: undefined });
    const listed = await ledger.unmatchedIpns(10);
    assert.deepEqual(
      listed.map(({ reading, seen, firstAt, lastAt }) => [reading.transactionId, seen, lastAt - firstAt]),
      [
        ['other', 1, 0],
        ['gone', 2, S],
      ],
    );
    assert.equal((await ledger.unmatchedIpns(1)).length, 1);
    skip(H - S - 1);
    assert.equal(await ledger.reportUnmatched(H), 0);
    skip(1);
    assert.equal(await ledger.reportUnmatched(H), 1);
    skip(S);
    assert.equal(await ledger.reportUnmatched(H), 1, 'each is counted once');
    assert.equal(await ledger.reportUnmatched(H), 0);
    assert.equal((await ledger.counts()).unmatchedIpns, 2);
    skip(7 * D);
    await ledger.prune();
    assert.deepEqual(await ledger.unmatchedIpns(10), []);
  });

  it("a webhook's id is the same in a copy of the database and differs in another one", async (t) => {
    const { open, change } = await setUp(t);
    const live = async () => {
      const ledger = await open();
      await openPending(ledger);
      const id = await openPending(ledger);
      await ledger.observe(id, verified('succeeded'));
      await ledger.observe(id, verified('failed'));
      return (await ledger.webhooks(undefined, 10)).webhooks.map((each) => `${each.type} ${each.id}`).toSorted();
    };
    const empty = 'delete from webhooks; delete from history; delete from transactions; delete from orders';
    const first = await live();
    assert.equal(new Set(first.map((each) => each.split(' ')[1])).size, 4, 'each webhook has a different id');
    await change(empty);
    assert.deepEqual(await live(), first, 'the same ids in a copy');
    await change(`${empty}; update meta set value = 'other' || value where key = 'database_id'`);
    const others = await live();
    assert.deepEqual(
      others.map((each) => each.split(' ')[0]),
      first.map((each) => each.split(' ')[0]),
    );
    assert.deepEqual(
      others.filter((each) => first.includes(each)),
      [],
    );
  });
}
