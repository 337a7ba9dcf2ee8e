// The client for the merchant's server: signs orders, calls the proxy's merchant routes, verifies webhooks. It imports
// nothing and needs only `fetch` and WebCrypto, so it runs in Node 20, Bun, Deno and workers. Its types are those of
// /openapi.json, and test/backend-proxy/client.test.ts compares the two. It decides nothing about shipping.

export type Method = 'DIRECT' | 'CHECKOUT' | 'JETGO' | 'QR';
export type Status = 'INITIALIZED' | 'PROCESSING' | 'SUCCESS' | 'FAILED';
export type Reason = 'DECLINED' | 'EXPIRED' | 'REPLACED' | 'REJECTED' | 'NOT_CREATED' | 'RESOLVED';

/** What an order token says. Amounts are decimal strings in major units, like "10.10". */
export interface NewOrder {
  orderId: string;
  /** ISO 4217, upper case. */
  currency: string;
  /** If absent, the shopper enters it, between `minAmount` and `maxAmount`. */
  amount?: string | undefined;
  minAmount?: string | undefined;
  maxAmount?: string | undefined;
  suggestedAmounts?: string[] | undefined;
  /** Where the shopper returns to; its origin is one of the proxy's ALLOWED_ORIGINS. */
  returnUrl: string;
  /** A wallet id: 4 to 20 digits. */
  customer?: string | undefined;
  /** The customer's id at your shop; required for DIRECT. */
  customerReferenceNo?: string | undefined;
  /** Ordered; default: all that the other claims allow. */
  methods?: Method[] | undefined;
  methodNames?: Partial<Record<Method, string>> | undefined;
  /** ISO 639-1, lower case. */
  language?: string | undefined;
  description?: string | undefined;
  purpose?: 'payment' | 'order' | 'deposit' | 'donation' | undefined;
  /** Seconds that a code or request is good for, 60 to 3600. */
  payWithin?: number | undefined;
  supportUrl?: string | undefined;
  merchant?: string | undefined;
  logo?: string | undefined;
  walletName?: string | undefined;
  metadata?: Record<string, string> | undefined;
  /** Seconds that the token is good for, 60 to 86,400; default 3,600. */
  expiresIn?: number | undefined;
}

interface Settling {
  orderId: string;
  /** The id at the gateway. */
  gatewayOrderId: string;
  paymentId: string | null;
  amount: string;
  currency: string;
  /** The wallet that was asked, or the receiver of a payout or refund. */
  customer: string | null;
  status: Status;
  reason: Reason | null;
  needsReview: boolean;
  version: number;
  /** RFC 3339, as every time here. */
  createdAt: string;
  updatedAt: string;
  /** Of a payout or refund: since when the gateway reports it failed, which a second check confirms. */
  reportedFailedAt: string | null;
  erasedAt: string | null;
  history: { at: string; event: string; source: string; detail: string | null }[];
}

export interface Payment extends Settling {
  type: 'PAY';
  method: Method | null;
  late: boolean;
  surplus: boolean;
  afterClose: boolean;
  /** What of money that pays no order a person has settled in another way than by a refund. */
  settled: string;
  /** The wallet that paid, as the gateway reports it. */
  payer: string | null;
  metadata: Record<string, string> | null;
}

export interface Payout extends Settling {
  type: 'PAYOUT';
  note: string | null;
}

export interface Refund extends Settling {
  type: 'REFUND';
  /** The payment's `gatewayOrderId`. */
  refundOf: string | null;
  note: string | null;
  metadata: Record<string, string> | null;
}

export type Transaction = Payment | Payout | Refund;

export interface Order {
  orderId: string;
  amount: string | null;
  currency: string;
  paid: boolean;
  closed: boolean;
  closedAt: string | null;
  closeReason: string | null;
  metadata: Record<string, string> | null;
  payments: Payment[];
  refunds: Refund[];
  refundable: { gatewayOrderId: string; amount: string }[];
}

export interface SignedOrder {
  orderId: string;
  token: string;
  expiresAt: string;
  /** The payment page; null if the proxy has no PUBLIC_URL. */
  url: string | null;
}

export interface ClosedOrder {
  orderId: string;
  closed: true;
  closedAt: string;
  mayStillBePaid: { gatewayOrderId: string; method: Method | null; until: string | null }[];
}

