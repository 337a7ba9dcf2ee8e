// What the ledger takes and returns: orders, payments, payouts, refunds and what happened to them, without SQL.
import type { HistoryEntry, PostOutcome, Source, Transaction, TransactionType } from '../protocol/transaction.ts';
import type { RefundRules } from '../protocol/refundable.ts';
import type { IpnReading, Report } from '../protocol/verify.ts';
import type { WebhookType } from '../protocol/merchant-view.ts';
import type { Metadata, Method, QrCode, Status } from '../protocol/wire.ts';

/** What the merchant wants paid, and every attempt to pay it, oldest first. */
export interface Order {
  orderId: string;
  /** Null if the shopper enters it. */
  amountMinor: number | null;
  currency: string;
  /** Raised by every commit that changes what is shown of the order. */
  version: number;
  /** The `id` of the payment that paid it. */
  paidBy: string | null;
  /** By the merchant, for good: nothing starts, and nothing pays it. */
  closed: { at: number; reason: string | null } | null;
  /** From the newest order token seen; null if none had an `iat`. */
  seen: { iat: number; terms: string } | null;
  /** Empty if the order was seen but never started. */
  payments: Transaction[];
  /** Of its payments, oldest first. */
  refunds: Transaction[];
}

export interface NewPayment {
  orderId: string;
  orderAmountMinor: number | null;
  amountMinor: number;
  currency: string;
  method: Method;
  customer: string | null;
  /** The customer's id at the merchant; null if the method takes none. */
  customerReference: string | null;
  /** Counts for the order's first payment; later ones have the same. */
  metadata: Metadata | null;
  /** How long a code or prompt is valid once sent; null: as long as the gateway says. */
  payWithinMs: number | null;
  idempotencyKey: string;
  /** Digest of the request: the same key with another fingerprint is refused. */
  fingerprint: string;
  start: Start;
}

/** The one call that may send a transaction: the permission is in the commit that writes its row. */
export interface Start {
  /** Host and port of the process. */
  by: string;
  /** Random. If the answer to a commit is lost, it tells this call's row from an equal one. */
  id: string;
}

/** `iat` and terms of an order token, to decide which of two is newer and whether they ask for the same. */
export interface TokenTerms {
  orderId: string;
  currency: string;
  orderAmountMinor: number | null;
  iat: number | null;
  /** Equal if the terms are equal. */
  terms: string;
}

export interface Closing {
  orderId: string;
  reason: string | null;
  /**
   * Close only if nothing is open and every payment that may still be paid was checked since this time. Null: close in
   * any case.
   */
  ifUnpaidSince: number | null;
}

export type ClosedOrder = Order & { closed: NonNullable<Order['closed']> };

export interface PaymentLimits {
  /** Payments per order, without expired ones and duplicates. */
  perOrder: number;
  directPerOrder: number;
  /** Payments per order including duplicates, and including all. */
  withDuplicates: number;
  inAll: number;
  /** Prompts in a wallet: per customer of the merchant, and in total. */
  directPerWallet: { perCustomer: number; inAll: number; withinMs: number };
}

export interface NewPayout {
  orderId: string;
  amountMinor: number;
  currency: string;
  customer: string;
  note: string | null;
  fingerprint: string;
  start: Start;
  /** What the gateway said of it; needed in a restored database. */
  lookedUp?: LookedUpPayout | undefined;
}

export interface LookedUpPayout {
  /** The restore after which it was asked. */
  restoredAt: number;
  /** Why it is not sent. */
  withheld?: Withheld | undefined;
  /** For so long after the restore an "unknown" proves nothing; `LAG_MS` by default. */
  lagMs?: number;
}

/** A payout to the wallet that paid. */
export interface NewRefund {
  orderId: string;
  /** Of the payment that is sent back; undefined: the only one that succeeded. */
  transactionId: string | undefined;
  /** Decimal string in the payment's currency; undefined: what is left. */
  amount: string | undefined;
  note: string | null;
  /** The person who asks for it. */
  by?: string | undefined;
  /** Minor units that were left of the payment when the person decided. */
  expectedLeft?: number | undefined;
  idempotencyKey: string;
  fingerprint: string;
  start: Start;
  rules: RefundRules;
  /** What the gateway has of the payment that a restored database may have lost; needed there. */
  lookedUp?: LookedUp | undefined;
}

/** What the gateway said of the ids that refunds of a payment have. */
export interface LookedUp {
  /** The payment's. */
  transactionId: string;
  /** The restore after which it was asked. */
  restoredAt: number;
  /** Why the new one is not sent, and its number. */
  withheld?: (Withheld & { attempt: number }) | undefined;
}

