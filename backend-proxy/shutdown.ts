// Ends the process after SIGTERM or SIGINT, in two steps. It drains: /readyz is 503, so that load balancers send new
// requests elsewhere, and everything is still served. Then it stops: what runs is finished, and nothing new is taken.
// A second signal ends the draining, a third one the process.
import { isatty } from 'node:tty';
import { describeError } from './errors.ts';
import type { Log } from './log.ts';

const SIGNALS = ['SIGTERM', 'SIGINT'] as const;
type Signal = (typeof SIGNALS)[number];

/** Slightly longer than a call to the gateway and the write of its answer. */
const STOP_LIMIT_MS = 35_000;
const STANDARD_INPUT = 0;

export interface Shutdown {
  /** 0: it stops at once. */
  drainSeconds: number;
  /** Announces the end; everything is still served. */
  drain(): void;
  /** Resolves when nothing is in flight and everything is closed. */
  stop(): Promise<void>;
  log: Log;
}

/** Where the signals come from and what ends the process. */
export interface EndingProcess {
  on(signal: Signal, listener: (signal: Signal) => void): unknown;
  off(signal: Signal, listener: (signal: Signal) => void): unknown;
  exit(code: number): void;
}

/** @param isTerminal then SIGINT is Ctrl-C by a person, who does not wait for load balancers. */
export function endOnSignals(
  { drainSeconds, drain, stop, log }: Shutdown,
  ending: EndingProcess = process,
  isTerminal: boolean = isatty(STANDARD_INPUT),
): void {
  let endDraining: (() => void) | undefined;

  function receive(signal: Signal): void {
    if (endDraining === undefined) void end(signal);
    else endDraining();
  }

  async function end(signal: Signal): Promise<void> {
    const isDraining = drainSeconds > 0 && !(signal === 'SIGINT' && isTerminal);
    if (isDraining) {
      log('info', 'draining', { signal, seconds: drainSeconds });
      drain();
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, drainSeconds * 1000);
        endDraining = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
    for (const each of SIGNALS) ending.off(each, receive);
    log('info', 'stopping', { signal });
    const limit = setTimeout(() => fail('not in time'), STOP_LIMIT_MS);
    // What is still open ends with the process; the limit must not keep it alive.
    limit.unref();
    try {
      await stop();
      log('info', 'stopped');
    } catch (error) {
      fail(describeError(error));
    }
  }

  function fail(error: string): void {
    log('error', 'stopping failed', { error });
    ending.exit(1);
  }

  for (const signal of SIGNALS) ending.on(signal, receive);
}