/** A webhook that the proxy has queued or sent. */
export interface Delivery {
  id: string;
  type: string;
  orderId: string;
  state: 'pending' | 'delivered' | 'dead';
  attempts: number;
  nextAttemptAt: string | null;
  lastAnswer: string | null;
  erased: boolean;
  createdAt: string;
}

export interface UnmatchedIpn {
  gatewayOrderId: string;
  type: 'PAY' | 'PAYOUT';
  paymentId: string | null;
  amount: string | null;
  currency: string | null;
  status: 'PROCESSING' | 'SUCCESS' | 'FAILED' | null;
  seen: number;
  firstAt: string;
  lastAt: string;
}

type Ending = 'succeeded' | 'failed' | 'mismatch' | 'conflict' | 'needs_review';

/** What a verified webhook says: `switch (event.type)`. A later version of the proxy may send further types. */
export type WebhookEvent =
  | { type: `payment.${Ending | 'surplus' | 'after_close'}`; timestamp: string; data: Payment }
  | { type: `payout.${Ending}`; timestamp: string; data: Payout }
  | { type: `refund.${Ending}`; timestamp: string; data: Refund };

export interface TransactionQuery {
  orderId?: string;
  /** RFC 3339; with `from` or `to` the list is by creation. */
  from?: string;
  to?: string;
  updatedSince?: string;
  status?: Status;
  type?: Transaction['type'];
  needsReview?: boolean;
  /** By creation, oldest or newest first; without `from` and `to` the default is by change. */
  sort?: 'updatedAt' | 'createdAt' | '-createdAt';
}

/** The proxy refused a request, or did not answer: `code` is stable, `retryable` says whether the same may succeed. */
export class PaymentProxyError extends Error {
  override readonly name = 'PaymentProxyError';
  /** `unreachable` where there was no answer, or none of the proxy's own. */
  readonly code: string;
  /** Of HTTP; 0 without an answer. */
  readonly status: number;
  readonly retryable: boolean;
  readonly errors: readonly { field: string; detail: string }[];
  /** The same as in the proxy's log. */
  readonly requestId: string | null;

  constructor(message: string, about: Partial<PaymentProxyError>, options?: ErrorOptions) {
    super(message, options);
    this.code = about.code ?? 'unreachable';
    this.status = about.status ?? 0;
    this.retryable = about.retryable ?? true;
    this.errors = about.errors ?? [];
    this.requestId = about.requestId ?? null;
  }
}

/** A request that is not a webhook of your proxy, or an old one: answer it with 400, and do nothing. */
export class WebhookError extends Error {
  override readonly name = 'WebhookError';
  readonly code: 'forged' | 'too_old' | 'malformed';

  constructor(code: WebhookError['code'], message: string) {
    super(message);
    this.code = code;
  }
}

/** The claims that are strings; any other type is most likely a mistake that changes what the shopper pays. */
const STRINGS = ['orderId', 'currency', 'returnUrl', 'amount', 'minAmount', 'maxAmount'] as const;
const REQUIRED: readonly string[] = ['orderId', 'currency', 'returnUrl'];
const MIN_SECRET_BYTES = 32;
const encoder = new TextEncoder();

/**
 * The order token for `<payment-widget order="…">`. `secret` is the proxy's ORDER_SECRET; of a list the first signs.
 * The proxy checks every claim again.
 * @throws {TypeError} What the proxy would refuse at once: a short secret, an amount that is no string.
 */
export async function signOrder(order: NewOrder, secret: string, now = Date.now()): Promise<string> {
  const [first = ''] = (secret ?? '').split(',');
  const key = encoder.encode(first);
  if (key.length < MIN_SECRET_BYTES) throw new TypeError(`The secret needs at least ${MIN_SECRET_BYTES} bytes.`);
  for (const claim of STRINGS) {
    if (order[claim] === undefined && !REQUIRED.includes(claim)) continue;
    if (typeof order[claim] !== 'string') throw new TypeError(`${claim}: a string, like "10.10" for an amount`);
  }
  const { expiresIn = 3600, ...claims } = order;
  const iat = Math.floor(now / 1000);
  const payload = { ...claims, iat, exp: iat + expiresIn };
  const signed = `${base64url(json({ alg: 'HS256', typ: 'JWT' }))}.${base64url(json(payload))}`;
  const hmac = await hmacKey(key, 'sign');
  return `${signed}.${base64url(new Uint8Array(await crypto.subtle.sign('HMAC', hmac, encoder.encode(signed))))}`;
}

