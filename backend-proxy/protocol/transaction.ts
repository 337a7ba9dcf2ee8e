// The stages of a transaction and the one rule between them: a fact may only raise the stage. The stage is the highest
// of the facts seen, so facts may arrive in any order, any number of times and from any process with the same result.
// Pure: the ledger stores the stage.
import type { MerchantSource } from './merchant-key.ts';
import {
  PAYS_BY,
  type AnswerState,
  type Metadata,
  type Method,
  type QrCode,
  type Reason,
  type Status,
} from './wire.ts';

/** What the gateway calls it. */
export type GatewayType = 'PAY' | 'PAYOUT';
export const GATEWAY_TYPES = ['PAY', 'PAYOUT'] as const satisfies readonly GatewayType[];

/** A payment collects money, a payout sends it, and a refund sends it back to the wallet that paid. */
export type TransactionType = GatewayType | 'REFUND';

interface Traits {
  /** First part of its webhooks' names. */
  webhooks: 'payment' | 'payout' | 'refund';
  atGateway: GatewayType;
  /** It belongs to an order: it is loaded with it, and its changes are seen in it. */
  isOfOrder: boolean;
  /** It is one of an order's payments: the shopper sees it, it can expire, and its success pays the order. */
  paysOrder: boolean;
  /** It sends a payment of the order back. */
  isRefund: boolean;
  /** The merchant opens it once for each of its payout ids, and finds it by that id. */
  isPayout: boolean;
  /**
   * It sends money. A wrong "failed" would make the merchant send it again, so no answer to the POST ends it, FAILED
   * needs two status checks that agree, checks go on after the end, and the receiver is compared.
   */
  isOutgoing: boolean;
}

/** What differs between the types. */
export const TYPES = {
  PAY: {
    webhooks: 'payment',
    atGateway: 'PAY',
    isOfOrder: true,
    paysOrder: true,
    isRefund: false,
    isPayout: false,
    isOutgoing: false,
  },
  PAYOUT: {
    webhooks: 'payout',
    atGateway: 'PAYOUT',
    isOfOrder: false,
    paysOrder: false,
    isRefund: false,
    isPayout: true,
    isOutgoing: true,
  },
  REFUND: {
    webhooks: 'refund',
    atGateway: 'PAYOUT',
    isOfOrder: true,
    paysOrder: false,
    isRefund: true,
    isPayout: false,
    isOutgoing: true,
  },
} as const satisfies Record<TransactionType, Traits>;

export const TRANSACTION_TYPES = Object.keys(TYPES) as [TransactionType, ...TransactionType[]];

interface Meaning {
  /** Order of the stages. Databases store this number: never renumber. */
  rank: number;
  status: Status;
  reason: Reason | null;
  /** Ended for the shopper; a later SUCCESS still counts and sets `late`. */
  ended: boolean;
}

export type Stage =
  'sending' | 'uncertain' | 'pending' | 'replaced' | 'expired' | 'rejected' | 'not_created' | 'declined' | 'succeeded';

export const STAGES = {
  /** The row is written, in one commit with the permission to send it; then comes the one POST. */
  sending: { rank: 1, status: 'INITIALIZED', reason: null, ended: false },
  /**
   * The answer does not decide: it was lost or undocumented, reported a duplicate, or refused a payout. It is unknown
   * whether the gateway has the transaction.
   */
  uncertain: { rank: 2, status: 'INITIALIZED', reason: null, ended: false },
  /** The gateway has it: a documented 200 or 202, or a status check that reports it. */
  pending: { rank: 3, status: 'PROCESSING', reason: null, ended: false },
  /** The shopper chose another method. */
  replaced: { rank: 4, status: 'FAILED', reason: 'REPLACED', ended: true },
  /**
   * Expired by our clock: the 15 minutes of a CHECKOUT or the order's `payWithin`, plus the grace, are over, and a
   * check agreed.
   */
  expired: { rank: 5, status: 'FAILED', reason: 'EXPIRED', ended: true },
  /** A payment was refused by a 4xx in the gateway's own JSON. */
  rejected: { rank: 6, status: 'FAILED', reason: 'REJECTED', ended: true },
  /** Two proven "unknown"; for a payment also a failed connection. */
  not_created: { rank: 7, status: 'FAILED', reason: 'NOT_CREATED', ended: true },
  /** Verified FAILED, or resolved by a person. */
  declined: { rank: 8, status: 'FAILED', reason: 'DECLINED', ended: true },
  /** Verified SUCCESS, or resolved by a person. */
  succeeded: { rank: 9, status: 'SUCCESS', reason: null, ended: false },
} as const satisfies Record<Stage, Meaning>;

