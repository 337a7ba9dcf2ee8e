// Indexes for the lists, exports and totals of the office.

/** Each may be made at any time, also while an earlier version runs: they change no row and no statement's result. */
export const OFFICE_INDEXES: readonly string[] = [
  'create index transactions_created on transactions (created_at, id)',
  'create index transactions_listed_created on transactions (type, rank, needs_review, created_at, id)',
  `create index history_succeeded on history (at, transaction_id) where event = 'succeeded'`,
  // An order has few webhooks.
  'create index webhooks_order on webhooks (order_id)',
  'create index webhooks_paged on webhooks (state, created_at, id)',
];
