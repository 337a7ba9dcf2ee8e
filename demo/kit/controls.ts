// The controls over HTTP, for every language: those that need more than the gateway. The sandbox has the others.
import type { Hono } from 'hono';
import { PaymentProxyError } from '../../backend-proxy/client.ts';
import { METHODS, type OrderView } from '../../backend-proxy/protocol/wire.ts';
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

const DOES: readonly string[] = ['approve', 'decline', 'nothing'];

export function serveControls(gateway: Hono, world: Controlled): void {
  const refuse = (error: unknown) => {
    const { message, code = 'INVALID_REQUEST' } = error as Error & { code?: string };
    return Response.json({ code, message, errors: [] }, { status: error instanceof PaymentProxyError ? 409 : 400 });
  };
  const methods: readonly string[] = METHODS;
  gateway.post('/_sandbox/clock', async (c) => {
    const { advanceMs } = await c.req.json<{ advanceMs: number }>().catch(() => ({ advanceMs: NaN }));
    return world.advance(advanceMs).then((now) => Response.json({ now }), refuse);
  });
  gateway.post('/_sandbox/shopper', async (c) => {
    const shopping: Partial<Shopping> = await c.req.json<Shopping>().catch(() => ({}));
    const { token, method = '', does = '' } = shopping;
    if (typeof token !== 'string' || !methods.includes(method) || !DOES.includes(does)) {
      return refuse(new Error(`{"token", "method": one of ${METHODS.join(', ')}, "does": one of ${DOES.join(', ')}}`));
    }
    return world.shop(shopping as Shopping).then((view) => Response.json(view), refuse);
  });
  gateway.get('/_sandbox/journal', () => Response.json({ journal: world.journal.entries }));
  gateway.get('/_sandbox/webhooks', () => Response.json({ webhooks: world.webhooks.all }));
  gateway.post('/_sandbox/reset', async () => {
    await world.reset();
    return Response.json({ reset: true });
  });
}
