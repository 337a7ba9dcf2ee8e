// The transactions on the operator's page: a list, one with its history, and the two steps of resolving a review. The
// first step says what would happen; the second does it, if nothing has changed meanwhile.
import type { Context, Hono } from 'hono';
import { Refusal } from '../errors.ts';
import { resolutionSchema } from '../http/resolution.ts';
import type { Expected, Resolution } from '../ledger/ledger.ts';
import { ChangedMeanwhile, GatewayContradicts } from '../ledger/rules/resolutions.ts';
import { line } from '../orders/order-token.ts';
import { minorOf } from '../protocol/money.ts';
import { TYPES, type Transaction } from '../protocol/transaction.ts';
import type { AdminParts, Frame } from './frame.ts';
import { formField } from './guard.ts';
import { closingPage } from './closing-page.ts';
import { refundPage, refundTitle } from './refund-page.ts';
import { resolutionTitle } from './resolution.ts';
import { confirmationPage, transactionPage, type ResolutionForm } from './transaction-page.ts';
import { linkTo } from './transaction-table.ts';
import { queryOf, transactionsPage } from './transactions-page.ts';
import { moneyOf } from './words.ts';

const MAX_WEBHOOKS = 50;

export function transactionRoutes(app: Hono, parts: AdminParts, frame: Frame): void {
  const { ledger } = parts;

  app.get('/admin/transactions', async (c) => {
    const filters = c.req.query();
    const query = queryOf(filters);
    const isRefused = typeof query === 'string';
    const found = isRefused ? query : await ledger.transactions(query);
    const body = transactionsPage(filters, found);
    return frame.show(c, 'transactions', 'Transactions', body, isRefused ? 400 : 200);
  });

  async function showOne(c: Context, code: 200 | 400, resolution?: ResolutionForm) {
    const transaction = await transactionOf(c, parts);
    const ofOrder = await ledger.webhooks(undefined, MAX_WEBHOOKS, { orderId: transaction.orderId });
    const webhooks = ofOrder.webhooks.filter(({ transactionId }) => transactionId === transaction.id);
    const form = frame.formToken(c);
    const order = TYPES[transaction.type].paysOrder ? await ledger.order(transaction.orderId) : undefined;
    const body = transactionPage({
      transaction,
      order,
      refundRules: parts.refundRules,
      webhooks,
      form,
      ...(resolution && { resolution }),
    });
    return frame.show(c, 'transactions', transaction.orderId, body, code);
  }
  app.get('/admin/transactions/:id', (c) => showOne(c, 200));

  app.post('/admin/transactions/:id/resolve', async (c) => {
    const [status, by, note] = [await formField(c, 'status'), await formField(c, 'by'), await formField(c, 'note')];
    const transaction = await transactionOf(c, parts);
    const isAsShown = (await formField(c, 'version')) === String(transaction.version);
    if (!isAsShown) throw new Refusal('version_changed', 'It changed while you were deciding. Open it again and look.');
    const gatewayReports = (await formField(c, 'gatewayReports')) || undefined;
    const parsed = resolutionSchema.safeParse({ status, by: by.trim(), note: note.trim(), gatewayReports });
    if (!parsed.success) {
      const refused = Object.fromEntries(parsed.error.issues.map(({ path, message }) => [path.join('.'), message]));
      return showOne(c, 400, { status, by, note, refused });
    }
    return resolve(c, transaction, parsed.data, parts, frame);
  });

  app.post('/admin/transactions/:id/close', (c) => close(c, parts, frame));
  app.post('/admin/transactions/:id/refund', (c) => refund(c, parts, frame));
}

