// Keeps the order view up to date: by the proxy's event stream, or by polling if no stream can be opened. Only
// reconnects: the session decides what a view means. Each view is complete, so after a break there is nothing to
// catch up on; a phone that returns from the wallet app simply opens a new stream. Once the order is paid or closed, no
// refund is on its way and the proxy has ended its stream, only a page that is shown again opens one. Ends when the
// proxy refuses the token, and says so only of an order that is not over.
import type { OrderView } from '../../backend-proxy/protocol/wire.ts';
import { ProxyError, type ProxyClient } from './proxy-client.ts';

/** Resolves after `ms`, or at once when the signal aborts; never rejects. A parameter wherever time matters. */
export type Wait = (ms: number, signal: AbortSignal) => Promise<void>;

/** The proxy sends a comment every 15 s. A stream is dead after two missing ones. */
const SILENCE_MS = 40_000;
/** Limit of the request that shows whether only the stream is dead, or the connection. */
const PROBE_MS = 5_000;
/** How often silence is checked; also how soon a silent stream is noticed after the machine slept. */
const WATCH_MS = 5_000;
/** Pause by the number of tries without a stream; randomly half to one and a half times as long, to spread load. */
const PAUSES_MS = [500, 500, 500, 2_000, 2_000, 2_000, 2_000];
const MAX_PAUSE_MS = 10_000;
/** The longest time that a timer can wait; used while the page is in the back-forward cache. */
const FOREVER_MS = 2 ** 31 - 1;
/** Tries without a stream before polling begins. */
const POLL_AFTER = 2;
/** Tries without any data before the shopper sees a message. */
const DISCONNECTED_AFTER = 3;
/** While polling, the stream is tried again after this many tries. */
const STREAM_AGAIN = 6;

interface StreamOptions {
  client: ProxyClient;
  /** `isFirst`: of a new connection. Its version may be lower, because a restored database counts from an older one. */
  onView(view: OrderView, isFirst: boolean): void;
  /** True once neither stream nor polling gets through, false once data arrives again. */
  onDisconnected(disconnected: boolean): void;
  /** The proxy refused for good, and the stream has ended. */
  onRefused(error: ProxyError): void;
  wait: Wait;
  now(): number;
  random(): number;
  /** Target of `online`, `offline`, `pageshow`, `pagehide` and `visibilitychange`. */
  page: EventTarget;
}

export class Stream {
  readonly #options: StreamOptions;
  /** Set between start() and stop(). */
  #running: AbortController | undefined;
  /** One try and the pause after it; reconnect() ends both early. */
  #try = new AbortController();
  /** Tries since the stream last sent a view. */
  #triesWithoutStream = 0;
  /** Failures since any data arrived. */
  #failures = 0;
  #view: OrderView | undefined;
  /** The page is going into the back-forward cache, or is in it. */
  #isPaused = false;
  /** Nothing more has to arrive. What can, such as a refund, is asked for each time the page is looked at again. */
  #isOver = false;
  /** The stream is open and has sent a view. */
  #isOpen = false;

  constructor(options: StreamOptions) {
    this.#options = options;
  }

