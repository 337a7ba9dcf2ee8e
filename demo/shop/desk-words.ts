// What the desk calls methods, states and events, for a merchant. Names it does not know are shown as they are, so that
// a newer proxy can be used.
import { isPayment, type Method, type Payment, type Refund, type Status, type Transaction } from './proxy-client.ts';
import { refundable } from './refunds.ts';

export type State = 'waiting' | 'paid' | 'unpaid' | 'review';

export const STATE_NAMES: Record<State, string> = {
  review: 'Needs you',
  waiting: 'Waiting',
  paid: 'Paid',
  unpaid: 'Not paid',
};

const STATES: Record<Status, State> = {
  INITIALIZED: 'waiting',
  PROCESSING: 'waiting',
  SUCCESS: 'paid',
  FAILED: 'unpaid',
};

/** Money that pays no order waits for a person until it is on its way back. */
export function stateOf(entry: Transaction, refunds: readonly Refund[]): State {
  const isToSendBack = paysNothing(entry) && (entry.payer === null || refundable(entry, refunds) > 0);
  return entry.needsReview || isToSendBack ? 'review' : STATES[entry.status];
}

function paysNothing(entry: Transaction): entry is Payment {
  return isPayment(entry) && (entry.surplus || entry.afterClose);
}

const METHODS: Record<Method, string> = {
  DIRECT: 'Wallet',
  CHECKOUT: 'Wallet website',
  JETGO: 'JetGo code',
  QR: 'QR code',
};

export function methodOf(entry: Transaction): string {
  if (!isPayment(entry)) return entry.type === 'REFUND' ? 'Refund' : 'Payout';
  return entry.method === null ? 'Payment' : (METHODS[entry.method as Method] ?? entry.method);
}

export interface Badge {
  /** Its color and shape. */
  tone: 'good' | 'bad' | 'warn' | 'wait' | 'over';
  label: string;
}

const REASONS: Record<string, Badge> = {
  DECLINED: { tone: 'bad', label: 'Declined' },
  EXPIRED: { tone: 'over', label: 'Expired' },
  REPLACED: { tone: 'over', label: 'Replaced' },
  REJECTED: { tone: 'bad', label: 'Refused' },
  NOT_CREATED: { tone: 'bad', label: 'Not started' },
  RESOLVED: { tone: 'bad', label: 'Closed by staff' },
};

const PAID: Record<Transaction['type'], string> = { PAY: 'Paid', PAYOUT: 'Paid out', REFUND: 'Sent back' };

export function badgeOf(entry: Transaction, state: State): Badge {
  if (paysNothing(entry)) {
    const label = entry.surplus ? 'Paid twice' : 'Paid after closing';
    return { tone: state === 'review' ? 'warn' : 'over', label };
  }
  if (entry.needsReview) return { tone: 'warn', label: 'Needs review' };
  if (entry.status === 'SUCCESS') return { tone: 'good', label: PAID[entry.type] };
  if (entry.status === 'FAILED') return REASONS[entry.reason ?? ''] ?? { tone: 'bad', label: 'Failed' };
  if (entry.history.at(-1)?.event === 'uncertain') return { tone: 'wait', label: 'Being checked' };
  if (entry.status === 'INITIALIZED') return { tone: 'wait', label: 'Being sent' };
  return { tone: 'wait', label: isPayment(entry) ? 'Waiting for the customer' : 'On its way' };
}

/** More than the badge says; for the opened row. */
const EXPLANATIONS: Record<string, string> = {
  DECLINED: 'The gateway says that it failed. No money moved.',
  EXPIRED: 'Nobody paid in time. No money moved.',
  REPLACED: 'The customer chose another way to pay, which has a row of its own.',
  REJECTED: 'The gateway refused it. No money moved.',
  NOT_CREATED: 'It never reached the gateway. No money moved.',
  RESOLVED: 'Somebody of the staff found out that no money moved.',
};

export function explanationOf(entry: Transaction, state: State): string | undefined {
  if (paysNothing(entry)) {
    return `The order was ${entry.surplus ? 'paid already' : 'closed before'}.${state === 'review' ? ' Send this money back to the customer.' : ''}`;
  }
  if (entry.needsReview) return 'The proxy cannot tell whether money moved. Ask the gateway, then record its answer.';
  return EXPLANATIONS[entry.reason ?? ''];
}

const EVENTS: Record<string, string> = {
  created: 'Started',
  sending: 'Sent to the gateway',
  uncertain: 'No clear answer, so it is checked',
  pending: 'Accepted by the gateway',
  replaced: 'Replaced by another payment',
  expired: 'Expired',
  rejected: 'Refused by the gateway',
  not_created: 'Never reached the gateway',
  declined: 'Failed',
  succeeded: 'Paid',
  surplus: 'The order was already paid',
  after_close: 'The order was closed before',
  mismatch: 'The gateway reports something else',
  conflict: 'The gateway contradicts itself',
  needs_review: 'A person has to look at it',
  resolved: 'Decided by a person',
  erased: 'Personal data erased',
};

const SOURCES: Record<string, string> = {
  shopper: 'by the customer',
  merchant: 'by the shop',
  answer: '',
  check: 'by a status check',
  clock: 'by the clock',
  restart: 'after a restart',
  person: 'by a person',
};

export function eventName(event: string): string {
  return EVENTS[event] ?? event.replaceAll('_', ' ');
}

/** Empty where the event's name says it. */
export function sourceName(event: string, source: string): string {
  return event === 'sending' ? '' : (SOURCES[source] ?? source);
}
