// Starts payments, reads what the shopper's view of an order shows, and closes orders.
// No other module sends collections. The row is written first, with the permission to send it; then one call is made.
// Its outcome, or the lack of one, is recorded as a fact; the call is never repeated.
import { Refusal } from '../errors.ts';
import { fingerprintOf } from '../fingerprint.ts';
import type { Collection, Gateway } from '../gateway/gateway.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { Fact, OrderAt, PaymentLimits, TokenTerms, ClosedOrder } from '../ledger/model.ts';
import type { OrderTerms } from '../orders/order-token.ts';
import { orderView, toQrCode } from '../orders/order-view.ts';
import { HOUR_MS } from '../protocol/durations.ts';
import { PAYS_BY, WALLET_ID, methodsOf, type Method, type OrderView, type StartPayment } from '../protocol/wire.ts';
import { exponentOf, decimalOf, minorOf } from '../protocol/money.ts';
import { MAX_REFUNDS, refundId } from '../protocol/refundable.ts';
import { type Transaction, canBePaid } from '../protocol/transaction.ts';
import { TOO_OLD, askPermission, databaseAge, type Clocks, type Permission, type Recorder } from './sending.ts';

const LIMITS: PaymentLimits = {
  perOrder: 5,
  directPerOrder: 3,
  withDuplicates: 10,
  inAll: 20,
  directPerWallet: { perCustomer: 3, inAll: 10, withinMs: HOUR_MS },
};

/** The longest that is added to an order's id: a refund of its last payment. */
export const LONGEST_ENDING = refundId(`-${LIMITS.inAll}`, MAX_REFUNDS);

export interface Payments {
  /** Resolves when the gateway has answered or timed out. `created` is false if the key was used before. */
  start(
    terms: OrderTerms,
    request: StartPayment,
    idempotencyKey: string,
  ): Promise<{ created: boolean; view: OrderView }>;
  view(terms: OrderTerms): Promise<OrderView>;
  /** The view of an order that was read already. */
  show(terms: OrderTerms, read: OrderAt): OrderView;
}

interface Ports {
  gateway: Gateway;
  ledger: Ledger;
  recorder: Recorder;
  /** Host and port of this process; identifies its unfinished calls after a restart. */
  self: string;
  clocks?: Clocks;
}

export function createPayments({ gateway, ledger, recorder, self, clocks = {} }: Ports): Payments {
  async function start(terms: OrderTerms, request: StartPayment, idempotencyKey: string) {
    const { amountMinor, customer } = resolveTerms(terms, request);
    const permission = askPermission(self, clocks);
    const { start: asked } = permission;
    const opening = ledger.openPayment(
      {
        ...seenTermsOf(terms),
        amountMinor,
        method: request.method,
        customer,
        customerReference: terms.customerReferenceNo ?? null,
        metadata: terms.metadata ?? null,
        payWithinMs: terms.payWithin === undefined ? null : terms.payWithin * 1000,
        idempotencyKey,
        fingerprint: fingerprintOf([request.method, customer, amountMinor]),
        start: asked,
      },
      LIMITS,
    );
    const { orderId } = terms;
    const opened = await recorder.opened(opening, async () =>
      ledger.recordUnsent({ type: 'PAY', orderId }, asked, await factAfter(UNSENT)),
    );
    const { isNew, payment } = opened;
    const state = opened.maySend ? await send(permission, payment, request, terms) : opened;
    return { created: isNew, view: orderView(terms, state.order, state.now, gateway) };
  }

  async function send(
    permission: Permission,
    payment: Transaction,
    { method, language }: StartPayment,
    terms: OrderTerms,
  ): Promise<OrderAt> {
    const collection: Collection = {
      transactionId: payment.id,
      method,
      amountMinor: payment.amountMinor,
      currency: payment.currency,
      returnUrl: terms.returnUrl,
      customer: payment.customer,
      customerReference: terms.customerReferenceNo ?? null,
      language: terms.language ?? language ?? null,
    };
    const call = async () => {
      const ageMs = PAYS_BY[method] === 'prompt' ? await databaseAge(ledger, payment) : 0;
      return permission.isTooOld(ageMs) ? UNSENT : gateway.pay(collection);
    };
    return recorder.record(payment, call().then(factAfter));
  }

  /** What a restored database has lost may have been an earlier call of the same id: only checks can tell. */
  async function factAfter(sent: Sent): Promise<Fact> {
    const mayBeKnown = sent.kind === 'unreached' && (await ledger.wasRestoredLately().catch(() => true));
    return mayBeKnown ? { stage: 'uncertain', answer: 'lost', detail: sent.detail } : factOf(sent);
  }

  async function view(terms: OrderTerms): Promise<OrderView> {
    return show(terms, await ledger.orderAt(terms.orderId));
  }

  function show(terms: OrderTerms, { order, now }: OrderAt): OrderView {
    // A read-only database can still show the order; the next view stores the terms.
    const isNewer = terms.iat !== undefined && terms.iat > (order?.seen?.iat ?? -1);
    if (isNewer) void ledger.recordTerms(seenTermsOf(terms)).catch(() => undefined);
    return orderView(terms, order, now, gateway);
  }

  return { start, view, show };
}

