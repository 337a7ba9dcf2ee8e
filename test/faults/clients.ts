// Those who call the proxy, and the book of what they were told: the second of the outside ledgers. Shoppers, the
// merchant's server, the gateway's IPN sender. Each persists: an answer that does not come, or that says "try again", is
// asked for again with the same key, as their own software would do. They sign orders with lines of their own.
import { createHash, createHmac } from 'node:crypto';
import { Agent, request } from 'undici';
import { SHOP_ORIGIN } from './processes.ts';
import { SECRETS } from './canary-secrets.ts';

const ANSWER_WITHIN_MS = 60_000;
const ASK_AGAIN_AFTER_MS = 25;
const PERSIST_FOR_MS = 240_000;

export interface Answer {
  status: number;
  text: string;
}

/** Claims of the order token; the rest of them are the same for all. */
export interface ShopperOrder {
  orderId: string;
  amount: string;
  currency: string;
  customerReferenceNo?: string;
  payWithin?: number;
}

/** What they were told. */
export interface ClientRecords {
  /** By order id: the keys its payments were started with, and whether one was answered that started it. */
  orders: Map<string, { keys: Set<string>; started: boolean; paid: boolean }>;
  payouts: Map<string, { accepted: boolean; status: string }>;
  /** By the digest of the body: how often it was answered 200. */
  ipns: Map<string, number>;
  /** How often they were told that the books cannot be had just now, and asked again. */
  unavailable: number;
}

export interface Clients {
  records: ClientRecords;
  /** Persists; resolves with the last answer. */
  startPayment(order: ShopperOrder, body: { method: string; customer?: string }, key: string): Promise<Answer>;
  view(order: ShopperOrder): Promise<{ paid: boolean; payment: { status: string } | null }>;
  startPayout(payout: { orderId: string; amount: number; currency: string; customer: string }): Promise<Answer>;
  sendIpn(body: string): Promise<void>;
  close(): Promise<void>;
}

/** `proxyUrl` is asked anew for each try: a proxy that was killed may have come back, and there may be several. */
export function createClients(proxyUrl: () => string, now: () => number = Date.now): Clients {
  const agent = new Agent({ connections: 128, pipelining: 1, keepAliveTimeout: 2_000 });
  const records: ClientRecords = { orders: new Map(), payouts: new Map(), ipns: new Map(), unavailable: 0 };

  let isClosed = false;

  async function call(method: 'GET' | 'POST', path: string, headers: Record<string, string>, body?: string) {
    try {
      const answer = await request(`${proxyUrl()}${path}`, {
        method,
        headers: { ...(body !== undefined && { 'Content-Type': 'application/json' }), ...headers },
        body: body ?? null,
        dispatcher: agent,
        signal: AbortSignal.timeout(ANSWER_WITHIN_MS),
      });
      return { status: answer.statusCode, text: await answer.body.text() };
    } catch {
      return undefined;
    }
  }

  /** Until the answer is one of `done`; an answer that is neither that nor "try again" ends it. */
  async function persist(
    done: readonly number[],
    what: string,
    ask: () => Promise<Answer | undefined>,
  ): Promise<Answer> {
    const deadline = performance.now() + PERSIST_FOR_MS;
    for (;;) {
      const answer = await ask();
      if (answer !== undefined && done.includes(answer.status)) return answer;
      if (answer?.status === 503) records.unavailable += 1;
      else if (answer !== undefined) throw new Error(`${what}: ${answer.status} ${answer.text}`);
      if (isClosed) throw new Error(`${what}: closed`);
      if (performance.now() > deadline) throw new Error(`${what}: no answer in ${PERSIST_FOR_MS} ms`);
      await new Promise((resolve) => setTimeout(resolve, ASK_AGAIN_AFTER_MS));
    }
  }

  return {
    records,
    async startPayment(order, body, key) {
      const known = records.orders.get(order.orderId) ?? { keys: new Set(), started: false, paid: false };
      records.orders.set(order.orderId, known);
      known.keys.add(key);
      const headers = { Authorization: `Bearer ${signOrder(order, now())}`, 'Idempotency-Key': key };
      const answer = await persist([200, 201, 409, 422, 429], `start ${order.orderId}`, () =>
        call('POST', '/order/payments', headers, JSON.stringify(body)),
      );
      if (answer.status <= 201) known.started = true;
      return answer;
    },
    async view(order) {
      const headers = { Authorization: `Bearer ${signOrder(order, now())}` };
      const answer = await persist([200], `view ${order.orderId}`, () => call('GET', '/order', headers));
      const view = JSON.parse(answer.text) as { paid: boolean; payment: { status: string } | null };
      const known = records.orders.get(order.orderId);
      if (known !== undefined && view.paid) known.paid = true;
      return view;
    },
    async startPayout(payout) {
      const headers = { Authorization: `Bearer ${SECRETS.merchantApiKey}` };
      const answer = await persist([202, 409], `payout ${payout.orderId}`, () =>
        call('POST', '/payouts', headers, JSON.stringify(payout)),
      );
      const { status } = JSON.parse(answer.text) as { status: string };
      records.payouts.set(payout.orderId, { accepted: answer.status === 202, status });
      return answer;
    },
    async sendIpn(body) {
      await persist([200], 'IPN', () => call('POST', `/ipn/${SECRETS.ipnSecret}`, {}, body));
      const digest = createHash('sha256').update(body).digest('base64url');
      records.ipns.set(digest, (records.ipns.get(digest) ?? 0) + 1);
    },
    close() {
      isClosed = true;
      return agent.destroy();
    },
  };
}

/** A compact JWS, HS256, as a merchant's server makes it. */
export function signOrder(order: ShopperOrder, nowMs: number): string {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const claims = { returnUrl: `${SHOP_ORIGIN}/order`, exp: Math.floor(nowMs / 1000) + 3600, ...order };
  const signed = `${part({ alg: 'HS256', typ: 'JWT' })}.${part(claims)}`;
  return `${signed}.${createHmac('sha256', SECRETS.orderSecret).update(signed).digest('base64url')}`;
}