/** STAGES is written in rank order, from 1; a test checks this. */
const BY_RANK = Object.keys(STAGES) as Stage[];

export function stageOf(rank: number): Stage {
  const stage = BY_RANK[rank - 1];
  if (stage === undefined) throw new RangeError(`No stage has rank ${rank}`);
  return stage;
}

/** Whether the transaction is neither FAILED nor SUCCESS yet. */
export function isOpen(stage: Stage): boolean {
  return STAGES[stage].rank <= STAGES.pending.rank;
}

type Awaited = 'type' | 'stage' | 'needsReview' | 'checking' | 'failedAt' | 'answer' | 'method';

/**
 * Whether its end is only waited for: of a payment that can be paid, in review too while no SUCCESS was reported; of a
 * payout or refund that the gateway has.
 */
export function isAwaited(one: Pick<Transaction, Awaited>): boolean {
  if (TYPES[one.type].isOutgoing) return one.stage === 'pending' && one.failedAt === null && !one.needsReview;
  return isOpen(one.stage) && !one.checking && !isUnseen(one);
}

/** Whether status checks find out if a payout or refund was sent: its answer was lost, or it is reported failed. */
export function isBeingChecked(one: Pick<Transaction, 'type' | 'stage' | 'needsReview' | 'failedAt'>): boolean {
  if (!TYPES[one.type].isOutgoing || one.needsReview) return false;
  return one.stage === 'uncertain' || (one.stage === 'pending' && one.failedAt !== null);
}

/** Whether it may still be paid, as far as is known: also what was replaced or has expired. */
export function canBePaid(stage: Stage): boolean {
  return STAGES[stage].rank < STAGES.rejected.rank;
}

/**
 * How the one POST of a transaction ended.
 * `identified`: accepted, with a payment id. `accepted`: accepted, without one.
 * `refused`: a 4xx in the gateway's own JSON. `foreign`: another 4xx, of unknown origin.
 * `duplicate`: the gateway already has the id, so the transaction there is probably not ours, and a check can never
 * make it pending, declined or succeeded ("marked as a duplicate").
 * `lost`: no documented answer. `unreached`: no connection.
 * `withheld`: not sent, because the database was restored to an earlier state and the gateway may already have the
 * transaction.
 */
export type PostOutcome =
  'identified' | 'accepted' | 'refused' | 'foreign' | 'duplicate' | 'lost' | 'unreached' | 'withheld';

const ANSWER_STATES = {
  identified: 'ARRIVED',
  accepted: 'ARRIVED',
  refused: 'ARRIVED',
  foreign: 'LOST',
  duplicate: 'LOST',
  lost: 'LOST',
  unreached: 'LOST',
  withheld: 'LOST',
} as const satisfies Record<PostOutcome, AnswerState>;

export const answerOf = ({ answer }: Pick<Transaction, 'answer'>): AnswerState =>
  answer === null ? 'AWAITED' : ANSWER_STATES[answer];

/** Nobody was shown a code or a page whose answer was lost; a request may be in the wallet. */
export const isUnseen = ({ answer, method }: Pick<Transaction, 'answer' | 'method'>): boolean =>
  method !== null && PAYS_BY[method] !== 'prompt' && answerOf({ answer }) === 'LOST';

/** Whether the shopper may still pay it. */
export const isPayable = (payment: Pick<Transaction, 'stage' | 'answer' | 'method'>): boolean =>
  canBePaid(payment.stage) && !isUnseen(payment);

/** Whether a person may say how it ended: in a review, or of a duplicate at once, because nothing else ends it. */
export function mayBeResolved({ needsReview, answer, stage }: Pick<Transaction, 'needsReview' | 'answer' | 'stage'>) {
  return needsReview || (answer === 'duplicate' && STAGES[stage].rank < STAGES.rejected.rank);
}

/** Why it is FAILED, or null if it is not. */
export function reasonOf({ stage, endedBy }: Pick<Transaction, 'stage' | 'endedBy'>): Reason | null {
  const { status, reason } = STAGES[stage];
  return status === 'FAILED' ? (endedBy ?? reason) : null;
}

/** A person said that no money moved, and it stays paid or sent. */
export const isDenied = ({ stage, resolved, needsReview }: Pick<Transaction, 'stage' | 'resolved' | 'needsReview'>) =>
  stage === 'succeeded' && resolved === 'declined' && !needsReview;

