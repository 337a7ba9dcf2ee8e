// Marks orders as paid, from the two sources that can be trusted: a signed webhook, and the proxy's answer about an
// order. A browser is never trusted. The proxy is asked when an order's page or the account is shown, after each other
// webhook of an order, and in a slow sweep, so a lost webhook only delays an order. Both sources call
// `OrderStore.recordPaid`, which counts a payment once. Whether a person checks a payment comes from the proxy's answer
// alone.
import {
  PaymentProxyError,
  verifyWebhook,
  type Method,
  type Payment,
  type PaymentProxy,
  type Payout,
  type Refund,
  type Transaction,
} from '../../backend-proxy/client.ts';
import { centsOf, decimal } from './catalog.ts';
import { isComing, leftOf, type Back, type Order, type OrderStore } from './order-store.ts';

const WATCHED_FOR_MS = 24 * 60 * 60 * 1000;
const ASKED_IN_ONE_SWEEP = 50;
const BY = 'the shop';
const NOTE = 'on the coffee card';

export class Fulfillment {
  readonly #orders: OrderStore;
  readonly #proxy: PaymentProxy;
  readonly #webhookSecret: string;

  constructor(orders: OrderStore, proxy: PaymentProxy, webhookSecret: string) {
    this.#orders = orders;
    this.#proxy = proxy;
    this.#webhookSecret = webhookSecret;
  }

