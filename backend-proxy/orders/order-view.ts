// Builds the order view that the shopper sees, and encodes the QR code in it.
// Pure: from the stored order and the terms of the token to the promised fields of wire.ts.
import { create } from 'qrcode';
import type { Gateway } from '../gateway/gateway.ts';
import type { Order } from '../ledger/model.ts';
import { iso } from '../protocol/durations.ts';
import {
  PAYS_BY,
  type Method,
  type OrderView,
  type OtherPaymentView,
  type PaymentView,
  type ReceivedView,
  type RefundView,
  type QrCode,
} from '../protocol/wire.ts';
import { decimalOf } from '../protocol/money.ts';
import { failedRefundOf, isReserved, leftOf, owedOf } from '../protocol/refundable.ts';
import {
  STAGES,
  answerOf,
  isDenied,
  isPayable,
  reasonOf,
  succeededAt,
  type Transaction,
} from '../protocol/transaction.ts';
import type { OrderTerms } from './order-token.ts';

/** Of the gateway: what its code for a failure tells the shopper, whether it moves money, and how its app opens. */
type Traits = Pick<Gateway, 'causeOf' | 'isTest' | 'walletAppUrl'>;

export function orderView(terms: OrderTerms, order: Order | undefined, nowMs: number, gateway: Traits): OrderView {
  const { orderId, methods } = terms;
  // Once a payment was started, the stored amount and currency apply, even if a newer token has others.
  const total = order?.payments.length ? order : terms;
  const current = order && currentPayment(order);
  const paid = order !== undefined && order.paidBy !== null;
  const closed = order !== undefined && order.closed !== null;
  const received = (order?.payments ?? [])
    .filter((payment) => payment.stage === 'succeeded' && !isDenied(payment))
    .toSorted((a, b) => (succeededAt(a) ?? 0) - (succeededAt(b) ?? 0));
  const extra = received.filter(({ surplus }) => surplus);
  const { refunds = [] } = order ?? {};
  const inDoubt = refunds.filter((refund) => isReserved(refund) && !isCertain(refund));
  // What was settled in another way is no longer to go back.
  const failed = received.flatMap(
    (payment) => (leftOf(payment, refunds) > 0 && failedRefundOf(payment, refunds)) || [],
  );
  const others = order?.payments.filter((payment) => payment !== current && isPayable(payment)) ?? [];
  const owed = received.reduce((sum, payment) => sum + owedOf(payment, refunds), 0);
  const checking = paid
    ? current?.needsReview === true
    : (order?.payments.some((payment) => payment.checking) ?? false);
  return {
    orderId,
    amount: shownAmount(total, order),
    currency: total.currency,
    description: terms.description ?? null,
    supportUrl: terms.supportUrl ?? null,
    methods,
    paid,
    checking,
    closed,
    test: gateway.isTest,
    surplus: extra.length > 0,
    surplusAmount: sumOrNull(extra),
    owedAmount: owed > 0 ? decimalOf(owed, total.currency) : null,
    otherOpen: others.length > 0,
    otherPayments: others.map(otherPaymentView),
    received: received.map(receivedView),
    refunds: refunds.filter(isCertain).map(refundView),
    refundInDoubtAmount: sumOrNull(inDoubt),
    refundFailedAmount: sumOrNull(failed),
    version: order?.version ?? 0,
    serverTime: iso(nowMs),
    payment: current ? shopperPayment(current, checking || closed, gateway) : null,
    openPayment: checking || closed ? null : openPayment(current, others, nowMs, gateway),
  };
}

/**
 * As it was before it was replaced: once the newest payment has failed, only this one can still be paid. Not if there
 * are several, and not with another amount, because the shopper sees one amount.
 */
function openPayment(
  current: Transaction | undefined,
  [other, ...more]: Transaction[],
  nowMs: number,
  gateway: Traits,
): PaymentView | null {
  if (!current || !other || more.length > 0 || STAGES[current.stage].status !== 'FAILED') return null;
  const isShown = other.stage === 'replaced' && answerOf(other) === 'ARRIVED';
  const isSame = other.amountMinor === current.amountMinor && (other.expiresAt ?? Infinity) > nowMs;
  return isShown && isSame ? shopperPayment({ ...other, stage: 'pending' }, false, gateway) : null;
}

/** The payment that paid the order, otherwise the latest. */
function currentPayment({ payments, paidBy }: Order): Transaction | undefined {
  return payments.find(({ id }) => id === paidBy) ?? payments.at(-1);
}

