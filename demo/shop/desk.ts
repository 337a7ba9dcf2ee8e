// The desk of a merchant's staff: it lists the newest payments and payouts, closes unpaid orders, and sends money in two
// steps. The id is made before the first, so after a lost answer the same form can be sent again: money moves once.
import type { Context, Hono, MiddlewareHandler } from 'hono';
import { basicAuth } from 'hono/basic-auth';
import { html } from 'hono/html';
import { timingSafeEqual } from 'hono/utils/buffer';
import { PaymentProxyError, type PaymentProxy } from '../../backend-proxy/client.ts';
import { CURRENCY, formatMoney } from './catalog.ts';
import { closing, deskForm, type DeskForm } from './desk-form.ts';
import { MAX_SHOWN, deskList, deskPage, isWaiting, restOf, refundable, type Entry } from './desk-list.ts';
import { newId } from './order-store.ts';
import type { Markup, Site } from './page.ts';

const SHOWN_FOR_MS = 7 * 24 * 60 * 60 * 1000;
const MAX_READ = 1_000;
const OUT_OF_DATE = 'This form is out of date: open the payment again from the list.';
const AGAIN = 'Send it again unchanged: it is sent at most once.';

export interface StaffSettings {
  /** How browsers reach the shop; other host names are redirected here. */
  publicUrl: string;
  deskPassword?: string | undefined;
  operatorUrl?: string | undefined;
}

/** Without a password the desk opens only from this machine; undefined: nowhere. A real merchant has a sign-in here. */
export function staffOnly({ publicUrl, deskPassword }: StaffSettings): MiddlewareHandler | undefined {
  if (deskPassword !== undefined)
    return basicAuth({ realm: 'The desk', verifyUser: (_name, password) => timingSafeEqual(deskPassword, password) });
  const isLoopback = /^(localhost|.+\.localhost|127(\.\d+){3}|\[::1\])$/.test(new URL(publicUrl).hostname);
  return isLoopback ? (_c, next) => next() : undefined;
}

export function addDesk(app: Hono, proxy: PaymentProxy, site: Site, now: () => Date): void {
  const list = (doneId?: string) =>
    read(proxy, now()).then((entries) => deskList(entries, now(), doneId, site.operatorUrl), why);

  app.get('/desk', async (c) => c.html(deskPage(await list(c.req.query('done')), site)));
  app.get('/desk/list', async (c) => c.html(await list(c.req.query('done'))));
  /** The form, or the list with this id. */
  const show = (c: Context, form: DeskForm | string) =>
    typeof form === 'string'
      ? c.redirect(`/desk?done=${encodeURIComponent(form)}`, 303)
      : c.html(deskForm(form, site), form.problems === undefined ? 200 : 422);
  app.get('/desk/send', async (c) => show(c, await emptyForm(proxy, c.req.query())));
  app.post('/desk/send', async (c) => show(c, await send(proxy, await c.req.parseBody())));
  app.get('/desk/close', (c) => c.html(closing(c.req.query(), site)));
  app.post('/desk/close', async (c) => {
    const typed = await c.req.parseBody();
    const [order, payment] = [textOf(typed['order']), textOf(typed['payment'])];
    try {
      await proxy.closeOrder(order, { reason: 'by the desk' });
      return c.redirect(`/desk?done=${encodeURIComponent(payment)}`, 303);
    } catch (error) {
      if (!(error instanceof PaymentProxyError)) throw error;
      return c.html(closing({ order, payment, problem: error.message }, site), 422);
    }
  });
}

async function read(proxy: PaymentProxy, now: Date): Promise<Entry[]> {
  const from = new Date(now.getTime() - SHOWN_FOR_MS).toISOString();
  const entries: Entry[] = [];
  for await (const entry of proxy.transactions({ from, sort: '-createdAt' }))
    if (entries.push(entry) === MAX_READ) break;
  const asked = new Set(entries.filter(isWaiting).slice(0, MAX_SHOWN));
  // Only the order says whether it is closed.
  const isClosed = async ({ orderId }: Entry) => (await proxy.order(orderId).catch(() => null))?.closed === true;
  return Promise.all(entries.map(async (one) => (asked.has(one) ? { ...one, isClosed: await isClosed(one) } : one)));
}

