// Collecting: starts a payment of an order and tells the shopper's view of it. The one place that sends collections.
// Row first, then permission, then one call; whatever comes back, or nothing, is recorded as a fact and never repeated.
import { createHash } from 'node:crypto';
import { Refusal } from './errors.ts';
import type { Collection, Gateway } from './gateway/gateway.ts';
import type { Recorder } from './recorder.ts';
import type { Fact, Ledger, Order, PaymentLimits, SeenTerms } from './ledger/ledger.ts';
import type { OrderTerms } from './orders.ts';
import { ANSWER, WALLET_ID } from './protocol/methods.ts';
import { exponentOf, formatAmount, parseAmount } from './protocol/money.ts';
import { STAGES, reasonOf, type PostOutcome, type Transaction } from './protocol/transaction.ts';
import { iso } from './protocol/views.ts';
import type { AnswerState, Method, OrderView, PaymentView, StartPayment } from './protocol/wire.ts';
import { toQrCode } from './qr.ts';

const LIMITS: PaymentLimits = {
  perOrder: 5,
  directPerOrder: 3,
  withDuplicates: 10,
  inAll: 20,
  directPerWallet: { perCustomer: 3, inAll: 10, withinMs: 3_600_000 },
};

export interface Payments {
  /** Resolves when the gateway has answered or its time is over. `created` is false for a repeat of the same key. */
  start(terms: OrderTerms, asked: StartPayment, idempotencyKey: string): Promise<{ created: boolean; view: OrderView }>;
  view(terms: OrderTerms): Promise<OrderView>;
}

interface Ports {
  gateway: Gateway;
  ledger: Ledger;
  recorder: Recorder;
  /** The host and port of this process, by which it knows its own calls after a restart. */
  self: string;
}

export function createPayments({ gateway, ledger, recorder, self }: Ports): Payments {
  async function start(terms: OrderTerms, asked: StartPayment, idempotencyKey: string) {
    const { amountMinor, customer } = settle(terms, asked);
    const { isNew, payment } = await ledger.openPayment(
      {
        ...seenOf(terms),
        amountMinor,
        method: asked.method,
        customer,
        customerReferenceNo: terms.customerReferenceNo ?? null,
        payWithinMs: terms.payWithin === undefined ? null : terms.payWithin * 1000,
        idempotencyKey,
        fingerprint: fingerprintOf([asked.method, customer, amountMinor]),
      },
      LIMITS,
    );
    // A repeat goes on where the first try was cut off before the call: *sending* lets exactly one through.
    if (payment.stage === 'created') await send(payment, asked, terms);
    return { created: isNew, view: await view(terms) };
  }

  async function send(payment: Transaction, { method, language }: StartPayment, terms: OrderTerms): Promise<void> {
    // Refused where another method was chosen meanwhile: then nothing is sent.
    if (!(await ledger.record(payment, { stage: 'sending', sentBy: self }, 'shopper'))) return;
    const collection: Collection = {
      id: payment.id,
      method,
      amountMinor: payment.amountMinor,
      currency: payment.currency,
      returnUrl: terms.returnUrl,
      customer: payment.customer,
      customerReferenceNo: terms.customerReferenceNo ?? null,
      language: terms.language ?? language ?? null,
    };
    await recorder.keep(payment, gateway.pay(collection).then(factOf));
  }

  async function view(terms: OrderTerms): Promise<OrderView> {
    const [order, nowMs] = await Promise.all([ledger.order(terms.orderId), ledger.time()]);
    // Books that can be read and not written just now still show how it stands; the next view notes the terms.
    void ledger.see(seenOf(terms), order).catch(() => undefined);
    return orderView(terms, order, nowMs);
  }

  return { start, view };
}

function factOf(sent: Awaited<ReturnType<Gateway['pay']>>): Fact {
  switch (sent.kind) {
    case 'accepted': {
      const { paymentId, method, checkoutUrl, qr, appUrl } = sent.answer;
      return { stage: 'pending', paymentId, method, checkoutUrl, qr: qr === null ? null : toQrCode(qr), appUrl };
    }
    // The shopper need not wait for checks to agree on what is known.
    case 'unreached':
      return { stage: 'not_created', answer: sent.kind, why: sent.why };
    case 'refused':
      return { stage: 'rejected', answer: sent.kind, why: sent.why };
    case 'duplicate':
    case 'foreign':
    case 'lost':
      return { stage: 'uncertain', answer: sent.kind, why: sent.why };
    default:
      return sent satisfies never;
  }
}

function seenOf({ orderId, currency, amountMinor, minMinor, maxMinor, iat }: OrderTerms): SeenTerms {
  const terms = fingerprintOf([currency, amountMinor, minMinor, maxMinor]);
  return { orderId, currency, orderAmountMinor: amountMinor, iat: iat ?? null, terms };
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
  if (WALLET_ID[method] === 'none') {
    if (asked !== undefined) throw invalid('invalid_request', 'customer', `absent, because ${method} takes none`);
    return null;
  }
  if (terms.customer !== undefined && asked !== undefined && asked !== terms.customer) {
    throw invalid('invalid_request', 'customer', 'absent, because the order has its customer');
  }
  const customer = terms.customer ?? asked ?? null;
  if (WALLET_ID[method] === 'required' && customer === null) {
    throw invalid('invalid_request', 'customer', `the wallet id, which ${method} needs`);
  }
  return customer;
}

function invalid(kind: 'invalid_request' | 'method_unavailable', field: string, detail: string): Refusal {
  return new Refusal(kind, `${field}: ${detail}.`, { errors: [{ field, detail }] });
}

export function orderView(terms: OrderTerms, order: Order | undefined, nowMs: number): OrderView {
  const { orderId, methods } = terms;
  // Once started the books' amount and currency are the order's, whatever a newer token says of the same order id.
  const { amountMinor: total, currency } = order?.payments.length ? order : terms;
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

const ANSWER_STATES = {
  identified: 'ARRIVED',
  accepted: 'ARRIVED',
  refused: 'ARRIVED',
  foreign: 'LOST',
  duplicate: 'LOST',
  lost: 'LOST',
  unreached: 'LOST',
  withheld: 'LOST',
} as const satisfies Record<PostOutcome, AnswerState>;

function paymentView(payment: Transaction): PaymentView {
  const { method, asked, customer, stage, answer, checkoutUrl, qr, appUrl, expiresAt, createdAt, late, history } =
    payment;
  const { status } = STAGES[stage];
  // Once it has ended there is nothing left to scan or to open, and nothing that should still be paid.
  const open = status === 'PROCESSING';
  const success = history.find(({ event }) => event === 'succeeded');
  return {
    method: method as Method,
    asked: asked as Method,
    status,
    reason: reasonOf(payment),
    answer: answer === null ? 'AWAITED' : ANSWER_STATES[answer],
    checkoutUrl: open ? checkoutUrl : null,
    qr: open ? qr : null,
    appUrl: open ? appUrl : null,
    walletLast4: open && ANSWER[method as Method] === 'prompt' ? (customer?.slice(-4) ?? null) : null,
    expiresAt: expiresAt === null ? null : iso(expiresAt),
    createdAt: iso(createdAt),
    paidAt: success === undefined ? null : iso(success.at),
    late,
  };
}