  start(): void {
    if (this.#running) return;
    this.#running = new AbortController();
    const { signal } = this.#running;
    const { page } = this.#options;
    const onPageEvent = ({ type, persisted }: Event & { persisted?: boolean }) => {
      const isBack = type === 'pageshow' ? persisted : !globalThis.document?.hidden;
      if (type === 'pagehide') this.#pause();
      else if (type === 'offline') this.#failed(DISCONNECTED_AFTER);
      else if (isBack) this.reconnect();
    };
    for (const type of ['online', 'offline', 'pageshow', 'pagehide', 'visibilitychange'])
      page.addEventListener(type, onPageEvent, { signal });
    void this.#run(signal);
  }

  stop(): void {
    this.#running?.abort();
    this.#running = undefined;
  }

  /** Opens a new stream at once, because the connection may be dead without the browser having noticed. */
  reconnect(): void {
    this.#triesWithoutStream = 0;
    this.#view = undefined;
    this.#isPaused = false;
    this.#try.abort();
  }

  /** Reconnects at once unless the stream is open. */
  ensureOpen(): void {
    if (!this.#isOpen) this.reconnect();
  }

  /** An open request would keep the page out of the back-forward cache. */
  #pause(): void {
    this.#isPaused = true;
    this.#try.abort();
  }

  async #run(running: AbortSignal): Promise<void> {
    const { wait, random, onRefused } = this.#options;
    while (!running.aborted) {
      this.#try = new AbortController();
      const interrupted = this.#try.signal;
      const signal = AbortSignal.any([running, interrupted]);
      try {
        if (this.#isPaused) await wait(FOREVER_MS, signal);
        else await this.#connect(signal);
      } catch (thrown) {
        if (running.aborted) return;
        if (!interrupted.aborted) {
          const error = thrown instanceof ProxyError ? thrown : new ProxyError();
          if (isFinal(error)) {
            this.stop();
            return this.#isOver ? undefined : onRefused(error);
          }
          // An overloaded proxy answers 429 or 5xx: poll without trying the stream a second time.
          if (error.problem.status >= 429) this.#triesWithoutStream++;
          this.#failed(1);
        }
      }
      if (this.#view && (this.#view.paid || this.#view.closed) && !mayChange(this.#view))
        this.#isPaused = this.#isOver = true;
      if (!running.aborted && !interrupted.aborted) await wait(this.#pauseMs() * (0.5 + random()), signal);
    }
  }

  /** One try: reads the stream until it ends, or polls once. Throws if no view arrived. */
  async #connect(signal: AbortSignal): Promise<void> {
    const tries = this.#triesWithoutStream++;
    if (tries < POLL_AFTER || tries % STREAM_AGAIN === 0) return this.#readStream(signal);
    const view = await this.#options.client.order(signal);
    if (signal.aborted) return;
    // The connection is back, so the stream may work again.
    if (this.#failures >= DISCONNECTED_AFTER) this.#triesWithoutStream = 0;
    this.#received(view, true);
  }

  async #readStream(trySignal: AbortSignal): Promise<void> {
    const { client, now, wait } = this.#options;
    const over = new AbortController();
    const signal = AbortSignal.any([trySignal, over.signal]);
    let lastDataAt = now();
    const watch = async () => {
      while (!signal.aborted) {
        // The absolute value, because the clock may have been set back.
        const silentMs = Math.abs(now() - lastDataAt);
        if (silentMs < SILENCE_MS) await wait(Math.min(WATCH_MS, SILENCE_MS - silentMs), signal);
        else {
          await this.#probe(signal);
          over.abort();
        }
      }
    };
    void watch();
    let views = 0;
    try {
      for await (const view of client.events(signal)) {
        if (signal.aborted) return;
        lastDataAt = now();
        // Other data counts only after a view: a captive portal's page sends data as well.
        if (!view && views) this.#connected();
        if (!view) continue;
        this.#triesWithoutStream = 0;
        this.#isOpen = true;
        this.#received(view, !views++);
      }
      // A stream that ends without a view did not come from the proxy.
      if (!views) throw new ProxyError();
    } finally {
      this.#isOpen = false;
      over.abort();
    }
  }

  /** Polls once with a short limit: it shows whether only the stream or the whole connection is dead. */
  async #probe(trySignal: AbortSignal): Promise<void> {
    const { client, wait } = this.#options;
    const over = new AbortController();
    const signal = AbortSignal.any([trySignal, over.signal]);
    void wait(PROBE_MS, signal).then(() => over.abort());
    try {
      const view = await client.order(signal);
      if (!trySignal.aborted) this.#received(view, false);
    } catch (error) {
      if (trySignal.aborted || (error instanceof ProxyError && error.problem.status)) return;
      this.#failed(DISCONNECTED_AFTER);
      // A new stream would be as silent; polling notices sooner that the connection is back.
      this.#triesWithoutStream = POLL_AFTER;
    } finally {
      over.abort();
    }
  }

  #received(view: OrderView, isFirst: boolean): void {
    this.#view = view;
    this.#connected();
    this.#options.onView(view, isFirst);
  }

  #connected(): void {
    this.#failures = 0;
    this.#options.onDisconnected(false);
  }

  #failed(failures: number): void {
    if (!this.#isOver) this.#failures += failures;
    if (this.#failures >= DISCONNECTED_AFTER) this.#options.onDisconnected(true);
  }

  /** After a failed payment only a late success can arrive, so there is no hurry. */
  #pauseMs(): number {
    if (this.#view?.payment?.status === 'FAILED') return MAX_PAUSE_MS;
    return PAUSES_MS[this.#triesWithoutStream] ?? MAX_PAUSE_MS;
  }
}

/** The proxy's own 401, 403 and the like do not change by asking again; 408 and 429 may. */
function isFinal({ problem: { code, status } }: ProxyError): boolean {
  return code !== 'network' && status >= 400 && status < 500 && status !== 408 && status !== 429;
}

/** Of a paid order, only a doubt and what goes back is still to be shown: what was paid twice, and how a refund ends. */
export function mayChange({ refunds, refundInDoubtAmount, surplus, checking }: OrderView): boolean {
  return (
    checking ||
    !!refundInDoubtAmount ||
    (surplus && !refunds.length) ||
    refunds.some(({ status }) => status === 'PROCESSING')
  );
}

export const waitByTimer: Wait = (ms, signal) =>
  new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      // One signal may live for hours and see thousands of waits.
      signal.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, signal.aborted ? 0 : ms);
    signal.addEventListener('abort', end);
  });
