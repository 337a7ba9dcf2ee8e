// The widget's requests to the proxy, as docs/api.md documents them. Each returns a view or throws a
// ProxyError. Sets headers and limits time and size. Reads server-sent events by `fetch`, because EventSource cannot
// send a bearer token. Never retries: only the caller knows whether that is safe. An undocumented answer counts as
// lost, never as a failed payment.
import { GATEWAY_TIMEOUT_MS } from '../../backend-proxy/protocol/durations.ts';
import type { OrderView, Problem, StartPayment } from '../../backend-proxy/protocol/wire.ts';

/** Longer than the proxy's own limit, so that the proxy gives up first. */
const START_TIMEOUT_MS = GATEWAY_TIMEOUT_MS + 15_000;
const READ_TIMEOUT_MS = 10_000;
/** A view with the largest image allowed has less than 100 kB. */
const MAX_EVENT_CHARS = 1_000_000;

/** No readable answer arrived. The browser does not tell a page the cause. */
export const NO_ANSWER = {
  code: 'network',
  retryable: true,
  detail: `No readable answer: the proxy is down, its URL is wrong, or its ALLOWED_ORIGINS lacks ${globalThis.origin}`,
};

/** Why there is no view: the proxy's problem, or `network` if no answer arrived or the answer is not the proxy's. */
export class ProxyError extends Error {
  readonly problem: Partial<Problem> & Pick<Problem, 'code' | 'status' | 'retryable'>;

  constructor(problem?: Partial<Problem>) {
    super();
    this.problem = { ...NO_ANSWER, status: 0, ...problem };
  }
}

export interface ProxyClient {
  /** The current order view. */
  order(signal: AbortSignal): Promise<OrderView>;
  /** Starts a payment. Repeating the request with the same key does not start another one. */
  start(body: StartPayment, key: string, signal: AbortSignal): Promise<OrderView>;
  /** Yields each view as it is committed, and null for other data, such as heartbeats. Ends with the stream. */
  events(signal: AbortSignal): AsyncGenerator<OrderView | null, void>;
}

/** `url` ends with a slash. */
export function createProxyClient(url: string, token: string, fetch: typeof globalThis.fetch): ProxyClient {
  async function call(path: string, init: RequestInit, headers?: Record<string, string>): Promise<Response> {
    // `cache` is not set: the answers are `no-store` anyway, and setting it makes Chromium repeat the CORS check for
    // each request.
    const response = await fetch(url + path, {
      ...init,
      credentials: 'omit',
      redirect: 'error',
      headers: { authorization: `Bearer ${token}`, ...headers },
    }).catch(throwNoAnswer);
    if (response.ok) return response;
    // A problem without a textual code comes from something between us and the proxy, which the request may not have
    // reached.
    const problem = (await response.json().catch(() => ({}))) as Partial<Problem>;
    const { code, requestId, errors } = problem;
    const isOurs = typeof code === 'string' && typeof (requestId ?? '') === 'string' && Array.isArray(errors ?? []);
    throw new ProxyError({ ...(isOurs && problem), status: response.status });
  }

  return {
    async order(signal) {
      return asView(await textOf(call('order', { signal: withTimeout(signal, READ_TIMEOUT_MS) })));
    },
    async start(body, key, signal) {
      const init = { method: 'POST', body: JSON.stringify(body), signal: withTimeout(signal, START_TIMEOUT_MS) };
      return asView(
        await textOf(call('order/payments', init, { 'content-type': 'application/json', 'idempotency-key': key })),
      );
    },
    async *events(signal) {
      const { body } = await call('order/events', { signal });
      if (body) yield* readEvents(body);
    },
  };
}

/** Splits the stream at blank lines. Only `data` is read, because the view contains its version. */
async function* readEvents(body: ReadableStream<Uint8Array<ArrayBuffer>>): AsyncGenerator<OrderView | null, void> {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = '';
  try {
    for (;;) {
      const { done, value } = await reader.read().catch(throwNoAnswer);
      if (done) return;
      yield null;
      const blocks = (rest + value).split('\n\n');
      rest = blocks.pop() ?? '';
      if (rest.length > MAX_EVENT_CHARS) throwNoAnswer();
      for (const block of blocks) {
        const data = /^data:(.*)/m.exec(block)?.[1];
        if (data) yield asView(data);
      }
    }
  } finally {
    reader.cancel().catch(() => {});
  }
}

/** A captive portal answers 200 with its own page, so anything but a view counts as no answer. */
function asView(text: string): OrderView {
  try {
    const view = JSON.parse(text) as OrderView;
    // Intl throws for anything but three letters; these stand for no currency.
    if (!/^[a-z]{3}$/i.test(view.currency)) view.currency = 'XXX';
    if (view.version >= 0 && Array.isArray(view.methods)) return view;
  } catch {
    // Not JSON, so not a view.
  }
  return throwNoAnswer();
}

async function textOf(response: Promise<Response>): Promise<string> {
  return (await response).text().catch(throwNoAnswer);
}

function throwNoAnswer(): never {
  throw new ProxyError();
}

function withTimeout(signal: AbortSignal, timeoutMs: number): AbortSignal {
  return AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
}
