// Logs and counts what happened to payments, payouts and refunds, and each attempt to deliver a webhook.
// It reads what the ledger has committed.
import type { LedgerEvent, Delivery, Webhook } from '../ledger/model.ts';
import { iso } from '../protocol/durations.ts';
import type { Level, Log } from '../protocol/log.ts';
import { paysNothing } from '../protocol/refundable.ts';
import {
  STAGES,
  TRANSACTION_TYPES,
  TYPES,
  reasonOf,
  type Stage,
  type TransactionType,
} from '../protocol/transaction.ts';
import type { Metrics } from './metrics.ts';

interface Meaning {
  level: Level;
  /** Follows "payment", "payout" or "refund"; some events have another word for what is sent. */
  word: string;
  outgoing?: { level: Level; word: string };
}

const FAILED = { level: 'info', word: 'failed' } as const;

/** A failure is logged when the status that the merchant sees becomes FAILED, as its webhook is sent. */
const BUSINESS_EVENTS = {
  created: { level: 'info', word: 'started' },
  sending: { level: 'debug', word: 'sent', outgoing: { level: 'info', word: 'sent' } },
  uncertain: { level: 'warn', word: 'uncertain' },
  pending: { level: 'info', word: 'accepted' },
  replaced: FAILED,
  expired: FAILED,
  rejected: FAILED,
  not_created: FAILED,
  declined: FAILED,
  succeeded: { level: 'info', word: 'paid', outgoing: { level: 'info', word: 'succeeded' } },
  surplus: { level: 'warn', word: 'surplus' },
  after_close: { level: 'error', word: 'after close' },
  mismatch: { level: 'error', word: 'mismatch' },
  conflict: { level: 'error', word: 'conflict' },
  needs_review: { level: 'warn', word: 'needs review' },
  resolved: { level: 'info', word: 'resolved' },
} as const satisfies Record<LedgerEvent['event'], Meaning>;

/** Of every event that each type can have: only a payment can come twice, or after its order was closed. */
export function eventNames(): string[] {
  const events = Object.keys(BUSINESS_EVENTS) as LedgerEvent['event'][];
  const ofPayments: readonly LedgerEvent['event'][] = ['surplus', 'after_close'];
  return TRANSACTION_TYPES.flatMap((type) =>
    events
      .filter((event) => TYPES[type].paysOrder || !ofPayments.includes(event))
      .map((event) => eventName(event, type)),
  );
}

function eventName(event: LedgerEvent['event'], type: TransactionType): string {
  return `${TYPES[type].webhooks} ${meaningOf(event, type).word}`;
}

function meaningOf(event: LedgerEvent['event'], type: TransactionType): Meaning {
  const meaning: Meaning = BUSINESS_EVENTS[event];
  return TYPES[type].isOutgoing ? { ...meaning, ...meaning.outgoing } : meaning;
}

export function createBusinessLog(log: Log, metrics: Metrics): (events: readonly LedgerEvent[]) => void {
  return (events) => {
    for (const each of events) {
      if (failsAgain(each)) continue;
      metrics.countEvent(each);
      const { event, source, transaction } = each;
      const { id: transactionId, type, orderId, method } = transaction;
      // The money is there, but pays nothing: only the flag is logged.
      if (event === 'succeeded' && paysNothing(transaction)) continue;
      log(meaningOf(event, type).level, eventName(event, type), {
        orderId,
        transactionId,
        ...(method !== null && { method }),
        source,
        ...detailsOf(each),
      });
    }
  };
}

function failsAgain({ event, statusBefore }: LedgerEvent): boolean {
  return statusBefore === 'FAILED' && event in STAGES && STAGES[event as Stage].status === 'FAILED';
}

function detailsOf({ event, detail, transaction }: LedgerEvent): Record<string, unknown> {
  switch (event) {
    case 'uncertain':
      return { answer: transaction.answer, detail };
    // A person's note may be about the customer: only the status and the name are logged.
    case 'resolved':
      return { detail: detail?.split(': ')[0] };
    case 'mismatch':
    case 'conflict':
    case 'needs_review':
      return { detail };
    case 'replaced':
    case 'expired':
    case 'rejected':
    case 'not_created':
    case 'declined':
      return { reason: reasonOf(transaction), ...(detail !== null && { detail }) };
    case 'succeeded':
      return transaction.late ? { late: true } : {};
    case 'created':
    case 'sending':
    case 'pending':
    case 'surplus':
    case 'after_close':
      return {};
    default:
      return event satisfies never;
  }
}

// Logs and counts each attempt to deliver a webhook.

export function createWebhookLog(log: Log, metrics: Metrics, now: () => number) {
  return (webhook: Webhook, delivery: Delivery, ms: number): void => {
    const { id: webhookId, type, attempts: attempt, orderId, transactionId, createdAt } = webhook;
    const { state, answer } = delivery;
    const nextAttemptAt = 'afterMs' in delivery ? iso(now() + delivery.afterMs) : undefined;
    const fields = { webhookId, type, orderId, transactionId, answer, attempt, ms };
    metrics.countDelivery({ outcome: state === 'pending' ? 'failed' : state, ms, ageMs: now() - createdAt });
    if (state === 'delivered') log('info', 'webhook delivered', fields);
    else if (state === 'dead') log('error', 'webhook dead', fields);
    else log('warn', 'webhook failed', { ...fields, nextAttemptAt });
  };
}
