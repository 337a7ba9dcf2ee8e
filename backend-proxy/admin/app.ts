// The operator's page: plain HTML with forms and no script, on a listener of its own. It reads and changes only through
// the ledger's methods, as the merchant API does, so that there is one truth.
import { Hono } from 'hono';
import { REFUSALS, describeError } from '../errors.ts';
import { limitBody } from '../http/body-limit.ts';
import { toRefusal } from '../http/problem.ts';
import { createFrame, type AdminParts, type Frame } from './frame.ts';
import { adminHeaders, sameOriginOnly } from './guard.ts';
import { healthPage } from './health-page.ts';
import { ipnsPage } from './ipns-page.ts';
import { refusalPage } from './layout.ts';
import { loginRoutes } from './login.ts';
import { overview, titleOf, type ToSendBack } from './overview.ts';
import { leftOfPayment } from './refund-page.ts';
import { createSessions } from './session.ts';
import { ICON, STYLE } from './style.ts';
import { transactionRoutes } from './transaction-routes.ts';
import { webhookRoutes } from './webhook-routes.ts';

/** Items on the overview; a page lists all of them. */
const MAX_SHOWN = 10;
/** There is no other list of what has to be sent back. */
const MAX_TO_SEND_BACK = 50;
const MAX_IPNS = 200;

export function createAdmin(parts: AdminParts): Hono {
  const { token, now = Date.now, log = () => undefined } = parts;
  const sessions = createSessions(now);
  const frame = createFrame(sessions);
  const app = new Hono();
  app.use(adminHeaders);
  app.use(limitBody);
  app.use(sameOriginOnly);
  app.get('/', (c) => c.redirect('/admin', 303));
  app.get('/admin/style.css', (c) => c.body(STYLE, 200, { 'Content-Type': 'text/css; charset=utf-8' }));
  app.get('/admin/icon.svg', (c) => c.body(ICON, 200, { 'Content-Type': 'image/svg+xml' }));
  loginRoutes(app, { sessions, token, now, log });
  overviewRoutes(app, parts, frame);
  transactionRoutes(app, parts, frame);
  webhookRoutes(app, parts, frame);
  app.notFound((c) => c.html(refusalPage('Not found', 'There is no such page.'), 404));
  app.onError((error, c) => {
    const refusal = toRefusal(error);
    const { status } = refusal;
    const { title } = REFUSALS[refusal.kind];
    if (refusal.cause !== undefined) log('error', 'operator page failed', { error: describeError(refusal.cause) });
    return c.html(refusalPage(title, refusal.message), status);
  });
  return app;
}

/** The overview, the IPNs without a transaction, and the health of the proxy. */
function overviewRoutes(app: Hono, parts: AdminParts, frame: Frame): void {
  const { ledger, version, readiness, refundRules, now = Date.now } = parts;

  /** Those of which something can be sent. */
  async function toSendBack(): Promise<ToSendBack[]> {
    const payments = await ledger.toSendBack(MAX_TO_SEND_BACK);
    const found = payments.map(async (payment) => {
      const { order, now: at } = await ledger.orderAt(payment.orderId);
      if (order === undefined) return [];
      const { left, sendable } = leftOfPayment(payment, order, refundRules, at);
      return sendable > 0 ? [{ payment, left }] : [];
    });
    return (await Promise.all(found)).flat();
  }

  app.get('/admin', async (c) => {
    const [counts, owed, reviews, { webhooks: dead }, { refusal, warnings }] = await Promise.all([
      ledger.counts(),
      toSendBack(),
      ledger.transactions({ sort: '-createdAt', needsReview: true, limit: MAX_SHOWN }),
      ledger.webhooks('dead', MAX_SHOWN),
      readiness(),
    ]);
    const problem = refusal?.message;
    const shown = {
      counts,
      owed,
      reviews: reviews.transactions,
      dead,
      problem,
      warnings,
      now: now(),
      form: frame.formToken(c),
    };
    return frame.show(c, '', titleOf(shown), overview(shown));
  });

  app.get('/admin/ipns', async (c) => frame.show(c, 'ipns', 'IPNs', ipnsPage(await ledger.unmatchedIpns(MAX_IPNS))));

  app.get('/admin/health', async (c) => {
    const { refusal, warnings } = await readiness();
    const counts = await ledger.counts().catch(() => undefined);
    return frame.show(c, 'health', 'Health', healthPage({ problem: refusal?.message, warnings, counts, version }));
  });
}
