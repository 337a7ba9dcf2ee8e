// The operator's page: plain HTML with forms and no script, on a listener of its own. It reads and changes only through
// the ledger's methods, as the merchant API does, so that there is one truth.
import { Hono, type Context } from 'hono';
import { Refusal, REFUSALS, describeError } from '../errors.ts';
import type { Expected, Ledger, Resolution } from '../ledger/ledger.ts';
import { ChangedMeanwhile } from '../ledger/rules/resolutions.ts';
import type { Log } from '../protocol/log.ts';
import { limitBody } from '../http/body-limit.ts';
import { createSecretCheck } from '../http/guards.ts';
import { toRefusal } from '../http/problem.ts';
import { resolutionSchema } from '../routes/merchant-schemas.ts';
import { adminHeaders, endSession, isLoopback, readForm, sameOriginOnly, sessionOnly, writeSession } from './guard.ts';
import { healthPage } from './health-page.ts';
import { ipnsPage } from './ipns-page.ts';
import { loginPage, page, refusalPage, type Section } from './layout.ts';
import { createLoginLimit } from './login-limit.ts';
import { overview } from './overview.ts';
import { createSessions } from './session.ts';
import type { Html } from './shown.ts';
import { ICON, STYLE } from './style.ts';
import { confirmationPage, transactionPage, type ResolutionForm } from './transaction-page.ts';
import { linkTo } from './transaction-table.ts';
import { queryOf, transactionsPage } from './transactions-page.ts';
import { isState, webhookPage, webhooksPage } from './webhooks-page.ts';

/** Items on the overview; a page lists all of them. */
const MAX_SHOWN = 10;
const PAGE_SIZE = 50;

export interface AdminParts {
  ledger: Ledger;
  token: string;
  version: string;
  /** Whether a WEBHOOK_URL is set. */
  sendsWebhooks: boolean;
  /** Called when something is due to be sent. */
  onDue(): void;
  /** What an operator should fix, without secrets. */
  warnings(): Promise<string[]>;
  now?: () => number;
  log?: Log;
}

