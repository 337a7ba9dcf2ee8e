// Learns that money is in, by the two ways that may be trusted: a webhook whose signature holds, and the proxy's own answer
// when we ask it. Never by what a browser says. The asking happens when a page is shown and in a slow sweep, so a lost webhook
// only delays an order. Both ways end in `OrderStore.recordPaid`, which counts a payment once.
import { Webhook } from 'standardwebhooks';
import type { Order, OrderStore, Receipt } from './order-store.ts';
import type { ProxyClient } from './proxy-client.ts';

const MOST_REMEMBERED = 10_000;
const WATCHED_FOR_MS = 24 * 60 * 60 * 1000;
const ASKED_IN_ONE_SWEEP = 50;

/** A webhook of the proxy; `data` has more, which this shop has no use for. */
interface Event {
  type: string;
  data: Receipt;
}

export class Fulfilment {
  readonly #orders: OrderStore;
  readonly #proxy: ProxyClient;
  readonly #webhook: Webhook;
  readonly #seen = new Set<string>();

  constructor(orders: OrderStore, proxy: ProxyClient, webhookSecret: string) {
    this.#orders = orders;
    this.#proxy = proxy;
    this.#webhook = new Webhook(webhookSecret);
  }

  /** Takes a webhook as it came. `body` must be the raw text: the signature is over its bytes. Throws where it is not genuine. */
  takeWebhook(body: string, headers: Record<string, string>): void {
    this.#webhook.verify(body, headers, { jsonParse: false });
    const { type, data }: Event = JSON.parse(body);
    const id = headers['webhook-id'] ?? '';
    if (this.#seen.has(id)) return;
    if (type === 'payment.succeeded') this.#orders.recordPaid(data);
    this.#remember(id);
  }

  /** Asks the proxy about an order that is not paid as far as we know. Throws ProxyError. */
  async ask(order: Order): Promise<void> {
    if (order.paidAt !== null) return;
    const report = await this.#proxy.order(order.orderId);
    const payment = report?.payments.find(({ status }) => status === 'SUCCESS');
    if (payment !== undefined) this.#orders.recordPaid({ ...payment, orderId: order.orderId });
  }

  /** Asks about the orders still unpaid, newest first; for a timer. An answer that fails is asked for again next time. */
  async sweep(now: Date = new Date()): Promise<void> {
    const isWatched = (order: Order) =>
      order.paidAt === null && now.getTime() - order.createdAt.getTime() < WATCHED_FOR_MS;
    const unpaid = this.#orders.newest().filter(isWatched).slice(0, ASKED_IN_ONE_SWEEP);
    for (const order of unpaid) await this.ask(order).catch(() => {});
  }

  #remember(id: string): void {
    this.#seen.add(id);
    const [oldest] = this.#seen;
    if (this.#seen.size > MOST_REMEMBERED && oldest !== undefined) this.#seen.delete(oldest);
  }
}
