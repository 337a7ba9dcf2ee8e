// The desk: what a merchant's staff needs each day. It lists the newest payments and payouts, closes an order that is
// not paid, sends a payment's money back and sends payouts, each in two steps: the second names amount and wallet, and
// its button sends. The id of a payout, or the key of a refund, is made before the first step, so after a lost answer
// the same form can be sent again, and money moves once. Reviews and the history of a payment are on the operator's page.
import { createHash, timingSafeEqual } from 'node:crypto';
import type { Hono, MiddlewareHandler } from 'hono';
import { basicAuth } from 'hono/basic-auth';
import { PaymentProxyError, type Payment, type PaymentProxy, type Transaction } from '../../backend-proxy/client.ts';
import { CURRENCY, formatMoney } from './catalog.ts';
import { closing, deskForm, type DeskForm } from './desk-form.ts';
import { deskList, deskPage, refundable, type DeskList } from './desk-list.ts';
import { newId } from './order-store.ts';
import type { Site } from './page.ts';

const SHOWN_FOR_MS = 7 * 24 * 60 * 60 * 1000;
/** Transactions. */
const MAX_READ = 1_000;
const OUT_OF_DATE = 'This form is out of date: open the payment again from the list.';
const AGAIN = 'Send it again unchanged: it is sent at most once.';

export interface StaffSettings {
  /** How browsers reach the shop; other host names are redirected here. */
  publicUrl: string;
  deskPassword?: string | undefined;
  /** Of the proxy's operator's page. */
  operatorUrl?: string | undefined;
}

export function addDesk(app: Hono, proxy: PaymentProxy, site: Site, now: () => Date): void {
  const list = async () => deskList(await read(proxy, now()), now(), site.operatorUrl);

  app.get('/desk', async (c) => c.html(deskPage(await list(), site)));
  app.get('/desk/list', async (c) => c.html(await list()));
  app.get('/desk/send', async (c) => c.html(deskForm(await emptyForm(proxy, c.req.query()), site)));
  app.post('/desk/send', async (c) => {
    const form = await send(proxy, await c.req.parseBody());
    if (form === undefined) return c.redirect('/desk', 303);
    return c.html(deskForm(form, site), form.problem === undefined ? 200 : 422);
  });
  app.get('/desk/close', async (c) => {
    const orderId = textOf(c.req.query('order'));
    const order = await proxy.order(orderId).catch(() => null);
    return c.html(closing({ orderId, isClosed: order?.closed === true }, site));
  });
  app.post('/desk/close', async (c) => {
    const orderId = textOf((await c.req.parseBody())['order']);
    try {
      await proxy.closeOrder(orderId, { reason: 'Closed at the desk' });
      return c.redirect(`/desk/close?order=${encodeURIComponent(orderId)}`, 303);
    } catch (error) {
      if (!(error instanceof PaymentProxyError)) throw error;
      return c.html(closing({ orderId, isClosed: false, problem: error.message }, site), 422);
    }
  });
}

async function read(proxy: PaymentProxy, now: Date): Promise<DeskList> {
  try {
    const from = new Date(now.getTime() - SHOWN_FOR_MS).toISOString();
    const entries: Transaction[] = [];
    for await (const entry of proxy.transactions({ from, sort: '-createdAt' })) {
      if (entries.push(entry) === MAX_READ) break;
    }
    return { entries };
  } catch (error) {
    if (!(error instanceof PaymentProxyError)) throw error;
    return { entries: [], problem: error.message };
  }
}

/** Of a refund filled in with all that can be sent back; of a payout empty. */
async function emptyForm(proxy: PaymentProxy, asked: Record<string, string>): Promise<DeskForm> {
  const { payment: back, left } = await paymentOf(proxy, asked);
  const empty = { customer: '', isReview: false };
  if (back === undefined || left === 0) return { ...empty, id: newId('PO'), amount: '', note: '' };
  return { ...empty, id: newId('BACK'), amount: wholeOf(left), note: `Money back for ${back.orderId}`, back, left };
}

