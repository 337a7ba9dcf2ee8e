// What the desk calls methods, states and events: the words of the operator's page, which a test compares. Names that
// it does not know are shown as they are, so that a newer proxy can be used.
import { formatMoney } from './catalog.ts';
import {
  isPayment,
  isRefund,
  type Method,
  type Payment,
  type Refund,
  type Status,
  type Transaction,
} from './proxy-client.ts';
import { refundable } from './refunds.ts';

export type State = 'waiting' | 'paid' | 'unpaid' | 'review';

export const STATE_NAMES: Record<State, string> = {
  review: 'Needs attention',
  waiting: 'Waiting',
  paid: 'Paid',
  unpaid: 'Unpaid',
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
  if (!isPayment(entry)) return isRefund(entry) ? 'Refund' : 'Payout';
  return entry.method === null ? 'Payment' : (METHODS[entry.method as Method] ?? entry.method);
}

export interface Badge {
  /** Its color and shape. */
  tone: 'good' | 'bad' | 'warn' | 'wait' | 'over';
  label: string;
}

/** How a transaction ended: its badge, and more for the opened row. */
type Ending = Badge & { explanation: string };

const REASONS: Record<string, Ending> = {
  DECLINED: { tone: 'bad', label: 'Declined', explanation: 'The gateway says that it failed. No money moved.' },
  EXPIRED: { tone: 'over', label: 'Expired', explanation: 'Nobody paid in time. No money moved.' },
  REPLACED: { tone: 'over', label: 'Replaced', explanation: 'The customer chose another way to pay.' },
  REJECTED: { tone: 'bad', label: 'Refused', explanation: 'The gateway refused it. No money moved.' },
  NOT_CREATED: { tone: 'bad', label: 'Not started', explanation: 'It never reached the gateway. No money moved.' },
  RESOLVED: { tone: 'bad', label: 'Closed by staff', explanation: 'A colleague confirmed that no money moved.' },
};

/** Why a payment was declined, by the gateway's code. */
const CAUSES: Record<string, Ending> = {
  USER_CANCELLED: { tone: 'over', label: 'Canceled', explanation: 'The customer canceled it. No money moved.' },
  INSUFFICIENT_BALANCE: {
    tone: 'bad',
    label: 'Too little money',
    explanation: 'The wallet had too little money, so no money moved. The customer can top it up and pay again.',
  },
};

function endingOf(entry: Transaction): Ending | undefined {
  const code = entry.history.findLast(({ event }) => event === 'declined')?.detail ?? '';
  const cause = isPayment(entry) && entry.reason === 'DECLINED' ? CAUSES[code] : undefined;
  return cause ?? REASONS[entry.reason ?? ''];
}

const PAID: Record<Transaction['type'], string> = { PAY: 'Paid', PAYOUT: 'Paid out', REFUND: 'Sent back' };

export function badgeOf(entry: Transaction, state: State): Badge {
  if (paysNothing(entry)) {
    const label = entry.surplus ? 'Paid twice' : 'Paid after closing';
    return { tone: state === 'review' ? 'warn' : 'over', label };
  }
  if (entry.needsReview) return { tone: 'warn', label: 'Needs review' };
  if (entry.status === 'SUCCESS') return { tone: 'good', label: PAID[entry.type] };
  if (entry.status === 'FAILED') return endingOf(entry) ?? { tone: 'bad', label: 'Failed' };
  if (entry.history.at(-1)?.event === 'uncertain') return { tone: 'wait', label: 'Being checked' };
  if (entry.status === 'INITIALIZED') return { tone: 'wait', label: 'Being sent' };
  return { tone: 'wait', label: isPayment(entry) ? 'Waiting' : 'On its way' };
}

/** More than the badge says; for the opened row. */
export function explanationOf(entry: Transaction, state: State): string | undefined {
  if (entry.needsReview) return `${reviewReason(entry)} The operator decides, on the operator’s page.`;
  if (paysNothing(entry)) {
    return `The order was ${entry.surplus ? 'paid already' : 'closed before'}.${state === 'review' ? ' Send this money back to the customer.' : ''}`;
  }
  const last = entry.history.at(-1);
  if (last?.event === 'uncertain') return DUPLICATE.test(last.detail ?? '') ? HAD_BEFORE : UNCLEAR;
  return endingOf(entry)?.explanation;
}

const UNCLEAR = 'It is not clear whether the gateway has it. Status checks find out, so there is nothing to do yet.';
const HAD_BEFORE =
  'The gateway says that it had this id before, so it may be somebody else’s. Ask the operator before you ship or send anything for it.';

const EVENTS: Record<string, string> = {
  created: 'Started',
  sending: 'Sent to the gateway',
  uncertain: 'No clear answer, checking',
  pending: 'Waiting at the gateway',
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
  needs_review: 'Put up for review',
  resolved: 'Decided by a person',
  erased: 'Personal data erased',
};

