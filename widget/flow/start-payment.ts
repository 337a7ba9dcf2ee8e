// A start, from the page's consent to the answer: waits for what the page asked for, keeps the idempotency key, and
// sends until an answer arrives. A lost answer says nothing about the payment, so the same body is sent again with the
// same key, which never starts a second payment; five times at most, because the shopper is waiting. The session
// decides what the answer means.
import type { OrderView, PaymentView, StartPayment } from '../../backend-proxy/protocol/wire.ts';
import type { Trouble } from '../shell/state.ts';
import { ProxyError, type ProxyClient } from './proxy-client.ts';
import type { Wait } from './stream.ts';

/** Pause after each try, randomly half to one and a half times as long; 0 after the last try. */
const PAUSES_MS = [1_000, 2_000, 4_000, 8_000, 0];

interface StartAttempt {
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

/** A start whose answer has not arrived yet: which body has which key, and which payment belongs to it. */
export interface PendingStart {
  orderId: string;
  /** The body as JSON. The same body again is sent with the same key. */
  text: string;
  key: string;
  /** `createdAt` of the payment before it; null if there was none, undefined if it is not known. */
  before: string | null | undefined;
  /** It takes long, so the shopper is shown whatever the stream says about it. */
  isSlow: boolean;
}

/** The previous start if it had the same body, else a new one. */
export function pendingStart(
  previous: PendingStart | undefined,
  text: string,
  { orderId, version, payment }: OrderView,
  newKey: () => string,
): PendingStart {
  if (previous?.text === text) return previous;
  const before = version < 0 ? undefined : (payment?.createdAt ?? null);
  return { orderId, text, key: newKey(), before, isSlow: false };
}

/** Whether the payment did not exist before the start, so that it is the one started, even if the answer was lost. */
export function isStartedBy({ before }: PendingStart, payment: PaymentView): boolean {
  return before !== undefined && payment.createdAt !== before;
}

/** How long the page may take. */
export const PAGE_LIMIT_MS = 30_000;

const TIMEOUT: Trouble = {
  code: 'page_timeout',
  retryable: false,
  detail: `A promise given to waitUntil() was not settled within ${PAGE_LIMIT_MS / 1000} seconds.`,
};

/** Null once all are fulfilled. A rejection's message is shown; without one, that the details should be checked. */
export async function troubleOfPage(
  promises: readonly Promise<unknown>[],
  wait: (ms: number) => Promise<void>,
): Promise<Trouble | null> {
  const refused = (reason: Error | string | null | undefined): Trouble => {
    const message = (reason as Error | undefined)?.message ?? reason;
    return { code: 'invalid_request', retryable: false, message: typeof message === 'string' ? message : '' };
  };
  const timeUp = wait(PAGE_LIMIT_MS).then(() => TIMEOUT);
  return Promise.race([Promise.all(promises).then(() => null, refused), timeUp]);
}
