// Logs and counts each attempt to deliver a webhook.
import type { Delivery, Webhook } from '../ledger/ledger.ts';
import type { Log } from '../protocol/log.ts';
import type { Metrics } from './metrics.ts';
import { iso } from '../protocol/iso-time.ts';

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
