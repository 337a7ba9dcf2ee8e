// Orders that live from start to payment while versions come and go: each call goes to the next of the proxies that
// run, so an order is started at one version, and its IPN, payout and view reach another.
import { createClients, signOrder, type Clients, type ShopperOrder } from '../faults/clients.ts';
import { until } from '../faults/fault-test.ts';
import type { TestGateway } from '../faults/sandbox-gateway.ts';

const SENDERS = 3;
const SHOWN_WITHIN_MS = 60_000;

export interface MixedLoad {
  clients: Clients;
  /** The proxies that get the next calls. */
  serveBy(urls: readonly string[]): void;
  /** Resolves when so many more orders are paid that were started after this call. */
  liveThrough(orders: number): Promise<void>;
  /** Ends the load after the orders under way, and throws the first error of any. */
  end(): Promise<void>;
  /** The longest that a start took, since the last call of this. */
  longestStartMs(): number;
}

export function startMixedLoad(gateway: TestGateway, urls: readonly string[], pauseMs = 50): MixedLoad {
  let serving = urls;
  let turn = 0;
  let begun = 0;
  let longestMs = 0;
  let isEnding = false;
  const finished = new Set<number>();
  const clients = createClients(() => serving[(turn += 1) % serving.length] ?? '');

  async function live(n: number): Promise<void> {
    const order = { orderId: `mixed-${n}`, amount: '12.00', currency: 'EUR' };
    const startedAt = performance.now();
    await clients.startPayment(order, { method: 'QR' }, 'first');
    longestMs = Math.max(longestMs, performance.now() - startedAt);
    await gateway.act(order.orderId, 'approve');
    await clients.sendIpn(JSON.stringify({ orderId: order.orderId, type: 'PAY', status: 'SUCCESS' }));
    await clients.startPayout({ orderId: `${order.orderId}-out`, amount: 5, currency: 'EUR', customer: '12345678' });
    await until(`${order.orderId} is paid`, async () => (await clients.view(order)).paid, SHOWN_WITHIN_MS);
    finished.add(n);
  }

  async function send(): Promise<void> {
    while (!isEnding) {
      await live((begun += 1));
      await new Promise((resolve) => setTimeout(resolve, pauseMs));
    }
  }
  let failed: unknown;
  const sending = Promise.all(Array.from({ length: SENDERS }, send)).catch((error: unknown) => {
    isEnding = true;
    failed = error;
  });

  return {
    clients,
    serveBy(next) {
      serving = next;
    },
    async liveThrough(orders) {
      const before = begun;
      const isThrough = () => [...finished].filter((n) => n > before).length >= orders;
      await until(`${orders} more orders are paid`, () => isEnding || isThrough());
    },
    async end() {
      isEnding = true;
      await sending;
      await clients.close();
      if (failed !== undefined) throw failed;
    },
    longestStartMs() {
      const longest = Math.round(longestMs);
      longestMs = 0;
      return longest;
    },
  };
}

/** Resolves when the order's stream at this proxy says that it is paid. */
export async function paidOnStream(url: string, order: ShopperOrder, signal: AbortSignal): Promise<void> {
  const headers = { Authorization: `Bearer ${signOrder(order, Date.now())}` };
  const { body, status } = await fetch(`${url}/order/events`, { headers, signal });
  if (status !== 200 || body === null) throw new Error(`The stream was answered ${status}`);
  let text = '';
  for await (const chunk of body.pipeThrough(new TextDecoderStream())) {
    text += chunk;
    if (text.includes('"paid":true')) return;
  }
  throw new Error(`The stream ended before the order was paid: ${text.slice(-500)}`);
}
