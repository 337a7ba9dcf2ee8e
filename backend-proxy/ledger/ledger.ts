// The ledger as the use cases see it: payments and payouts, never SQL. It is the truth; whatever it has committed is so,
// and nothing is told to anyone before. Each writing method is one durable transaction: when its promise resolves, the
// change survives a kill -9. `watch` belongs to it, so that nothing uncommitted can ever be announced.
import type { PostOutcome, Source, Transaction, TransactionType } from '../protocol/transaction.ts';
import type { IpnReading, Verdict } from '../protocol/verify.ts';
import type { WebhookType } from '../protocol/merchant-view.ts';
import type { Method, QrCode, Status } from '../protocol/wire.ts';

/** What the merchant wants paid, and every attempt at it, oldest first. */
export interface Order {
  orderId: string;
  /** Null where the shopper enters it. */
  amountMinor: number | null;
  currency: string;
  /** Raised by every commit that changes anything of the order. */
  version: number;
  /** The `id` of the payment that paid it. */
  paidBy: string | null;
  /** Of the newest order token that was seen; null where none had a time. */
  seen: { iat: number; terms: string } | null;
  /** None where the order was seen and never started. */
  payments: Transaction[];
}

export interface NewPayment {
  orderId: string;
  orderAmountMinor: number | null;
  amountMinor: number;
  currency: string;
  method: Method;
  customer: string | null;
  /** The customer's id at the merchant; null where the method takes none. */
  customerReferenceNo: string | null;
  /** How long a code or a request of it is good for, once sent; null: as long as the gateway says. */
  payWithinMs: number | null;
  idempotencyKey: string;
  /** Of what was asked for: the same key with another fingerprint is refused. */
  fingerprint: string;
}

/** `iat` and terms of an order token, to tell which of two is newer and whether they ask for the same. */
export interface SeenTerms {
  orderId: string;
  currency: string;
  orderAmountMinor: number | null;
  iat: number | null;
  /** Equal where the terms are. */
  terms: string;
}

export interface PaymentLimits {
  /** Payments of an order, without those that ran out of time or whose id was a duplicate. */
  perOrder: number;
  directPerOrder: number;
  /** Those of an order with the ones whose id was a duplicate, and all there may ever be of it. */
  withDuplicates: number;
  inAll: number;
  /** Prompts in a wallet: for one customer of the merchant's, and for all. */
  directPerWallet: { perCustomer: number; inAll: number; withinMs: number };
}

export interface NewPayout {
  orderId: string;
  amountMinor: number;
  currency: string;
  customer: string;
  note: string | null;
  fingerprint: string;
}

/** A step of our own or an answer to the one POST; what a later report says is an Observation. */
export type Fact =
  | { stage: 'sending'; sentBy: string }
  /** `needsReview`: nothing will ever settle it by itself. */
  | { stage: 'uncertain'; answer: Unanswered; detail: string; needsReview?: boolean }
  | { stage: 'rejected'; answer: 'refused'; detail: string }
  | { stage: 'not_created'; answer: 'unreached'; detail: string }
  | ({ stage: 'pending' } & Means);
type Unanswered = Exclude<PostOutcome, 'identified' | 'accepted'>;

/** What the answer brought: how the shopper pays. */
export interface Means {
  paymentId: string | null;
  method: Method | null;
  checkoutUrl: string | null;
  qr: QrCode | null;
  appUrl: string | null;
}

/** A check that was claimed: for one holder alone until `leaseUntil`; times by the books' clock. */
export interface Claim {
  transaction: Transaction;
  beganAt: number;
  leaseUntil: number;
  /** IPNs that had come for it by then. */
  rings: number;
}

/**
 * What a check saw. `unknown`: the gateway says that it has no such order, which is not believed by itself. `unavailable`: it was
 * not answered. In the weaker mode, where IPNs are all there is: `silent`, none says how it went, and `failed_ipn`, of a payout.
 */
export type Observation = Verdict | { kind: 'unknown' | 'unavailable' | 'silent' | 'failed_ipn' };

/** An "unknown" that was believed: when its check began and ended. */
export interface BelievedUnknown {
  transactionId: string;
  beganAt: number;
  endedAt: number;
}

/** A person's word on what needs review. */
export interface Resolution {
  status: 'SUCCESS' | 'FAILED';
  by: string;
  note: string;
}

/** An IPN that names no transaction of these books. */
export interface UnmatchedIpn {
  reading: IpnReading;
  seen: number;
  firstAt: number;
  lastAt: number;
}

/** Which gateway the books are of. */
export interface DatabaseOwner {
  /** Host and base path; of a loopback address without its port. */
  gateway: string;
  hasStatusCheck: boolean;
  /** Tells one API key from another, and nothing of it. */
  keyDigest: string;
}

export interface StoredIpn {
  /** Digest of the body: the same body is the same IPN. */
  id: string;
  body: string;
  /** Undefined where it cannot be read: it is kept apart (quarantine), for a person. */
  reading: IpnReading | undefined;
}

export interface TransactionQuery {
  updatedSince?: number | undefined;
  status?: Status | undefined;
  type?: TransactionType | undefined;
  needsReview?: boolean | undefined;
  cursor?: string | undefined;
  limit: number;
}

