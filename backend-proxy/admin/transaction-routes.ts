// The transactions on the operator's page: a list, one with its history, and the two steps of resolving a review, of
// closing an order and of a refund: a page says what would happen, and its button does it, if nothing has changed
// meanwhile.
import type { Context, Hono } from 'hono';
import { html } from 'hono/html';
import { Refusal } from '../errors.ts';
import { resolutionSchema } from '../routes/merchant-schemas.ts';
import type { Expected, Order, Resolution } from '../ledger/model.ts';
import { ChangedMeanwhile, GatewayContradicts } from '../ledger/rules/resolution.ts';
import { line } from '../orders/order-token.ts';
import { minorOf } from '../protocol/money.ts';
import { NOT_REFUNDABLE } from '../protocol/refundable.ts';
import { TYPES, isOpen, mayBeResolved, type Transaction } from '../protocol/transaction.ts';
import { type AdminParts, type Frame, type Problems, linkTo, nameOf } from './layout.ts';
import { formField, nameOf as personOf } from './session.ts';
import {
  backOf,
  backsOf,
  closingPage,
  changedMessage,
  leftOfPayment,
  problemOf,
  refundPage,
  refundTitle,
  type ClosingForm,
  type RefundForm,
} from './decisions.ts';
import {
  resolutionTitle,
  confirmationPage,
  effectOf,
  heading,
  lead,
  transactionPage,
  type Typed,
} from './transaction-page.ts';
import { moneyOf } from './values.ts';
import { MAX_SEARCHED, isFound, queryOf, transactionsPage } from './lists.ts';

const MAX_WEBHOOKS = 50;
/** What a field asks for that was left empty. */
const MISSING: Readonly<Record<string, string>> = {
  status: 'Choose one.',
  by: 'Enter your name.',
  note: 'Say how.',
};

export function transactionRoutes(app: Hono, parts: AdminParts, frame: Frame): void {
  const { ledger, now = Date.now } = parts;

  app.get('/admin/transactions', async (c) => {
    const { orderId: pasted = '', ...others } = c.req.query();
    const orderId = pasted.trim();
    const filters = { ...others, orderId };
    const query = queryOf(filters);
    const isRefused = typeof query === 'string';
    let found = isRefused ? query : await ledger.transactions(query);
    if (orderId && !isRefused && typeof found !== 'string' && found.transactions.length === 0) {
      // An id at the gateway, as its statement has it, is found in the same field.
      const one = await ledger.transaction(orderId);
      if (one !== undefined) return c.redirect(linkTo(one), 303);
      // No index finds anything else, so few are looked at.
      const { transactions } = await ledger.transactions({ ...query, orderId: undefined, limit: MAX_SEARCHED });
      found = { transactions: transactions.filter((each) => isFound(each, orderId)), nextCursor: null };
    }
    const backs = await backsOf(typeof found === 'string' ? [] : found.transactions, parts);
    const body = transactionsPage(filters, found, backs);
    return frame.show(c, 'transactions', 'Transactions', body, isRefused ? 400 : 200);
  });

  async function showOne(c: Context, code: 200 | 400 | 409, typed?: Typed) {
    const transaction = await transactionOf(c, parts);
    // That it has started is said while it is on its way.
    const isStarted = c.req.query('done')?.startsWith('refunded.');
    if (isStarted && !isOpen(transaction.stage)) return c.redirect(linkTo(transaction), 303);
    const webhooks = await webhooksOf(transaction, parts);
    const form = frame.formToken(c);
    const at = TYPES[transaction.type].paysOrder ? await ledger.orderAt(transaction.orderId) : undefined;
    const { refundRules } = parts;
    const effects = mayBeResolved(transaction) ? await effectsOf(transaction, parts) : {};
    const refunded = transaction.refundOf === null ? undefined : await ledger.transaction(transaction.refundOf);
    const shown = { transaction, at, refunded, refundRules, webhooks, form, name: personOf(c), effects, now: now() };
    const body = transactionPage({ ...shown, ...(typed && { typed }) });
    const back = at && backOf(transaction, at, refundRules);
    return frame.show(c, 'transactions', [transaction.id, heading(transaction, back)], body, code);
  }
  app.get('/admin/transactions/:id', (c) => showOne(c, 200));

  app.post('/admin/transactions/:id/resolve', async (c) => {
    const [status, by, note] = [await formField(c, 'status'), await formField(c, 'by'), await formField(c, 'note')];
    const transaction = await transactionOf(c, parts);
    const isAsShown = (await formField(c, 'version')) === String(transaction.version);
    if (!isAsShown) throw new Refusal('version_changed', 'It changed while you were deciding. Open it again and look.');
    const gatewayReports = (await formField(c, 'gatewayReports')) || undefined;
    const given: Record<string, string> = { by: by.trim(), note: note.trim() };
    const parsed = resolutionSchema.safeParse({ status, ...given, gatewayReports });
    if (!parsed.success) {
      const refused = Object.fromEntries(
        parsed.error.issues.map(({ path: [field = ''], message }) => [
          field,
          given[String(field)] ? message : (MISSING[String(field)] ?? message),
        ]),
      );
      return showOne(c, 400, { resolution: { status, by, note, refused } });
    }
    return resolve(c, transaction, parsed.data, parts, frame);
  });

  app.get('/admin/transactions/:id/close', async (c) => {
    const empty = { by: personOf(c), reason: '', problems: {} };
    return askToClose(c, await transactionOf(c, parts), empty, 200, parts, frame);
  });
  app.post('/admin/transactions/:id/close', (c) => close(c, parts, frame));
  app.post('/admin/transactions/:id/refund', (c) => refund(c, parts, frame, showOne));
}

