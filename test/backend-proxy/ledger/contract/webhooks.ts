// Webhooks are written with the fact they report; watchers are called after the commit.
import assert from 'node:assert/strict';
import { D, H, NOON, S } from '../../time.ts';
import {
  LIMITS,
  PAYOUT,
  PENDING,
  type Suite,
  openPending,
  openSent,
  payment,
  refusal,
  verified,
  type LedgerById,
} from '../ledger-kit.ts';

export function webhooksContract({ it, setUp }: Suite): void {
  async function queued(ledger: LedgerById, ...orderIds: string[]): Promise<void> {
    for (const orderId of orderIds) {
      const id = await openPending(ledger, { orderId });
      await ledger.observe(id, verified('succeeded'));
    }
  }

  it('a webhook is written with its fact, once per type and transaction, and its bytes never change', async (t) => {
    const { ledger, skip } = await setUp(t);
    const first = await openPending(ledger);
    await openPending(ledger);
    const [before] = (await ledger.webhooks('pending', 10)).webhooks;
    assert.deepEqual(
      [before?.type, before?.orderId, before?.attempts, before?.nextAt],
      ['payment.failed', 'A', 0, NOON],
    );
    skip(S);
    await ledger.observe(first, verified('failed'));
    const [after] = (await ledger.webhooks('pending', 10)).webhooks;
    assert.deepEqual(after, before, 'FAILED for another reason sends no second webhook');
    assert.match(before?.id ?? '', /^msg_[0-9a-f]{40}$/);
  });

  it('a claimed webhook is exclusive until its lease ends, and its attempts are counted', async (t) => {
    const { ledger, open, now, skip } = await setUp(t);
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

  it('concurrent calls of claimWebhooks() never claim a webhook twice', async (t) => {
    const { ledger, open, now } = await setUp(t);
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

  it('a webhook is claimed again once its lease has ended, unless it was prolonged', async (t) => {
    const { ledger, skip } = await setUp(t);
    await queued(ledger, 'A');
    const claimed = await ledger.claimWebhooks(10, 5 * S);
    skip(3 * S);
    await ledger.prolongWebhooks(claimed, 5 * S);
    skip(5 * S - 1);
    assert.deepEqual(await ledger.claimWebhooks(10, 5 * S), []);
    skip(1);
    assert.equal((await ledger.claimWebhooks(10, 5 * S)).length, claimed.length);
  });

  it('prolonging keeps no webhook that another process has claimed since', async (t) => {
    const { ledger, skip } = await setUp(t);
    await queued(ledger, 'A');
    const lost = await ledger.claimWebhooks(10, 5 * S);
    skip(5 * S);
    const held = await ledger.claimWebhooks(10, 5 * S);
    assert.equal(held.length, lost.length);
    skip(3 * S);
    await ledger.prolongWebhooks(lost, 5 * S);
    skip(2 * S);
    assert.equal((await ledger.claimWebhooks(10, 5 * S)).length, held.length, 'its holder has died');
  });

  it('after a clock step each webhook that waits is due', async (t) => {
    const { ledger, step } = await setUp(t);
    await queued(ledger, 'A');
    const [webhook] = await ledger.claimWebhooks(10, 5 * S);
    await ledger.recordDelivery(webhook!, { state: 'pending', afterMs: 5 * S, answer: 'HTTP 500' });
    step(-H);
    assert.deepEqual(
      (await ledger.claimWebhooks(10, 5 * S)).map(({ id }) => id),
      [webhook!.id],
    );
  });

  it('a start makes due what was queued before a step of the clock that no process saw', async (t) => {
    const { ledger, open, now, step } = await setUp(t);
    await queued(ledger, 'A');
    step(-H);
    const restarted = await open(now);
    await restarted.recover('proxy-2');
    assert.equal((await restarted.claimWebhooks(10, 5 * S)).length, 1);
  });

  it('a restart makes no webhook due for a clock step of before', async (t) => {
    const { ledger, open, now, step, skip } = await setUp(t);
    await queued(ledger, 'A');
    await ledger.claimChecks(1, 5 * S);
    step(-H);
    await ledger.claimChecks(1, 5 * S);
    skip(H);
    const [webhook] = await ledger.claimWebhooks(10, 5 * S);
    await ledger.recordDelivery(webhook!, { state: 'pending', afterMs: D, answer: 'HTTP 500' });
    const restarted = await open(now);
    for (const each of ['first poll', 'next poll']) {
      const [claimed] = await Promise.all([restarted.claimWebhooks(10, 5 * S), restarted.claimChecks(10, 5 * S)]);
      assert.deepEqual(claimed, [], each);
    }
  });

  it('an attempt that failed counts only while no later one has begun, and a delivery always', async (t) => {
    const { ledger, open, now, skip } = await setUp(t);
    const other = await open(now);
    await queued(ledger, 'A');
    const [stalled] = await ledger.claimWebhooks(10, 5 * S);
    skip(5 * S);
    const [later] = await other.claimWebhooks(10, 5 * S);
    await ledger.recordDelivery(stalled!, { state: 'dead', answer: 'TimeoutError' });
    const state = async () => {
      const { state: is, attempts, lastAnswer } = (await ledger.webhook(later!.id))!;
      return [is, attempts, lastAnswer];
    };
    assert.deepEqual(await state(), ['pending', 2, null]);
    skip(5 * S);
    const [last] = await other.claimWebhooks(10, 5 * S);
    assert.equal(last?.attempts, 3);
    await other.recordDelivery(later!, { state: 'delivered', answer: 'HTTP 200' });
    await other.recordDelivery(last, { state: 'pending', afterMs: S, answer: 'HTTP 409' });
    assert.deepEqual(await state(), ['delivered', 3, 'HTTP 200']);
  });

  it('a webhook can be retried, die, be redelivered and be delivered', async (t) => {
    const { ledger, skip } = await setUp(t);
    await queued(ledger, 'A');
    const [webhook] = await ledger.claimWebhooks(10, 30 * S);
    const { id } = webhook!;
    await ledger.recordDelivery(webhook!, { state: 'pending', afterMs: 5 * S, answer: 'HTTP 500' });
    skip(5 * S - 1);
    assert.deepEqual(await ledger.claimWebhooks(10, 30 * S), []);
    skip(1);
    const [second] = await ledger.claimWebhooks(10, 30 * S);
    assert.equal(second?.attempts, 2);
    await ledger.recordDelivery(second, { state: 'dead', answer: 'HTTP 410' });
    skip(D);
    assert.deepEqual(await ledger.claimWebhooks(10, 30 * S), []);
    const [dead] = (await ledger.webhooks('dead', 10)).webhooks;
    assert.deepEqual([dead?.id, dead?.lastAnswer], [id, 'HTTP 410']);
    assert.deepEqual((await ledger.redeliver(id))?.attempts, 0);
    const [redelivered] = await ledger.claimWebhooks(10, 30 * S);
    assert.equal(redelivered?.attempts, 1);
    await ledger.recordDelivery(redelivered, { state: 'delivered', answer: 'HTTP 200' });
    assert.equal((await ledger.webhooks('delivered', 10)).webhooks.length, 1);
    assert.deepEqual((await ledger.webhooks('pending', 10)).webhooks, []);
    assert.equal(await ledger.redeliver('nothing'), undefined);
  });

  it('webhooks() lists those of an order, and those older than one', async (t) => {
    const { ledger, skip } = await setUp(t);
    for (const orderId of ['A', 'B', 'C', 'D']) {
      await queued(ledger, orderId);
      if (orderId === 'B') skip(S);
    }
    const { webhooks: all, nextCursor } = await ledger.webhooks(undefined, 10);
    assert.equal(nextCursor, null);
    const ofB = all.filter(({ orderId }) => orderId === 'B');
    assert.deepEqual(await ledger.webhooks(undefined, 10, { orderId: 'B' }), { webhooks: ofB, nextCursor: null });
    assert.deepEqual((await ledger.webhooks('dead', 10, { orderId: 'B' })).webhooks, []);
    const cursorOf = (at: number) => `${all[at]?.createdAt}~${all[at]?.id}`;
    for (const [at, { id, orderId }] of all.entries()) {
      const cursor = cursorOf(at);
      const next = at + 3 < all.length ? cursorOf(at + 2) : null;
      for (const state of ['pending', undefined] as const) {
        const page = { webhooks: all.slice(at + 1, at + 3), nextCursor: next };
        assert.deepEqual(await ledger.webhooks(state, 2, { cursor }), page);
      }
      assert.deepEqual((await ledger.webhooks(undefined, 2, { cursor, orderId })).webhooks, []);
      assert.deepEqual(await ledger.webhook(id), all[at]);
    }
    assert.equal(await ledger.webhook('nothing'), undefined);
  });

  it('watch() calls back after each commit that changed its order, and for no other order', async (t) => {
    const { ledger } = await setUp(t);
    const received: (number | undefined)[] = [];
    const seen: (number | undefined)[] = [];
    const calls: Promise<void>[] = [];
    const unwatch = ledger.watch('A', (version) => {
      received.push(version);
      calls.push(ledger.order('A').then((order) => void seen.push(order?.version)));
    });
    await ledger.openPayment(payment({ orderId: 'B' }), LIMITS);
    assert.equal(calls.length, 0);
    await openPending(ledger);
    await Promise.all(calls);
    assert.deepEqual(seen, received, 'each call reads the committed version, and receives it');
    unwatch();
    await ledger.observe('A', verified('succeeded'));
    assert.equal(calls.length, 2);
  });

  it('watch() does not call back if a call was refused or changed nothing', async (t) => {
    const { ledger } = await setUp(t);
    const id = await openPending(ledger);
    let calls = 0;
    t.after(ledger.watch('A', () => void (calls += 1)));
    await refusal(ledger.openPayment(payment({ currency: 'USD' }), LIMITS));
    await ledger.observe(id, verified('pending'));
    await ledger.openPayout(PAYOUT);
    assert.equal(calls, 0);
  });

  it('several watchers of an order are independent of each other', async (t) => {
    const { ledger } = await setUp(t);
    const calls = [0, 0];
    const first = ledger.watch('A', () => void (calls[0]! += 1));
    t.after(ledger.watch('A', () => void (calls[1]! += 1)));
    await openSent(ledger);
    first();
    first();
    await ledger.record('A', PENDING);
    assert.deepEqual(calls, [1, 2]);
  });

  it('watch() calls back for a commit of another process, whenever the watching began', async (t) => {
    const { ledger, open, now } = await setUp(t);
    const other = await open(now);
    const changed = Promise.withResolvers<void>();
    t.after(ledger.watch('A', () => changed.resolve()));
    await other.openPayment(payment(), LIMITS);
    await changed.promise;
    const version = (await ledger.order('A'))?.version;
    const again = Promise.withResolvers<void>();
    t.after(ledger.watch('A', (reported) => void (reported !== version && again.resolve())));
    await other.record('A', PENDING);
    await again.promise;
    assert.equal((await ledger.order('A'))?.payments[0]?.stage, 'pending');
  });
}
