// One transaction of the model. Its stage can be raised, or a review requested; both add webhooks and history events.
export type Method = 'DIRECT' | 'CHECKOUT' | 'JETGO' | 'QR';

export const STAGES = [
  'created',
  'sending',
  'uncertain',
  'pending',
  'replaced',
  'expired',
  'rejected',
  'not_created',
  'declined',
  'succeeded',
] as const;
export type Stage = (typeof STAGES)[number];

/** The answer to the one POST. */
export type AnswerKind = 'identified' | 'accepted' | 'refused' | 'foreign' | 'duplicate' | 'lost';

export interface Opening {
  id: string;
  type: 'PAY' | 'PAYOUT';
  orderId: string;
  asked: Method | null;
  /** As the gateway writes it, without trailing zeros. */
  amount: number;
  currency: string;
  customer: string | null;
  key: string;
  payWithinMs: number | null;
}

export interface ModelTransaction extends Opening {
  method: Method | null;
  stage: Stage;
  endedBy: 'EXPIRED' | 'RESOLVED' | null;
  answer: AnswerKind | null;
  createdAt: number;
  sentAt: number | null;
  expiresAt: number | null;
  paymentId: string | null;
  /** The payment id in the answer to our own POST. */
  answeredId: string | null;
  /** Any status check has reported it. */
  isFound: boolean;
  hasRing: boolean;
  unknownAt: number | null;
  failedAt: number | null;
  resolved: 'declined' | 'succeeded' | null;
  late: boolean;
  mismatch: boolean;
  conflict: boolean;
  needsReview: boolean;
  /**
   * The webhooks that must have been sent. A success counts as `succeeded`, whether it paid the order or was a surplus.
   */
  webhooks: string[];
  /** The history's events. */
  events: string[];
}

export const rank = (stage: Stage): number => STAGES.indexOf(stage);
const isFailure = (stage: Stage) => rank(stage) >= rank('replaced') && rank(stage) <= rank('declined');
export const hasEnded = (stage: Stage): boolean => rank(stage) >= rank('replaced');

export function open(opening: Opening, now: number): ModelTransaction {
  return {
    ...opening,
    method: opening.asked,
    stage: 'created',
    endedBy: null,
    answer: null,
    createdAt: now,
    sentAt: null,
    expiresAt: null,
    paymentId: null,
    answeredId: null,
    isFound: false,
    hasRing: false,
    unknownAt: null,
    failedAt: null,
    resolved: null,
    late: false,
    mismatch: false,
    conflict: false,
    needsReview: false,
    webhooks: [],
    events: ['created'],
  };
}

/** A webhook reported that a payout failed. */
export function wasReportedFailed({ type, stage }: ModelTransaction): boolean {
  return type === 'PAYOUT' && isFailure(stage);
}

export function raise(one: ModelTransaction, stage: Stage, endedBy: ModelTransaction['endedBy'] = null): boolean {
  if (rank(stage) <= rank(one.stage)) return false;
  const wasFailure = isFailure(one.stage);
  if (stage === 'succeeded' && wasFailure) one.late = true;
  one.stage = stage;
  one.endedBy = endedBy;
  // A review for taking too long ends here; a mismatch or conflict still needs a person.
  if (rank(stage) >= rank('not_created') && !one.mismatch && !one.conflict) one.needsReview = false;
  one.events.push(stage);
  if (stage === 'succeeded') one.webhooks.push('succeeded');
  else if (isFailure(stage) && !wasFailure) one.webhooks.push('failed');
  return true;
}

/** A mismatch is reported once; a conflict again after a person resolved the previous one. Both request a review. */
export function flag(one: ModelTransaction, name: 'mismatch' | 'conflict'): void {
  if (name === 'mismatch' ? one.mismatch : one.conflict && one.needsReview) return;
  one[name] = true;
  one.events.push(name);
  one.webhooks.push(name);
  requestReview(one);
}

export function requestReview(one: ModelTransaction): void {
  if (one.needsReview) return;
  one.needsReview = true;
  one.events.push('needs_review');
  one.webhooks.push('needs_review');
}