const sumOrNull = (all: Transaction[]): string | null =>
  all[0]
    ? decimalOf(
        all.reduce((sum, { amountMinor }) => sum + amountMinor, 0),
        all[0].currency,
      )
    : null;

/** Decimal string. If the amount is open: the amount of the current payment, or null before the first. */
export function shownAmount(
  { amountMinor, currency }: Pick<Order, 'amountMinor' | 'currency'>,
  order: Order | undefined,
): string | null {
  const minor = amountMinor ?? (order && currentPayment(order))?.amountMinor;
  return minor === undefined ? null : decimalOf(minor, currency);
}

/** None that may be wrong: what the shopper reads of it has to be true. */
function isCertain({ stage, mismatch, conflict, needsReview, failedAt }: Transaction): boolean {
  const { status } = STAGES[stage];
  const isDoubtful = mismatch || conflict || needsReview;
  return !isDoubtful && (status === 'SUCCESS' || (status === 'PROCESSING' && failedAt === null));
}

const otherPaymentView = (payment: Transaction): OtherPaymentView => ({
  method: payment.method as Method,
  walletLast4: walletLast4(payment),
  createdAt: iso(payment.createdAt),
});

const receivedView = (payment: Transaction): ReceivedView => ({
  amount: decimalOf(payment.amountMinor, payment.currency),
  method: payment.method as Method,
  walletLast4: walletLast4(payment),
  paidAt: isoOrNull(succeededAt(payment)),
});

const refundView = ({ amountMinor, currency, stage }: Transaction): RefundView => ({
  amount: decimalOf(amountMinor, currency),
  status: stage === 'succeeded' ? 'SUCCESS' : 'PROCESSING',
});

/** `withheld`: the money may have come, or the order is closed, so nothing is shown to pay with. */
function shopperPayment(payment: Transaction, withheld: boolean, gateway: Traits): PaymentView {
  const { method, asked, stage, checkoutUrl, qr, appUrl, expiresAt, createdAt, late, history } = payment;
  const { status } = STAGES[stage];
  // An ended payment shows no code or link, so that nobody pays it.
  const open = status === 'PROCESSING' && !withheld;
  const reason = isDenied(payment) ? 'RESOLVED' : reasonOf(payment);
  const answer = answerOf(payment);
  const isInWallet = PAYS_BY[method as Method] === 'prompt' && answer === 'ARRIVED';
  const decline = reason === 'DECLINED' ? history.findLast(({ event }) => event === 'declined') : undefined;
  return {
    method: method as Method,
    asked: asked as Method,
    status,
    reason,
    cause: stage === 'declined' && reason === 'EXPIRED' ? 'TOKEN_EXPIRED' : gateway.causeOf(decline?.detail ?? null),
    answer,
    checkoutUrl: open ? checkoutUrl : null,
    qr: open ? qr : null,
    appUrl: open ? (isInWallet ? gateway.walletAppUrl : appUrl) : null,
    walletLast4: status === 'FAILED' ? null : walletLast4(payment),
    expiresAt: isoOrNull(expiresAt),
    createdAt: iso(createdAt),
    paidAt: isoOrNull(succeededAt(payment)),
    late,
  };
}

const isoOrNull = (time: number | null | undefined): string | null => (time == null ? null : iso(time));

/** Of the wallet that paid; until it is known, of the one that was asked. */
const walletLast4 = ({ method, customer, payer }: Transaction): string | null =>
  (payer ?? (PAYS_BY[method as Method] === 'prompt' ? customer : null))?.slice(-4) ?? null;

// Encodes the text of a QR code on the server, once per payment, so that no shopper loads an encoder (89 ms on a slow
// phone, a third of the bytes of the widget).

/** `code`: text to encode, or a `data:image/…` URL, which is passed through. */
export function toQrCode(code: string): QrCode {
  if (code.startsWith('data:image/')) return { image: code };
  const { data, size } = create(code, { errorCorrectionLevel: 'M' }).modules;
  return { text: code, size, modules: packBits(data).toString('base64url') };
}

/** One bit per module, the first in the most significant bit of the first byte. */
function packBits(modules: ArrayLike<number>): Buffer {
  const bytes = Buffer.alloc(Math.ceil(modules.length / 8));
  for (let at = 0; at < modules.length; at += 1) {
    if (modules[at]) bytes[at >> 3] = (bytes[at >> 3] ?? 0) | (0x80 >> (at & 7));
  }
  return bytes;
}
