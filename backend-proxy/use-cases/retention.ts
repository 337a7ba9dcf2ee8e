// Erases the personal data of what ended RETENTION_DAYS ago, a page at a time with pauses, and then returns the space
// to the file system. Beside requests it costs little, and several proxies share the pages.
import { describeError } from '../errors.ts';
import type { Ledger } from '../ledger/ledger.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../protocol/durations.ts';
import type { Log } from '../protocol/log.ts';

/** Soon after the start, so that a proxy that is restarted every day erases too. */
const FIRST_AFTER_MS = MINUTE_MS;
const EVERY_MS = HOUR_MS;
/** Between two pages, so that requests do not wait for the erasing. */
const PAUSE_MS = 250;

interface Options {
  ledger: Pick<Ledger, 'erasePage' | 'shrink'>;
  days: number;
  /** A payer is kept for so many days after the payment. */
  refundDays: number;
  sendsWebhooks: boolean;
  log: Log;
  wait?: (ms: number, stopped: AbortSignal) => Promise<unknown>;
}

export interface Retention {
  /** Erases all that is due; ends early once stopped. Returns how many transactions it erased. */
  pass(stopped?: AbortSignal): Promise<number>;
  /** Runs until the returned function is called, which resolves when no page is in flight. */
  run(): () => Promise<void>;
}

export function createRetention({ ledger, days, refundDays, sendsWebhooks, log, wait = waitFor }: Options): Retention {
  async function pass(stopped = new AbortController().signal): Promise<number> {
    let erased = 0;
    let next: string | null = '';
    while (next !== null && !stopped.aborted) {
      const page: Awaited<ReturnType<Ledger['erasePage']>> = await ledger.erasePage(
        { afterMs: days * DAY_MS, payersMs: refundDays * DAY_MS, sendsWebhooks },
        next,
      );
      erased += page.erased;
      next = page.next;
      await wait(PAUSE_MS, stopped);
    }
    if (erased > 0) log('info', 'personal data erased', { transactions: erased });
    while (!stopped.aborted && (await ledger.shrink())) await wait(PAUSE_MS, stopped);
    return erased;
  }

  function run(): () => Promise<void> {
    const stop = new AbortController();
    const loop = (async () => {
      await wait(FIRST_AFTER_MS, stop.signal);
      while (!stop.signal.aborted) {
        await pass(stop.signal).catch((error: unknown) => log('error', 'work failed', { error: describeError(error) }));
        await wait(EVERY_MS, stop.signal);
      }
    })();
    return async () => {
      stop.abort();
      await loop;
    };
  }

  return { pass, run };
}

/** Resolves sooner if stopped. Keeps no process alive. */
function waitFor(ms: number, stopped: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (stopped.aborted) return resolve();
    const end = () => {
      clearTimeout(timer);
      stopped.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    timer.unref();
    stopped.addEventListener('abort', end);
  });
}