const SOURCES: Record<string, string> = {
  shopper: 'by the customer',
  merchant: 'by the shop',
  answer: '',
  check: '',
  clock: 'automatically',
  restart: 'after a restart',
  person: 'by a person',
};

type HistoryEntry = Transaction['history'][number];

/** Two figures of a mismatch. */
const FIGURES = /^(?:[\w ]+: )?asked (.+), reported (.+)$/;

export function eventName({ event, detail }: Pick<HistoryEntry, 'event' | 'detail'>): string {
  const [, asked, reported] = (event === 'mismatch' && FIGURES.exec(inWords(detail ?? ''))) || [];
  if (asked && reported) return `The gateway reported ${reported} instead of ${asked}`;
  return EVENTS[event] ?? event.replaceAll('_', ' ');
}

/** Empty where the event's name says it. */
export function sourceName({ event, source, detail }: HistoryEntry): string {
  if (event === 'sending' || event === 'resolved') return '';
  if (event === 'succeeded' && source === 'check') return '· confirmed by the gateway';
  if (event === 'created' && detail !== null) return `by ${detail}`;
  return SOURCES[source] ?? source.replace(/^merchant:/, 'by the key ');
}

/** What the codes of the gateway and of the network mean; the first that fits. */
const DUPLICATE = /^HTTP 409|^HTTP 4.*(DUPLICATE|ORDER\w*ALREADY)/;
const MEANINGS: readonly (readonly [RegExp, string])[] = [
  [/^USER_CANCELLED$/, 'the customer canceled'],
  [/^INSUFFICIENT_BALANCE$/, 'too little money'],
  [/^TOKEN_EXPIRED$/, 'the time to pay was over'],
  [DUPLICATE, 'the gateway has this id already'],
  [/^HTTP 401/, 'the gateway refused the proxy’s key'],
  [/^HTTP 4/, 'the gateway refused the request'],
  [/^HTTP/, 'the gateway had a problem'],
  [/^(ECONNREFUSED|ENOTFOUND|EAI_AGAIN|UND_ERR_CONNECT_TIMEOUT)$/, 'the gateway could not be reached'],
  [/^(E[A-Z]+|UND_ERR_\w+|\w+Error)$/, 'the gateway’s answer did not come'],
];

/** The code stays, because the gateway's support asks for it. */
function meaningOf(detail: string): string {
  const meaning = MEANINGS.find(([code]) => code.test(detail))?.[1];
  return meaning === undefined ? detail : `${meaning} (${detail})`;
}

/** Empty where the line before has said it. */
export function detailOf({ event, detail }: HistoryEntry): string {
  if (event === 'created' || detail === null || ['mismatch', 'conflict', 'RESOLVED', 'DECLINED'].includes(detail))
    return '';
  if (event === 'mismatch' && FIGURES.test(detail)) return '';
  // Without a name once it is erased.
  if (event === 'resolved') {
    const moved = (status: string) => (status === 'SUCCESS' ? 'money moved' : 'no money moved');
    return detail.replace(/^(SUCCESS|FAILED)( by )?/, (_, status, by) => `${moved(status)}${by ? ', says ' : ''}`);
  }
  return ['mismatch', 'conflict', 'needs_review'].includes(event) ? inWords(detail) : meaningOf(detail);
}

/** The API's words and amounts of a detail, for reading. */
function inWords(detail: string): string {
  return detail
    .replaceAll('SUCCESS', 'a success')
    .replaceAll('FAILED', 'a failure')
    .replaceAll(/\b(\d+\.\d+) ([A-Z]{3})\b/g, (_, amount, currency) => formatMoney(amount, currency));
}

/** Why a person has to look at it: what the last request for a review says. */
export function reviewReason({ history }: Pick<Transaction, 'history'>): string {
  const last = (wanted: string) => history.findLastIndex(({ event }) => event === wanted);
  const detailAt = (at: number) => history[at]?.detail ?? null;
  const asked = detailAt(last('needs_review'));
  if (asked === 'mismatch') {
    const [field = '', figures = ''] = detailAt(last('mismatch'))?.split(': ') ?? [];
    const what = `The gateway reported another ${field || 'amount, currency, type or payment id'} than was requested`;
    const isConfirmed = last('succeeded') > last('mismatch') && history[last('succeeded')]?.source !== 'person';
    const then = isConfirmed ? ', and confirmed the payment later. Compare with the gateway’s statement' : '';
    return `${what}${figures && `: ${inWords(figures)}`}${then}.`;
  }
  const said = asked === 'conflict' ? detailAt(last('conflict')) : asked;
  if (said === null) return 'The gateway has not reported an outcome in time.';
  const words = inWords(said);
  if (/^(SUCCESS|FAILED)/.test(said)) return `The gateway reports ${words}.`;
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}.`;
}

/** `•••• 5678`: at most half of a short id. The opened row has all of it. */
export function walletEnd(id: string): string {
  return `••••\u00A0${id.slice(Math.max(id.length - 4, Math.ceil(id.length / 2)))}`;
}
