// What the operator's page calls methods, statuses, events and reasons: sentences instead of the API's words.
import { decimalOf } from '../protocol/money.ts';
import { TYPES, reasonOf, type HistoryEntry, type Transaction, type TransactionType } from '../protocol/transaction.ts';
import type { Method, Reason, Status } from '../protocol/wire.ts';

/** `€1,200.00`, of a decimal string. */
export function money(decimal: string, currency: string): string {
  const digits = decimal.split('.')[1]?.length ?? 0;
  const options = {
    style: 'currency',
    currency,
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  } as const;
  return new Intl.NumberFormat('en', options).format(decimal as Intl.StringNumericLiteral);
}

export function moneyOf({ amountMinor, currency }: Pick<Transaction, 'amountMinor' | 'currency'>): string {
  return money(decimalOf(amountMinor, currency), currency);
}

export const TYPE_NAMES: Record<TransactionType, string> = { PAY: 'Payment', PAYOUT: 'Payout', REFUND: 'Refund' };

const METHODS: Record<Method, string> = {
  DIRECT: 'Wallet',
  CHECKOUT: 'Wallet website',
  JETGO: 'JetGo code',
  QR: 'QR code',
};

/** `Payment · QR code`. */
export function kindOf({ type, method }: Transaction): string {
  return method === null ? TYPE_NAMES[type] : `${TYPE_NAMES[type]} · ${METHODS[method]}`;
}

/** Of lists, whatever the type. */
export const STATUS_NAMES: Record<Status, string> = {
  INITIALIZED: 'Being sent or checked',
  PROCESSING: 'Waiting',
  SUCCESS: 'Paid',
  FAILED: 'Unpaid',
};

const PAID: Record<TransactionType, string> = { PAY: 'Paid', PAYOUT: 'Paid out', REFUND: 'Sent back' };
const PENDING: Record<TransactionType, string> = { PAY: 'Waiting', PAYOUT: 'On its way', REFUND: 'On its way' };

const ENDED: Record<Reason, readonly [label: string, explanation: string]> = {
  DECLINED: ['Declined', 'The gateway says that it failed. No money moved.'],
  EXPIRED: ['Expired', 'Nobody paid in time. No money moved.'],
  REPLACED: ['Replaced', 'The customer chose another way to pay.'],
  REJECTED: ['Refused', 'The gateway refused it. No money moved.'],
  NOT_CREATED: ['Not started', 'It never reached the gateway. No money moved.'],
  RESOLVED: ['Closed by staff', 'A colleague confirmed that no money moved.'],
};

/** Why a payment was declined, by the gateway's code. */
const CAUSES: Record<string, readonly [label: string, explanation: string]> = {
  USER_CANCELLED: ['Canceled', 'The customer canceled it. No money moved.'],
  INSUFFICIENT_BALANCE: [
    'Too little money',
    'The wallet had too little money, so no money moved. The customer can top it up and pay again.',
  ],
};

function endOf({ type, history }: Transaction, reason: Reason): readonly [label: string, explanation: string] {
  const code = history.findLast(({ event }) => event === 'declined')?.detail ?? '';
  return (TYPES[type].paysOrder && reason === 'DECLINED' && CAUSES[code]) || ENDED[reason];
}

export function statusName(transaction: Transaction): string {
  const { type, stage, surplus, afterClose } = transaction;
  const reason = reasonOf(transaction);
  if (surplus) return 'Paid twice';
  if (afterClose) return 'Paid after closing';
  if (reason !== null) return endOf(transaction, reason)[0];
  if (stage === 'succeeded') return PAID[type];
  if (stage === 'sending') return 'Being sent';
  if (stage === 'uncertain') return 'Being checked';
  return PENDING[type];
}

const UNCLEAR = 'It is not clear whether the gateway has it. Status checks find out, so there is nothing to do yet.';

