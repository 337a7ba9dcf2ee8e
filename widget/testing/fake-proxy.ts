// A proxy in memory, for a page or a test without a server: it has one order view, answers the widget's three routes by
// `fetch` and streams each change. It behaves as docs/api.md says (a repeated key starts no second payment, a stream
// begins with the view), shows every state of STATES and can be made to misbehave. It does not model the ledger: the
// test says by become() or publish() what is true. Imports nothing at run time, because browsers load this one file.
import type {
  Method,
  OrderClaims,
  OrderView,
  PaymentView,
  ReceivedView,
  Problem,
  StartPayment,
} from '../../backend-proxy/protocol/wire.ts';

export interface Seen {
  method: string;
  path: string;
  authorization: string | null;
  key: string | null;
  body: StartPayment | null;
}

/** The code of `https://wallet.example/pay?reference=4711`. */
export const CODE = {
  text: 'https://wallet.example/pay?reference=4711',
  size: 29,
  modules:
    '_pFr_BEmkG6U2rt1k0XbqVguwXNdB_qqr-AcGQCLjk_OzW0f3Z5wwol8xbinVUF4vuP9u30tog1t0-auaBehrh7AlmoKMgHKPyNt_IBFzEf6vGuwTqsRusRf1dGd4G6b-x8E8PW_7iTZAA',
};

export const CHECKOUT_URL = 'https://checkout.example/pay?token=abc';

/** Claims that differ from the usual ones; undefined removes a claim. */
export type ClaimsChange = { [Name in keyof OrderClaims]?: OrderClaims[Name] | undefined };

export function claimsOf(claims: ClaimsChange = {}): OrderClaims {
  const usual = {
    orderId: 'ABC-123',
    currency: 'EUR',
    amount: '10.10',
    returnUrl: 'https://shop.example/thanks',
    customerReferenceNo: 'c-1',
    exp: 1_900_000_000,
  };
  return { ...usual, ...claims } as OrderClaims;
}

/** Without a valid signature: the widget only reads tokens, the proxy verifies them. */
export function tokenOf(claims: OrderClaims): string {
  const part = (value: unknown) =>
    btoa(String.fromCharCode(...new TextEncoder().encode(JSON.stringify(value))))
      .replaceAll('+', '-')
      .replaceAll('/', '_')
      .replaceAll('=', '');
  return `${part({ alg: 'HS256' })}.${part(claims)}.c2lnbmF0dXJl`;
}

/** What the gateway answers to the start of a payment. */
const TO_PAY_WITH = {
  DIRECT: { walletLast4: '5678' },
  CHECKOUT: { checkoutUrl: CHECKOUT_URL },
  JETGO: { qr: CODE },
  QR: { qr: CODE },
} satisfies Record<Method, Partial<PaymentView>>;

/** By method: the claim without which it is not offered. */
const NEEDED_CLAIM = {
  DIRECT: 'customerReferenceNo',
  CHECKOUT: null,
  JETGO: null,
  QR: null,
} satisfies Record<Method, keyof OrderClaims | null>;

export function paymentOf(method: Method, change: Partial<PaymentView> = {}): PaymentView {
  return {
    method,
    asked: method,
    status: 'PROCESSING',
    reason: null,
    cause: null,
    answer: change.status === 'INITIALIZED' ? 'AWAITED' : 'ARRIVED',
    checkoutUrl: null,
    qr: null,
    appUrl: null,
    walletLast4: null,
    expiresAt: null,
    createdAt: '2026-11-20T12:00:00.000Z',
    paidAt: change.status === 'SUCCESS' ? '2026-11-20T12:01:00.000Z' : null,
    late: false,
    ...TO_PAY_WITH[method],
    ...change,
  };
}

export function problemOf(code: string, change: Partial<Problem> = {}): Problem {
  return {
    type: 'about:blank',
    title: code,
    status: 422,
    detail: '',
    code,
    retryable: false,
    requestId: 'req-7f3a',
    ...change,
  };
}

