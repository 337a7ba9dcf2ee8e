// Keeps hearing the truth about one order: the stream, and polls where a stream cannot be had.
// Owns reconnecting and nothing else: what a view means is the session's matter. Every message is the whole truth, so there is
// nothing to catch up on: a phone that comes back from the wallet app simply opens anew. Ends with the proxy's stream once the order is paid,
// and where the proxy says that this token hears nothing.
import type { OrderView } from '../../backend-proxy/protocol/wire.ts';
import { Refusal, type ProxyClient } from './proxy-client.ts';

/** The proxy sends a comment every 15 s; two lost in a row, and this stream is dead. */
const SILENCE_MS = 40_000;
/** How long one quick question may then take, by which it is known whether the line is. */
const PROBE_MS = 5_000;
/** How often silence is looked for; also how soon a machine that slept notices. */
const WATCH_MS = 5_000;
/** Before the next turn, by the number of turns without a stream. Half to one and a half of it, so that a crowd spreads. */
const PAUSES_MS = [500, 500, 2_000, 2_000, 2_000, 2_000, 2_000];
const LONGEST_PAUSE_MS = 10_000;
/** A page in the back-forward cache waits for as long as a timer can. */
const FOREVER_MS = 2 ** 31 - 1;
/** Turns without a stream before polls step in. */
const POLL_AFTER = 2;
/** Turns in which nothing at all was heard before the shopper is told. */
const LOST_AFTER = 3;
/** While polling, every so many turns the stream is tried again. */
const STREAM_AGAIN = 6;

/** Resolves after `ms`, or at once when the signal aborts; never rejects. */
export type Wait = (ms: number, signal: AbortSignal) => Promise<void>;

export const waitByTimer: Wait = (ms, signal) =>
  new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      // A stream is watched for hours by one signal.
      signal.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, signal.aborted ? 0 : ms);
    signal.addEventListener('abort', end);
  });

export interface StreamOptions {
  client: ProxyClient;
  onView(view: OrderView): void;
  /** True once nothing gets through any more, false once something does. */
  onLost(lost: boolean): void;
  /** The proxy refused for good; the stream has ended. */
  onRefusal(refusal: Refusal): void;
  wait: Wait;
  now(): number;
  random(): number;
  /** Where `online`, `offline`, `pageshow`, `pagehide` and `visibilitychange` arrive. */
  page: EventTarget;
}

export class Stream {
  readonly #options: StreamOptions;
  /** From start to stop. */
  #life: AbortController | undefined;
  /** One attempt and the pause after it; ended early by wake(). */
  #turn = new AbortController();
  /** Turns since the stream was last heard. */
  #misses = 0;
  /** Turns since anything was heard. */
  #failures = 0;
  #view: OrderView | undefined;
  #asleep = false;
  /** The stream was heard, and has not ended. */
  #open = false;

  constructor(options: StreamOptions) {
    this.#options = options;
  }