  /**
   * `body` must be the raw text, because the signature covers its bytes. A webhook that comes twice changes nothing.
   * @throws {WebhookError} The signature is not valid.
   * @throws {PaymentProxyError} The proxy cannot be asked; the webhook comes again.
   */
  async takeWebhook(body: string, headers: Record<string, string>): Promise<void> {
    const { type, data } = await verifyWebhook(body, headers, this.#webhookSecret);
    const order = this.#orders.get(data.orderId);
    if (type === 'payment.succeeded') this.#orders.recordPaid(data);
    else if (order !== undefined) await this.ask(order);
  }

  /** Asks the proxy about an order. Throws PaymentProxyError. */
  async ask(order: Order): Promise<void> {
    const report = await this.#proxy.order(order.orderId);
    const { payments = [], refunds = [] } = report ?? {};
    const payment = payments.find((each) => each.status === 'SUCCESS' && !paysNothing(each));
    if (report?.paid && payment !== undefined) this.#orders.recordPaid({ ...payment, orderId: order.orderId });
    // Of one that failed the shopper reads that no money was taken, and may pay again.
    const mayBePaid = (one: Payment) => one.needsReview && one.status !== 'FAILED' && !isUnpaid(one);
    order.inReview = payment === undefined ? payments.some(mayBePaid) : payment.needsReview;
    order.isDenied = payment !== undefined && isDenied(payment);
    order.tries = triesOf(payments);
    order.isClosed = report?.closed === true;
    order.back = backOf(payment === undefined ? [] : [payment], refunds);
    const refund = refunds.findLast(({ refundOf }) => refundOf === payment?.gatewayOrderId);
    order.failedRefund = refund !== undefined && refundState(refund) === 'failed' ? refund.amount : '0.00';
    const received = payments.filter((each) => each.status === 'SUCCESS' && paysNothing(each) && !isDenied(each));
    const extra = await Promise.all(received.map((each) => this.#credit(each, refunds)));
    order.extra = {
      received: sumOf(extra),
      whole: sumOf(extra.map((each) => ({ ...each, amount: each.amount.replace(/\.\d+$/, '.00') }))),
      settled: sumOf(extra.map((each) => ({ ...each, amount: each.settled }))),
      onCard: sumOf(extra.filter(isOnCard).map((each) => ({ ...each, amount: each.settled }))),
      inReview: extra.some((each) => isInDoubt(each) && remainderOf(each, refunds).most > 0),
      ...backOf(extra, refunds),
    };
  }

  /**
   * Once the rest has gone back, puts the cents that the gateway cannot send on the coffee card, and tells the proxy
   * that they are settled.
   */
  async #credit(payment: Payment, refunds: readonly Refund[]): Promise<Payment> {
    const { isBack, rest } = remainderOf(payment, refunds);
    if (!isBack || rest === 0 || isInDoubt(payment)) return payment;
    const said = { status: 'SETTLED', by: BY, note: NOTE } as const;
    const { history } = await this.#proxy.resolve(payment.gatewayOrderId, said);
    return { ...payment, settled: decimal(centsOf(payment.settled) + rest), history };
  }

  /**
   * Asks about orders that are unpaid or in doubt, newest first. Ends if the proxy cannot be reached: a timer calls
   * the next sweep.
   */
  async sweep(now: Date = new Date()): Promise<void> {
    const isWatched = (order: Order) =>
      (order.paidAt === null || order.inReview || order.isDenied) &&
      now.getTime() - order.createdAt.getTime() < WATCHED_FOR_MS;
    const watched = this.#orders.newest().filter(isWatched).slice(0, ASKED_IN_ONE_SWEEP);
    try {
      for (const order of watched) await this.ask(order);
    } catch (error) {
      if (!(error instanceof PaymentProxyError)) throw error;
    }
  }
}

/** What a person said last about how it ended, such as `SUCCESS by Ada: …`. */
export const lastDecision = ({ history }: Transaction) =>
  history.findLast(({ event, detail }) => event === 'resolved' && !detail?.startsWith('SETTLED'))?.detail;

/** A mismatch and a conflict say why before the review. */
export function causeOf({ history }: Transaction): { at: number; said: string } {
  const flag = /^(mismatch|conflict|needs_review)$/;
  const at = history.findLastIndex(({ event, detail }) => flag.test(event) && detail && !flag.test(detail));
  return { at, said: history[at]?.detail ?? '' };
}

function triesOf(payments: readonly Payment[]): Order['tries'] {
  if (payments.some((payment) => isOpen(payment) && isPayable(payment))) return 'open';
  const last = payments.at(-1);
  if (last === undefined || last.status === 'SUCCESS') return 'none';
  return last.reason === 'EXPIRED' ? 'expired' : last.reason === 'RESOLVED' ? 'closed' : 'failed';
}

export const isOpen = ({ status }: Transaction) => status === 'INITIALIZED' || status === 'PROCESSING';

/** Of one in review: the gateway has said nothing of it, or another amount while it waits for it. */
export const isUnpaid = (one: Transaction) =>
  'payer' in one && isOpen(one) && /(^| as pending)$/.test(causeOf(one).said);

/** The API's transactions differ by their fields. */
export const isPayout = (one: Transaction): one is Payout => !('payer' in one || 'refundOf' in one);

const answerTo = ({ history }: Transaction) => history.find(({ event }) => event === 'uncertain');

/** The gateway's answer is lost, or to a payout or refund was a refusal, after which it may have been created. */
export const isLost = (one: Transaction): boolean => answerTo(one) !== undefined;

/** The answer was clear: a refusal with its code, or as a duplicate. */
export const isRefused = (one: Transaction): boolean => /^HTTP 4(09|\d\d \w)/.test(answerTo(one)?.detail ?? '');

const IN_WALLET: Record<Method, boolean> = { DIRECT: true, CHECKOUT: false, JETGO: false, QR: false };

/** It is a request in the wallet that was asked, no code or page. */
export const isByRequest = ({ method }: Pick<Payment, 'method'>) => method !== null && IN_WALLET[method];

/** Nobody was shown a code or page whose answer was lost, but a request may be in the wallet. */
export const isPayable = (payment: Payment) => !isLost(payment) || isByRequest(payment);

/** Whether cents that the gateway cannot send were put on the coffee card: a person may settle money in another way. */
const isOnCard = ({ history }: Transaction) =>
  history.some(({ event, detail }) => event === 'resolved' && detail === `SETTLED by ${BY}: ${NOTE}`);

const isLate = (one: Transaction) => 'afterClose' in one && one.afterClose;
export const paysNothing = (one: Transaction) => ('surplus' in one && one.surplus) || isLate(one);

/** Refunding what came after the closing ends its review. */
export const isInDoubt = (one: Transaction) =>
  one.needsReview && !(isLate(one) && one.history.every(({ event }) => !/^(mismatch|conflict)$/.test(event)));

/** A person said the contrary, and it stays paid or sent. */
export const isDenied = (one: Transaction) =>
  one.status === 'SUCCESS' && !isInDoubt(one) && lastDecision(one)?.startsWith('FAILED') === true;

/** On its way once the gateway has it; in doubt while it may have failed, until that is certain. */
export function refundState({ status, needsReview, reportedFailedAt }: Transaction): keyof Back | 'failed' {
  if (needsReview) return 'inDoubt';
  if (status === 'SUCCESS') return 'sentBack';
  if (status === 'FAILED') return 'failed';
  return status === 'PROCESSING' && !reportedFailedAt ? 'onItsWay' : 'inDoubt';
}

export const refundsOf = <One extends Transaction>({ gatewayOrderId: id }: Transaction, all: readonly One[]) =>
  all.filter((one): one is Refund & One => 'refundOf' in one && one.refundOf === id);

function backOf(payments: readonly Payment[], transactions: readonly Transaction[]): Back {
  const refunds = payments.flatMap((payment) => refundsOf(payment, transactions));
  const sum = (state: keyof Back) => sumOf(refunds.filter((refund) => refundState(refund) === state));
  return { sentBack: sum('sentBack'), onItsWay: sum('onItsWay'), inDoubt: sum('inDoubt') };
}

/** Cents of a payment that are neither refunded nor settled: what the gateway takes, and the rest; `onCard` once it is. */
export function remainderOf(payment: Payment, transactions: readonly Transaction[]) {
  const back = backOf([payment], transactions);
  const left = leftOf(payment.amount, back) - centsOf(payment.settled);
  const [most, rest, sentBack] = [left - (left % 100), left % 100, centsOf(back.sentBack)];
  const isBack = most === 0 && !isComing(back);
  const onCard = isOnCard(payment)
    ? centsOf(payment.settled)
    : isBack && sentBack > 0 && !paysNothing(payment)
      ? rest
      : 0;
  return { most, rest, sentBack, isBack, onCard };
}

const sumOf = (transactions: readonly Transaction[]): string =>
  decimal(transactions.reduce((sum, { amount }) => sum + centsOf(amount), 0));