/** Asks for a confirmation, or does what was confirmed. */
async function close(c: Context, parts: AdminParts, frame: Frame): Promise<Response> {
  const { ledger, log = () => undefined } = parts;
  const transaction = await transactionOf(c, parts);
  const { orderId, type } = transaction;
  const order = TYPES[type].paysOrder ? await ledger.order(orderId) : undefined;
  if (order === undefined) throw new Refusal('not_found', 'This is no payment of an order.');
  const reason = (await formField(c, 'reason')).trim();
  if (reason !== '' && !line(200).safeParse(reason).success)
    throw new Refusal('invalid_request', 'The reason is at most 200 characters, without control characters.');
  if ((await formField(c, 'confirmed')) !== 'yes') {
    const body = closingPage(transaction, order, reason, frame.formToken(c));
    return frame.show(c, 'transactions', `Close ${orderId}?`, body);
  }
  await ledger.closeOrder({ orderId, reason: reason || null, ifUnpaidSince: null });
  log('info', 'operator closed', { orderId });
  return c.redirect(`${linkTo(transaction)}?done=closed`, 303);
}

/** Asks for a confirmation, or does what was confirmed. */
async function refund(c: Context, parts: AdminParts, frame: Frame): Promise<Response> {
  const { refunds, log = () => undefined } = parts;
  const payment = await transactionOf(c, parts);
  const { orderId, id: gatewayOrderId, currency, payer } = payment;
  const [amount, note] = [(await formField(c, 'amount')).trim(), (await formField(c, 'note')).trim()];
  const amountMinor = minorOf(amount, currency);
  if (amountMinor === undefined)
    throw new Refusal('invalid_request', `The amount is a decimal number in ${currency}, such as 4.50.`);
  if (note !== '' && !line(200).safeParse(note).success)
    throw new Refusal('invalid_request', 'The note is at most 200 characters, without control characters.');
  if ((await formField(c, 'confirmed')) !== 'yes') {
    if (payer === null) throw new Refusal('not_refundable', 'The wallet that paid is not known.');
    const money = moneyOf({ amountMinor, currency });
    const body = refundPage(payment, { amount, note, money }, frame.formToken(c));
    return frame.show(c, 'transactions', refundTitle(payment, money), body);
  }
  const idempotencyKey = `operator-${await formField(c, 'key')}`;
  const request = { orderId, gatewayOrderId, amount, note: note || undefined, idempotencyKey };
  const sent = await refunds.start(request, 'person');
  log('info', 'operator refunded', { transaction: sent.id });
  return c.redirect(`${linkTo(sent)}?done=refunded`, 303);
}

async function transactionOf(c: Context, { ledger }: AdminParts): Promise<Transaction> {
  const transaction = await ledger.transaction(c.req.param('id') ?? '');
  if (transaction === undefined) throw new Refusal('not_found', 'There is no such transaction.');
  return transaction;
}

/** Asks for a confirmation, or does what was confirmed. */
async function resolve(
  c: Context,
  transaction: Transaction,
  resolution: Resolution,
  parts: AdminParts,
  frame: Frame,
): Promise<Response> {
  const { ledger, onDue, log = () => undefined } = parts;
  if ((await formField(c, 'confirmed')) !== 'yes') return confirm(c, transaction.id, resolution, false, parts, frame);
  const expected: Expected = {
    version: transaction.version,
    paidBy: (await formField(c, 'paidBy')) || null,
    closed: (await formField(c, 'closed')) === 'yes',
  };
  try {
    await ledger.resolve(transaction.id, resolution, expected);
  } catch (error) {
    if (!(error instanceof ChangedMeanwhile || error instanceof GatewayContradicts)) throw error;
    return confirm(c, transaction.id, resolution, true, parts, frame);
  }
  onDue();
  log('info', 'operator resolved', { transaction: transaction.id, status: resolution.status });
  return c.redirect(`${linkTo(transaction)}?done=resolved`, 303);
}

/** `hasChanged`: it was confirmed before, when it would have had another effect. */
async function confirm(
  c: Context,
  id: string,
  resolution: Resolution,
  hasChanged: boolean,
  { ledger, sendsWebhooks }: AdminParts,
  frame: Frame,
): Promise<Response> {
  const preview = await ledger.preview(id, resolution);
  if (preview === undefined) throw new Refusal('not_found', 'There is no such transaction.');
  const body = confirmationPage({ preview, resolution, hasChanged, form: frame.formToken(c), sendsWebhooks });
  const title = resolutionTitle(preview.transaction, resolution.status);
  return frame.show(c, 'transactions', `${title}?`, body, hasChanged ? 409 : 200);
}
