// Queues a webhook in the write that causes it, so that it reports exactly what is committed. Its body is fixed here: a
// retry sends the same bytes.
import { createHash } from 'node:crypto';
import { iso } from '../../protocol/iso-time.ts';
import { merchantView, type WebhookType } from '../../protocol/merchant-view.ts';
import { historyOf, type Draft } from './draft.ts';
import { toTransaction } from './records.ts';
import type { TransactionRow } from '../schema/tables.ts';

/** Queues each type once per transaction, or once per `n`, however often the fact arrives. */
export function queueWebhook(draft: Draft, row: TransactionRow, type: WebhookType, n = 1): void {
  const { now, databaseId } = draft;
  const transaction = toTransaction(row, historyOf(draft, row.id));
  draft.webhooks.push({
    id: webhookId(databaseId, [row.id, type, String(n)]),
    transaction_id: row.id,
    order_id: row.order_id,
    type,
    body: JSON.stringify({ type, timestamp: iso(now), data: merchantView(transaction) }),
    state: 'pending',
    attempts: 0,
    next_at: now,
    lease_until: 0,
    last_answer: null,
    created_at: now,
  });
}

/**
 * The same for the same event after retries, restores and failovers, so that a receiver can ignore repeats: a digest
 * that includes the database's random id, which a backup keeps.
 */
function webhookId(databaseId: string, event: readonly string[]): string {
  const digest = createHash('sha256').update(JSON.stringify([databaseId, ...event]));
  return `msg_${digest.digest('hex').slice(0, 40)}`;
}
