// The ledger as the use cases see it: payments and payouts, never SQL. It is the truth; whatever it has committed is so,
// and nothing is told to anyone before. Each writing method is one durable transaction: when its promise resolves, the
// change survives a kill -9. `watch` belongs to it, so that nothing uncommitted can ever be announced.
import type { Source, Transaction, TransactionType } from '../protocol/transaction.ts';
import type { IpnReading, Verdict } from '../protocol/verify.ts';
import type { WebhookType } from '../protocol/views.ts';
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
  payments: Transaction[];
}

export interface NewPayment {
  orderId: string;
  orderAmountMinor: number | null;
  amountMinor: number;
  currency: string;
  method: Method;
  customer: string | null;
  idempotencyKey: string;
  /** Of what was asked for: the same key with another fingerprint is refused. */
  fingerprint: string;
}

export interface PaymentLimits {
  perOrder: number;
  directPerOrder: number;
  directPerWallet: { most: number; withinMs: number };
}

export interface NewPayout {
  id: string;
  amountMinor: number;
  currency: string;
  customer: string;
  note: string | null;
  fingerprint: string;
}

/** A step of our own or an answer to the one POST; what a later report says is an Observation. */
export type Fact =
  | { stage: 'sending' }
  | { stage: 'uncertain' | 'rejected' | 'not_created'; why: string }
  | ({ stage: 'pending' } & Means);

/** What the answer brought: how the shopper pays. */
export interface Means {
  paymentId: string | null;
  method: Method | null;
  checkoutUrl: string | null;
  qr: QrCode | null;
  appUrl: string | null;
}

/** The end of a status check. `unknown`: the gateway has no such order. `unavailable`: it did not say. */
export type Observation = Verdict | { kind: 'unknown' } | { kind: 'unavailable' };

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
  /** Those flagged for review that have not ended since. */
  needReview: number;
  checks: { state: 'planned' | 'due'; count: number }[];
  webhooks: { state: WebhookState; count: number }[];
}

/** Refuses by throwing a Refusal; throws one of kind `unavailable` where it cannot write. */
export interface Ledger {
  /** Writes the payment's row, or finds the one that the same key wrote. Ends the order's open payment as replaced. */
  openPayment(payment: NewPayment, limits: PaymentLimits): Promise<{ opened: Transaction | undefined; order: Order }>;
  openPayout(payout: NewPayout): Promise<{ opened: boolean; payout: Transaction }>;
  /** Whether the fact raised the stage. For `sending`, true is the permission for the one POST. */
  record(id: string, fact: Fact, source: Source): Promise<boolean>;
  /** Ends a check: applies what it saw and what the clock says, and plans the next. */
  observe(id: string, observation: Observation): Promise<void>;
  /** Keeps the IPN, and rings for its transaction's check in the same commit. */
  receiveIpn(ipn: StoredIpn): Promise<void>;
  ipnReadings(id: string): Promise<IpnReading[]>;

  order(orderId: string): Promise<Order | undefined>;
  payout(id: string): Promise<Transaction | undefined>;
  transactions(query: TransactionQuery): Promise<{ transactions: Transaction[]; nextCursor: string | null }>;
  /** Calls back after each commit that changed the order, from any process. */
  watch(orderId: string, onChange: () => void): () => void;

  /** Takes the transactions whose check is due, for one holder at a time: no other is given them before `leaseMs`. */
  claimChecks(most: number, leaseMs: number): Promise<Transaction[]>;
  claimWebhooks(most: number, leaseMs: number): Promise<Webhook[]>;
  recordDelivery(id: string, delivery: Delivery): Promise<void>;
  webhooks(state: WebhookState | undefined, limit: number): Promise<Webhook[]>;
  /** Makes it due now, with its tries counted anew; undefined where there is none. */
  redeliver(id: string): Promise<Webhook | undefined>;

  /** What a process that died left behind: rows found *sending* are uncertain. */
  recover(): Promise<void>;
  /** Drops what need not be kept: IPNs that matched nothing for 7 days. */
  prune(): Promise<void>;
  counts(): Promise<Counts>;
  /** Throws where the books cannot be written. */
  ping(): Promise<void>;
  close(): Promise<void>;
}
