// The desk of a merchant's staff: it lists the newest payments and payouts, closes unpaid orders, and sends money in two
// steps. The id is made before the first, so after a lost answer the same form can be sent again: money moves once.
import type { Context, Hono } from 'hono';
import { PaymentProxyError, type PaymentProxy } from '../../backend-proxy/client.ts';
import { CURRENCY, centsOf, formatMoney } from './catalog.ts';
import { alert, closing, deskForm, type DeskForm } from './desk-form.ts';
import { SHOWN, backNote, deskList, deskPage, isWaiting, type Entry } from './desk-list.ts';
import { failedBack, leftOf, refundable } from './desk-list.ts';
import { isPayout } from './fulfillment.ts';
import { newId, type OrderStore } from './order-store.ts';
import type { Site } from './page.ts';
import { boughtIn } from './shop-pages.ts';

const MAX_READ = 1_000;
type Typed = Partial<Record<string, string>>;
const AGAIN = 'Send it again unchanged: it is sent at most once.';

export function addDesk(app: Hono, proxy: PaymentProxy, orders: OrderStore, site: Site, now: () => Date): void {
  const boughtFor = (orderId: string) => {
    const order = orders.get(orderId);
    return order && boughtIn(order);
  };
  const list = (doneId?: string) =>
    read(proxy, boughtFor, now()).then((entries) => deskList(entries, now(), doneId, site.operatorUrl), why);

  app.get('/desk', async (c) => c.html(deskPage(await list(c.req.query('done')), site)));
  app.get('/desk/list', async (c) => c.html(await list(c.req.query('done'))));
  /** The form, or the list with this id. */
  const show = (c: Context, form: DeskForm | string) =>
    typeof form === 'string'
      ? c.redirect(`/desk?done=${encodeURIComponent(form)}`, 303)
      : c.html(deskForm({ ...form, bought: boughtFor(form.order) }, site), form.problems === undefined ? 200 : 422);
  const typedIn = async (c: Context): Promise<Typed> => Object.fromEntries(new URLSearchParams(await c.req.text()));
  // Nothing is sent by a link.
  app.get('/desk/send', async (c) => show(c, await fill(proxy, { ...c.req.query(), id: '' })));
  app.post('/desk/send', async (c) => show(c, await send(proxy, await typedIn(c))));
  const askToClose = async ({ order = '', payment = '', problem }: Typed) => {
    const report = await proxy.order(order).catch(() => null);
    const waits = report?.payments.find(({ gatewayOrderId }) => gatewayOrderId === payment);
    return closing({ order, payment, problem, bought: boughtFor(order) }, site, waits);
  };
  app.get('/desk/close', async (c) => c.html(await askToClose(c.req.query())));
  app.post('/desk/close', async (c) => {
    const { order = '', payment = '' } = await typedIn(c);
    const refused = await proxy.closeOrder(order, { reason: 'by the desk' }).then(() => undefined, refusalIn);
    if (refused === undefined) return show(c, payment);
    return c.html(await askToClose({ order, payment, problem: refused.message }), 422);
  });
}

async function read(proxy: PaymentProxy, boughtFor: (orderId: string) => Entry['bought'], now: Date): Promise<Entry[]> {
  const from = new Date(now.getFullYear(), now.getMonth(), now.getDate() + 1 - SHOWN.days).toISOString();
  const entries: Entry[] = [];
  for await (const entry of proxy.transactions({ from, sort: '-createdAt' }))
    if (entries.push({ ...entry, bought: boughtFor(entry.orderId) }) === MAX_READ) break;
  const asked = new Set(entries.filter(isWaiting).slice(0, SHOWN.rows));
  // Only the order says whether it is closed.
  const isClosed = async ({ orderId }: Entry) => (await proxy.order(orderId).catch(() => null))?.closed === true;
  return Promise.all(entries.map(async (one) => (asked.has(one) ? { ...one, isClosed: await isClosed(one) } : one)));
}

const why = (error: unknown) => alert(refusalIn(error).message);

function refusalIn(error: unknown): PaymentProxyError {
  if (error instanceof PaymentProxyError) return error;
  throw error;
}