const TOLERANCE_S = 300;

/**
 * Verifies a webhook by the Standard Webhooks scheme and returns what it says. The body is the raw text or bytes as
 * received, or the whole `Request`, then without `headers`. `secrets`: WEBHOOK_SECRET, also as a list while it rotates.
 * @throws {WebhookError} Forged, older than five minutes, or no webhook at all.
 */
export async function verifyWebhook(request: Request, secrets: string | readonly string[]): Promise<WebhookEvent>;
export async function verifyWebhook(
  body: string | Uint8Array,
  headers: Headers | Record<string, string | string[] | undefined>,
  secrets: string | readonly string[],
  now?: number,
): Promise<WebhookEvent>;
export async function verifyWebhook(
  body: Request | string | Uint8Array,
  headers: Headers | Record<string, string | string[] | undefined> | string | readonly string[],
  secrets?: string | readonly string[],
  now = Date.now(),
): Promise<WebhookEvent> {
  if (body instanceof Request) {
    return verifyWebhook(await body.text(), body.headers, headers as string | readonly string[]);
  }
  const text = typeof body === 'string' ? body : new TextDecoder().decode(body);
  const header = readerOf(headers as Headers | Record<string, string | string[] | undefined>);
  const [id, timestamp, signatures] = [header('webhook-id'), header('webhook-timestamp'), header('webhook-signature')];
  if (!id || !timestamp || !signatures) throw new WebhookError('malformed', 'It has no signature in its headers.');
  const signed = encoder.encode(`${id}.${timestamp}.${text}`);
  if (!(await isSigned(signed, signatures, secrets ?? ''))) {
    throw new WebhookError('forged', 'No signature fits. Is the secret right, and the body the raw one?');
  }
  if (!(Math.abs(now / 1000 - Number(timestamp)) <= TOLERANCE_S)) {
    throw new WebhookError('too_old', `It was sent more than ${TOLERANCE_S} s ago, or this clock is wrong.`);
  }
  return JSON.parse(text) as WebhookEvent;
}

async function isSigned(signed: Uint8Array<ArrayBuffer>, header: string, secrets: string | readonly string[]) {
  const signatures = header.split(' ').filter((one) => one.startsWith('v1,'));
  for (const secret of [secrets].flat().join().split(',')) {
    const bytes = fromBase64(/^\s*whsec_(.*)/.exec(secret)?.[1] ?? '');
    // 24 to 64 bytes, as the scheme says: an empty secret would verify what anybody signs.
    if (bytes === null || bytes.length < 24) throw new TypeError('A webhook secret is "whsec_" and 24 or more bytes.');
    const key = await hmacKey(bytes, 'verify');
    for (const signature of signatures) {
      const given = fromBase64(signature.slice('v1,'.length));
      // WebCrypto compares in constant time.
      if (given !== null && (await crypto.subtle.verify('HMAC', key, given, signed))) return true;
    }
  }
  return false;
}