function why(error: unknown): Markup {
  if (!(error instanceof PaymentProxyError)) throw error;
  return html`<p class="message bad" role="alert">${error.message}</p>`;
}

const payoutForm = (): DeskForm => ({ id: newId('PO'), amount: '', customer: '', note: '' });

/** Of a refund filled in with all that can be sent back; the payment's id if nothing can: the list was an old one. */
async function emptyForm(proxy: PaymentProxy, asked: Record<string, string>): Promise<DeskForm | string> {
  if (asked['order'] === undefined) return payoutForm();
  const { back, left } = await paymentOf(proxy, asked);
  const form = { id: newId('BACK'), customer: '', note: `Money back for ${back?.orderId}` };
  return back && left > 0 ? { ...form, amount: String(left / 100), back, left } : (asked['payment'] ?? '');
}

/** Asks for the order, because the list has only the last days. */
async function paymentOf(proxy: PaymentProxy, { order, payment, amount }: Record<string, unknown>) {
  const report = typeof order === 'string' && order !== '' ? await proxy.order(order).catch(() => null) : null;
  const back = report?.payments.find(({ gatewayOrderId }) => gatewayOrderId === payment);
  const refunds = report?.refunds ?? [];
  const rest = back && restOf(back, refunds, 100 * Number(amount));
  return { back, left: back === undefined ? 0 : refundable(back, refunds), rest };
}

/** The id of what the proxy accepted; else the form: its second step, or with a message about the error. */
async function send(proxy: PaymentProxy, typed: Record<string, unknown>): Promise<DeskForm | string> {
  const { back, left, rest } = await paymentOf(proxy, typed);
  const text = (name: string) => textOf(typed[name]);
  // Digits in any shape that people copy, such as "1234 5678".
  const digits = text('customer').normalize('NFKC');
  const customer = digits.replaceAll(/[\s.\p{Pd}]/gu, '');
  const form: DeskForm = { id: text('id'), amount: text('amount'), customer, note: text('note'), back, left, rest };
  const isOurs = new RegExp(`^${back === undefined ? 'PO' : 'BACK'}-[2-9A-HJ-NP-Z]{10}$`).test(form.id);
  if (!isOurs) return { ...payoutForm(), problems: { all: OUT_OF_DATE } };
  const isSending = typed['step'] === 'send';
  if (back !== undefined && left === 0 && !isSending) return back.gatewayOrderId;
  const problems = problemsIn(form, isSending);
  if (problems !== undefined) return { ...form, problems };
  if (!isSending) return { ...form, isReview: typed['step'] !== 'edit' };
  try {
    const sent = { amount: Number(form.amount), ...(form.note && { note: form.note }) };
    const accepted = await (back === undefined
      ? proxy.sendPayout({ orderId: form.id, currency: CURRENCY, customer, ...sent })
      : proxy.refund(back.orderId, { key: form.id, gatewayOrderId: back.gatewayOrderId, ...sent }));
    return accepted.gatewayOrderId;
  } catch (error) {
    if (!(error instanceof PaymentProxyError)) throw error;
    if (error.retryable) return { ...form, isReview: true, problems: { all: `${error.message} ${AGAIN}` } };
    return { ...form, id: back === undefined ? newId('PO') : form.id, problems: { all: error.message } };
  }
}

/** When it is sent again after a lost answer, less is left, so only the proxy knows whether it is too much. */
function problemsIn({ amount, customer, back, left = 0 }: DeskForm, isSending: boolean): DeskForm['problems'] {
  const most = back === undefined || isSending ? '9999999' : String(left / 100);
  const problems: DeskForm['problems'] = {};
  if (!/^[1-9]\d{0,6}$/.test(amount) || Number(amount) > Number(most))
    problems.amount = `A whole number of euros, at most ${formatMoney(most).replace('.00', '')}.`;
  if (back === undefined && !/^\d{4,20}$/.test(customer)) problems.customer = 'The 4 to 20 digits of a wallet ID.';
  return Object.keys(problems).length === 0 ? undefined : problems;
}

const textOf = (value: unknown) => (typeof value === 'string' ? value.trim() : '');