/** Shows a transaction's page again, with what was typed and what is wrong with it. */
type ShowAgain = (c: Context, code: 400 | 409, typed: Typed) => Promise<Response>;

async function askToClose(
  c: Context,
  transaction: Transaction,
  typed: ClosingForm,
  code: 200 | 400,
  parts: AdminParts,
  frame: Frame,
): Promise<Response> {
  const order = await orderOf(transaction, parts);
  const body = closingPage(transaction, order, typed, frame.formToken(c));
  return frame.show(c, 'transactions', `Close ${order.orderId}?`, body, code);
}

async function close(c: Context, parts: AdminParts, frame: Frame): Promise<Response> {
  const { ledger, log } = parts;
  const transaction = await transactionOf(c, parts);
  const { orderId } = await orderOf(transaction, parts);
  const [by, reason] = [(await formField(c, 'by')).trim(), (await formField(c, 'reason')).trim()];
  const problems = { ...wrongName(by), ...wrongLine('reason', reason) };
  if (Object.keys(problems).length > 0) return askToClose(c, transaction, { by, reason, problems }, 400, parts, frame);
  const said = reason === '' ? `by ${by}` : `by ${by}: ${reason}`;
  await ledger.closeOrder({ orderId, reason: said, ifUnpaidSince: null });
  log('info', 'operator closed', { orderId });
  return frame.done(c, linkTo(transaction), 'closed');
}

/** Asks for a confirmation, or does what was confirmed: if something else is left by now, asks again. */
async function refund(c: Context, parts: AdminParts, frame: Frame, showAgain: ShowAgain): Promise<Response> {
  const { refunds, log } = parts;
  const payment = await transactionOf(c, parts);
  await orderOf(payment, parts);
  const [amount, note, by] = [await formField(c, 'amount'), await formField(c, 'note'), await formField(c, 'by')];
  const typed = { amount: amount.trim(), note: note.trim(), by: by.trim() };
  const wrong = { ...wrongName(typed.by), ...wrongLine('note', typed.note) };
  const isConfirmed = (await formField(c, 'confirmed')) === 'yes';
  if (!isConfirmed || Object.keys(wrong).length > 0)
    return askToRefund(c, typed, wrong, false, parts, frame, showAgain);
  const { orderId, id: gatewayOrderId } = payment;
  const shown = await formField(c, 'left');
  const request = {
    ...typed,
    orderId,
    gatewayOrderId,
    note: typed.note || undefined,
    expectedLeft: /^\d{1,16}$/.test(shown) ? Number(shown) : -1,
    idempotencyKey: `operator-${await formField(c, 'key')}`,
  };
  try {
    const sent = await refunds.start(request, 'person');
    log('info', 'operator refunded', { transaction: sent.id });
    return frame.done(c, linkTo(sent), 'refunded');
  } catch (error) {
    if (!(error instanceof ChangedMeanwhile)) throw error;
    return askToRefund(c, typed, wrong, true, parts, frame, showAgain);
  }
}

