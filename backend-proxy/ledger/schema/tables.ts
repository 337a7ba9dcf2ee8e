// The rows of the ledger's tables, the same in SQLite and PostgreSQL. Times are ms since 1970, money is integer minor
// units, flags are 0 or 1. schema.ts makes the tables.
import type { HistoryEntry, PostOutcome, Source, Transaction, TransactionType } from '../../protocol/transaction.ts';
import type { Report } from '../../protocol/verify.ts';
import type { WebhookType } from '../../protocol/merchant-view.ts';
import type { Method } from '../../protocol/wire.ts';
import type { WebhookState } from '../model.ts';

export interface Tables {
  orders: OrderRow;
  transactions: TransactionRow;
  history: HistoryRow;
  ipns: IpnRow;
  webhooks: WebhookRow;
  meta: MetaRow;
}

export interface OrderRow {
  order_id: string;
  amount_minor: number | null;
  currency: string;
  version: number;
  /** The transaction that paid it: set once. */
  paid_by: string | null;
  /** `iat` and terms of the newest order token seen: an older token with other terms starts nothing. */
  seen_iat: number | null;
  seen_terms: string | null;
  /** When the merchant closed it: it is never paid then. */
  closed_at: number | null;
  /** The merchant's; may be personal data. */
  close_reason: string | null;
}

export interface TransactionRow {
  id: string;
  type: TransactionType;
  order_id: string;
  /** Of a payment its number in the order, of a refund its number for that payment. */
  attempt: number;
  /** The id of the payment that a refund sends back. */
  refund_of: string | null;
  /** The requested method; `method` is the one in use. */
  asked: Method | null;
  method: Method | null;
  amount_minor: number;
  currency: string;
  /** The wallet that was asked; of a payout or refund the receiver. */
  customer: string | null;
  /** The wallet that paid; written by a verified SUCCESS alone. */
  payer: string | null;
  note: string | null;
  /** The merchant's, as JSON. */
  metadata: string | null;
  idempotency_key: string | null;
  fingerprint: string;
  rank: number;
  payment_id: string | null;
  checkout_url: string | null;
  qr: string | null;
  app_url: string | null;
  expires_at: number | null;
  late: number;
  surplus: number;
  /** Succeeded when the order was closed. */
  after_close: number;
  mismatch: number;
  conflict: number;
  needs_review: number;
  /** How many reviews were requested. */
  reviews: number;
  /** A report said SUCCESS that pays nothing by itself: a person decides. */
  success_seen: number;
  /** Of money that pays no order: what a person has settled in another way than by a refund. */
  settled_minor: number;
  /** How a person resolved it, as a stage. */
  resolved: 'succeeded' | 'declined' | null;
  /** What the gateway reported last, also where it differs or does not count. */
  reported: Report['outcome'] | null;
  ended_by: Transaction['endedBy'];
  version: number;
  created_at: number;
  updated_at: number;
  sent_at: number | null;
  /** Host and port of the process that sends it. */
  sent_by: string | null;
  /** Random, of the one call that may send it; finds out whether a lost commit was that call's. */
  start_id: string | null;
  answer: PostOutcome | null;
  lost_at: number | null;
  /** How long a code or prompt is valid once sent. */
  pay_within_ms: number | null;
  /** The customer's id at the merchant; DIRECT only. */
  customer_ref: string | null;
  /** When a status check last reported it. */
  found_at: number | null;
  ipn_received_at: number | null;
  ipns_received: number;
  ipns_answered: number;
  unknown_at: number | null;
  failed_at: number | null;
  /** After a clock step, waits that may end the transaction start here. */
  waits_from: number;
  /** The clock steps before it was last planned. */
  clock_steps: number;
  checked_at: number | null;
  unanswered: number;
  /** JSON array of the schedule's last `Check`s. */
  checks: string;
  next_check_at: number | null;
  lease_until: number;
  /** When its personal data was erased; null if it may hold any, such as that of an IPN that came later. */
  erased_at: number | null;
}

export interface HistoryRow {
  transaction_id: string;
  event: HistoryEntry['event'];
  /** Counts events that may occur again, from 1. */
  n: number;
  at: number;
  source: Source;
  detail: string | null;
}

export interface IpnRow {
  id: string;
  /** Null if the body was unreadable. */
  transaction_id: string | null;
  reading: string | null;
  body: string;
  matched: number;
  /** Which of its transaction's IPNs it was when it last came; 0 before the transaction was here. */
  n: number;
  /** Whether the operator was warned that it matches nothing. */
  reported: number;
  seen: number;
  first_at: number;
  last_at: number;
}

export interface WebhookRow {
  id: string;
  transaction_id: string;
  order_id: string;
  type: WebhookType;
  /** Empty once erased. */
  body: string;
  state: WebhookState;
  attempts: number;
  next_at: number;
  lease_until: number;
  last_answer: string | null;
  created_at: number;
}

export type MetaKey =
  | 'schema'
  | 'oldest'
  | 'database_id'
  | 'fingerprint_key'
  | 'pinged_at'
  | 'gateway'
  | 'status_check'
  | 'key_digest'
  | 'id_prefixes'
  | 'restored_at'
  | 'timeline'
  | 'clock_steps'
  | 'erasing_until';
export interface MetaRow {
  key: MetaKey;
  value: string;
}
