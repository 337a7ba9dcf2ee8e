// Ends the process after SIGTERM or SIGINT, in two steps. It drains: /readyz is 503, so that load balancers send new
// requests elsewhere, and everything is still served. Then it stops: running work finishes, and no new work is
// accepted. A second signal ends the draining, a third one the process.
import { isatty } from 'node:tty';
import { describeError } from './errors.ts';
import { GATEWAY_TIMEOUT_MS } from './protocol/gateway-call.ts';
import type { Log } from './protocol/log.ts';

const SIGNALS = ['SIGTERM', 'SIGINT'] as const;
type Signal = (typeof SIGNALS)[number];

/** Slightly longer than a call to the gateway and the write of its answer. */
const STOP_LIMIT_MS = GATEWAY_TIMEOUT_MS + 5_000;
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

/**
 * For the start, which leaves nothing to finish. Without it the first process of a container ignores signals.
 * @returns ends this
 */
export function exitOnSignals(ending: EndingProcess = process): () => void {
  const exit = () => ending.exit(0);
  for (const signal of SIGNALS) ending.on(signal, exit);
  return () => {
    for (const signal of SIGNALS) ending.off(signal, exit);
  };
}

/** @param isTerminal then SIGINT is Ctrl-C by a person, who does not wait for load balancers. */
export function endOnSignals(
  { drainSeconds, drain, stop, log }: Shutdown,
  ending: EndingProcess = process,
  isTerminal: boolean = isatty(STANDARD_INPUT),
): void {
  let onNext = (signal: Signal): void => void end(signal);
  for (const signal of SIGNALS) ending.on(signal, (received) => onNext(received));

  async function end(signal: Signal): Promise<void> {
    if (drainSeconds > 0 && !(signal === 'SIGINT' && isTerminal)) {
      log('info', 'draining', { signal, seconds: drainSeconds });
      drain();
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, drainSeconds * 1000);
        onNext = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
    onNext = () => ending.exit(1);
    log('info', 'stopping', { signal });
    // The limit itself must not keep the process alive.
    setTimeout(() => fail('not in time'), STOP_LIMIT_MS).unref();
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
}