/**
 * What was typed, or of a new form what failed or can be refunded. Asks for the order: the list has only the last days.
 * The payment's id if nothing can be refunded: the form or its link was an old one.
 */
async function fill(proxy: PaymentProxy, typed: Typed): Promise<DeskForm | string> {
  const { id, order = '', payment = '' } = typed;
  const { amount = '', customer = '', note = '' }: Typed = id ? typed : await failed(proxy, typed['payout']);
  const fresh = order === '' ? { id: newId('PO') } : { id: newId('BACK'), note: backNote(order) };
  // Digits in any shape that people copy, such as "1234 5678".
  const digits = customer.normalize('NFKC').replaceAll(/[\s.\p{Pd}]/gu, '');
  const form = { order, payment, amount: amount.trim(), customer: digits, note: note.trim(), ...(id ? { id } : fresh) };
  if (order === '') return form;
  const report = await proxy.order(order).catch(refusalIn);
  // The same form, with its key: the refund may have been sent before.
  if (report instanceof PaymentProxyError) return { ...form, problems: { all: `${report.message} Try again.` } };
  const back = report?.payments.find(({ gatewayOrderId }) => gatewayOrderId === payment);
  const refunds = report?.refunds ?? [];
  const left = back === undefined ? 0 : refundable(back, refunds);
  if (back === undefined || (left === 0 && typed['step'] !== 'send')) return payment;
  const most = Math.min(left, centsOf(failedBack(back, refunds.toReversed())?.amount ?? back.amount));
  return { ...form, amount: id ? form.amount : String(most / 100), back, left, rest: leftOf(back, refunds).rest };
}

/** What a payout that failed would have sent, for another one. */
async function failed(proxy: PaymentProxy, id = ''): Promise<Typed> {
  const payout = id ? await proxy.transaction(id).catch(() => null) : null;
  if (!payout || !isPayout(payout) || payout.status !== 'FAILED') return {};
  return { amount: payout.amount.replace('.00', ''), customer: payout.customer ?? '', note: payout.note ?? '' };
}

/** The id of what the proxy accepted; else the form: its second step, or with a message about the error. */
async function send(proxy: PaymentProxy, typed: Typed): Promise<DeskForm | string> {
  const form = await fill(proxy, typed);
  if (typeof form === 'string' || form.problems !== undefined || !typed['id']) return form;
  const { id, order, payment, amount, customer, note } = form;
  const isSending = typed['step'] === 'send';
  const problems = problemsIn(form, isSending);
  if (problems !== undefined) return { ...form, problems };
  if (!isSending) return { ...form, isReview: typed['step'] !== 'edit' };
  const sent = { amount: Number(amount), ...(note && { note }) };
  const sending = order
    ? proxy.refund(order, { key: id, gatewayOrderId: payment, ...sent })
    : proxy.sendPayout({ orderId: id, currency: CURRENCY, customer, ...sent });
  const accepted = await sending.catch(refusalIn);
  if (!(accepted instanceof PaymentProxyError)) return accepted.gatewayOrderId;
  if (accepted.retryable) return { ...form, isReview: true, problems: { all: `${accepted.message} ${AGAIN}` } };
  return { ...form, id: order === '' ? newId('PO') : id, problems: { all: accepted.message } };
}

/** When it is sent again after a lost answer, less is left, so only the proxy knows whether it is too much. */
function problemsIn({ order, amount, customer, left = 0 }: DeskForm, isSending: boolean): DeskForm['problems'] {
  const most = order === '' || isSending ? '9999999' : String(left / 100);
  const problems: DeskForm['problems'] = {};
  if (!/^[1-9]\d{0,6}$/.test(amount) || Number(amount) > Number(most))
    problems.amount = `A whole number of euros, at most ${formatMoney(most).replace('.00', '')}.`;
  if (order === '' && !/^\d{4,20}$/.test(customer)) problems.customer = 'The 4 to 20 digits of a wallet ID.';
  return Object.keys(problems).length === 0 ? undefined : problems;
}