/** Refunds of a payment that the gateway has. */
export interface FoundRefunds {
  orderId: string;
  /** The payment's. */
  transactionId: string;
  found: readonly FoundRefund[];
}

export interface FoundRefund {
  id: string;
  attempt: number;
  amountMinor: number;
  needsReview: boolean;
}

export interface OpenedRefund {
  /** The one POST is permitted, to this caller alone. */
  maySend: boolean;
  refund: Transaction;
  /** The method of its payment. */
  method: Method;
}

/** Why a transaction is not sent: the database was restored, and the gateway may already have it. */
export interface Withheld {
  detail: string;
  needsReview: boolean;
}

/** How the one POST ended. What a later check sees is an Observation. */
export type Fact =
  /** `needsReview`: status checks cannot settle it. */
  | { stage: 'uncertain'; answer: Unanswered; detail: string; needsReview?: boolean }
  | { stage: 'rejected'; answer: 'refused'; detail: string }
  | { stage: 'not_created'; answer: 'unreached'; detail: string }
  | ({ stage: 'pending' } & PaymentMeans);
type Unanswered = Exclude<PostOutcome, 'identified' | 'accepted' | 'withheld'>;

/** How the shopper pays, from the gateway's answer. */
interface PaymentMeans {
  paymentId: string | null;
  method: Method | null;
  checkoutUrl: string | null;
  qr: QrCode | null;
  appUrl: string | null;
}

/** A claimed check, exclusive until `leaseUntil`; times by the database's clock. */
export interface Claim {
  transaction: Omit<Transaction, 'history'>;
  beganAt: number;
  leaseUntil: number;
  /** IPNs received for it by then. */
  ipnsReceived: number;
}

/**
 * What a check saw. `report`: the gateway's, which is compared with the row within the write; `isIpn` without a status
 * check. `unknown`: the gateway has no such order; not yet proven. `unavailable`: no answer. `silent`: there is no
 * status check, and no IPN has an outcome.
 */
export type Observation =
  { kind: 'report'; report: Report; isIpn?: true } | { kind: 'unknown' | 'unavailable' | 'silent' };

/** An "unknown" that was proven: when its check began and ended. */
export interface ProvenUnknown {
  transactionId: string;
  beganAt: number;
  endedAt: number;
}

/** How a person resolves a review, or that what is left of money that pays no order is SETTLED in another way. */
export interface Resolution {
  status: 'SUCCESS' | 'FAILED' | 'SETTLED';
  by: string;
  note: string;
  /** What the gateway reports instead, if the person knows that it contradicts them. */
  gatewayReports?: 'SUCCESS' | 'FAILED' | undefined;
}

/** What a person was shown before resolving. */
export interface Expected {
  /** Of the transaction. */
  version: number;
  /** Which transaction pays the order; null for none, and for a payout. Undefined: whichever. */
  paidBy?: string | null;
  /** Whether the order is closed. Undefined: either way. */
  closed?: boolean;
  /** What is owed of money that pays no order, in minor units. Undefined: however much. */
  owed?: number;
}

/** What a resolution would do, all as of one moment. */
export interface Preview {
  transaction: Transaction;
  /** For `resolve`, which refuses if it is no longer so. */
  expected: Required<Expected>;
  /** The webhook that would be queued; null for none. */
  webhook: WebhookType | null;
  /** What the gateway reports, if the resolution contradicts it; null otherwise. */
  gatewayReports: 'SUCCESS' | 'FAILED' | null;
}

/** An IPN, and its number among those of its transaction. */
export interface NewIpn {
  reading: IpnReading;
  n: number;
}

/** An IPN whose transaction is not in this database. */
export interface UnmatchedIpn {
  reading: IpnReading;
  seen: number;
  firstAt: number;
  lastAt: number;
}

/** The gateway and account that the database belongs to. */
export interface DatabaseOwner {
  /** Host and base path; for a loopback address without the port. */
  gateway: string;
  hasStatusCheck: boolean;
  /** Distinguishes API keys without revealing them. */
  keyDigest: string;
}

export interface StoredIpn {
  /** Digest of the body: an equal body is the same IPN. */
  id: string;
  body: string;
  /** Undefined if the body is unreadable: the IPN is kept for a person to examine. */
  reading: IpnReading | undefined;
}

/** By last change, or by creation: oldest first, or newest first. */
export type TransactionSort = 'updatedAt' | 'createdAt' | '-createdAt';

