// The lists of transactions, webhooks and IPNs: their order, pages and filters; and a webhook that does not exist.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { NOON } from '../time.ts';
import { createWorld } from '../world.ts';
import { createSome } from './merchant-kit.ts';

describe('GET /transactions', () => {
  interface List {
    transactions: { orderId: string; type: string; status: string; updatedAt: string }[];
    nextCursor: string | null;
  }
  const ids = ({ transactions }: List) => transactions.map(({ orderId }) => orderId);

  it('GET /transactions lists payments and payouts, oldest change first', async (t) => {
    const world = await createSome(t);
    const { body } = await world.merchant<List>('GET', '/transactions');
    assert.deepEqual(ids(body).toSorted(), ['=A-3', 'A-1', 'A-2', 'P-1']);
    assert.equal(ids(body)[0], '=A-3');
    const times = body.transactions.map(({ updatedAt }) => updatedAt);
    assert.deepEqual(times, times.toSorted());
    assert.equal(body.nextCursor, null);
  });

  it('GET /transactions filters by time, status and type', async (t) => {
    const world = await createSome(t);
    const list = async (query: string) =>
      ids((await world.merchant<List>('GET', `/transactions?${query}`)).body).toSorted();
    assert.deepEqual(await list('status=SUCCESS'), ['A-1', 'P-1']);
    assert.deepEqual(await list('status=FAILED'), ['A-2']);
    assert.deepEqual(await list('status=PROCESSING&type=PAY'), ['=A-3']);
    assert.deepEqual(await list('type=PAYOUT'), ['P-1']);
    const [oldest] = (await world.merchant<List>('GET', '/transactions')).body.transactions;
    const since = Date.parse(oldest?.updatedAt ?? '');
    const later = new Date(since + 1).toISOString();
    assert.deepEqual(await list(`updatedSince=${new Date(since).toISOString()}`), ['=A-3', 'A-1', 'A-2', 'P-1']);
    assert.deepEqual(await list(`updatedSince=${later}`), ['A-1', 'A-2', 'P-1']);
    assert.deepEqual(await list(`updatedSince=${later.replace('T12', 'T13').replace('Z', '%2B01:00')}`), ['A-1', 'A-2', 'P-1']); // prettier-ignore
  });

  it('GET /transactions refuses unknown parameters and values', async (t) => {
    const world = await createWorld(t);
    for (const query of [
      'since=2026-11-20',
      'status=PAID',
      'type=CHARGE',
      'limit=0',
      'limit=201',
      'limit=x',
      'limit=1.5',
      'limit=',
      'updatedSince=yesterday',
      'updatedSince=2026-11-20',
      'cursor=x',
      'cursor=1',
      'cursor=1~%00',
      `cursor=1~${'x'.repeat(101)}`,
      'limit=1&limit=2',
      'a',
    ]) {
      assert.equal((await world.merchant('GET', `/transactions?${query}`)).status, 400, query);
    }
    for (const query of ['state=alive', 'limit=201', 'offset=1']) {
      assert.equal((await world.merchant('GET', `/webhooks?${query}`)).status, 400, query);
    }
    assert.equal((await world.merchant('GET', '/transactions?limit=200')).status, 200);
  });
});

describe('GET /webhooks', () => {
  it('GET /webhooks lists webhooks, newest first, up to the limit', async (t) => {
    const world = await createWorld(t);
    let declinedAt = 0;
    for (const orderId of ['A-1', 'A-2', 'A-3']) {
      await world.start(world.token({ orderId }), { method: 'QR' });
      await world.settleAfter('decline', orderId);
      declinedAt = world.now();
      world.skip(1000);
    }
    interface List {
      webhooks: { orderId: string; type: string; nextAttemptAt: string }[];
    }
    const { body } = await world.merchant<List>('GET', '/webhooks?state=pending&limit=2');
    const types = body.webhooks.map(({ orderId, type }) => [orderId, type]);
    assert.deepEqual(types, [
      ['A-3', 'payment.failed'],
      ['A-2', 'payment.failed'],
    ]);
    assert.equal(body.webhooks[0]?.nextAttemptAt, new Date(declinedAt).toISOString());
  });

  it('GET /webhooks/:id answers one webhook with the bytes that are sent', async (t) => {
    const world = await createWorld(t);
    await world.start(world.token(), { method: 'QR' });
    await world.settleAfter('decline', 'A-1');
    const { body: list } = await world.merchant<{ webhooks: { id: string }[] }>('GET', '/webhooks');
    const [listed] = list.webhooks;
    const { body } = await world.merchant<{ body: string }>('GET', `/webhooks/${listed?.id}`);
    const { body: sent, ...rest } = body;
    assert.deepEqual(rest, listed);
    assert.equal((JSON.parse(sent) as { type: string }).type, 'payment.failed');
    assert.equal((await world.merchant('GET', '/webhooks/msg_nothing')).status, 404);
    assert.equal((await world.merchant('GET', '/webhooks/a%20b')).status, 400);
  });

  it('a webhook that does not exist cannot be sent again', async (t) => {
    const world = await createWorld(t);
    assert.equal((await world.merchant('POST', '/webhooks/msg_nothing/redeliver')).status, 404);
    assert.equal((await world.merchant('POST', '/webhooks/a%20b/redeliver')).status, 400);
  });
});

it('GET /ipns lists unmatched IPNs with their content, newest first', async (t) => {
  const world = await createWorld(t);
  await world.ipn({ orderId: 'X-1', type: 'PAY', paymentId: 7, amount: 10.1, currency: 'EUR', status: 'SUCCESS' });
  world.skip(1000);
  await world.ipn({ orderId: 'X-2', type: 'PAYOUT' });
  await world.start(world.token(), { method: 'QR' });
  await world.ipn({ orderId: 'A-1', type: 'PAY' });
  const { body } = await world.merchant<{ ipns: { gatewayOrderId: string; firstAt: string }[] }>('GET', '/ipns');
  const none = { paymentId: null, amount: null, currency: null, status: null };
  const [first, second] = [new Date(NOON).toISOString(), new Date(NOON + 1000).toISOString()];
  assert.deepEqual(body.ipns, [
    { gatewayOrderId: 'X-2', type: 'PAYOUT', ...none, seen: 1, firstAt: second, lastAt: second },
    {
      gatewayOrderId: 'X-1',
      type: 'PAY',
      paymentId: '7',
      amount: '10.1',
      currency: 'EUR',
      status: 'SUCCESS',
      seen: 1,
      firstAt: first,
      lastAt: first,
    },
  ]);
});
