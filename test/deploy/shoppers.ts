// Shoppers during restarts of the proxies: they start a payment, follow it and see that they have paid;
// the gateway sends its IPNs. Everything goes through nginx. Nobody tries anything again, except that a widget opens a
// stream that has ended: whatever fails is a problem.
import { signOrder, type ShopperOrder } from '../faults/clients.ts';
import { SECRETS } from '../faults/canary-secrets.ts';
import type { TestGateway } from '../faults/sandbox-gateway.ts';
import { openClient, type Client } from './http2-client.ts';

/** Of one shopper. */
const VIEWS = 4;
/** Below which the proxy is. */
const BASE = '/pay';

export interface Shoppers {
  problems: readonly string[];
  /** The keys of the answered starts, by order id. */
  started: ReadonlyMap<string, string>;
  counts: { requests: number; streams: number; paid: number };
  /** Shoppers come one after the other, so many at a time, until `leave`. */
  come(atOnce: number): void;
  /** Shoppers who start a payment and confirm it only after `leave`. Resolves when all their streams are open. */
  wait(together: number): Promise<void>;
  /** Resolves when each that came knows that it has paid. */
  leave(): Promise<void>;
}

export function createShoppers(port: number, gateway: TestGateway): Shoppers {
  const problems: string[] = [];
  const started = new Map<string, string>();
  const counts = { requests: 0, streams: 0, paid: 0 };
  const queues: Promise<void>[] = [];
  let shoppers = 0;
  let isClosing = false;
  const closing = Promise.withResolvers<void>();

  /** The shopper confirms the payment when `opened` resolves, which is called as soon as the stream is open. */
  async function visit(number: number, opened = () => Promise.resolve()): Promise<void> {
    const orderId = `rolling-${number}`;
    const order: ShopperOrder = { orderId, amount: '5.00', currency: 'EUR' };
    // The address limits count each shopper apart.
    const client = await openClient(port, `127.1.${number >> 8}.${number & 255}`);
    try {
      await pay(client, order, `the-key-of-${orderId}`, opened);
    } catch (error) {
      problems.push(`${orderId}: ${String(error)}`);
    } finally {
      client.close();
    }
  }

  async function pay(client: Client, order: ShopperOrder, key: string, opened: () => Promise<void>): Promise<void> {
    const headers = { Authorization: `Bearer ${signOrder(order, Date.now())}` };
    const expect = async (status: number, method: string, path: string, more: object = {}, body?: string) => {
      counts.requests += 1;
      const answer = await client.ask(method, path, { ...headers, ...more }, body);
      if (answer.status !== status) throw new Error(`${method} ${path} → ${answer.status} ${answer.text}`);
    };
    await expect(200, 'GET', `${BASE}/order`);
    const start = { 'Content-Type': 'application/json', 'Idempotency-Key': key };
    await expect(201, 'POST', `${BASE}/order/payments`, start, JSON.stringify({ method: 'QR' }));
    started.set(order.orderId, key);
    const first = Promise.withResolvers<void>();
    const followed = follow(client, headers, first.resolve);
    for (let view = 0; view < VIEWS; view += 1) await expect(200, 'GET', `${BASE}/order`);
    await Promise.race([first.promise, followed]);
    await opened();
    await gateway.act(order.orderId, 'approve');
    const ipn = JSON.stringify({ orderId: order.orderId, type: 'PAY', status: 'SUCCESS' });
    await expect(200, 'POST', `${BASE}/ipn/${SECRETS.ipnSecret}`, {}, ipn);
    await followed;
    counts.paid += 1;
  }

  /** Resolves when a stream has said that the order is paid. */
  async function follow(client: Client, headers: Record<string, string>, onOpen: () => void): Promise<void> {
    let text = '';
    while (!text.includes('"paid":true')) {
      counts.streams += 1;
      const { status, ended } = await client.read(`${BASE}/order/events`, headers, (more) => (text += more));
      if (status !== 200) throw new Error(`the stream was answered ${status}`);
      onOpen();
      await ended;
    }
  }

  return {
    problems,
    started,
    counts,
    come(atOnce) {
      for (let queue = 0; queue < atOnce; queue += 1) {
        queues.push(
          (async () => {
            while (!isClosing) await visit((shoppers += 1));
          })(),
        );
      }
    },
    async wait(together) {
      const open = Array.from({ length: together }, () => {
        const stream = Promise.withResolvers<void>();
        const visiting = visit((shoppers += 1), () => (stream.resolve(), closing.promise));
        queues.push(visiting);
        return Promise.race([stream.promise, visiting]);
      });
      await Promise.all(open);
    },
    async leave() {
      isClosing = true;
      closing.resolve();
      await Promise.all(queues);
    },
  };
}
