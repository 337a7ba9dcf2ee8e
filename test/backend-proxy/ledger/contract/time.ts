// Clocks that step, run ahead or differ: nothing ends before its real time, and nothing waits forever.
import assert from 'node:assert/strict';
import { D, H, M, S } from '../../time.ts';
import {
  BARE_READING,
  LEASE_MS,
  PENDING,
  UNAVAILABLE,
  UNKNOWN,
  type Suite,
  openPending,
  openSent,
  openSentPayout,
  read,
  stageOf,
  uncertain,
  verified,
  sendIpn,
  claimIds,
  endCheck,
} from '../ledger-kit.ts';

export function timeContract({ it, setUp }: Suite): void {
  for (const [direction, ms] of [
    ['forward', H],
    ['back', -H],
    ['forward by days', 3 * D],
    ['forward by seconds', 6 * S],
  ] as const) {
    it(`a clock step ${direction} is seen by the next write and ends nothing: each wait starts again`, async (t) => {
      const { ledger, skip, step } = await setUp(t);
      const lost = await openPending(ledger, { orderId: 'lost' }, uncertain('lost'));
      const coded = await openPending(ledger, { orderId: 'coded', payWithinMs: 5 * M });
      const failing = await openSentPayout(ledger, 'failing', PENDING);
      skip(100 * S);
      await ledger.observe(lost, UNKNOWN);
      await ledger.observe(failing, verified('failed'));
      await openSent(ledger, { orderId: 'sending' });
      step(ms);
      const check = async () => {
        await ledger.observe(lost, UNKNOWN);
        await ledger.observe(coded, verified('pending'));
        await ledger.observe(failing, verified('failed'));
        await ledger.observe('sending', UNAVAILABLE);
        return Promise.all([lost, coded, failing, 'sending'].map((id) => stageOf(ledger, id)));
      };
      assert.deepEqual(await check(), ['uncertain', 'pending', 'pending', 'sending']);
      skip(30 * S - 1);
      assert.deepEqual(await check(), ['uncertain', 'pending', 'pending', 'sending']);
      skip(15 * S);
      assert.deepEqual(await check(), ['uncertain', 'pending', 'declined', 'sending']);
      skip(1);
      assert.equal((await check())[3], 'uncertain');
      skip(45 * S);
      assert.deepEqual((await check())[0], 'uncertain', 'only the first unknown counts, 90 s after the step');
      skip(M);
      assert.deepEqual((await check()).slice(0, 2), ['not_created', 'pending']);
      skip(7 * M - 195 * S);
      assert.equal((await check())[1], 'pending', 'its whole time and the grace are not over again');
      skip(45 * S);
      assert.equal((await check())[1], 'expired');
    });
  }

  it('after a clock step every open transaction is checked once, and begins its schedule again', async (t) => {
    const { ledger, skip, step } = await setUp(t);
    const ids = ['A', 'B', 'C'];
    for (const orderId of ids) await openPending(ledger, { orderId });
    await ledger.claimChecks(1, LEASE_MS);
    step(-H);
    assert.deepEqual((await claimIds(ledger)).toSorted(), ids);
    for (const id of ids) await ledger.observe(id, verified('pending'));
    assert.deepEqual(await claimIds(ledger), []);
    skip(15 * S);
    assert.deepEqual((await claimIds(ledger)).toSorted(), ids);
  });

  it('the answer to a call is recorded although the clock has stepped back during it', async (t) => {
    const { ledger, step } = await setUp(t);
    await openSent(ledger);
    const sent = await read(ledger, 'A');
    step(-40 * S);
    await ledger.observe('A', UNKNOWN);
    assert.ok((await read(ledger, 'A')).createdAt < sent.createdAt);
    await ledger.ledger.record(sent, { stage: 'rejected', answer: 'refused', detail: 'HTTP 400 WALLET_NOT_FOUND' });
    assert.equal(await stageOf(ledger, 'A'), 'rejected');
  });

  it('the checks before a step back do not delay the check that an IPN requests', async (t) => {
    const { ledger, skip, step } = await setUp(t);
    const id = await openPending(ledger);
    const checkAfter = async (ms: number) => {
      skip(ms);
      assert.deepEqual(await claimIds(ledger), [id]);
      await ledger.observe(id, verified('pending'));
    };
    for (const ms of [15 * S, 15 * S, 30 * S]) await checkAfter(ms);
    step(-H);
    await checkAfter(0);
    await checkAfter(M);
    await sendIpn(ledger, id);
    assert.deepEqual(await claimIds(ledger), [id]);
  });

  it('a clock step that only a write has seen is not lost with its process', async (t) => {
    const { ledger, open, now, step } = await setUp(t);
    const ids = ['A', 'B', 'C'];
    for (const orderId of ids) await openPending(ledger, { orderId });
    step(-H);
    await ledger.observe('A', verified('pending'));
    const restarted = await open(now);
    assert.deepEqual(await claimIds(restarted), ['B', 'C']);
    step(-H);
    await openPending(restarted, { orderId: 'D' });
    assert.deepEqual((await claimIds(await open(now))).toSorted(), ids, 'and the next one is another');
  });

  it('a clock step of less than five seconds restarts no wait', async (t) => {
    const { ledger, skip, step } = await setUp(t);
    const id = await openPending(ledger, {}, uncertain('lost'));
    await ledger.claimChecks(1, LEASE_MS);
    skip(90 * S);
    await ledger.observe(id, UNKNOWN);
    step(4 * S);
    await ledger.claimChecks(1, LEASE_MS);
    skip(56 * S);
    await ledger.observe(id, UNKNOWN);
    assert.equal(await stageOf(ledger, id), 'not_created');
  });

  it('a lease longer than any given is ignored', async (t) => {
    const { ledger, open, now, skip } = await setUp(t);
    await openPending(ledger);
    skip(15 * S);
    const other = await open(() => now() + M);
    assert.deepEqual(await claimIds(other), ['A']);
    assert.deepEqual(await claimIds(await open(() => now() - H)), [], 'not due yet by that clock');
    assert.deepEqual(await claimIds(ledger), ['A']);
  });

  it('a check is not claimed twice if another process read the time later and claimed earlier', async (t) => {
    const { ledger, open, now, skip } = await setUp(t);
    await openPending(ledger);
    skip(15 * S);
    assert.deepEqual(await claimIds(await open(() => now() + 5 * S)), ['A']);
    assert.deepEqual(await claimIds(ledger), []);
  });

  it('prune() plans a check again that is further ahead than the longest wait', async (t) => {
    const { ledger, change, now, skip } = await setUp(t);
    await openPending(ledger);
    await change(`update transactions set next_check_at = ${now() + 2 * D}`);
    skip(15 * S);
    assert.deepEqual(await claimIds(ledger), []);
    await ledger.prune();
    assert.deepEqual(await claimIds(ledger), ['A']);
  });

  it('prune() makes a webhook due that is further ahead than the longest wait', async (t) => {
    const { ledger, change, now } = await setUp(t);
    const id = await openPending(ledger);
    await ledger.observe(id, verified('succeeded'));
    await change(`update webhooks set next_at = ${now() + 3 * D}`);
    assert.deepEqual(await ledger.claimWebhooks(1, 30 * S), []);
    await ledger.prune();
    assert.equal((await ledger.claimWebhooks(1, 30 * S)).length, 1);
  });

  it('a stored past time in the future counts as now and ends nothing early', async (t) => {
    const { ledger, open, now, skip } = await setUp(t);
    const ahead = await open(() => now() + H);
    const id = await openPending(ahead, {}, uncertain('lost'));
    const out = await openSentPayout(ahead, 'P', PENDING);
    await ahead.observe(out, verified('failed'));
    await ledger.observe(id, UNKNOWN);
    await ledger.observe(out, verified('failed'));
    skip(S);
    await ledger.observe(out, verified('failed'));
    assert.deepEqual([await stageOf(ledger, id), await stageOf(ledger, out)], ['uncertain', 'pending']);
    skip(30 * S);
    await ledger.observe(out, verified('failed'));
    assert.equal(await stageOf(ledger, out), 'declined', '30 s after this clock saw the first FAILED');
  });

  for (const ahead of [0, 5 * S, H]) {
    it(`an IPN after a claim is due after that check, even if the claiming clock is ${ahead / S} s ahead`, async (t) => {
      const { ledger, open, now, skip } = await setUp(t);
      const other = await open(() => now() + ahead);
      await openPending(ledger);
      skip(20 * S);
      const [claim] = await other.ledger.claimChecks(1, LEASE_MS);
      await sendIpn(ledger, 'A');
      await endCheck(other.ledger, claim, verified('pending'));
      assert.deepEqual(await claimIds(ledger), ['A']);
    });
  }

  it('an IPN in the millisecond of a FAILED is checked, and its SUCCESS counts', async (t) => {
    const { ledger } = await setUp(t);
    await openPending(ledger);
    await ledger.receiveIpn({ id: 'i1', body: '1', reading: { ...BARE_READING, outcome: 'failed' } });
    const [first] = await ledger.ledger.claimChecks(1, LEASE_MS);
    await ledger.receiveIpn({ id: 'i2', body: '2', reading: { ...BARE_READING, outcome: 'succeeded' } });
    await endCheck(ledger.ledger, first, verified('failed'));
    const [second] = await ledger.ledger.claimChecks(1, LEASE_MS);
    await endCheck(ledger.ledger, second, verified('succeeded'));
    const { stage, late } = await read(ledger, 'A');
    assert.deepEqual([stage, late], ['succeeded', true]);
  });

  it('an unanswered IPN keeps the clock from expiring a payment', async (t) => {
    const { ledger, skip } = await setUp(t);
    await openPending(ledger, { payWithinMs: M });
    skip(3 * M);
    const [claim] = await ledger.ledger.claimChecks(1, LEASE_MS);
    await sendIpn(ledger, 'A');
    await endCheck(ledger.ledger, claim, verified('pending'));
    assert.equal(await stageOf(ledger, 'A'), 'pending');
    const [again] = await ledger.ledger.claimChecks(1, LEASE_MS);
    await endCheck(ledger.ledger, again, verified('pending'));
    assert.equal(await stageOf(ledger, 'A'), 'expired');
  });

  it('a check recorded after its lease ends nothing and is repeated soon, but its SUCCESS counts', async (t) => {
    const { ledger, skip } = await setUp(t);
    const ids = ['A', 'B', 'C'];
    for (const orderId of ids) await openPending(ledger, { orderId, payWithinMs: 6 * M });
    skip(8 * M);
    const claims = await ledger.ledger.claimChecks(3, LEASE_MS);
    skip(LEASE_MS + 1);
    const stale = (id: string) => claims.find(({ transaction }) => transaction.id === id)!;
    await endCheck(ledger.ledger, stale('A'), verified('failed'));
    await endCheck(ledger.ledger, stale('B'), verified('pending'));
    await endCheck(ledger.ledger, stale('C'), verified('succeeded'));
    const stages = await Promise.all(ids.map((id) => stageOf(ledger, id)));
    assert.deepEqual(stages, ['pending', 'pending', 'succeeded']);
    assert.deepEqual((await claimIds(ledger)).toSorted(), ['A', 'B'], 'both are due again soon');
  });

  it('a lease ends unless it is prolonged, and never if another process has taken the check', async (t) => {
    const { ledger, skip } = await setUp(t);
    const ids = ['A', 'B'];
    for (const orderId of ids) await openPending(ledger, { orderId });
    skip(M);
    const claims = await ledger.ledger.claimChecks(2, 5 * S);
    const [kept, left] = ids.map((id) => claims.find(({ transaction }) => transaction.id === id)!);
    skip(3 * S);
    await ledger.ledger.prolongChecks([kept!], 5 * S);
    skip(4 * S);
    const again = await ledger.ledger.claimChecks(2, 5 * S);
    assert.deepEqual(
      again.map(({ transaction }) => transaction.id),
      ['B'],
    );
    await ledger.ledger.prolongChecks([left!], 5 * S);
    await endCheck(ledger.ledger, left, verified('failed'));
    await endCheck(ledger.ledger, kept, verified('failed'));
    assert.deepEqual(await Promise.all(ids.map((id) => stageOf(ledger, id))), ['declined', 'pending']);
  });

  it('the end of a check frees its transaction, even if its lease is prolonged at that moment', async (t) => {
    const { ledger, skip } = await setUp(t);
    await openPending(ledger);
    skip(M);
    const [claim] = await ledger.ledger.claimChecks(1, 5 * S);
    skip(3 * S);
    // The lease is prolonged already, and the process that asked for it does not know yet.
    await ledger.ledger.prolongChecks([{ ...claim! }], 5 * S);
    await endCheck(ledger.ledger, claim, verified('pending'));
    await sendIpn(ledger, 'A');
    assert.deepEqual(await claimIds(ledger), ['A']);
  });

  it('a check that another process has taken is not freed by the one that lost it', async (t) => {
    const { ledger, skip } = await setUp(t);
    await openPending(ledger);
    skip(M);
    const [lost] = await ledger.ledger.claimChecks(1, 5 * S);
    skip(5 * S);
    assert.deepEqual(await claimIds(ledger), ['A']);
    await endCheck(ledger.ledger, lost, verified('pending'));
    await sendIpn(ledger, 'A');
    assert.deepEqual(await claimIds(ledger), []);
  });

  it('every fifth check goes to the transaction due longest, whatever IPNs come', async (t) => {
    const { ledger, skip } = await setUp(t);
    await openPending(ledger, { orderId: 'quiet' });
    skip(M);
    for (let n = 0; n < 20; n += 1) {
      await openPending(ledger, { orderId: `R${n}` });
      await sendIpn(ledger, `R${n}`);
      skip(1);
    }
    const order: string[] = [];
    for (let n = 0; n < 5; n += 1) order.push(...(await claimIds(ledger, 1)));
    assert.deepEqual(order, ['R19', 'R18', 'R17', 'R16', 'quiet']);
  });
}