  start(): void {
    if (this.#life) return;
    this.#life = new AbortController();
    const { signal } = this.#life;
    const { page } = this.#options;
    const turn = ({ type, persisted }: Event & { persisted?: boolean }) => {
      const back = type === 'pageshow' ? persisted : !globalThis.document?.hidden;
      if (type === 'pagehide') this.#sleep();
      else if (type === 'offline') this.#miss(LOST_AFTER);
      else if (back) this.wake();
    };
    for (const type of ['online', 'offline', 'pageshow', 'pagehide', 'visibilitychange'])
      page.addEventListener(type, turn, { signal });
    void this.#run(signal);
  }

  stop(): void {
    this.#life?.abort();
    this.#life = undefined;
  }

  /** Opens anew at once: the line may be dead without having said so. */
  wake(): void {
    this.#misses = 0;
    this.#view = undefined;
    this.#asleep = false;
    this.#turn.abort();
  }

  /** Hurries, unless the stream is open and heard. */
  ensure(): void {
    if (!this.#open) this.wake();
  }

  /** An open request would keep the page out of the back-forward cache. */
  #sleep(): void {
    this.#asleep = true;
    this.#turn.abort();
  }

  async #run(life: AbortSignal): Promise<void> {
    const { wait, random, onRefusal } = this.#options;
    while (!life.aborted) {
      this.#turn = new AbortController();
      const woken = this.#turn.signal;
      const turn = AbortSignal.any([life, woken]);
      try {
        if (this.#asleep) await wait(FOREVER_MS, turn);
        else await this.#hear(turn);
      } catch (error) {
        if (life.aborted) return;
        if (!woken.aborted) {
          const refusal = error instanceof Refusal ? error : new Refusal();
          if (isFinal(refusal)) {
            this.stop();
            return onRefusal(refusal);
          }
          // A proxy that is full says so: no second knock before polling.
          if (refusal.problem.status >= 429) this.#misses++;
          this.#miss(1);
        }
      }
      if (this.#view?.paid) this.stop();
      if (!life.aborted && !woken.aborted) await wait(this.#pauseMs() * (0.5 + random()), turn);
    }
  }

  /** One turn: listens until the stream ends, or asks once. Throws where nothing was heard. */
  async #hear(turn: AbortSignal): Promise<void> {
    const misses = this.#misses++;
    if (misses < POLL_AFTER || misses % STREAM_AGAIN === 0) return this.#listen(turn);
    const view = await this.#options.client.order(turn);
    if (turn.aborted) return;
    // The line is back, so a stream may be as well.
    if (this.#failures >= LOST_AFTER) this.#misses = 0;
    this.#heard(view);
  }

  async #listen(turn: AbortSignal): Promise<void> {
    const { client, now, wait } = this.#options;
    const over = new AbortController();
    const signal = AbortSignal.any([turn, over.signal]);
    let heardAt = now();
    const watch = async () => {
      while (!signal.aborted) {
        // Also where the clock was set back.
        const silentMs = Math.abs(now() - heardAt);
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
        heardAt = now();
        // Of a stream that has shown what it is; a captive portal's page has chunks, too.
        if (!view && views) this.#reached();
        if (!view) continue;
        views++;
        this.#misses = 0;
        this.#open = true;
        this.#heard(view);
      }
      // A stream that ends without a word is some box on the way.
      if (!views) throw new Refusal();
    } finally {
      this.#open = false;
      over.abort();
    }
  }

  /** Asks once, quickly: a stream that is silent does not tell whether it is the line. */
  async #probe(turn: AbortSignal): Promise<void> {
    const { client, wait } = this.#options;
    const over = new AbortController();
    const signal = AbortSignal.any([turn, over.signal]);
    void wait(PROBE_MS, signal).then(() => over.abort());
    try {
      const view = await client.order(signal);
      if (!turn.aborted) this.#heard(view);
    } catch (error) {
      if (turn.aborted || (error instanceof Refusal && error.problem.status)) return;
      this.#miss(LOST_AFTER);
      // Another stream would be as silent: polls notice first when the line is back.
      this.#misses = POLL_AFTER;
    } finally {
      over.abort();
    }
  }

  #heard(view: OrderView): void {
    this.#view = view;
    this.#reached();
    this.#options.onView(view);
  }

  #reached(): void {
    this.#failures = 0;
    this.#options.onLost(false);
  }

  #miss(failures: number): void {
    this.#failures += failures;
    if (this.#failures >= LOST_AFTER) this.#options.onLost(true);
  }

  /** After a failed payment only a late success can come: no hurry. */
  #pauseMs(): number {
    if (this.#view?.payment?.status === 'FAILED') return LONGEST_PAUSE_MS;
    return PAUSES_MS[this.#misses] ?? LONGEST_PAUSE_MS;
  }
}

/** 401, 403 and the like from the proxy itself will not change by asking again; 408 and 429 will. */
function isFinal({ problem: { code, status } }: Refusal): boolean {
  return code !== 'network' && status >= 400 && status < 500 && status !== 408 && status !== 429;
}
