// Marks orders as paid, from the two sources that can be trusted: a signed webhook, and the proxy's answer about an
// order. A browser is never trusted. The proxy is asked when an order's page is shown, after each other webhook of an
// order, and in a slow sweep, so a lost webhook only delays an order. Both sources call `OrderStore.recordPaid`, which
// counts a payment once. Whether a person checks a payment comes from the proxy's answer alone.
import { Webhook } from 'standardwebhooks';
import { centsOf, decimal } from './catalog.ts';
import type { Order, OrderStore, Receipt } from './order-store.ts';
import type { ProxyClient } from './proxy-client.ts';

const MAX_REMEMBERED = 10_000;
const WATCHED_FOR_MS = 24 * 60 * 60 * 1000;
const ASKED_IN_ONE_SWEEP = 50;

/** A webhook of the proxy; `data` has more fields, which this shop does not need. */
interface Event {
  type: string;
  data: Receipt;
}

export class Fulfillment {
  readonly #orders: OrderStore;
  readonly #proxy: ProxyClient;
  readonly #webhook: Webhook;
  readonly #seen = new Set<string>();

  constructor(orders: OrderStore, proxy: ProxyClient, webhookSecret: string) {
    this.#orders = orders;
    this.#proxy = proxy;
    this.#webhook = new Webhook(webhookSecret);
  }

  /**
   * `body` must be the raw text, because the signature covers its bytes. Throws if the signature is not valid,
   * and ProxyError if the proxy cannot be asked: then the webhook comes again.
   */
  async takeWebhook(body: string, headers: Record<string, string>): Promise<void> {
    this.#webhook.verify(body, headers, { jsonParse: false });
    const { type, data }: Event = JSON.parse(body);
    const id = headers['webhook-id'] ?? '';
    if (this.#seen.has(id)) return;
    const order = this.#orders.get(data.orderId);
    if (type === 'payment.succeeded') this.#orders.recordPaid(data);
    else if (order !== undefined) await this.ask(order);
    this.#remember(id);
  }

  /** Asks the proxy about an order that is not marked as paid. Throws ProxyError. */
  async ask(order: Order): Promise<void> {
    if (order.paidAt !== null) return;
    const report = await this.#proxy.order(order.orderId);
    const payments = report?.payments ?? [];
    const payment = payments.find(({ status }) => status === 'SUCCESS');
    if (report?.paid && payment !== undefined) this.#orders.recordPaid({ ...payment, orderId: order.orderId });
    order.inReview = payments.some(({ needsReview }) => needsReview);
    order.closed = report?.closed ? { received: sumOf(payments), sentBack: sumOf(report.refunds) } : null;
  }

  /** Asks about unpaid orders, newest first. Called by a timer, so a failed request is repeated by the next sweep. */
  async sweep(now: Date = new Date()): Promise<void> {
    const isWatched = (order: Order) =>
      order.paidAt === null && now.getTime() - order.createdAt.getTime() < WATCHED_FOR_MS;
    const unpaid = this.#orders.newest().filter(isWatched).slice(0, ASKED_IN_ONE_SWEEP);
    for (const order of unpaid) await this.ask(order).catch(() => {});
  }

  #remember(id: string): void {
    this.#seen.add(id);
    const [oldest] = this.#seen;
    if (this.#seen.size > MAX_REMEMBERED && oldest !== undefined) this.#seen.delete(oldest);
  }
}

/** Of what succeeded. */
function sumOf(transactions: readonly { status: string; amount: string }[]): string {
  const succeeded = transactions.filter(({ status }) => status === 'SUCCESS');
  return decimal(succeeded.reduce((sum, { amount }) => sum + centsOf(amount), 0));
}