/** A proxy whose order has a payment of this method, by default open, at version 3. */
export function proxyWith(method: Method, change: Partial<PaymentView> = {}, claims: ClaimsChange = {}): FakeProxy {
  const payment = paymentOf(method, change);
  return new FakeProxy(claims, { payment, paid: payment.status === 'SUCCESS', version: 3 });
}

/** What an order can look like to the shopper: what its view has other than a fresh one, at this time. */
export const STATES = {
  choosing: () => ({}),
  starting: (now) => ({ payment: paymentOf('QR', { answer: 'AWAITED', qr: null, ...since(now) }) }),
  unanswered: (now) => ({ payment: paymentOf('QR', { answer: 'LOST', qr: null, ...since(now) }) }),
  requested: (now) => ({ payment: paymentOf('DIRECT', { ...since(now), expiresAt: at(now + LIMIT_MS) }) }),
  redirecting: (now) => ({ payment: paymentOf('CHECKOUT', { ...since(now), expiresAt: at(now + LIMIT_MS) }) }),
  code: (now) => ({ payment: paymentOf('QR', { ...since(now), appUrl: 'jetgo://pay?reference=4711' }) }),
  timeUp: (now) => ({ payment: paymentOf('QR', { ...since(now - LIMIT_MS), expiresAt: at(now - 1_000) }) }),
  checking: (now) => ({ checking: true, payment: paymentOf('QR', { qr: null, ...since(now) }) }),
  paid: (now) => ({ paid: true, payment: paidBy('QR', now) }),
  paidTwice: (now) => ({
    paid: true,
    surplus: true,
    surplusAmount: '10.10',
    owedAmount: '10.10',
    payment: paidBy('QR', now),
  }),
  refunded: (now) => ({ paid: true, refunds: [{ amount: '10.10', status: 'SUCCESS' }], payment: paidBy('QR', now) }),
  declined: (now) => ({ payment: failed('DIRECT', now, 'DECLINED') }),
  canceled: (now) => ({ payment: failed('CHECKOUT', now, 'DECLINED', 'CANCELLED') }),
  lowBalance: (now) => ({ payment: failed('DIRECT', now, 'DECLINED', 'LOW_BALANCE') }),
  rejected: (now) => ({ payment: failed('DIRECT', now, 'REJECTED') }),
  expired: (now) => ({ payment: failed('QR', now, 'EXPIRED') }),
  notCreated: (now) => ({ payment: failed('QR', now, 'NOT_CREATED') }),
  resolved: (now) => ({ payment: failed('QR', now, 'RESOLVED') }),
  closed: () => ({ closed: true }),
} satisfies Record<string, (now: number) => Partial<OrderView>>;

export type StateName = keyof typeof STATES;

/** How long a payment that shows its time can be paid. */
const LIMIT_MS = 15 * 60_000;

const at = (ms: number) => new Date(ms).toISOString();
const since = (ms: number) => ({ createdAt: at(ms) });
const paidBy = (method: Method, now: number) =>
  paymentOf(method, { status: 'SUCCESS', ...since(now - 60_000), paidAt: at(now) });
const failed = (method: Method, now: number, reason: PaymentView['reason'], cause: PaymentView['cause'] = null) =>
  paymentOf(method, { status: 'FAILED', reason, cause, ...since(now) });

/** What the view of an order has on which nothing has happened. */
const FRESH = {
  paid: false,
  surplus: false,
  surplusAmount: null,
  owedAmount: null,
  refundInDoubtAmount: null,
  refundFailedAmount: null,
  checking: false,
  closed: false,
  otherOpen: false,
  otherPayments: [],
  openPayment: null,
  refunds: [],
  payment: null,
};

/** What the payment brought, and what the view says came too much, by the same method. */
function receivedIn({ payment, amount, surplusAmount }: Omit<OrderView, 'received'>): ReceivedView[] {
  if (payment?.status !== 'SUCCESS') return [];
  const { method, walletLast4, paidAt } = payment;
  return [amount, surplusAmount].flatMap((each) => (each ? [{ amount: each, method, walletLast4, paidAt }] : []));
}

