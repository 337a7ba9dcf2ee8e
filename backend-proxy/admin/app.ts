// The operator's page: its routes, the webhooks on it, and signing in and out.
// It is plain HTML with forms, which works without its one script, on a listener of its own. It reads and changes only
// through the ledger's methods, as the merchant API does, so that there is one truth.
import { Hono, type Context } from 'hono';
import { REFUSALS, describeError, Refusal } from '../errors.ts';
import { limitBody, createSecretCheck } from '../http/guards.ts';
import { toRefusal } from '../http/answer.ts';
import { WEBHOOK_CURSOR } from '../ledger/queries/webhooks.ts';
import { DAY_MS } from '../protocol/durations.ts';
import type { Log, Warning } from '../protocol/log.ts';
import { backsOf, isToSendBack, leftOfPayment } from './decisions.ts';
import { FOLLOW } from './follow.ts';
import { createFrame, type AdminParts, type Frame, type Instance, loginPage } from './layout.ts';
import { isState, webhookPage, webhooksPage } from './lists.ts';
import { healthPage, ipnsPage, overview, titleOf, MAX_OWED, type Owed } from './overview.ts';
import {
  adminHeaders,
  sameOriginOnly,
  createSessions,
  endSession,
  formField,
  isLoopback,
  pageAfterLogin,
  sessionOnly,
  writeSession,
  createLoginLimit,
  type Sessions,
} from './session.ts';
import { serverClock } from './values.ts';
import { ICON, STYLE } from './style.ts';
import { transactionRoutes } from './transaction-routes.ts';

/** Items on the overview; a page lists all of them. */
const MAX_SHOWN = 10;
const MAX_LATEST = 8;
const MAX_IPNS = 200;
const PAGE_SIZE = 50;
/** As long as the shop's desk shows them. */
const FAILED_SHOWN_MS = 7 * DAY_MS;

export function createAdmin(parts: AdminParts): Hono {
  const { token, now = Date.now, log } = parts;
  const sessions = createSessions(now);
  const frame = createFrame(sessions, parts);
  const app = new Hono();
  app.use(adminHeaders);
  app.use(limitBody);
  app.use(sameOriginOnly);
  app.get('/', (c) => c.redirect('/admin', 303));
  app.get('/admin/style.css', (c) => c.body(STYLE, 200, { 'Content-Type': 'text/css; charset=utf-8' }));
  app.get('/admin/follow.js', (c) => c.body(FOLLOW, 200, { 'Content-Type': 'text/javascript; charset=utf-8' }));
  app.get('/admin/icon.svg', (c) => c.body(ICON, 200, { 'Content-Type': 'image/svg+xml' }));
  loginRoutes(app, { sessions, token, now, log, instance: parts });
  overviewRoutes(app, parts, frame);
  transactionRoutes(app, parts, frame);
  webhookRoutes(app, parts, frame);
  app.notFound((c) => frame.refuse(c, 'Not found', 'There is no such page.', 404));
  app.onError((error, c) => {
    const refusal = toRefusal(error);
    const { status } = refusal;
    const { title } = REFUSALS[refusal.kind];
    if (refusal.cause !== undefined) log('error', 'operator page failed', { error: describeError(refusal.cause) });
    return frame.refuse(c, title, refusal.message, status);
  });
  return app;
}

/** Oldest first; and of the last days, what was to go back and failed. */
async function readOwed({ ledger, refundRules, now = Date.now }: AdminParts): Promise<Owed[]> {
  const refunds = { type: 'REFUND', status: 'FAILED', createdFrom: now() - FAILED_SHOWN_MS } as const;
  const [owed, { transactions }] = await Promise.all([
    ledger.owed(MAX_OWED),
    ledger.transactions({ ...refunds, sort: '-createdAt', limit: MAX_OWED }),
  ]);
  const orderOf = new Map([...owed, ...transactions].map(({ refundOf, id, orderId }) => [refundOf ?? id, orderId]));
  const found = [...orderOf].map(async ([id, orderId]) => {
    const { order, now: at } = await ledger.orderAt(orderId);
    const payment = order?.payments.find((each) => each.id === id);
    if (order === undefined || payment === undefined) return [];
    const left = leftOfPayment(payment, order, refundRules, at);
    return isToSendBack(payment, order, left) ? [{ payment, ...left }] : [];
  });
  return (await Promise.all(found)).flat().toReversed();
}