function readerOf(headers: Headers | Record<string, string | string[] | undefined>) {
  if (headers instanceof Headers) return (name: string) => headers.get(name);
  const found = new Map(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
  return (name: string) => [found.get(name) ?? null].flat()[0] ?? null;
}

interface Options {
  /** Where the proxy is, with its path: `https://pay.shop.example`. */
  url: string;
  /** MERCHANT_API_KEY, or the key of a row of MERCHANT_KEYS. */
  key: string;
  /** Of one attempt. */
  timeoutMs?: number;
  fetch?: typeof fetch;
  wait?: (ms: number) => Promise<void>;
}

type Outcome<Answer> = { answer: Answer } | { error: PaymentProxyError; retryAfterMs: number };

interface Call {
  query?: Record<string, string | number | boolean | undefined>;
  body?: object;
  headers?: Record<string, string>;
  /** The proxy does the same once, however often it is asked. */
  mayRepeat?: boolean;
}

/** Waits before the second and the third attempt, unless the answer says longer. */
const RETRY_AFTER_MS = [500, 2_000] as const;
/** A longer Retry-After is the caller's to wait for. */
const MAX_RETRY_AFTER_MS = 10_000;

/**
 * The merchant routes of the proxy. Each method throws a PaymentProxyError where the proxy refuses or cannot be
 * reached; what is safe to repeat is repeated twice if the error is `retryable`.
 */
export class PaymentProxy {
  readonly #url: string;
  readonly #key: string;
  readonly #timeoutMs: number;
  readonly #fetch: typeof fetch;
  readonly #wait: (ms: number) => Promise<void>;

  constructor({
    url,
    key,
    timeoutMs = 10_000,
    fetch: send = (input, init) => fetch(input, init),
    wait = later,
  }: Options) {
    this.#url = url.replace(/\/+$/, '');
    this.#key = key;
    this.#timeoutMs = timeoutMs;
    this.#fetch = send;
    this.#wait = wait;
  }

  /** Signs an order at the proxy, which checks each claim at once. */
  createOrder(order: NewOrder): Promise<SignedOrder> {
    return this.#call('POST', '/orders', { body: order, mayRepeat: true });
  }

  /** Null until a first payment of it was started. */
  order(orderId: string): Promise<Order | null> {
    return this.#find(`/orders/${encodeURIComponent(orderId)}`);
  }

  /** For good. With `ifUnpaid` refused while a payment is under way. */
  closeOrder(orderId: string, closing: { reason?: string; ifUnpaid?: boolean } = {}): Promise<ClosedOrder> {
    return this.#call('POST', `/orders/${encodeURIComponent(orderId)}/close`, { body: closing, mayRepeat: true });
  }

  /** Sends money of a payment back to the wallet that paid, once for each `key`: your own id of the refund. */
  refund(
    orderId: string,
    { key, ...refund }: { key: string; amount?: string | number; note?: string; gatewayOrderId?: string },
  ): Promise<Refund> {
    const headers = { 'idempotency-key': key };
    return this.#call('POST', `/orders/${encodeURIComponent(orderId)}/refunds`, {
      body: refund,
      headers,
      mayRepeat: true,
    });
  }

  /** Sends money to a wallet, once for each `orderId`: the same again answers the stored payout. */
  sendPayout(payout: {
    orderId: string;
    amount: string | number;
    currency: string;
    customer: string;
    note?: string;
  }): Promise<Payout> {
    return this.#call('POST', '/payouts', { body: payout, mayRepeat: true });
  }

  payout(orderId: string): Promise<Payout | null> {
    return this.#find(`/payouts/${encodeURIComponent(orderId)}`);
  }

  transaction(gatewayOrderId: string): Promise<Transaction | null> {
    return this.#find(`/transactions/${encodeURIComponent(gatewayOrderId)}`);
  }

  /** All that match, read page by page. */
  async *transactions(query: TransactionQuery = {}): AsyncGenerator<Transaction, void> {
    let cursor: string | null | undefined;
    do {
      const page: { transactions: Transaction[]; nextCursor: string | null } = await this.#call(
        'GET',
        '/transactions',
        { query: { ...query, cursor: cursor ?? undefined }, mayRepeat: true },
      );
      yield* page.transactions;
      cursor = page.nextCursor;
    } while (cursor !== null);
  }

  /** A person's word on a transaction that needs review. */
  resolve(
    gatewayOrderId: string,
    resolution: {
      status: 'SUCCESS' | 'FAILED' | 'SETTLED';
      by: string;
      note: string;
      gatewayReports?: 'SUCCESS' | 'FAILED';
    },
  ): Promise<Transaction> {
    return this.#call('POST', `/transactions/${encodeURIComponent(gatewayOrderId)}/resolve`, { body: resolution });
  }

  /** Erases wallet ids, notes and bodies of an order or payout that has ended. */
  erase(orderId: string): Promise<{ orderId: string; transactions: Transaction[] }> {
    return this.#call('DELETE', `/orders/${encodeURIComponent(orderId)}/personal-data`, { mayRepeat: true });
  }

  webhooks(query: { state?: Delivery['state']; orderId?: string; cursor?: string; limit?: number } = {}): Promise<{
    webhooks: Delivery[];
    nextCursor: string | null;
  }> {
    return this.#call('GET', '/webhooks', { query, mayRepeat: true });
  }

  /** Null for an unknown id; `body` is what is sent, byte for byte. */
  webhook(id: string): Promise<(Delivery & { body: string }) | null> {
    return this.#find(`/webhooks/${encodeURIComponent(id)}`);
  }

  /** IPNs of the last 7 days that match no transaction. */
  unmatchedIpns(): Promise<{ ipns: UnmatchedIpn[] }> {
    return this.#call('GET', '/ipns', { mayRepeat: true });
  }

  /** Sends a webhook once more. */
  redeliver(id: string): Promise<Delivery> {
    return this.#call('POST', `/webhooks/${encodeURIComponent(id)}/redeliver`, {});
  }

  async #find<Found>(path: string): Promise<Found | null> {
    try {
      return await this.#call('GET', path, { mayRepeat: true });
    } catch (error) {
      if (error instanceof PaymentProxyError && error.code === 'not_found') return null;
      throw error;
    }
  }

  async #call<Answer>(method: string, path: string, call: Call): Promise<Answer> {
    for (let attempt = 0; ; attempt += 1) {
      const outcome = await this.#attempt<Answer>(method, path, call);
      if ('answer' in outcome) return outcome.answer;
      const { error, retryAfterMs } = outcome;
      const waitMs = call.mayRepeat ? RETRY_AFTER_MS[attempt] : undefined;
      if (waitMs === undefined || !error.retryable || retryAfterMs > MAX_RETRY_AFTER_MS) throw error;
      await this.#wait(Math.max(waitMs, retryAfterMs));
    }
  }

  async #attempt<Answer>(method: string, path: string, { query = {}, body, headers }: Call): Promise<Outcome<Answer>> {
    const asked = Object.entries(query).filter(([, value]) => value !== undefined);
    const parameters = new URLSearchParams(asked.map(([name, value]) => [name, String(value)])).toString();
    try {
      const response = await this.#fetch(`${this.#url}${path}${parameters && `?${parameters}`}`, {
        method,
        headers: {
          authorization: `Bearer ${this.#key}`,
          ...(body && { 'content-type': 'application/json' }),
          ...headers,
        },
        ...(body && { body: JSON.stringify(body) }),
        redirect: 'error',
        signal: AbortSignal.timeout(this.#timeoutMs),
      });
      if (response.ok) return { answer: (await response.json()) as Answer };
      const retryAfterMs = 1000 * Number(response.headers.get('retry-after') ?? 0) || 0;
      return { error: await errorOf(response), retryAfterMs };
    } catch (cause) {
      return {
        error: new PaymentProxyError('The payment proxy could not be reached.', {}, { cause }),
        retryAfterMs: 0,
      };
    }
  }
}

