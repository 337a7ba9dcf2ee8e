// An order's metadata: where the merchant sees it, and that nobody else does.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { parse } from 'csv-parse/sync';
import type { Problem } from '../../../backend-proxy/protocol/wire.ts';
import { SECRETS, createWorld, type World } from '../world.ts';
import { open } from './events-kit.ts';
import { ORDER } from './merchant-kit.ts';

/** Not written as an object, in which the first key would be no key. */
const TEXT = String.raw`{"__proto__":"canary","invoice":"=1+1; \"R,17\" 🙂","basket":""}`;
const METADATA = JSON.parse(TEXT) as unknown;
const WAYS = { DIRECT: 'WALLET', CHECKOUT: null, JETGO: 'no', QR: 'JETGO' };
const PAYER = '23456789';

interface WithMetadata {
  metadata: unknown;
}

/** A-1 is paid by its second payment, whose token had other metadata, and sent back in part. */
async function payAndRefund(world: World): Promise<void> {
  const { body } = await world.merchant<{ token: string }>('POST', '/orders', { ...ORDER, metadata: METADATA });
  await world.start(body.token, { method: 'QR' });
  await world.start(world.token({ metadata: { invoice: 'later' } }), { method: 'JETGO' });
  await world.start(world.token(), { method: 'QR' });
  await world.settleAfter('approve', 'A-1-3', PAYER);
  const refunded = await world.merchant('POST', '/orders/A-1/refunds', { amount: 4 }, 'return-1');
  assert.equal(refunded.status, 202);
  await world.settleAfter('approve', 'A-1-3-r1');
}

const metadataOf = (answers: readonly WithMetadata[]) => answers.map(({ metadata }) => JSON.stringify(metadata));

it("an order's metadata is in the order, its payments and refunds, lists, CSV and webhooks", async (t) => {
  const world = await createWorld(t, { webhooks: true, profile: { refundAs: WAYS } });
  await payAndRefund(world);
  const { body: order } = await world.merchant<WithMetadata & { payments: WithMetadata[]; refunds: WithMetadata[] }>(
    'GET',
    '/orders/A-1',
  );
  assert.deepEqual(metadataOf([order, ...order.payments, ...order.refunds]), Array(5).fill(TEXT));
  const { body: list } = await world.merchant<{ transactions: WithMetadata[] }>('GET', '/transactions');
  assert.deepEqual(metadataOf(list.transactions), Array(4).fill(TEXT));
  const { body: one } = await world.merchant<WithMetadata>('GET', '/transactions/A-1-3-r1');
  assert.deepEqual(metadataOf([one]), [TEXT]);
  const headers = { Authorization: `Bearer ${SECRETS.merchant}`, Accept: 'text/csv' };
  const csv = await (await world.request('GET', '/transactions', { headers })).text();
  const rows = parse(csv, { columns: true }) as Record<string, string>[];
  assert.deepEqual(
    rows.map((row) => JSON.stringify(JSON.parse(row['metadata'] ?? ''))),
    Array(4).fill(TEXT),
  );
  assert.doesNotMatch(csv, /;/, 'some spreadsheets split even a quoted cell at semicolons, before a formula');
  const webhooks = world.receiver.received.map(({ payload }) => payload.data as unknown as WithMetadata);
  assert.ok(webhooks.length >= 2, String(webhooks.length));
  assert.deepEqual(new Set(metadataOf(webhooks)), new Set([TEXT]));
});

it("no shopper's view or stream, call of the gateway, log or metric has an order's metadata", async (t) => {
  const seen: unknown[] = [];
  const world = await createWorld(t, {
    webhooks: true,
    profile: { refundAs: WAYS },
    wrapGateway: (gateway) => ({
      ...gateway,
      pay: (collection) => (seen.push(collection), gateway.pay(collection)),
      payout: (payout) => (seen.push(payout), gateway.payout(payout)),
    }),
  });
  const metadata = { canary: 'canary' };
  const token = world.token({ metadata });
  seen.push(await world.view(token));
  const stream = await open(world, token);
  seen.push(await stream.view());
  const started = await world.start(token, { method: 'QR' });
  seen.push(started.body, await stream.view());
  seen.push((await world.refused(token, { method: 'DIRECT' })).body);
  await world.settleAfter('approve', 'A-1', PAYER);
  seen.push(await stream.view(), await world.view(token));
  await stream.cancel();
  for (const wrong of [{ 'canary key': 'x' }, { canary: 7 }, 'canary', { Canary: 'canary' }]) {
    const { body } = await world.refused(world.token({ metadata: wrong }), { method: 'QR' });
    assert.deepEqual([body.code, body.errors?.[0]?.field], ['invalid_token', 'metadata']);
    seen.push(body);
  }
  const { status, body } = await world.merchant<Problem>('POST', '/orders', { ...ORDER, metadata: { canary: 7 } });
  assert.deepEqual([status, body.errors?.map(({ field }) => field)], [400, ['metadata']]);
  seen.push(body, world.log, await world.metrics());
  assert.ok(world.log.length > 5 && seen.length > 12);
  assert.doesNotMatch(JSON.stringify(seen), /canary/i);
});