/** The methods that these claims offer. */
function offered(claims: OrderClaims): Method[] {
  const methods = claims.methods ?? (Object.keys(NEEDED_CLAIM) as Method[]);
  return methods.filter((method) => NEEDED_CLAIM[method] === null || claims[NEEDED_CLAIM[method]]);
}

export class FakeProxy {
  readonly claims: OrderClaims;
  readonly token: string;
  readonly seen: Seen[] = [];
  view: OrderView;
  now: () => number;
  /** Every request fails at once. */
  isDown = false;
  /** Requests and streams stay open without an answer until they are aborted. */
  isSilent = false;
  /** Answers to the next starts: a problem, `lost` (done but not answered), or `unreached` (not done). */
  readonly nextStarts: (Problem | 'lost' | 'unreached')[] = [];
  /** Answer to each request for a stream. */
  streamProblem: Problem | undefined;
  orderProblem: Problem | undefined;
  /** What a started payment has other than the usual fields. */
  onStart: (body: StartPayment) => Partial<PaymentView> = () => ({});
  #gate: Promise<void> | undefined;
  #answerGate: Promise<void> | undefined;
  #streamGate: Promise<void> | undefined;
  #open: () => void = () => {};
  readonly #keys = new Map<string, string>();
  readonly #streams = new Set<ReadableStreamDefaultController<Uint8Array>>();

  constructor(claims: ClaimsChange = {}, view: Partial<OrderView> = {}, now: () => number = Date.now) {
    this.now = now;
    this.claims = claimsOf(claims);
    this.token = tokenOf(this.claims);
    const full = {
      orderId: this.claims.orderId,
      amount: this.claims.amount ?? null,
      currency: this.claims.currency,
      description: this.claims.description ?? null,
      supportUrl: this.claims.supportUrl ?? null,
      methods: offered(this.claims),
      ...FRESH,
      test: false,
      version: 0,
      serverTime: '',
      ...view,
    };
    this.view = { received: receivedIn(full), ...full };
  }

  get starts(): Seen[] {
    return this.seen.filter((each) => each.method === 'POST');
  }

  get streamCount(): number {
    return this.#streams.size;
  }

