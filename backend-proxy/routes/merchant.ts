// Routes for the merchant's server, each resource in a file of its own. Browsers are refused.
import type { OpenAPIHono } from '@hono/zod-openapi';
import type { Ledger } from '../ledger/ledger.ts';
import type { OrderTokens } from '../orders/order-token.ts';
import type { Closings } from '../closing.ts';
import type { Payouts } from '../payouts.ts';
import type { RefundRules } from '../protocol/refundable.ts';
import type { Refunds } from '../refunds.ts';
import { merchantOnly } from '../http/guards.ts';
import type { MerchantKey } from '../protocol/merchant-key.ts';
import type { Exports } from './exports.ts';
import { serveOrders } from './orders.ts';
import { servePayouts } from './payouts.ts';
import { serveRefunds } from './refunds.ts';
import { serveReviews } from './reviews.ts';
import { serveTransactions } from './transactions.ts';
import { serveWebhooks } from './webhooks.ts';

interface Deps {
  keys: readonly MerchantKey[];
  publicUrl: string | undefined;
  tokens: OrderTokens;
  payouts: Payouts;
  refunds: Refunds;
  refundRules: RefundRules;
  closings: Closings;
  ledger: Ledger;
  /** Whether there is a WEBHOOK_URL. */
  sendsWebhooks: boolean;
  exports: Exports;
  /** Called when something is due to be sent, after a redelivery or a resolution. */
  onDue(): void;
}

export function serveMerchant(app: OpenAPIHono, deps: Deps): void {
  const { keys, payouts, refunds, ledger, onDue } = deps;
  for (const path of ['/orders', '/payouts', '/transactions', '/ipns', '/webhooks']) {
    // Also the path itself.
    app.use(`${path}/*`, merchantOnly(keys));
  }
  serveOrders(app, deps);
  servePayouts(app, payouts);
  serveRefunds(app, refunds);
  serveTransactions(app, deps);
  serveReviews(app, ledger, onDue);
  serveWebhooks(app, ledger, onDue);
}
