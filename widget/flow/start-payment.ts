// Sends one start to the proxy until an answer arrives. A lost answer says nothing about the payment, so the same
// body is sent again with the same key, which never starts a second payment; five times at most, because the shopper
// is waiting. Only retries: the session decides what the answer means.
import type { OrderView, StartPayment } from '../../backend-proxy/protocol/wire.ts';
import { ProxyError, type ProxyClient } from './proxy-client.ts';
import type { Wait } from './wait.ts';

/** Pause after each try, randomly half to one and a half times as long; 0 after the last try. */
const PAUSES_MS = [1_000, 2_000, 4_000, 8_000, 0];

export interface StartAttempt {
  client: ProxyClient;
  body: StartPayment;
  key: string;
  signal: AbortSignal;
  /** Whether the answer is no longer needed: the stream has shown the payment, or the shopper has left it. */
  isOver(): boolean;
  /** Called after each try without an answer. */
  onRetry(): void;
  wait: Wait;
  random(): number;
}

/** The view, or why there is none; null if the answer was no longer needed when it came. */
export async function startPayment(attempt: StartAttempt): Promise<OrderView | ProxyError | null> {
  const { client, body, key, signal, isOver, onRetry, wait, random } = attempt;
  for (const pauseMs of PAUSES_MS) {
    try {
      const view = await client.start(body, key, signal);
      return signal.aborted ? null : view;
    } catch (thrown) {
      if (isOver()) return null;
      const error = thrown instanceof ProxyError ? thrown : new ProxyError();
      if (!pauseMs || !isLost(error)) return error;
    }
    onRetry();
    await wait(pauseMs * (0.5 + random()), signal);
    if (isOver()) return null;
  }
  return null;
}

/** Whether the proxy may still have started the payment. */
function isLost({ problem: { status, retryable } }: ProxyError): boolean {
  return retryable && (!status || status >= 500);
}
