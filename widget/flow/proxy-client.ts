// The requests the widget makes, as the README's table of routes says, and what can come back: a view, or a Refusal.
// Owns the wire: headers, limits of time and size, server-sent events by `fetch` (EventSource cannot send a bearer). It never
// retries; whoever calls knows whether that is safe. What is not a documented answer counts as a lost one, never as a failed payment.
import type { OrderView, Problem, StartPayment } from '../../backend-proxy/protocol/wire.ts';

/** Longer than the proxy's 30 s for the gateway, so that it is the proxy that gives up first. */
const START_TIMEOUT_MS = 45_000;
const READ_TIMEOUT_MS = 10_000;
/** A view with the largest image allowed is below 100 kB. */
const MAX_EVENT_CHARS = 1_000_000;

/** Nothing came back that can be read. A browser does not tell a page which of the two it was. */
export const NO_ANSWER = {
  code: 'network',
  retryable: true,
  detail:
    'No answer that can be read: the proxy is away, its URL is another, or this page’s origin is not in its ALLOWED_ORIGINS.',
};

/** Why there is no view: the proxy's problem; or `network`, where there was no answer or none of the proxy's. */
export class Refusal extends Error {
  readonly problem: Partial<Problem> & Pick<Problem, 'code' | 'status' | 'retryable'>;

  constructor(problem?: Partial<Problem>) {
    super();
    this.problem = { ...NO_ANSWER, status: 0, ...problem };
  }
}

export interface ProxyClient {
  /** The order view, now. */
  order(signal: AbortSignal): Promise<OrderView>;
  /** Starts a payment. The same key means the same payment, however often it is sent. */
  start(body: StartPayment, key: string, signal: AbortSignal): Promise<OrderView>;
  /** Has the browser ask another origin ahead whether it may be asked to start (CORS): a round trip less at the click. */
  prepare(): void;
  /** Each view as it is committed; null for any other sign of life. Returns when the server ends the stream. */
  events(signal: AbortSignal): AsyncGenerator<OrderView | null, void>;
}

/** `url` ends with a slash. */
export function createProxyClient(url: string, token: string, fetch: typeof globalThis.fetch): ProxyClient {
  async function call(path: string, init: RequestInit, headers?: Record<string, string>): Promise<Response> {
    // No `cache`: answers say `no-store` themselves, and where a request says it, Chromium asks before each one (CORS).
    const response = await fetch(url + path, {
      ...init,
      credentials: 'omit',
      redirect: 'error',
      headers: { authorization: `Bearer ${token}`, ...headers },
    }).catch(lost);
    if (response.ok) return response;
    // A problem without a code of letters is not the proxy's: some box on the way spoke, and the request may not have arrived.
    const problem = (await response.json().catch(() => ({}))) as Partial<Problem>;
    const isOurs = typeof problem.code === 'string' && Array.isArray(problem.errors ?? []);
    throw new Refusal({ ...(isOurs && problem), status: response.status });
  }

  return {
    async order(signal) {
      return asView(await textOf(call('order', { signal: limited(signal, READ_TIMEOUT_MS) })));
    },
    async start(body, key, signal) {
      const init = { method: 'POST', body: JSON.stringify(body), signal: limited(signal, START_TIMEOUT_MS) };
      return asView(
        await textOf(call('order/payments', init, { 'content-type': 'application/json', 'idempotency-key': key })),
      );
    },
    prepare() {
      const { location } = globalThis;
      if (location && new URL(url).origin !== location.origin)
        fetch(`${url}order/payments`, { method: 'OPTIONS', credentials: 'omit' }).catch(() => {});
    },
    async *events(signal) {
      const { body } = await call('order/events', { signal });
      if (body) yield* readEvents(body);
    },
  };
}

/** Splits the stream at blank lines; only `data` matters, since the view carries its own version. */
async function* readEvents(body: ReadableStream<Uint8Array<ArrayBuffer>>): AsyncGenerator<OrderView | null, void> {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = '';
  try {
    for (;;) {
      const { done, value } = await reader.read().catch(lost);
      if (done) return;
      yield null;
      const blocks = (rest + value).split('\n\n');
      rest = blocks.pop() ?? '';
      if (rest.length > MAX_EVENT_CHARS) lost();
      for (const block of blocks) {
        const data = /^data:(.*)/m.exec(block)?.[1];
        if (data) yield asView(data);
      }
    }
  } finally {
    reader.cancel().catch(() => {});
  }
}

/** A captive portal's page answers 200 as well: what is not a view is a lost answer. */
function asView(text: string): OrderView {
  try {
    const view = JSON.parse(text) as OrderView;
    if (view.version >= 0 && Array.isArray(view.methods)) return view;
  } catch {
    // Not JSON: the same.
  }
  return lost();
}

async function textOf(response: Promise<Response>): Promise<string> {
  return (await response).text().catch(lost);
}

function lost(): never {
  throw new Refusal();
}

function limited(signal: AbortSignal, timeoutMs: number): AbortSignal {
  return AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
}
