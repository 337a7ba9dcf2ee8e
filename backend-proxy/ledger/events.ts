// What a committed write changed, read from its draft: each history entry that it added is one event. Only the process
// that committed it sees it, and once.
import { STAGES, stageOf } from '../protocol/transaction.ts';
import type { Draft } from './rules/draft.ts';
import type { LedgerEvent } from './ledger.ts';
import type { Change } from './store.ts';
import type { HistoryRow, TransactionRow } from './schema/tables.ts';

export function eventsOf(draft: Draft): LedgerEvent[] {
  return draft.history.flatMap((entry) => {
    const { event } = entry;
    const change = draft.transactions.find(({ after }) => after.id === entry.transaction_id);
    // Drafts do not write erasures.
    return change === undefined || event === 'erased' ? [] : [eventOf(draft, { ...entry, event }, change)];
  });
}

type Entry = HistoryRow & Pick<LedgerEvent, 'event'>;

function eventOf(draft: Draft, entry: Entry, { before, after }: Change<TransactionRow>): LedgerEvent {
  const { event, source, detail } = entry;
  const { id, type, method, answer } = after;
  return {
    event,
    source,
    detail,
    transaction: {
      id,
      type,
      orderId: after.order_id,
      method,
      stage: stageOf(after.rank),
      endedBy: after.ended_by,
      answer,
      late: after.late === 1,
      surplus: after.surplus === 1,
      afterClose: after.after_close === 1,
    },
    statusBefore: before && STAGES[stageOf(before.rank)].status,
    sinceIpnMs: after.ipn_received_at === null ? null : Math.max(0, draft.now - after.ipn_received_at),
    webhooks: draft.webhooks.filter(({ transaction_id: of }) => of === id).map((webhook) => webhook.id),
  };
}
