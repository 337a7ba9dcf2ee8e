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
import type { Back, Order, OrderStore } from './order-store.ts';

const WATCHED_FOR_MS = 24 * 60 * 60 * 1000;
const ASKED_IN_ONE_SWEEP = 50;

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
    const payments = report?.payments ?? [];
    const extra = payments.filter(({ surplus, afterClose }) => surplus || afterClose);
    const payment = payments.find((each) => each.status === 'SUCCESS' && !extra.includes(each));
    if (report?.paid && payment !== undefined) this.#orders.recordPaid({ ...payment, orderId: order.orderId });
    order.inReview = payment === undefined ? payments.some(({ needsReview }) => needsReview) : payment.needsReview;
    order.isDenied = payment?.needsReview === false && lastDecision(payment)?.startsWith('FAILED') === true;
    order.tries = triesOf(payments);
    order.isClosed = report?.closed === true;
    const refunds = report?.refunds ?? [];
    order.back = backOf(payment === undefined ? [] : [payment], refunds);
    const whole = extra.map((each) => ({ ...each, amount: each.amount.replace(/\.\d+$/, '.00') }));
    const received = sumOf(extra, 'SUCCESS');
    const settled = extra.map((each) => ({ ...each, amount: each.settled }));
    const sums = { received, whole: sumOf(whole, 'SUCCESS'), settled: sumOf(settled, 'SUCCESS') };
    order.extra = { ...sums, ...backOf(extra, refunds) };
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

function triesOf(payments: readonly Payment[]): Order['tries'] {
  if (payments.some((payment) => isOpen(payment) && isPayable(payment))) return 'open';
  const last = payments.at(-1);
  if (last === undefined || last.status === 'SUCCESS') return 'none';
  return last.reason === 'EXPIRED' ? 'expired' : last.reason === 'RESOLVED' ? 'closed' : 'failed';
}

const isOpen = ({ status }: Payment) => status === 'INITIALIZED' || status === 'PROCESSING';

/** The API's transactions differ by their fields. */
export const isPayout = (one: Transaction): one is Payout => !('payer' in one || 'refundOf' in one);

/** The gateway's answer is lost. */
export const isLost = ({ history }: Transaction): boolean => history.some(({ event }) => event === 'uncertain');

const IN_WALLET: Record<Method, boolean> = { DIRECT: true, CHECKOUT: false, JETGO: false, QR: false };

/** It is a request in the wallet that was asked, no code or page. */
export const isByRequest = ({ method }: Pick<Payment, 'method'>) => method !== null && IN_WALLET[method];

/** Nobody was shown a code or page whose answer was lost, but a request may be in the wallet. */
export const isPayable = (payment: Payment) => !isLost(payment) || isByRequest(payment);

function backOf(payments: readonly Payment[], refunds: readonly Refund[]): Back {
  const theirs = refunds.filter(({ refundOf }) => payments.some(({ gatewayOrderId }) => gatewayOrderId === refundOf));
  // The gateway has accepted it, and has not said since that it failed.
  const coming = theirs.filter(({ reportedFailedAt }) => !reportedFailedAt);
  return { sentBack: sumOf(theirs, 'SUCCESS'), onItsWay: sumOf(coming, 'PROCESSING') };
}

function sumOf(transactions: readonly Transaction[], ...statuses: Transaction['status'][]): string {
  const counted = transactions.filter(({ status }) => statuses.includes(status));
  return decimal(counted.reduce((sum, { amount }) => sum + centsOf(amount), 0));
}
