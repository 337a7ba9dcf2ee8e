// The callers of the proxy (shoppers, the merchant's server, the gateway's IPN sender) and a record of the answers they
// received. Each retries with the same key, as real software does, until it has an answer other than "try again".
// Orders are signed without the project's code.
import { createHash, createHmac } from 'node:crypto';
import { Agent, request } from 'undici';
import { SHOP_ORIGIN } from './processes.ts';
import { SECRETS } from './canary-secrets.ts';

const ANSWER_WITHIN_MS = 60_000;
const RETRY_AFTER_MS = 25;
const RETRY_FOR_MS = 240_000;

export interface Answer {
  status: number;
  text: string;
}

/** Claims of the order token; the other claims are the same for all orders. */
export interface ShopperOrder {
  orderId: string;
  amount: string;
  currency: string;
  customerReferenceNo?: string;
  payWithin?: number;
}

/** What the callers were answered. */
export interface ClientRecords {
  /** By order id: the keys of its starts, and whether any start succeeded. */
  orders: Map<string, { keys: Set<string>; started: boolean; paid: boolean }>;
  payouts: Map<string, { accepted: boolean; status: string }>;
  /** By key: the order, and the id of the refund if it was accepted. */
  refunds: Map<string, { orderId: string; accepted: string | undefined }>;
  /** By the digest of the body: how often it was answered 200. */
  ipns: Map<string, number>;
  /** How often a caller got 503 and retried. */
  unavailable: number;
  /** When the last of these requests was sent (`performance.now()`). */
  lastUnavailableAt: number;
}

interface View {
  paid: boolean;
  checking: boolean;
  closed: boolean;
  payment: { status: string } | null;
}

export interface Clients {
  records: ClientRecords;
  /** Retries; resolves with the last answer. */
  startPayment(order: ShopperOrder, body: { method: string; customer?: string }, key: string): Promise<Answer>;
  view(order: ShopperOrder): Promise<View>;
  startPayout(payout: { orderId: string; amount: number; currency: string; customer: string }): Promise<Answer>;
  refund(orderId: string, body: { amount?: number }, key: string): Promise<void>;
  sendIpn(body: string): Promise<void>;
  /** A person's word on what the gateway reports as SUCCESS: ours, or not. */
  resolve(gatewayOrderId: string, status: 'SUCCESS' | 'FAILED'): Promise<void>;
  close(): Promise<void>;
}

/** `proxyUrl` is called for each try, because a killed proxy may have restarted and there may be several. */
export function createClients(proxyUrl: () => string, now: () => number = Date.now): Clients {
  const agent = new Agent({ connections: 128, pipelining: 1, keepAliveTimeout: 2_000 });
  const records: ClientRecords = {
    orders: new Map(),
    payouts: new Map(),
    refunds: new Map(),
    ipns: new Map(),
    unavailable: 0,
    lastUnavailableAt: -Infinity,
  };
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

  /** Retries until the status is one of `done`; any other answer except 503 throws. */
  async function retry(done: readonly number[], what: string, ask: () => Promise<Answer | undefined>): Promise<Answer> {
    const deadline = performance.now() + RETRY_FOR_MS;
    for (;;) {
      const sentAt = performance.now();
      const answer = await ask();
      if (answer !== undefined && done.includes(answer.status)) return answer;
      if (answer?.status === 503) {
        records.unavailable += 1;
        records.lastUnavailableAt = Math.max(records.lastUnavailableAt, sentAt);
      } else if (answer !== undefined) throw new Error(`${what}: ${answer.status} ${answer.text}`);
      if (isClosed) throw new Error(`${what}: closed`);
      if (performance.now() > deadline) throw new Error(`${what}: no answer in ${RETRY_FOR_MS} ms`);
      await new Promise((resolve) => setTimeout(resolve, RETRY_AFTER_MS));
    }
  }

  return {
    records,
    async startPayment(order, body, key) {
      const known = records.orders.get(order.orderId) ?? { keys: new Set(), started: false, paid: false };
      records.orders.set(order.orderId, known);
      known.keys.add(key);
      const headers = { Authorization: `Bearer ${signOrder(order, now())}`, 'Idempotency-Key': key };
      const answer = await retry([200, 201, 409, 422, 429], `start ${order.orderId}`, () =>
        call('POST', '/order/payments', headers, JSON.stringify(body)),
      );
      if (answer.status <= 201) known.started = true;
      return answer;
    },
    async view(order) {
      const headers = { Authorization: `Bearer ${signOrder(order, now())}` };
      const answer = await retry([200], `view ${order.orderId}`, () => call('GET', '/order', headers));
      const view = JSON.parse(answer.text) as View;
      const known = records.orders.get(order.orderId);
      if (known !== undefined && view.paid) known.paid = true;
      return view;
    },
    async startPayout(payout) {
      const headers = { Authorization: `Bearer ${SECRETS.merchantApiKey}` };
      const answer = await retry([202, 409], `payout ${payout.orderId}`, () =>
        call('POST', '/payouts', headers, JSON.stringify(payout)),
      );
      const { status } = JSON.parse(answer.text) as { status: string };
      records.payouts.set(payout.orderId, { accepted: answer.status === 202, status });
      return answer;
    },
    async refund(orderId, body, key) {
      const headers = { Authorization: `Bearer ${SECRETS.merchantApiKey}`, 'Idempotency-Key': key };
      const { status, text } = await retry([202, 409, 422], `refund ${orderId}`, () =>
        call('POST', `/orders/${orderId}/refunds`, headers, JSON.stringify(body)),
      );
      const { gatewayOrderId } = JSON.parse(text) as { gatewayOrderId: string };
      const known = records.refunds.get(key)?.accepted;
      records.refunds.set(key, { orderId, accepted: status === 202 ? gatewayOrderId : known });
    },
    async sendIpn(body) {
      await retry([200], 'IPN', () => call('POST', `/ipn/${SECRETS.ipnSecret}`, {}, body));
      const digest = createHash('sha256').update(body).digest('base64url');
      records.ipns.set(digest, (records.ipns.get(digest) ?? 0) + 1);
    },
    async resolve(gatewayOrderId, status) {
      const headers = { Authorization: `Bearer ${SECRETS.merchantApiKey}` };
      const body = { status, by: 'ada', note: 'the account was looked into', gatewayReports: 'SUCCESS' };
      await retry([200], `resolve ${gatewayOrderId}`, () =>
        call('POST', `/transactions/${gatewayOrderId}/resolve`, headers, JSON.stringify(body)),
      );
    },
    close() {
      isClosed = true;
      return agent.destroy();
    },
  };
}

/** A compact JWS with HS256, as a merchant's server makes it. */
export function signOrder(order: ShopperOrder, nowMs: number): string {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const claims = { returnUrl: `${SHOP_ORIGIN}/order`, exp: Math.floor(nowMs / 1000) + 3600, ...order };
  const signed = `${part({ alg: 'HS256', typ: 'JWT' })}.${part(claims)}`;
  return `${signed}.${createHmac('sha256', SECRETS.orderSecret).update(signed).digest('base64url')}`;
}
