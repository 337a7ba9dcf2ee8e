// The stages of a transaction and the one rule between them: a fact may only raise the stage.
// The stage is the highest of the facts seen, so facts may come in any order, any number of times, from any process,
// and every order of the same facts ends the same. Pure: the ledger keeps the stage, this says what it means.
import type { Method, QrCode, Reason, Status } from './wire.ts';

/** The gateway's two types of transaction: a payment collects money, a payout sends it. */
export type TransactionType = 'PAY' | 'PAYOUT';

interface Traits {
  /** The first part of its webhooks' names. */
  webhooks: 'payment' | 'payout';
  /** One of an order's payments: the shopper sees it, its time can run out, and its success pays the order. */
  paysOrder: boolean;
  /**
   * Money leaves. A wrong "failed" would make the merchant send it again, so no answer to the POST ends it, FAILED needs two status
   * checks that agree, what ended is still checked, and the receiver is compared.
   */
  isOutgoing: boolean;
}

/** What differs between the types. A type that the gateway adds, such as a refund, is a row here. */
export const TYPES = {
  PAY: { webhooks: 'payment', paysOrder: true, isOutgoing: false },
  PAYOUT: { webhooks: 'payout', paysOrder: false, isOutgoing: true },
} as const satisfies Record<TransactionType, Traits>;

export const TRANSACTION_TYPES = Object.keys(TYPES) as [TransactionType, ...TransactionType[]];

interface Meaning {
  /** Order of the stages; the ledger stores this number. Promised to every database in use: never renumber. */
  rank: number;
  status: Status;
  reason: Reason | null;
  /** Ended for the shopper, and yet a SUCCESS still counts and is flagged `late`. */
  ended: boolean;
}

export type Stage =
  | 'created'
  | 'sending'
  | 'uncertain'
  | 'pending'
  | 'replaced'
  | 'expired'
  | 'rejected'
  | 'not_created'
  | 'declined'
  | 'succeeded';

export const STAGES = {
  /** The row, written before any call. */
  created: { rank: 0, status: 'INITIALIZED', reason: null, ended: false },
  /** Just before the one POST. */
  sending: { rank: 1, status: 'INITIALIZED', reason: null, ended: false },
  /** No answer that decides: lost, not as documented, "duplicate order", any refusal of a payout. Created 0 or 1 times, not known. */
  uncertain: { rank: 2, status: 'INITIALIZED', reason: null, ended: false },
  /** The gateway has it: a documented 200 or 202, or a status check that says so. */
  pending: { rank: 3, status: 'PROCESSING', reason: null, ended: false },
  /** The shopper chose another method. */
  replaced: { rank: 4, status: 'FAILED', reason: 'REPLACED', ended: true },
  /** Our clock: the 15 minutes of a CHECKOUT, or the order's `payWithin`, and the grace are over, and a check agreed. */
  expired: { rank: 5, status: 'FAILED', reason: 'EXPIRED', ended: true },
  /** Of a payment: a 4xx in the gateway's own JSON. */
  rejected: { rank: 6, status: 'FAILED', reason: 'REJECTED', ended: true },
  /** Two believed "unknown"; of a payment also where no connection was made. */
  not_created: { rank: 7, status: 'FAILED', reason: 'NOT_CREATED', ended: true },
  /** Verified FAILED, or a person's word. */
  declined: { rank: 8, status: 'FAILED', reason: 'DECLINED', ended: true },
  /** Verified SUCCESS, or a person's word. */
  succeeded: { rank: 9, status: 'SUCCESS', reason: null, ended: false },
} as const satisfies Record<Stage, Meaning>;

/** The table is written in the order of the ranks; a test holds it to that. */
const BY_RANK = Object.keys(STAGES) as Stage[];

export function stageOf(rank: number): Stage {
  const stage = BY_RANK[rank];
  if (stage === undefined) throw new RangeError(`No stage has rank ${rank}`);
  return stage;
}

/** The stage after a fact: the higher of the two. */
export function advance(current: Stage, fact: Stage): Stage {
  return STAGES[fact].rank > STAGES[current].rank ? fact : current;
}

/** Whether this step is a success after a local end, which counts and is flagged. */
export function isLate(current: Stage, fact: Stage): boolean {
  return fact === 'succeeded' && STAGES[current].ended;
}

/**
 * How the one POST of a transaction ended. `identified`: accepted, with a payment id; `accepted`: without one; `refused`: a 4xx in
 * the gateway's own JSON; `foreign`: another 4xx, written by who knows whom; `duplicate`: the gateway has the id already, so it is
 * most likely not ours, and no check moves the stage ("marked"); `lost`: no answer as documented; `unreached`: no connection was
 * made; `withheld`: it was not sent, because the books went back and the gateway may have it already.
 */
export type PostOutcome =
  'identified' | 'accepted' | 'refused' | 'foreign' | 'duplicate' | 'lost' | 'unreached' | 'withheld';

/** Why it is FAILED, or null where it is not. */
export function reasonOf({ stage, endedBy }: Pick<Transaction, 'stage' | 'endedBy'>): Reason | null {
  const { status, reason } = STAGES[stage];
  return status === 'FAILED' ? (endedBy ?? reason) : null;
}

/** A payment or a payout as the ledger holds it. Times in ms since 1970. */
export interface Transaction {
  /**
   * The transaction's id at the gateway, which calls it orderId; merchants see it as gatewayOrderId. Unique over payments and payouts.
   * Anywhere else in the code it is called transactionId.
   */
  id: string;
  type: TransactionType;
  /** The merchant's order id. Several payments may share it; a payout's is its `id`. */
  orderId: string;
  /** 1 for the order's first payment. */
  attempt: number;
  /** The method that was asked for; null for a payout. */
  asked: Method | null;
  /** The method in use: the gateway may have answered with another one. */
  method: Method | null;
  amountMinor: number;
  currency: string;
  customer: string | null;
  note: string | null;
  /** Of what was asked for: the same again is the same. */
  fingerprint: string;
  stage: Stage;
  /** Says more than the stage's own reason: a FAILED that is the gateway's expiry, or a person's word. */
  endedBy: 'EXPIRED' | 'RESOLVED' | null;
  /** Raised by every change of this transaction. */
  version: number;
  /** How the POST ended; null while it is under way. */
  answer: PostOutcome | null;
  paymentId: string | null;
  checkoutUrl: string | null;
  qr: QrCode | null;
  appUrl: string | null;
  expiresAt: number | null;
  late: boolean;
  surplus: boolean;
  mismatch: boolean;
  conflict: boolean;
  needsReview: boolean;
  createdAt: number;
  updatedAt: number;
  history: HistoryEntry[];
}

/** What can be raised about a transaction besides its stage; none changes what is paid. `conflict` and `needs_review` may come again. */
export type Flag = 'surplus' | 'mismatch' | 'conflict' | 'needs_review';

/** Who said so. */
export type Source = 'shopper' | 'merchant' | 'answer' | 'check' | 'clock' | 'restart' | 'person';

export interface HistoryEntry {
  at: number;
  event: Stage | Flag | 'resolved';
  source: Source;
  detail: string | null;
}