/** Asks for the order, because the list has only the last days. */
async function paymentOf(
  proxy: PaymentProxy,
  { order, payment }: Record<string, unknown>,
): Promise<{ payment: Payment | undefined; left: number }> {
  const report = typeof order === 'string' && order !== '' ? await proxy.order(order).catch(() => null) : null;
  const found = report?.payments.find(({ gatewayOrderId }) => gatewayOrderId === payment);
  return { payment: found, left: found === undefined ? 0 : refundable(found, report?.refunds ?? []) };
}

/** Undefined if the proxy accepted it; else the form: its second step, or with a message about the error. */
async function send(proxy: PaymentProxy, typed: Record<string, unknown>): Promise<DeskForm | undefined> {
  const { payment: back, left } = await paymentOf(proxy, typed);
  const form: DeskForm = {
    id: textOf(typed['id']),
    amount: textOf(typed['amount']),
    customer: walletIdOf(textOf(typed['customer'])),
    note: textOf(typed['note']),
    isReview: false,
    back,
    left,
  };
  const isOurs = new RegExp(`^${back === undefined ? 'PO' : 'BACK'}-[2-9A-HJ-NP-Z]{10}$`).test(form.id);
  if (!isOurs) return { ...(await emptyForm(proxy, {})), problem: { text: OUT_OF_DATE } };
  const isSending = typed['step'] === 'send';
  const problem = problemIn(form, isSending);
  if (problem !== undefined) return { ...form, problem };
  if (!isSending) return { ...form, isReview: typed['step'] !== 'edit' };
  try {
    await sendMoney(proxy, form);
    return undefined;
  } catch (error) {
    if (!(error instanceof PaymentProxyError)) throw error;
    if (error.retryable) return { ...form, isReview: true, problem: { text: `${error.message} ${AGAIN}` } };
    return { ...form, id: back === undefined ? newId('PO') : form.id, problem: { text: error.message } };
  }
}

async function sendMoney(proxy: PaymentProxy, { id, back, customer, ...typed }: DeskForm): Promise<void> {
  const sent = { amount: Number(typed.amount), ...(typed.note && { note: typed.note }) };
  if (back === undefined) await proxy.sendPayout({ orderId: id, currency: CURRENCY, customer, ...sent });
  else await proxy.refund(back.orderId, { key: id, gatewayOrderId: back.gatewayOrderId, ...sent });
}

const wholeOf = (cents: number) => String(Math.floor(cents / 100));

/** When it is sent again after a lost answer, less is left, so only the proxy knows whether it is too much. */
function problemIn({ amount, customer, back, left = 0 }: DeskForm, isSending: boolean): DeskForm['problem'] {
  const most = back === undefined || isSending ? '9999999' : wholeOf(left);
  if (!/^[1-9]\d{0,6}$/.test(amount) || Number(amount) > Number(most))
    return { field: 'amount', text: `A whole number of euros, at most ${formatMoney(most, CURRENCY).slice(0, -3)}.` };
  if (back === undefined && !/^\d{4,20}$/.test(customer))
    return { field: 'customer', text: 'The 4 to 20 digits of a wallet ID.' };
  return undefined;
}

const textOf = (value: unknown) => (typeof value === 'string' ? value.trim() : '');

/** Digits in any shape that people copy, such as "1234 5678"; other texts stay as they are. */
function walletIdOf(typed: string): string {
  const bare = typed.normalize('NFKC').replaceAll(/[\s.\p{Pd}]/gu, '');
  return /^\d+$/.test(bare) ? bare : typed;
}

/**
 * The middleware that protects the desk: without a password it opens only from this machine. Undefined if the desk must
 * not be served. A real merchant has a sign-in here.
 */
export function staffOnly({ publicUrl, deskPassword }: StaffSettings): MiddlewareHandler | undefined {
  if (deskPassword !== undefined) {
    const hash = (text: string) => createHash('sha256').update(text).digest();
    const known = hash(deskPassword);
    return basicAuth({ realm: 'The desk', verifyUser: (_name, password) => timingSafeEqual(known, hash(password)) });
  }
  const isLoopback = /^(localhost|.+\.localhost|127(\.\d+){3}|\[::1\])$/.test(new URL(publicUrl).hostname);
  return isLoopback ? (_c, next) => next() : undefined;
}
