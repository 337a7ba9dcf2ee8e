// Routes for the merchant's server, each resource in a file of its own. Browsers are refused.
import { OpenAPIHono } from '@hono/zod-openapi';
import type { Ledger } from '../ledger/ledger.ts';
import type { OrderTokens } from '../orders/order-token.ts';
import type { Payouts } from '../payouts.ts';
import { createTotals } from '../reports/totals.ts';
import { merchantOnly } from '../http/guards.ts';
import type { Exports } from './exports.ts';
import { merchantOrderRoutes } from './orders.ts';
import { payoutRoutes } from './payouts.ts';
import { reviewRoutes } from './reviews.ts';
import { totalsRoutes } from './totals.ts';
import { transactionRoutes } from './transactions.ts';
import { webhookRoutes } from './webhooks.ts';

interface Deps {
  keys: readonly string[];
  allowedOrigins: readonly string[];
  tokens: OrderTokens;
  payouts: Payouts;
  ledger: Ledger;
  /** Whether there is a WEBHOOK_URL. */
  sendsWebhooks: boolean;
  exports: Exports;
  /** Called when something is due to be sent, after a redelivery or a resolution. */
  onDue(): void;
}

export function merchantRoutes(deps: Deps): OpenAPIHono {
  const { keys, payouts, ledger, onDue } = deps;
  const app = new OpenAPIHono();
  for (const path of ['/orders', '/payouts', '/transactions', '/totals', '/ipns', '/webhooks']) {
    app.use(path, merchantOnly(keys)).use(`${path}/*`, merchantOnly(keys));
  }
  app.route('/', merchantOrderRoutes(deps));
  app.route('/', payoutRoutes(payouts));
  app.route('/', transactionRoutes(deps));
  app.route('/', totalsRoutes(createTotals(ledger)));
  app.route('/', reviewRoutes(ledger, onDue));
  app.route('/', webhookRoutes(ledger, onDue));
  return app;
}