/** More than the status says; empty if there is no more. */
export function explanationOf(transaction: Transaction): string {
  const reason = reasonOf(transaction);
  if (transaction.surplus) return 'The order was paid already.';
  if (transaction.afterClose) return 'The order was closed before.';
  if (transaction.stage === 'uncertain' && transaction.answer !== 'duplicate') return UNCLEAR;
  return reason === null ? '' : endOf(transaction, reason)[1];
}

const EVENTS: Record<HistoryEntry['event'], string> = {
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

/** Two figures of a mismatch. */
const FIGURES = /^(?:[\w ]+: )?asked (.+), reported (.+)$/;

export function eventName({ event, detail }: Pick<HistoryEntry, 'event' | 'detail'>): string {
  const [, asked, reported] = (event === 'mismatch' && FIGURES.exec(inWords(detail ?? ''))) || [];
  return asked && reported ? `The gateway reported ${reported} instead of ${asked}` : EVENTS[event];
}

/** Empty where the event's name says it. */
export function sourceName({ event, source, detail }: HistoryEntry): string {
  if (event === 'sending' || event === 'resolved') return '';
  if (event === 'succeeded' && source === 'check') return '· confirmed by the gateway';
  if (event === 'created' && detail !== null) return `by ${detail}`;
  return SOURCES[source] ?? source.replace(/^merchant:/, 'by the key ');
}

/** What the codes of the gateway and of the network mean; the first that fits. */
const MEANINGS: readonly (readonly [RegExp, string])[] = [
  [/^USER_CANCELLED$/, 'the customer canceled'],
  [/^INSUFFICIENT_BALANCE$/, 'too little money'],
  [/^TOKEN_EXPIRED$/, 'the time to pay was over'],
  [/^HTTP 409|^HTTP 4.*(DUPLICATE|ORDER\w*ALREADY)/, 'the gateway has this id already'],
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
  if (detail === null || event === 'created' || ['mismatch', 'conflict', 'RESOLVED', 'DECLINED'].includes(detail))
    return '';
  if (event === 'mismatch' && FIGURES.test(detail)) return '';
  // Without a name once it is erased.
  if (event === 'resolved') {
    return detail.replace(/^(SUCCESS|FAILED)( by )?/, (_, status, by) => `${moved(status)}${by ? ', says ' : ''}`);
  }
  return event === 'mismatch' || event === 'conflict' || event === 'needs_review' ? inWords(detail) : meaningOf(detail);
}

/** What a person says by a resolution. */
export const moved = (status: string): string => (status === 'SUCCESS' ? 'money moved' : 'no money moved');

/** The API's words and amounts of a detail, for reading. */
function inWords(detail: string): string {
  return detail
    .replaceAll('SUCCESS', 'a success')
    .replaceAll('FAILED', 'a failure')
    .replaceAll(/\b(\d+(?:\.\d+)?) ([A-Z]{3})\b/g, (_, decimal, currency) => money(decimal, currency));
}

/** Why a person has to look at it. */
export function reviewReason({ history, mismatch, conflict }: Pick<Transaction, 'history' | 'mismatch' | 'conflict'>) {
  const last = (wanted: HistoryEntry['event']) => history.findLastIndex(({ event }) => event === wanted);
  const detailAt = (at: number) => history[at]?.detail ?? null;
  const asked = detailAt(last('needs_review'));
  if (asked === 'mismatch' || (asked === null && mismatch)) {
    const [field = '', figures = ''] = detailAt(last('mismatch'))?.split(': ') ?? [];
    const what = `The gateway reported another ${field || 'amount, currency, type or payment id'} than was requested`;
    const isConfirmed = last('succeeded') > last('mismatch') && history[last('succeeded')]?.source !== 'person';
    const then = isConfirmed ? ', and confirmed the payment later. Compare with the gateway’s statement' : '';
    return `${what}${figures && `: ${inWords(figures)}`}${then}.`;
  }
  const said = asked === 'conflict' || (asked === null && conflict) ? detailAt(last('conflict')) : asked;
  if (said === null) return 'The gateway has not reported an outcome in time.';
  const words = inWords(said);
  if (/^(SUCCESS|FAILED)/.test(said)) return `The gateway reports ${words}.`;
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}.`;
}
