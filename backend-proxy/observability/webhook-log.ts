// Logs and counts each attempt to deliver a webhook, and remembers for a while in which trace one was queued.
import type { Context } from '@opentelemetry/api';
import { causeOf } from './cause.ts';
import type { Delivery, LedgerEvent, Webhook } from '../ledger/ledger.ts';
import type { Log } from '../protocol/log.ts';
import type { Metrics } from './metrics.ts';
import { iso } from '../protocol/iso-time.ts';

/** The oldest is forgotten: a trace is a convenience, and a webhook may be delivered by another process. */
const MAX_REMEMBERED = 1_000;

export function createWebhookLog(log: Log, metrics: Metrics, now: () => number) {
  const contexts = new Map<string, Context>();

  return {
    queued(events: readonly LedgerEvent[]) {
      const { step } = causeOf();
      if (step?.traceId === undefined) return;
      for (const id of events.flatMap(({ webhooks }) => webhooks)) contexts.set(id, step.context);
      for (const id of contexts.keys()) {
        if (contexts.size <= MAX_REMEMBERED) return;
        contexts.delete(id);
      }
    },
    contextOf: (id: string) => contexts.get(id),
    attempted(webhook: Webhook, delivery: Delivery, ms: number) {
      const { id: webhookId, type, attempts: attempt, orderId, transactionId, createdAt } = webhook;
      const { state, answer } = delivery;
      const nextAttemptAt = 'afterMs' in delivery ? iso(now() + delivery.afterMs) : undefined;
      const fields = { webhookId, type, orderId, transactionId, answer, attempt, ms };
      metrics.countDelivery({ outcome: state === 'pending' ? 'failed' : state, ms, ageMs: now() - createdAt });
      if (state !== 'pending') contexts.delete(webhookId);
      if (state === 'delivered') log('info', 'webhook delivered', fields);
      else if (state === 'dead') log('error', 'webhook dead', fields);
      else log('warn', 'webhook failed', { ...fields, nextAttemptAt });
    },
  };
}
