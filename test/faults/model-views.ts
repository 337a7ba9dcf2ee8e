// One transaction as shown by the merchant's routes and webhooks, and as the model has it, in the same format, so that
// both can be compared as text.
import type { ReceivedWebhook } from './merchant-server.ts';
import type { ModelTransaction } from './model-transaction.ts';

/** The compared part of a payment or payout in the merchant's routes. */
export interface Shown {
  gatewayOrderId?: string;
  status: string;
  reason: string | null;
  late?: boolean;
  surplus?: boolean;
  needsReview: boolean;
  paymentId: string | null;
  history: { event: string }[];
}

const SHOWN_AS: Record<ModelTransaction['stage'], [status: string, reason: string | null]> = {
  created: ['INITIALIZED', null],
  sending: ['INITIALIZED', null],
  uncertain: ['INITIALIZED', null],
  pending: ['PROCESSING', null],
  replaced: ['FAILED', 'REPLACED'],
  expired: ['FAILED', 'EXPIRED'],
  rejected: ['FAILED', 'REJECTED'],
  not_created: ['FAILED', 'NOT_CREATED'],
  declined: ['FAILED', 'DECLINED'],
  succeeded: ['SUCCESS', null],
};

/**
 * Which of two successes is the surplus depends on their order; that an order is credited once is compared elsewhere.
 */
export function asShown(id: string, shown: Shown, received: Iterable<ReceivedWebhook>): object {
  const { status, reason, late = false, needsReview, paymentId, history } = shown;
  const types = [...received]
    .filter(({ data }) => (data.gatewayOrderId ?? data.orderId) === id)
    .map(({ type }) => type.replace(/^\w+\./, '').replace('surplus', 'succeeded'));
  const events = history.map(({ event }) => event).filter((event) => event !== 'surplus');
  return { id, status, reason, late, needsReview, paymentId, events: events.toSorted(), webhooks: types.toSorted() };
}

export function asModeled(one: ModelTransaction): object {
  const { id, type, stage, endedBy, late, needsReview, paymentId, events, webhooks } = one;
  const [status, reason] = SHOWN_AS[stage];
  return {
    id,
    status,
    reason: status === 'FAILED' ? (endedBy ?? reason) : null,
    late: type === 'PAY' && late,
    needsReview,
    paymentId,
    events: events.toSorted(),
    webhooks: webhooks.toSorted(),
  };
}
