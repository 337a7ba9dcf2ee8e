// The controls over HTTP, for every language: those that need more than the gateway. The sandbox serves them beside
// its own.
import { Hono } from 'hono';
import { z } from 'zod';
import { PaymentProxyError } from '../../backend-proxy/client.ts';
import { METHODS, type OrderView } from '../../backend-proxy/protocol/wire.ts';
import { ClockBody, read } from '../sandbox/controls.ts';
import { only, Refusal } from '../sandbox/refusal.ts';
import type { Journal } from './journal.ts';
import type { Shopping } from './shopping.ts';
import type { WebhookInbox } from './webhook-inbox.ts';

interface Controlled {
  advance(ms: number): Promise<string>;
  shop(shopping: Shopping): Promise<OrderView>;
  reset(): Promise<void>;
  journal: Journal;
  webhooks: WebhookInbox;
}

const ShopperBody = only({
  token: z.string(),
  method: z.enum(METHODS),
  customer: z.string().optional(),
  amount: z.string().optional(),
  does: z.enum(['approve', 'decline', 'nothing']),
});

export function createWorldControls(world: Controlled): Hono {
  const controls = new Hono();
  controls.post('/clock', async (c) => c.json({ now: await world.advance((await read(c, ClockBody)).advanceMs) }));
  controls.post('/shopper', async (c) => c.json(await world.shop(await read(c, ShopperBody)).catch(refuse)));
  controls.get('/journal', (c) => c.json({ journal: world.journal.entries }));
  controls.get('/webhooks', (c) => c.json({ webhooks: world.webhooks.all }));
  controls.post('/reset', async (c) => {
    await read(c, only({}));
    await world.reset();
    return c.json({ reset: true });
  });
  return controls;
}

/** What the proxy refuses, with its status and code, and what a shopper could not do. */
function refuse(error: Error): never {
  if (error instanceof Refusal) throw error;
  const { status, code } = error instanceof PaymentProxyError ? error : { status: 409, code: 'IMPOSSIBLE' };
  throw new Refusal(status as Refusal['status'], code, error.message);
}
