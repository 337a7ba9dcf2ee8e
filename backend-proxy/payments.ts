// Collecting: starts a payment of an order and tells the shopper's view of it. The one place that sends collections.
// Row first, then permission, then one call; whatever comes back, or nothing, is recorded as a fact and never repeated.
import { createHash } from 'node:crypto';
import { Refusal } from './errors.ts';
import type { Collection, Gateway } from './gateway/gateway.ts';
import type { Fact, Ledger, Order, PaymentLimits } from './ledger/ledger.ts';
import type { OrderTerms } from './orders.ts';
import { exponentOf, formatAmount, parseAmount } from './protocol/money.ts';
import { STAGES, type Transaction } from './protocol/transaction.ts';
import { iso } from './protocol/views.ts';
import type { AnswerState, Method, OrderView, PaymentView, StartPayment } from './protocol/wire.ts';
import { toQrCode } from './qr.ts';

const LIMITS: PaymentLimits = { perOrder: 5, directPerOrder: 3, directPerWallet: { most: 5, withinMs: 3_600_000 } };

export interface Payments {
  /** Resolves when the gateway has answered or its time is over. `created` is false for a repeat of the same key. */
  start(terms: OrderTerms, asked: StartPayment, idempotencyKey: string): Promise<{ created: boolean; view: OrderView }>;
  view(terms: OrderTerms): Promise<OrderView>;
}

interface Ports {
  gateway: Gateway;
  ledger: Ledger;
  now?: () => number;
}

export function createPayments({ gateway, ledger, now = Date.now }: Ports): Payments {
  async function start(terms: OrderTerms, asked: StartPayment, idempotencyKey: string) {
    const { amountMinor, customer } = settle(terms, asked);
    const { opened, order } = await ledger.openPayment(
      {
        orderId: terms.orderId,
        orderAmountMinor: terms.amountMinor,
        amountMinor,
        currency: terms.currency,
        method: asked.method,
        customer,
        idempotencyKey,
        fingerprint: fingerprintOf([asked.method, customer, amountMinor]),
      },
      LIMITS,
    );
    if (opened === undefined) return { created: false, view: orderView(terms, order, now()) };
    await send(opened, asked, terms);
    return { created: true, view: await view(terms) };
  }

  async function send(opened: Transaction, { method, language }: StartPayment, terms: OrderTerms): Promise<void> {
    // Refused where another method was chosen meanwhile: then nothing is sent.
    if (!(await ledger.record(opened.id, { stage: 'sending' }, 'shopper'))) return;
    const collection: Collection = {
      id: opened.id,
      method,
      amountMinor: opened.amountMinor,
      currency: opened.currency,
      returnUrl: terms.returnUrl,
      customer: opened.customer,
      customerReferenceNo: terms.customerReferenceNo ?? null,
      language: terms.language ?? language ?? null,
    };
    await ledger.record(opened.id, factOf(await gateway.pay(collection)), 'answer');
  }

  async function view(terms: OrderTerms): Promise<OrderView> {
    return orderView(terms, await ledger.order(terms.orderId), now());
  }

  return { start, view };
}

function factOf(sent: Awaited<ReturnType<Gateway['pay']>>): Fact {
  // The shopper need not wait for checks to agree on what is known.
  if (sent.kind === 'unreached') return { stage: 'not_created', why: sent.why };
  if (sent.kind === 'refused') return { stage: 'rejected', why: sent.why };
  if (sent.kind !== 'accepted') return { stage: 'uncertain', why: sent.why };
  const { paymentId, method, checkoutUrl, qr, appUrl } = sent.answer;
  return { stage: 'pending', paymentId, method, checkoutUrl, qr: qr === null ? null : toQrCode(qr), appUrl };
}