  /** Commits a change and sends it to every stream. */
  publish(change: Partial<OrderView>): void {
    const view = { ...this.view, version: this.view.version + 1, ...change };
    this.view = { ...view, received: change.received ?? receivedIn(view) };
    if (this.isSilent) return;
    for (const stream of this.#streams) stream.enqueue(this.#event());
  }

  /** Commits a state. */
  become(state: StateName, change: Partial<OrderView> = {}): void {
    if (!Object.hasOwn(STATES, state))
      throw new Error(`There is no state '${state}': ${Object.keys(STATES).join(', ')}.`);
    this.publish({ ...FRESH, ...STATES[state](this.now()), ...change });
  }

  /** From here on, `fetch` of this page is answered here for what begins with `url`. The returned function ends it. */
  install(url: string): () => void {
    const before = globalThis.fetch;
    const answering: typeof fetch = (input, init) =>
      (input instanceof Request ? input.url : String(input)).startsWith(url)
        ? this.fetch(input, init)
        : before(input, init);
    globalThis.fetch = answering;
    return () => {
      if (globalThis.fetch === answering) globalThis.fetch = before;
    };
  }

  /** Changes the current payment; the gateway's answer has arrived, and nothing failed, unless the change says otherwise. */
  settle(change: Partial<PaymentView>): void {
    const before = this.view.payment ?? paymentOf('QR');
    const payment = { ...before, answer: 'ARRIVED' as const, reason: null, cause: null, ...change };
    this.publish({ payment, paid: payment.status === 'SUCCESS' });
  }

  /** Starts wait from here until the returned function is called. */
  hold(): () => void {
    this.#gate = new Promise((resolve) => {
      this.#open = resolve;
    });
    return this.#open;
  }

  /** Starts are done at once, but answered only when the returned function is called, with the view of the start. */
  holdAnswers(): () => void {
    this.#answerGate = new Promise((resolve) => {
      this.#open = resolve;
    });
    return this.#open;
  }

  /** Streams opened from here bring the view of that moment only when the returned function is called. */
  holdStreams(): () => void {
    this.#streamGate = new Promise((resolve) => {
      this.#open = resolve;
    });
    return this.#open;
  }

  endStreams(): void {
    for (const stream of this.#streams) stream.close();
    this.#streams.clear();
  }

  breakStreams(): void {
    for (const stream of this.#streams) stream.error(new TypeError('network error'));
    this.#streams.clear();
  }

  /** Sends a comment, as the proxy does every 15 s. */
  heartbeat(): void {
    for (const stream of this.#streams) stream.enqueue(new TextEncoder().encode(': \n\n'));
  }

  readonly fetch = async (input: RequestInfo | URL, init: RequestInit = {}): Promise<Response> => {
    const url = input instanceof Request ? input.url : String(input);
    const headers = new Headers(init.headers);
    const path = url.slice(url.indexOf('/order'));
    const body = typeof init.body === 'string' ? (JSON.parse(init.body) as StartPayment) : null;
    const method = init.method ?? 'GET';
    this.seen.push({
      method,
      path,
      body,
      authorization: headers.get('authorization'),
      key: headers.get('idempotency-key'),
    });
    init.signal?.throwIfAborted();
    if (this.isDown) throw new TypeError('Failed to fetch');
    if (this.isSilent) await aborted(init.signal);
    if (method === 'POST' && body) return this.#start(body, headers.get('idempotency-key') ?? '', init.signal);
    if (path === '/order/events') return this.streamProblem ? refusal(this.streamProblem) : this.#stream(init.signal);
    return this.orderProblem ? refusal(this.orderProblem) : Response.json(this.#stamped());
  };

  async #start(body: StartPayment, key: string, signal: AbortSignal | null | undefined): Promise<Response> {
    await Promise.race([this.#gate, aborted(signal)]);
    const next = this.nextStarts.shift();
    if (next === 'unreached') throw new TypeError('Failed to fetch');
    if (next && next !== 'lost') return refusal(next);
    const known = this.#keys.get(key);
    // Another language does not make it another payment.
    const asked = JSON.stringify({ ...body, language: undefined });
    if (!known) {
      this.#keys.set(key, asked);
      const payment = paymentOf(body.method, {
        createdAt: `2026-11-20T12:00:00.${String(this.#keys.size).padStart(3, '0')}Z`,
        ...this.onStart(body),
      });
      this.publish({ amount: this.view.amount ?? body.amount ?? null, payment });
    } else if (known !== asked) return refusal(problemOf('idempotency_key_reused'));
    if (next === 'lost') throw new TypeError('Failed to fetch');
    const answer = Response.json(this.#stamped(), { status: known ? 200 : 201 });
    await this.#answerGate;
    return answer;
  }

  #stream(signal: AbortSignal | null | undefined): Response {
    const stream = new ReadableStream<Uint8Array>({
      start: (controller) => {
        const first = this.#event();
        const begin = () => {
          this.#streams.add(controller);
          controller.enqueue(first);
        };
        if (this.#streamGate) void this.#streamGate.then(begin);
        else begin();
        signal?.addEventListener('abort', () => {
          if (this.#streams.delete(controller)) controller.error(signal.reason);
        });
      },
    });
    return new Response(stream, { headers: { 'content-type': 'text/event-stream' } });
  }

  #event(): Uint8Array {
    return new TextEncoder().encode(
      `event: order\nid: ${this.view.version}\ndata: ${JSON.stringify(this.#stamped())}\n\n`,
    );
  }

  #stamped(): OrderView {
    return { ...this.view, serverTime: new Date(this.now()).toISOString() };
  }
}

/** Rejects once the request is aborted. */
function aborted(signal: AbortSignal | null | undefined): Promise<never> {
  return new Promise((_, reject) => {
    signal?.addEventListener('abort', () => reject(new DOMException('', 'AbortError')));
  });
}

function refusal(problem: Problem): Response {
  return Response.json(problem, { status: problem.status, headers: { 'content-type': 'application/problem+json' } });
}