/** What a reverse proxy in front answered, without the proxy's own JSON, counts as no answer. */
async function errorOf(response: Response): Promise<PaymentProxyError> {
  const { status } = response;
  const problem = (await response.json().catch(() => ({}))) as Partial<PaymentProxyError> & { detail?: string };
  if (typeof problem.code !== 'string') {
    return new PaymentProxyError(`HTTP ${status}, not by the payment proxy.`, { status, retryable: status >= 500 });
  }
  const fields = problem.errors?.map(({ field, detail }) => `${field}: ${detail}`).join('; ');
  return new PaymentProxyError(fields || (problem.detail ?? problem.code), { ...problem, status });
}

function later(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

function hmacKey(secret: Uint8Array<ArrayBuffer>, use: 'sign' | 'verify'): Promise<CryptoKey> {
  return crypto.subtle.importKey('raw', secret, { name: 'HMAC', hash: 'SHA-256' }, false, [use]);
}

function json(value: object): Uint8Array {
  return encoder.encode(JSON.stringify(value));
}

function base64url(bytes: Uint8Array): string {
  const text = Array.from(bytes, (byte) => String.fromCharCode(byte)).join('');
  return btoa(text).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}

function fromBase64(text: string): Uint8Array<ArrayBuffer> | null {
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  } catch {
    return null;
  }
}