export type WebhookState = 'pending' | 'delivered' | 'dead';

export interface Webhook {
  id: string;
  type: WebhookType;
  /** The order or payout it is about. */
  orderId: string;
  /** The bytes to send, frozen when the row was written. */
  body: string;
  state: WebhookState;
  attempts: number;
  nextAt: number;
  /** HTTP status or error word of the last try. */
  lastAnswer: string | null;
  createdAt: number;
}

export type Delivery =
  { state: 'delivered' | 'dead'; answer: string } | { state: 'pending'; nextAt: number; answer: string };

/** How much there is of what, for operators. */
export interface Counts {
  transactions: { type: TransactionType; status: Status; count: number }[];
  /** Those that wait for a person's word. */
  needReview: number;
  /** IPNs kept that name no transaction of these books. */
  unmatchedIpns: number;
  checks: { state: 'planned' | 'due'; count: number }[];
  webhooks: { state: WebhookState; count: number }[];
}

/** Refuses by throwing a Refusal; throws one of kind `unavailable` where it cannot write. */
export interface Ledger {
  /** Writes the payment's row, or finds the one that the same key wrote. Ends the order's open payment as replaced. */
  openPayment(
    payment: NewPayment & SeenTerms,
    limits: PaymentLimits,
  ): Promise<{ isNew: boolean; payment: Transaction; order: Order }>;
  openPayout(payout: NewPayout): Promise<Transaction>;
  /** Notes the terms of a token that was shown, where they are newer than those known; started payments stay as they are. */
  see(seen: SeenTerms, order: Order | undefined): Promise<void>;
  /**
   * Whether the fact raised the stage. For `sending`, true is the permission for the one POST. Where the row is gone (books that went
   * back), an answer writes it anew from `transaction`.
   */
  record(transaction: Transaction, fact: Fact, source: Source): Promise<boolean>;
  /** Ends a check: applies what it saw and what the clock says, and plans the next. Resolves with when it ended, by the books' clock. */
  observe(claim: Claim, observation: Observation): Promise<number>;
  /** Posts an "unknown" that was believed: two of them may end the transaction. */
  believe(unknown: BelievedUnknown): Promise<void>;
  /** The transaction of this type that a status check found last. */
  newestFound(type: TransactionType): Promise<Transaction | undefined>;
  /** Posts a person's word; refuses what needs no review. Undefined where there is no such transaction. */
  resolve(transactionId: string, resolution: Resolution): Promise<Transaction | undefined>;
  /** Keeps the IPN, and rings for its transaction's check in the same commit; false where it names none of these books. */
  receiveIpn(ipn: StoredIpn): Promise<boolean>;
  ipnReadings(transactionId: string): Promise<IpnReading[]>;
  unmatchedIpns(limit: number): Promise<UnmatchedIpn[]>;
  /** How many unmatched IPNs have waited for longer than this and were not told of before; from now on they were. */
  reportUnmatched(olderThanMs: number): Promise<number>;

  order(orderId: string): Promise<Order | undefined>;
  /** By the merchant's own order id. */
  payout(orderId: string): Promise<Transaction | undefined>;
  transactions(query: TransactionQuery): Promise<{ transactions: Transaction[]; nextCursor: string | null }>;
  /** Calls back after each commit that changed the order, from any process. */
  watch(orderId: string, onChange: () => void): () => void;

  /**
   * Takes the transactions whose check is due, for one holder at a time: no other is given them before `leaseMs`. Those that an IPN
   * rang for go first, the newest ring before all; one in five is the one that is due longest.
   */
  claimChecks(most: number, leaseMs: number): Promise<Claim[]>;
  claimWebhooks(most: number, leaseMs: number): Promise<Webhook[]>;
  recordDelivery(id: string, delivery: Delivery): Promise<void>;
  webhooks(state: WebhookState | undefined, limit: number): Promise<Webhook[]>;
  /** Makes it due now, with its tries counted anew; undefined where there is none. */
  redeliver(id: string): Promise<Webhook | undefined>;

  /** What an earlier process of the same host and port left behind: rows found *sending* are uncertain. */
  recover(sentBy: string): Promise<void>;
  /** The books' gateway, as written at the first start; undefined before that. */
  owner(): Promise<DatabaseOwner | undefined>;
  /** Writes it, and holds these books to it: once another process has written another, no payment is started here any more. */
  setOwner(owner: DatabaseOwner): Promise<void>;
  /** Why no payment may be started just now, or undefined. */
  ownerMismatch(): string | undefined;
  /** The books lost what was committed before `at` (a restore, a standby that lagged): payouts are asked about before they are sent. */
  wentBack(at: number): Promise<void>;
  /** Whether that was within the last 7 days. */
  wentBackLately(): Promise<boolean>;
  /** The books' clock, ms since 1970. */
  time(): Promise<number>;
  /** How far the books' clock is ahead of this process's, ms. */
  clockOffset(): Promise<number>;
  /** Drops what need not be kept: IPNs that matched nothing for 7 days. */
  prune(): Promise<void>;
  counts(): Promise<Counts>;
  /** Throws where the books cannot be written. */
  ping(): Promise<void>;
  close(): Promise<void>;
}
