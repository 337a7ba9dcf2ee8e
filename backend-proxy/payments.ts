// Collecting: starts a payment of an order and tells the shopper's view of it. The one place that sends collections.
// Row first, then permission, then one call; whatever comes back, or nothing, is recorded as a fact and never repeated.
import { Refusal } from './errors.ts';
import { fingerprintOf } from './fingerprint.ts';
import type { Collection, Gateway } from './gateway/gateway.ts';
import type { Recorder } from './recorder.ts';
import type { Fact, Ledger, PaymentLimits, SeenTerms } from './ledger/ledger.ts';
import type { OrderTerms } from './order-token.ts';
import { WALLET_ID } from './protocol/methods.ts';
import { exponentOf, decimalOf, minorOf } from './protocol/money.ts';
import { orderView } from './order-view.ts';
import type { Transaction } from './protocol/transaction.ts';
import type { Method, OrderView, StartPayment } from './protocol/wire.ts';
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
      transactionId: payment.id,
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
      return { stage: 'not_created', answer: sent.kind, detail: sent.detail };
    case 'refused':
      return { stage: 'rejected', answer: sent.kind, detail: sent.detail };
    case 'duplicate':
    case 'foreign':
    case 'lost':
      return { stage: 'uncertain', answer: sent.kind, detail: sent.detail };
    default:
      return sent satisfies never;
  }
}

function seenOf({ orderId, currency, amountMinor, minMinor, maxMinor, iat }: OrderTerms): SeenTerms {
  const terms = fingerprintOf([currency, amountMinor, minMinor, maxMinor]);
  return { orderId, currency, orderAmountMinor: amountMinor, iat: iat ?? null, terms };
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
  const amountMinor = asked === undefined ? undefined : minorOf(asked, currency);
  if (amountMinor === undefined || amountMinor < minMinor || amountMinor > maxMinor) {
    const bounds = `${decimalOf(minMinor, currency)} to ${decimalOf(maxMinor, currency)} ${currency}`;
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
