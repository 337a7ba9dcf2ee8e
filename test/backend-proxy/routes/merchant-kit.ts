// What the merchant's tests share: the bodies of a payout and of an order, some transactions, and reading all pages.
import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { S } from '../time.ts';
import { SHOP, createWorld, type World, type WorldOptions } from '../world.ts';

export const PAYOUT = { orderId: 'P-1', amount: 50, currency: 'EUR', customer: '12345678', note: 'Thank you' };
export const ORDER = { orderId: 'A-1', amount: '10.10', currency: 'EUR', returnUrl: `${SHOP}/thanks` };

/** A second apart: A-1 paid, A-2 declined, =A-3 open, then a payout. */
export async function createSome(t: TestContext, options: WorldOptions = {}): Promise<World> {
  const world = await createWorld(t, { webhooks: true, ...options });
  for (const orderId of ['A-1', 'A-2', '=A-3']) {
    await world.start(world.token({ orderId }), { method: 'QR' });
    world.skip(S);
  }
  await world.merchant('POST', '/payouts', { ...PAYOUT, note: 'Thank you, "Ada"' });
  world.skip(S);
  await world.customer('approve', 'A-1');
  await world.settleAfter('decline', 'A-2');
  return world;
}

/** The rows of all pages of a list, none of which is longer than the limit. */
export async function allPages<Row>(world: World, list: string, limit: number, query = ''): Promise<Row[]> {
  const rows: Row[] = [];
  for (let more = query; ;) {
    const { body } = await world.merchant<Record<string, Row[]> & { nextCursor: string | null }>(
      'GET',
      `/${list}?limit=${limit}${more}`,
    );
    const page = body[list] ?? [];
    assert.ok(page.length <= limit);
    rows.push(...page);
    if (body.nextCursor === null) return rows;
    more = `${query}&cursor=${encodeURIComponent(body.nextCursor)}`;
  }
}