export function fingerprintOf(parts: readonly (string | number | null)[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('base64url');
}

/** What will be asked of whom: the token's word where it has one, the shopper's only where the token leaves it open. */
function settle(terms: OrderTerms, asked: StartPayment): { amountMinor: number; customer: string | null } {
  const { method } = asked;
  if (!terms.methods.includes(method)) {
    throw invalid('method_unavailable', 'method', `one of ${terms.methods.join(', ')}`);
  }
  return { amountMinor: settleAmount(terms, asked.amount), customer: settleCustomer(terms, method, asked.customer) };
}

function settleAmount(terms: OrderTerms, asked: string | undefined): number {
  const { currency, minMinor, maxMinor } = terms;
  if (terms.amountMinor !== null) {
    if (asked !== undefined) throw invalid('invalid_request', 'amount', 'absent, because the order has its amount');
    return terms.amountMinor;
  }
  const amountMinor = asked === undefined ? undefined : parseAmount(asked, currency);
  if (amountMinor === undefined || amountMinor < minMinor || amountMinor > maxMinor) {
    const bounds = `${formatAmount(minMinor, currency)} to ${formatAmount(maxMinor, currency)} ${currency}`;
    throw invalid('invalid_request', 'amount', `${bounds}, with at most ${exponentOf(currency)} decimals`);
  }
  return amountMinor;
}

function settleCustomer(terms: OrderTerms, method: Method, asked: string | undefined): string | null {
  if (method === 'JETGO' || method === 'QR') {
    if (asked !== undefined) throw invalid('invalid_request', 'customer', `absent, because ${method} takes none`);
    return null;
  }
  if (terms.customer !== undefined && asked !== undefined && asked !== terms.customer) {
    throw invalid('invalid_request', 'customer', 'absent, because the order has its customer');
  }
  const customer = terms.customer ?? asked ?? null;
  if (method === 'DIRECT' && customer === null) {
    throw invalid('invalid_request', 'customer', 'the wallet id, which DIRECT needs');
  }
  return customer;
}

function invalid(kind: 'invalid_request' | 'method_unavailable', field: string, detail: string): Refusal {
  return new Refusal(kind, `${field}: ${detail}.`, { errors: [{ field, detail }] });
}

export function orderView(terms: OrderTerms, order: Order | undefined, nowMs: number): OrderView {
  const { orderId, methods } = terms;
  // Once started the books' amount and currency are the order's, whatever a newer token says of the same order id.
  const { amountMinor: total, currency } = order ?? terms;
  const current = order?.payments.find(({ id }) => id === order.paidBy) ?? order?.payments.at(-1);
  const amountMinor = total ?? current?.amountMinor ?? null;
  return {
    orderId,
    amount: amountMinor === null ? null : formatAmount(amountMinor, currency),
    currency,
    description: terms.description ?? null,
    supportUrl: terms.supportUrl ?? null,
    methods,
    paid: order !== undefined && order.paidBy !== null,
    surplus: order?.payments.some(({ surplus }) => surplus) ?? false,
    otherOpen: order?.payments.some((payment) => payment !== current && canBePaid(payment)) ?? false,
    version: order?.version ?? 0,
    serverTime: iso(nowMs),
    payment: current ? paymentView(current) : null,
  };
}

/** A code that was replaced or ran out can be, too. */
function canBePaid({ stage }: Transaction): boolean {
  return STAGES[stage].rank < STAGES.rejected.rank;
}

function answerState({ stage, method, checkoutUrl, qr }: Transaction): AnswerState {
  if (stage === 'created' || stage === 'sending') return 'AWAITED';
  const hasMeans = method === 'DIRECT' || checkoutUrl !== null || qr !== null;
  return stage !== 'uncertain' && hasMeans ? 'ARRIVED' : 'LOST';
}

function paymentView(payment: Transaction): PaymentView {
  const { method, asked, customer, stage, checkoutUrl, qr, appUrl, expiresAt, createdAt, late, history } = payment;
  const { status, reason } = STAGES[stage];
  // Once it has ended there is nothing left to scan or to open, and nothing that should still be paid.
  const open = status === 'PROCESSING';
  const success = history.find(({ event }) => event === 'succeeded');
  return {
    method: method as Method,
    asked: asked as Method,
    status,
    reason,
    answer: answerState(payment),
    checkoutUrl: open ? checkoutUrl : null,
    qr: open ? qr : null,
    appUrl: open ? appUrl : null,
    walletLast4: open && method === 'DIRECT' ? (customer?.slice(-4) ?? null) : null,
    expiresAt: expiresAt === null ? null : iso(expiresAt),
    createdAt: iso(createdAt),
    paidAt: success === undefined ? null : iso(success.at),
    late,
  };
}