/** The overview, the IPNs without a transaction, and the health of the proxy. */
function overviewRoutes(app: Hono, parts: AdminParts, frame: Frame): void {
  const { ledger, version, isTest, readiness, gatewaySilence, now = Date.now } = parts;
  const silent = (): Warning[] => {
    const silence = gatewaySilence();
    if (silence === undefined) return [];
    const warning = `The gateway has given no usable answer since ${serverClock.words(silence.since)}.`;
    return [{ warning, detail: silence.detail }];
  };

  app.get('/admin', async (c) => {
    const [counts, sums, latest, owed, reviews, dead, { refusal, warnings }] = await Promise.all([
      ledger.counts(),
      ledger.sums(serverClock.start(serverClock.day(now()))),
      ledger.transactions({ sort: '-createdAt', limit: MAX_LATEST }),
      readOwed(parts),
      ledger.transactions({ sort: 'createdAt', needsReview: true, limit: MAX_SHOWN }),
      ledger.webhooks('dead', MAX_SHOWN),
      readiness(),
    ]);
    const problem = refusal?.message;
    const shown = {
      counts,
      sums,
      latest: latest.transactions,
      backs: await backsOf(latest.transactions, parts),
      owed,
      reviews: reviews.transactions.filter(({ id }) => owed.every(({ payment }) => payment.id !== id)),
      dead: dead.webhooks,
      problem,
      warnings: [...silent(), ...warnings],
      now: now(),
      form: frame.formToken(c),
    };
    return frame.show(c, '', titleOf(shown), overview(shown));
  });

  app.get('/admin/ipns', async (c) => frame.show(c, 'health', 'IPNs', ipnsPage(await ledger.unmatchedIpns(MAX_IPNS))));

  app.get('/admin/health', async (c) => {
    const { refusal, warnings } = await readiness();
    const [counts, owed = []] = await Promise.all([ledger.counts(), readOwed(parts)]).catch(() => []);
    const shown = { problem: refusal?.message, warnings, silent: silent(), counts, owed, isTest, version, now: now() };
    return frame.show(c, 'health', 'Health', healthPage(shown));
  });
}

// The webhooks on the operator's page: lists by state, one with its body, and sending one again.

function webhookRoutes(app: Hono, { ledger, onDue, now = Date.now, log }: AdminParts, frame: Frame): void {
  app.get('/admin/webhooks', async (c) => {
    const { state: asked, cursor: given = '' } = c.req.query();
    const state = isState(asked) ? asked : undefined;
    const cursor = WEBHOOK_CURSOR.test(given) ? given : '';
    const page = await ledger.webhooks(state, PAGE_SIZE, cursor ? { cursor } : {});
    const shown = { ...page, state, cursor, form: frame.formToken(c), now: now() };
    return frame.show(c, 'webhooks', 'Webhooks', webhooksPage(shown));
  });
  app.get('/admin/webhooks/:id', async (c) => {
    const webhook = await ledger.webhook(c.req.param('id'));
    if (webhook === undefined) throw new Refusal('not_found', 'There is no such webhook.');
    // It is not being sent any more.
    if (c.req.query('done') && webhook.state !== 'pending') return c.redirect(`/admin/webhooks/${webhook.id}`, 303);
    const transaction = await ledger.transaction(webhook.transactionId);
    return frame.show(c, 'webhooks', webhook.type, webhookPage(webhook, frame.formToken(c), now(), transaction));
  });
  app.post('/admin/webhooks/:id/redeliver', async (c) => {
    const webhook = await ledger.redeliver(c.req.param('id'));
    if (webhook === undefined) throw new Refusal('not_found', 'There is no such webhook.');
    onDue();
    log('info', 'operator redelivered', { webhook: webhook.id });
    return frame.done(c, `/admin/webhooks/${webhook.id}`, 'redelivered');
  });
}

// Signing in and out of the operator's page.

interface Login {
  sessions: Sessions;
  token: string;
  now: () => number;
  log: Log;
  instance: Instance;
}

/** All paths below /admin that are registered later need a session. */
function loginRoutes(app: Hono, { sessions, token, now, log, instance }: Login): void {
  const limit = createLoginLimit(now);
  const isToken = createSecretCheck([token]);

  app.get('/admin/login', (c) => c.html(loginPage(undefined, isLoopback(c), instance)));
  app.post('/admin/login', async (c) => {
    const address = addressOf(c);
    // The body is read first: nothing is awaited between checking the limit and counting, so that parallel tries count.
    const given = await formField(c, 'token').catch((error: unknown) => {
      if (error instanceof Refusal) return error;
      throw error;
    });
    if (typeof given !== 'string' || !isToken(given)) {
      // The right token is never refused, or anybody could lock the operator out.
      if (limit.isReached(address)) {
        return c.html(loginPage('Too many attempts. Wait ten minutes.', isLoopback(c), instance), 429);
      }
      limit.fail(address);
      log('warn', 'operator sign-in refused', { address });
      if (typeof given !== 'string') throw given;
      const refused = given === '' ? 'Enter the token.' : 'That token is not right.';
      return c.html(loginPage(refused, isLoopback(c), instance), 401);
    }
    writeSession(c, sessions, sessions.begin());
    log('info', 'operator signed in', { address });
    return c.redirect(pageAfterLogin(c), 303);
  });

  app.use('/admin', sessionOnly(sessions));
  app.use('/admin/*', sessionOnly(sessions));
  app.post('/admin/logout', (c) => {
    sessions.end(c.get('session'));
    endSession(c);
    return c.redirect('/admin/login', 303);
  });
}

/** Behind a reverse proxy all callers share its address. */
function addressOf(c: Context): string {
  const env = c.env as { incoming?: { socket?: { remoteAddress?: string } } } | undefined;
  return env?.incoming?.socket?.remoteAddress ?? 'unknown';
}
