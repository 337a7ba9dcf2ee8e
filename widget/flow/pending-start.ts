// A start whose answer has not arrived yet: which body has which idempotency key, and which payment belongs to it.
// Pure.
import type { OrderView, PaymentView } from '../../backend-proxy/protocol/wire.ts';

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
