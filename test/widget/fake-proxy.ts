// A proxy in memory: has one order view, answers the widget's three routes by `fetch`, streams each change.
// It behaves as docs/api.md says (a repeated key starts no second payment, a stream begins with the
// view) and can be made to misbehave. It does not model the ledger: tests set what is true by publish().
import { methodsOf } from '../../backend-proxy/protocol/methods.ts';
import type {
  Method,
  OrderClaims,
  OrderView,
  PaymentView,
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

export function paymentOf(method: Method, change: Partial<PaymentView> = {}): PaymentView {
  return {
    method,
    asked: method,
    status: 'PROCESSING',
    reason: null,
    cause: null,
    answer: change.status === 'INITIALIZED' ? 'AWAITED' : 'ARRIVED',
    checkoutUrl: method === 'CHECKOUT' ? CHECKOUT_URL : null,
    qr: method === 'QR' || method === 'JETGO' ? CODE : null,
    appUrl: null,
    walletLast4: method === 'DIRECT' ? '5678' : null,
    expiresAt: null,
    createdAt: '2026-11-20T12:00:00.000Z',
    paidAt: change.status === 'SUCCESS' ? '2026-11-20T12:01:00.000Z' : null,
    late: false,
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
    this.view = {
      orderId: this.claims.orderId,
      amount: this.claims.amount ?? null,
      currency: this.claims.currency,
      description: this.claims.description ?? null,
      supportUrl: this.claims.supportUrl ?? null,
      methods: methodsOf(this.claims),
      paid: false,
      surplus: false,
      checking: false,
      closed: false,
      test: false,
      otherOpen: false,
      refunds: [],
      version: 0,
      serverTime: '',
      payment: null,
      ...view,
    };
  }

  get starts(): Seen[] {
    return this.seen.filter((each) => each.method === 'POST');
  }

  get streamCount(): number {
    return this.#streams.size;
  }

  /** Commits a change and sends it to every stream. */
  publish(change: Partial<OrderView>): void {
    this.view = { ...this.view, version: this.view.version + 1, ...change };
    if (this.isSilent) return;
    for (const stream of this.#streams) stream.enqueue(this.#event());
  }

  /** Changes the current payment; the gateway's answer has arrived unless the change says otherwise. */
  settle(change: Partial<PaymentView>): void {
    const payment = { ...(this.view.payment ?? paymentOf('QR')), answer: 'ARRIVED' as const, ...change };
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