export interface TransactionQuery {
  /** Default: `updatedAt`. */
  sort?: TransactionSort | undefined;
  orderId?: string | undefined;
  /** For `updatedAt` only. */
  updatedSince?: number | undefined;
  /** For lists by creation only: from this time, and before that one. */
  createdFrom?: number | undefined;
  createdBefore?: number | undefined;
  status?: Status | undefined;
  type?: TransactionType | undefined;
  needsReview?: boolean | undefined;
  /** Of each history only the success: an export needs no more, and the rest takes most of its time. */
  successOnly?: boolean | undefined;
  cursor?: string | undefined;
  limit: number;
}

export interface TransactionPage {
  transactions: Transaction[];
  nextCursor: string | null;
}

export type WebhookState = 'pending' | 'delivered' | 'dead';

/** Narrows a list of webhooks: to an order, and to the page after another. */
export interface WebhookRange {
  orderId?: string | undefined;
  cursor?: string | undefined;
}

export interface WebhookPage {
  webhooks: Webhook[];
  nextCursor: string | null;
}

export interface Webhook {
  id: string;
  type: WebhookType;
  /** The id of its transaction at the gateway. */
  transactionId: string;
  /** The order or payout it reports on. */
  orderId: string;
  /** The bytes to send, the same for every retry; empty once erased. */
  body: string;
  state: WebhookState;
  attempts: number;
  nextAt: number;
  /** HTTP status or error code of the last attempt. */
  lastAnswer: string | null;
  createdAt: number;
}

export type Delivery =
  { state: 'delivered' | 'dead'; answer: string } | { state: 'pending'; afterMs: number; answer: string };

/** An order as it was at a time by the database's clock, ms since 1970; undefined if it was never seen. */
export interface OrderAt {
  order: Order | undefined;
  now: number;
}

export interface OpenedPayment {
  /** False if the key was used before. */
  isNew: boolean;
  /** The one POST is permitted, to this caller alone. */
  maySend: boolean;
  payment: Transaction;
  order: Order;
  /** The database's clock, ms since 1970. */
  now: number;
}

export interface OpenedPayout {
  /** The one POST is permitted, to this caller alone. */
  maySend: boolean;
  payout: Transaction;
}

/** What a commit changed about one transaction: a history entry that it added. */
export interface LedgerEvent {
  /** Erasing is not logged for each transaction. */
  event: Exclude<HistoryEntry['event'], 'reported_failed' | 'erased'>;
  source: Source;
  detail: string | null;
  /** The transaction after the commit. */
  transaction: Pick<
    Transaction,
    'id' | 'type' | 'orderId' | 'method' | 'stage' | 'endedBy' | 'answer' | 'late' | 'surplus' | 'afterClose'
  >;
  /** The status before the commit; undefined for a new transaction. */
  statusBefore: Status | undefined;
  /** How long before the commit its newest IPN came; null if none came. */
  sinceIpnMs: number | null;
  /** The ids of the webhooks that the commit queued for it. */
  webhooks: readonly string[];
}

/** What to erase: only what has ended, is out of the sweep and needs no review. */
export interface Retention {
  /** Only what last changed before this. */
  afterMs: number;
  /** A payer stays so long after the payment began, to be refunded. */
  payersMs: number;
  /** Whether webhooks are sent at all. If so, one that waits keeps its transaction from being erased. */
  sendsWebhooks: boolean;
}

export interface ErasedPage {
  erased: number;
  /** Where the next page begins; null after the last. */
  next: string | null;
}

/** Of transactions of one kind. */
export interface Sum {
  type: TransactionType;
  currency: string;
  status: Status;
  isAwaited: boolean;
  isBeingChecked: boolean;
  isClosed: boolean;
  /** A person said that no money moved. */
  isDenied: boolean;
  count: number;
  amountMinor: number;
}

export interface Sums {
  /** Of what was created since a time. */
  created: Sum[];
  /** Of what is neither paid nor failed, however old. */
  open: Sum[];
  /** False if there are more than were summed up. */
  isWhole: boolean;
}

/**
 * Counts for operators, of what is open: each up to a limit (queries/reading.ts). What has ended is counted as it ends
 * (metrics).
 */
export interface Counts {
  /** Neither paid nor failed, and how many of them a person has to resolve. */
  transactions: { type: TransactionType; status: Status; count: number; inReview: number }[];
  /** Transactions that a person has to resolve. */
  needReview: number;
  /** IPNs whose transaction is not in this database. */
  unmatchedIpns: number;
  checks: { state: 'planned' | 'due'; count: number }[];
  /** How long the oldest check has been due; 0 if none is. */
  oldestDueCheckMs: number;
  webhooks: { state: Exclude<WebhookState, 'delivered'>; count: number }[];
  /** Age of the oldest webhook that is not delivered and not dead; 0 if there is none. */
  oldestPendingWebhookMs: number;
  /** Why its last attempt failed; null if none has. */
  oldestPendingWebhookAnswer: string | null;
}