/** `hasChanged`: it was confirmed before, when something else was left. */
async function askToRefund(
  c: Context,
  typed: Pick<RefundForm, 'amount' | 'note' | 'by'>,
  wrong: Problems,
  hasChanged: boolean,
  parts: AdminParts,
  frame: Frame,
  showAgain: ShowAgain,
): Promise<Response> {
  const payment = await transactionOf(c, parts);
  const order = await orderOf(payment, parts);
  const left = leftOfPayment(payment, order, parts.refundRules, await parts.ledger.time());
  if (left.cause !== null) {
    const why = `It cannot be refunded, because ${NOT_REFUNDABLE[left.cause]}; nothing was sent.`;
    throw new Refusal('not_refundable', why, { members: { cause: left.cause } });
  }
  const amountMinor = minorOf(typed.amount, payment.currency);
  const wrongAmount = problemOf(amountMinor, payment, left, parts.refundRules);
  const problems = { ...wrong, ...(wrongAmount !== undefined && { amount: wrongAmount }) };
  if (amountMinor === undefined || Object.keys(problems).length > 0) {
    return showAgain(c, hasChanged ? 409 : 400, { refund: { ...typed, problems } });
  }
  const question = refundPage(
    payment,
    { ...typed, amountMinor, left: left.left },
    parts.refundRules,
    frame.formToken(c),
  );
  const body = html`${lead(payment, order, html`${nameOf(payment)} · ${moneyOf(payment)}`)}
  ${hasChanged ? changedMessage('what can be refunded') : ''} ${question}`;
  return frame.show(c, 'transactions', refundTitle(payment, amountMinor), body, hasChanged ? 409 : 200);
}

function wrongName(by: string): Problems {
  const parsed = resolutionSchema.shape.by.safeParse(by);
  return parsed.success ? {} : { by: (by === '' && MISSING['by']) || (parsed.error.issues[0]?.message ?? '') };
}

/** Of a line that may be empty. */
function wrongLine(field: string, text: string): Problems {
  const isFine = text === '' || line(200).safeParse(text).success;
  return isFine ? {} : { [field]: 'At most 200 characters, without control characters.' };
}

async function orderOf({ type, orderId }: Transaction, { ledger }: AdminParts): Promise<Order> {
  const order = TYPES[type].paysOrder ? await ledger.order(orderId) : undefined;
  if (order === undefined) throw new Refusal('not_found', 'This is no payment of an order.');
  return order;
}

async function transactionOf(c: Context, { ledger }: AdminParts): Promise<Transaction> {
  const transaction = await ledger.transaction(c.req.param('id') ?? '');
  if (transaction === undefined) throw new Refusal('not_found', 'There is no such transaction.');
  return transaction;
}

async function webhooksOf({ id, orderId }: Transaction, { ledger }: AdminParts) {
  const { webhooks } = await ledger.webhooks(undefined, MAX_WEBHOOKS, { orderId });
  return webhooks.filter(({ transactionId }) => transactionId === id);
}

/** What each answer to a review would do. */
async function effectsOf({ id }: Transaction, { ledger }: AdminParts) {
  const effects = (['SUCCESS', 'FAILED'] as const).map(async (status) => {
    const preview = await ledger.preview(id, { status, by: '', note: '' });
    return [status, preview && effectOf(preview, status)[0]];
  });
  return Object.fromEntries(await Promise.all(effects));
}

/** Asks for a confirmation, or does what was confirmed. */
async function resolve(
  c: Context,
  transaction: Transaction,
  resolution: Resolution,
  parts: AdminParts,
  frame: Frame,
): Promise<Response> {
  const { ledger, onDue, log } = parts;
  if ((await formField(c, 'confirmed')) !== 'yes') return confirm(c, transaction.id, resolution, false, parts, frame);
  const expected: Expected = {
    version: transaction.version,
    paidBy: (await formField(c, 'paidBy')) || null,
    closed: (await formField(c, 'closed')) === 'yes',
    owed: Number(await formField(c, 'owed')),
  };
  try {
    await ledger.resolve(transaction.id, resolution, expected);
  } catch (error) {
    if (!(error instanceof ChangedMeanwhile || error instanceof GatewayContradicts)) throw error;
    return confirm(c, transaction.id, resolution, true, parts, frame);
  }
  onDue();
  log('info', 'operator resolved', { transaction: transaction.id, status: resolution.status });
  return frame.done(c, linkTo(transaction), 'resolved');
}

/** `hasChanged`: it was confirmed before, when it would have had another effect. */
async function confirm(
  c: Context,
  id: string,
  resolution: Resolution,
  hasChanged: boolean,
  parts: AdminParts,
  frame: Frame,
): Promise<Response> {
  const { ledger, sendsWebhooks, refundRules } = parts;
  const preview = await ledger.preview(id, resolution);
  if (preview === undefined) throw new Refusal('not_found', 'There is no such transaction.');
  const form = frame.formToken(c);
  const { transaction, expected } = preview;
  const paidWebhook = (await webhooksOf(transaction, parts)).find(({ type }) => type === 'payment.succeeded');
  const body = confirmationPage({ preview, resolution, paidWebhook, hasChanged, form, sendsWebhooks, refundRules });
  const sum = resolution.status === 'SETTLED' ? { ...transaction, amountMinor: expected.owed } : transaction;
  const title = resolutionTitle(transaction, resolution.status, moneyOf(sum));
  return frame.show(c, 'transactions', `${title}?`, body, hasChanged ? 409 : 200);
}