type Sent = Awaited<ReturnType<Gateway['pay']>>;
const UNSENT: Sent = { kind: 'unreached', detail: TOO_OLD };

function factOf(sent: Sent): Fact {
  switch (sent.kind) {
    case 'accepted': {
      const { paymentId, method, checkoutUrl, qr, appUrl } = sent.answer;
      return { stage: 'pending', paymentId, method, checkoutUrl, qr: qr === null ? null : toQrCode(qr), appUrl };
    }
    // No connection was made, so no status check is needed.
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

function seenTermsOf({ orderId, currency, amountMinor, minMinor, maxMinor, iat }: OrderTerms): TokenTerms {
  const terms = fingerprintOf([currency, amountMinor, minMinor, maxMinor]);
  return { orderId, currency, orderAmountMinor: amountMinor, iat: iat ?? null, terms };
}

/** The amount and the wallet id to collect from: the token's if it has them, otherwise the shopper's. */
function resolveTerms(terms: OrderTerms, request: StartPayment): { amountMinor: number; customer: string | null } {
  const { method } = request;
  if (!terms.methods.includes(method)) {
    const isBare = methodsOf({ ...terms, methods: [method] }).length === 0;
    const needs = isBare ? `; ${method} needs customerReferenceNo in the token` : '';
    throw invalid('method_unavailable', 'method', `one of ${terms.methods.join(', ')}${needs}`);
  }
  return { amountMinor: amountOf(terms, request.amount), customer: customerOf(terms, method, request.customer) };
}

function amountOf(terms: OrderTerms, typed: string | undefined): number {
  const { currency, minMinor, maxMinor } = terms;
  if (terms.amountMinor !== null) {
    if (typed !== undefined)
      throw invalid('invalid_request', 'amount', 'must be absent, because the order sets the amount');
    return terms.amountMinor;
  }
  const amountMinor = typed === undefined ? undefined : minorOf(typed, currency);
  if (amountMinor === undefined || amountMinor < minMinor || amountMinor > maxMinor) {
    const bounds = `${decimalOf(minMinor, currency)} to ${decimalOf(maxMinor, currency)} ${currency}`;
    throw invalid('invalid_request', 'amount', `${bounds}, with at most ${exponentOf(currency)} decimals`);
  }
  return amountMinor;
}

function customerOf(terms: OrderTerms, method: Method, typed: string | undefined): string | null {
  if (WALLET_ID[method] === 'none') {
    if (typed !== undefined)
      throw invalid('invalid_request', 'customer', `must be absent, because ${method} takes none`);
    return null;
  }
  if (terms.customer !== undefined && typed !== undefined && typed !== terms.customer) {
    throw invalid('invalid_request', 'customer', 'must be absent, because the order sets the customer');
  }
  const customer = terms.customer ?? typed ?? null;
  if (WALLET_ID[method] === 'required' && customer === null) {
    throw invalid('invalid_request', 'customer', `the wallet id is required for ${method}`);
  }
  return customer;
}

function invalid(kind: 'invalid_request' | 'method_unavailable', field: string, detail: string): Refusal {
  return new Refusal(kind, `${field}: ${detail}.`, { errors: [{ field, detail }] });
}

// Closes an order for the merchant: no payment of it starts any more, and what is paid after all pays nothing. The
// gateway cannot cancel, so codes that are out may still be paid, and checks go on.

interface ClosingRequest {
  reason?: string | undefined;
  /** Asks the gateway first, and closes nothing while a payment is under way. */
  ifUnpaid?: boolean | undefined;
}

export interface Closings {
  close(orderId: string, request: ClosingRequest): Promise<ClosedOrder>;
}

interface ClosingPorts {
  ledger: Pick<Ledger, 'time' | 'order' | 'closeOrder'>;
  /** Checks a transaction at once, if it can. */
  check(transactionId: string): Promise<void>;
}

export function createClosings({ ledger, check }: ClosingPorts): Closings {
  /** Returns since when each payment that may still be paid was to be checked; the ledger looks whether it was. */
  async function askGateway(orderId: string): Promise<number> {
    const since = await ledger.time();
    const order = await ledger.order(orderId);
    const isSettled = order === undefined || order.paidBy !== null || order.closed !== null;
    const payable = isSettled ? [] : order.payments.filter(({ stage }) => canBePaid(stage));
    await Promise.all(payable.map(({ id }) => check(id)));
    return since;
  }

  return {
    async close(orderId, { reason, ifUnpaid = false }) {
      return ledger.closeOrder({
        orderId,
        reason: reason ?? null,
        ifUnpaidSince: ifUnpaid ? await askGateway(orderId) : null,
      });
    },
  };
}
