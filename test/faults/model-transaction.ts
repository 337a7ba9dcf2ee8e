// One transaction of the model, and the two things that can happen to it: its stage is raised, or a person is asked to look.
// With every raise goes what the merchant is told and what the history says.
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

/** What the one POST was answered with. */
export type AnswerKind = 'identified' | 'accepted' | 'refused' | 'foreign' | 'duplicate' | 'lost';

export interface Opening {
  id: string;
  type: 'PAY' | 'PAYOUT';
  orderId: string;
  asked: Method | null;
  /** As the gateway writes it, without needless zeros. */
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
  /** The payment id that our own POST was answered with. */
  answeredId: string | null;
  /** A status check has reported it, whatever it said. */
  isFound: boolean;
  hasRing: boolean;
  unknownAt: number | null;
  failedAt: number | null;
  resolved: 'declined' | 'succeeded' | null;
  late: boolean;
  mismatch: boolean;
  conflict: boolean;
  needsReview: boolean;
  /** The webhooks that must have been sent; a success is `succeeded`, whether it paid the order or was a surplus. */
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

/** Money that went out was said to be back. */
export function wasReportedFailed({ type, stage }: ModelTransaction): boolean {
  return type === 'PAYOUT' && isFailure(stage);
}

export function raise(one: ModelTransaction, stage: Stage, endedBy: ModelTransaction['endedBy'] = null): boolean {
  if (rank(stage) <= rank(one.stage)) return false;
  const wasFailure = isFailure(one.stage);
  if (stage === 'succeeded' && wasFailure) one.late = true;
  one.stage = stage;
  one.endedBy = endedBy;
  // What only took too long has its end now; what is disputed still waits for a person.
  if (rank(stage) >= rank('not_created') && !one.mismatch && !one.conflict) one.needsReview = false;
  one.events.push(stage);
  if (stage === 'succeeded') one.webhooks.push('succeeded');
  else if (isFailure(stage) && !wasFailure) one.webhooks.push('failed');
  return true;
}

/** A mismatch is told once; a conflict again after a person has answered the one before. Each asks a person to look. */
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