export function createAdmin(parts: AdminParts): Hono {
  const { ledger, token, version, sendsWebhooks, onDue, warnings, now = Date.now, log = () => undefined } = parts;
  const sessions = createSessions(token, now);
  const limit = createLoginLimit(now);
  const isToken = createSecretCheck([token]);
  const app = new Hono();

  app.use(adminHeaders);
  app.use(limitBody);
  app.use(sameOriginOnly);
  app.get('/', (c) => c.redirect('/admin', 303));
  app.get('/admin/style.css', (c) => c.body(STYLE, 200, { 'Content-Type': 'text/css; charset=utf-8' }));
  app.get('/admin/icon.svg', (c) => c.body(ICON, 200, { 'Content-Type': 'image/svg+xml' }));

  app.get('/admin/login', (c) => c.html(loginPage(undefined, isLoopback(c))));
  app.post('/admin/login', async (c) => {
    const address = addressOf(c);
    // The body is read first: nothing is awaited between checking the limit and counting, so that parallel tries count.
    const given = await field(c, 'token').catch((error: unknown) => {
      if (error instanceof Refusal) return error;
      throw error;
    });
    if (limit.isReached(address)) {
      return c.html(loginPage('Too many attempts. Wait ten minutes.', isLoopback(c)), 429);
    }
    if (typeof given !== 'string' || !isToken(given)) {
      limit.fail(address);
      log('warn', 'operator sign-in refused', { address });
      if (typeof given !== 'string') throw given;
      return c.html(loginPage('This is not the token.', isLoopback(c)), 401);
    }
    writeSession(c, sessions, sessions.begin());
    log('info', 'operator signed in', { address });
    return c.redirect('/admin', 303);
  });

  app.use('/admin', sessionOnly(sessions));
  app.use('/admin/*', sessionOnly(sessions));
  app.post('/admin/logout', (c) => {
    sessions.end(c.get('session'));
    endSession(c);
    return c.redirect('/admin/login', 303);
  });

  const show = (c: Context, section: Section, title: string, body: Html, code: 200 | 400 | 409 = 200) => {
    const form = sessions.formToken(c.get('session'));
    writeSession(c, sessions, c.get('session'));
    return c.html(page({ title, section, body, form, done: c.req.query('done') }), code);
  };
  const formOf = (c: Context) => sessions.formToken(c.get('session'));

  app.get('/admin', async (c) => {
    const [counts, reviews, dead, found, problem] = await Promise.all([
      ledger.counts(),
      ledger.transactions({ sort: '-createdAt', needsReview: true, limit: MAX_SHOWN }),
      ledger.webhooks('dead', MAX_SHOWN),
      warnings(),
      problemOf(ledger),
    ]);
    const body = overview({ counts, reviews: reviews.transactions, dead, problem, warnings: found, now: now() });
    return show(c, '', 'Overview', body);
  });

  app.get('/admin/transactions', async (c) => {
    const filters = c.req.query();
    const query = queryOf(filters);
    const found = typeof query === 'string' ? query : await ledger.transactions(query);
    return show(
      c,
      'transactions',
      'Transactions',
      transactionsPage(filters, found),
      typeof query === 'string' ? 400 : 200,
    );
  });

  async function read(c: Context) {
    const transaction = await ledger.transaction(c.req.param('id') ?? '');
    if (transaction === undefined) throw new Refusal('not_found', 'There is no such transaction.');
    const all = await ledger.webhooks(undefined, PAGE_SIZE, { orderId: transaction.orderId });
    return { transaction, webhooks: all.filter(({ transactionId }) => transactionId === transaction.id) };
  }
  const showTransaction = async (c: Context, code: 200 | 400 | 409, resolution?: ResolutionForm) => {
    const found = await read(c);
    const body = transactionPage({ ...found, form: formOf(c), ...(resolution && { resolution }) });
    return show(c, 'transactions', found.transaction.orderId, body, code);
  };
  app.get('/admin/transactions/:id', (c) => showTransaction(c, 200));

  const showConfirmation = async (c: Context, id: string, resolution: Resolution, hasChanged: boolean) => {
    const preview = await ledger.preview(id, resolution);
    if (preview === undefined) throw new Refusal('not_found', 'There is no such transaction.');
    const shown = { preview, resolution, hasChanged, form: formOf(c), sendsWebhooks };
    return show(
      c,
      'transactions',
      `Resolve ${preview.transaction.orderId}?`,
      confirmationPage(shown),
      hasChanged ? 409 : 200,
    );
  };
  app.post('/admin/transactions/:id/resolve', async (c) => {
    const [status, by, note] = [await field(c, 'status'), await field(c, 'by'), await field(c, 'note')];
    const { transaction } = await read(c);
    const isAsShown = (await field(c, 'version')) === String(transaction.version);
    if (!isAsShown)
      throw new Refusal('no_review_needed', 'It has changed since you looked. Reload the page and decide again.');
    const parsed = resolutionSchema.safeParse({ status, by: by.trim(), note: note.trim() });
    if (!parsed.success) {
      const refused = Object.fromEntries(parsed.error.issues.map(({ path, message }) => [path.join('.'), message]));
      return showTransaction(c, 400, { status, by, note, refused });
    }
    const resolution = parsed.data;
    if ((await field(c, 'confirmed')) !== 'yes') return showConfirmation(c, transaction.id, resolution, false);
    const expected: Expected = { version: transaction.version, paidBy: (await field(c, 'paidBy')) || null };
    try {
      await ledger.resolve(transaction.id, resolution, expected);
    } catch (error) {
      if (!(error instanceof ChangedMeanwhile)) throw error;
      return showConfirmation(c, transaction.id, resolution, true);
    }
    onDue();
    log('info', 'operator resolved', { transaction: transaction.id, status: resolution.status });
    return c.redirect(`${linkTo(transaction)}?done=resolved`, 303);
  });

  app.get('/admin/webhooks', async (c) => {
    const { state: asked, cursor = '' } = c.req.query();
    const state = isState(asked) ? asked : 'dead';
    const [, at, id = ''] = /^([0-9]{1,15})~([!-~]{1,100})$/.exec(cursor) ?? [];
    const olderThan = at === undefined ? undefined : { createdAt: Number(at), id };
    const found = await ledger.webhooks(state, PAGE_SIZE + 1, { olderThan });
    const webhooks = found.slice(0, PAGE_SIZE);
    const last = webhooks.at(-1);
    const nextCursor = found.length > PAGE_SIZE && last !== undefined ? `${last.createdAt}~${last.id}` : null;
    return show(c, 'webhooks', 'Webhooks', webhooksPage({ state, webhooks, nextCursor, form: formOf(c) }));
  });
  app.get('/admin/webhooks/:id', async (c) => {
    const webhook = await ledger.webhook(c.req.param('id'));
    if (webhook === undefined) throw new Refusal('not_found', 'There is no such webhook.');
    return show(c, 'webhooks', webhook.type, webhookPage(webhook, formOf(c)));
  });
  app.post('/admin/webhooks/:id/redeliver', async (c) => {
    const webhook = await ledger.redeliver(c.req.param('id'));
    if (webhook === undefined) throw new Refusal('not_found', 'There is no such webhook.');
    onDue();
    log('info', 'operator redelivered', { webhook: webhook.id });
    return c.redirect(`/admin/webhooks/${webhook.id}?done=redelivered`, 303);
  });

  app.get('/admin/ipns', async (c) => show(c, 'ipns', 'IPNs', ipnsPage(await ledger.unmatchedIpns(200))));

  app.get('/admin/health', async (c) => {
    const problem = await problemOf(ledger);
    const counts = await ledger.counts().catch(() => undefined);
    const found = await warnings().catch(() => []);
    return show(c, 'health', 'Health', healthPage({ problem, warnings: found, counts, version }));
  });

  app.notFound((c) => c.html(refusalPage('Not found', 'There is no such page.'), 404));
  app.onError((error, c) => {
    const refusal = toRefusal(error);
    const { status, title } = REFUSALS[refusal.kind];
    if (refusal.cause !== undefined) log('error', 'operator page failed', { error: describeError(refusal.cause) });
    return c.html(refusalPage(title, refusal.message), status);
  });
  return app;
}

/** Why the proxy cannot serve, or undefined. */
async function problemOf(ledger: Ledger): Promise<string | undefined> {
  try {
    await ledger.ping();
  } catch {
    return 'The database cannot be written.';
  }
  const difference = ledger.ownerMismatch();
  return difference === undefined ? undefined : `No payments are started: ${difference}.`;
}

/** A field of the submitted form. */
async function field(c: Context, name: string): Promise<string> {
  const value = (await readForm(c))[name];
  return typeof value === 'string' ? value : '';
}

/** Behind a reverse proxy all callers share its address. */
function addressOf(c: Context): string {
  const env = c.env as { incoming?: { socket?: { remoteAddress?: string } } } | undefined;
  return env?.incoming?.socket?.remoteAddress ?? 'unknown';
}