/** A payment, a payout or a refund in the ledger. Times in ms since 1970. */
export interface Transaction {
  /**
   * The transaction's id at the gateway, which calls it orderId; merchants see it as gatewayOrderId. Unique across
   * all of them. Elsewhere in the code it is called transactionId.
   */
  id: string;
  type: TransactionType;
  /** The merchant's order id. Several payments may share it. */
  orderId: string;
  /** 1 for the order's first payment, and for a payment's first refund. */
  attempt: number;
  /** The `id` of the payment that a refund sends back; null for anything else. */
  refundOf: string | null;
  /** The requested method; null for a payout and a refund. */
  asked: Method | null;
  /** The method in use: the gateway may have answered with another one. */
  method: Method | null;
  amountMinor: number;
  /** Of a payment that pays no order: what a person has settled in another way than by a refund. */
  settledMinor: number;
  currency: string;
  /** The wallet that was asked, if any: the token's or a typed one, or the receiver of a payout or refund. */
  customer: string | null;
  /** The wallet that paid, as a verified SUCCESS names it; null if unknown. Only this one may be sent money back. */
  payer: string | null;
  note: string | null;
  /** The order's; null for a payout. */
  metadata: Metadata | null;
  /** Digest of the request: an equal one is a retry. */
  fingerprint: string;
  /** Random, of the call that may send it; null if none of ours may. */
  startId: string | null;
  stage: Stage;
  /** More specific than the stage's reason: the gateway expired the payment, or a person resolved it. */
  endedBy: 'EXPIRED' | 'RESOLVED' | null;
  /** Raised by every change of this transaction. */
  version: number;
  /** How the POST ended; null while it is in flight. */
  answer: PostOutcome | null;
  /** Whether the gateway has accepted or reported it. */
  seen: boolean;
  /** What a person said last; null if nobody had to. */
  resolved: 'succeeded' | 'declined' | null;
  paymentId: string | null;
  checkoutUrl: string | null;
  qr: QrCode | null;
  appUrl: string | null;
  expiresAt: number | null;
  late: boolean;
  surplus: boolean;
  /** Succeeded after the merchant had closed the order: it pays nothing. */
  afterClose: boolean;
  mismatch: boolean;
  conflict: boolean;
  needsReview: boolean;
  /** The gateway reported SUCCESS, which pays nothing until a person has decided. */
  checking: boolean;
  /** When a payout or refund was first reported as FAILED, which a second check confirms; null if it was not. */
  failedAt: number | null;
  createdAt: number;
  updatedAt: number;
  /** When its personal data was erased; null if it may hold any. */
  erasedAt: number | null;
  history: HistoryEntry[];
}

/**
 * What can be raised besides the stage; none changes what is paid. `conflict` and `needs_review` may be raised again.
 */
export type Flag = 'surplus' | 'after_close' | 'mismatch' | 'conflict' | 'needs_review';

/** Of an id at the gateway. */
const MAX_ID_CHARS = 64;

/** Why an order id is too long with what is added to it at the gateway; undefined if it is not. */
export function whyTooLong(orderId: string, { before, after }: { before: number; after: number }): string | undefined {
  const max = MAX_ID_CHARS - before - after;
  if (orderId.length <= max) return undefined;
  const added = before > 0 ? `${before} are added before it and up to ${after}` : `up to ${after} are added`;
  return `at most ${max} characters, because ${added} after it`;
}

/** What causes history entries, beside keys with a name. */
export const SOURCES = ['shopper', 'merchant', 'answer', 'check', 'clock', 'restart', 'person'] as const;
/** What caused a history entry. */
export type Source = (typeof SOURCES)[number] | MerchantSource;

export interface HistoryEntry {
  at: number;
  event: 'created' | Stage | 'reported_failed' | Flag | 'resolved' | 'erased';
  source: Source;
  detail: string | null;
}

export const BY_PERSON = 'RESOLVED';

/** Whether a resolution ended it, on the operator's page or by the API. */
export const isByPerson = ({ detail }: HistoryEntry): boolean => detail === BY_PERSON;

type Dated = Pick<Transaction, 'history'>;

/** When the gateway reported the money of one that has succeeded: a person who confirms a report does so later. */
export function reportedAt({ history }: Dated): number | undefined {
  const success = history.find(({ event }) => event === 'succeeded');
  if (success === undefined || !isByPerson(success)) return success?.at;
  const isReport = ({ at, event, source, detail }: HistoryEntry) =>
    at <= success.at && source === 'check' && (event === 'mismatch' || detail?.startsWith('SUCCESS'));
  return history.findLast(isReport)?.at;
}

/** Without a report, when a person said so. */
export function succeededAt(dated: Dated): number | undefined {
  return reportedAt(dated) ?? dated.history.find(({ event }) => event === 'succeeded')?.at;
}
