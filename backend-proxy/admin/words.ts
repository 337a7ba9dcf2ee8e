// What the operator's page calls methods, statuses, events and reasons. It has sentences instead of the API's words.
import { html } from 'hono/html';
import type { Order } from '../ledger/model.ts';
import { AFTER_CLOSE, NOT_REFUNDABLE, paysNothing, type NotRefundable } from '../protocol/refundable.ts';
import {
  TYPES,
  isAwaited,
  isBeingChecked,
  isByPerson,
  isDenied,
  isOpen,
  isPayable,
  isUnseen,
  mayBeResolved,
  reasonOf,
  reportedAt,
  type HistoryEntry,
  type Transaction,
  type TransactionType,
  STAGES,
} from '../protocol/transaction.ts';
import { PAYS_BY, type Method, type Reason, type Status } from '../protocol/wire.ts';
import { type Html, capital, money, moneyOf, serverClock, wallet } from './values.ts';

export const TYPE_NAMES: Record<TransactionType, string> = { PAY: 'Payment', REFUND: 'Refund', PAYOUT: 'Payout' };

const METHODS: Record<Method, string> = {
  DIRECT: 'Wallet app',
  CHECKOUT: 'Wallet website',
  JETGO: 'JetGo',
  QR: 'QR code',
};

/** Of a payment its method. */
export function kindOf({ type, method }: Transaction): string {
  return method === null ? TYPE_NAMES[type] : METHODS[method];
}

/**
 * What tells it from the others of its order, with its time, on every page: `QR code •••• 5678`, of the wallet that
 * paid; until then the one that was asked, or an ID that was entered and sent no request.
 */
export function kindAndWallet(transaction: Transaction): Html {
  const { method, payer, customer } = transaction;
  const kind = kindOf(transaction);
  if (payer !== null) return html`${kind} ${wallet(payer)}`;
  if (customer === null) return html`${kind}`;
  if (method === null) return html`${kind} ${wallet(customer, 'to ')}`;
  return html`${kind}<span class="given"
      >, ${wallet(customer, PAYS_BY[method] === 'prompt' ? 'asked ' : 'entered ')}</span
    >`;
}

/** Of a payment that the gateway answered with another method. */
export const askedFor = ({ asked, method }: Transaction): string | null =>
  asked === null || asked === method ? null : METHODS[asked];

/** Of lists, whatever the type. */
export const STATUS_NAMES: Record<Status, string> = {
  INITIALIZED: 'Being sent or checked',
  PROCESSING: 'Waiting',
  SUCCESS: 'Paid or sent',
  FAILED: 'Unpaid or failed',
};

const PAID: Record<TransactionType, string> = { PAY: 'Paid', PAYOUT: 'Paid out', REFUND: 'Refunded' };
const PENDING: Record<TransactionType, string> = { PAY: 'Waiting', PAYOUT: 'On its way', REFUND: 'On its way' };

const ENDED: Record<Reason, readonly [label: string, explanation: string]> = {
  DECLINED: ['Declined', 'Declined by the gateway. No money moved.'],
  EXPIRED: ['Expired', 'Nobody paid in time.'],
  REPLACED: ['Replaced', 'The customer started another payment.'],
  REJECTED: ['Refused', 'The gateway refused it. No money moved.'],
  NOT_CREATED: ['Not started', 'The gateway does not have it. No money moved.'],
  RESOLVED: ['Not paid', 'No money moved.'],
};

/** Why a payment failed, by the gateway's code. */
const CAUSES: Record<string, readonly [label: string, explanation: string]> = {
  USER_CANCELLED: ['Canceled', 'Canceled by the customer. No money moved.'],
  INSUFFICIENT_BALANCE: [
    'Balance too low',
    'The wallet had too little money, so no money moved. The customer can top it up and pay again.',
  ],
  UNKNOWN_CUSTOMER: ['No such customer', 'No such customer. No money moved.'],
};

/** Why a payout or refund failed. */
const NOT_SENT: Record<string, string> = {
  USER_CANCELLED: 'Canceled by the customer. No money moved.',
  UNKNOWN_CUSTOMER: 'No such customer. No money moved.',
  INSUFFICIENT_BALANCE: 'Balance too low at the gateway. No money moved.',
};

/** Of a payment that was not declined: the reason in a webhook, as its page has it. */
export const endOfReason = (reason: Reason): readonly [label: string, explanation: string] => ENDED[reason];

function endOf(transaction: Transaction, reason: Reason): readonly [label: string, explanation: string] {
  const { type, history } = transaction;
  const { isOutgoing } = TYPES[type];
  // A refused payout or refund is not known to have failed until checks agree.
  const said = history.findLast(({ event }) => ['declined', 'rejected', 'uncertain'].includes(event))?.detail ?? '';
  const code =
    reason === 'RESOLVED' ? '' : said.replace(/^HTTP \d+ /, '').replace('WALLET_NOT_FOUND', 'UNKNOWN_CUSTOMER');
  const why = reason === 'NOT_CREATED' && isRefused(transaction) ? 'REJECTED' : reason;
  if (isOutgoing) return ['Failed', NOT_SENT[code] ?? ENDED[why][1]];
  return CAUSES[code] ?? ENDED[reason];
}

/** Why a payout or refund failed; empty of anything else. */
export function failureOf(transaction: Transaction): string {
  const reason = reasonOf(transaction);
  return reason === null || !TYPES[transaction.type].isOutgoing ? '' : endOf(transaction, reason)[1];
}

const isSettled = (detail: string | null) => detail?.startsWith('SETTLED') ?? false;

/** Who decided last until then, and when. */
function decisionIn({ history }: Transaction, until = Infinity): { by: string; at: number } {
  const last = history.findLast(({ event, at, detail }) => event === 'resolved' && at <= until && !isSettled(detail));
  return { by: saidIn(last?.detail ?? '').by, at: last?.at ?? 0 };
}

/** Of a person's decision; without name and note once they are erased. */
function saidIn(detail: string): { said: string; by: string; note: string } {
  const [, said = '', by = 'a person', note = ''] = /^(\w+)(?: by (.+?): (.*))?$/.exec(detail) ?? [];
  return { said, by, note };
}

/** With the person, if one said how it ended; who denied it is said below. */
export function statusName(transaction: Transaction): string {
  const end = transaction.history.find(({ event }) => event === transaction.stage);
  const name = endName(transaction);
  if (isDenied(transaction)) return `${name}, denied`;
  return end && isByPerson(end) ? `${name} · confirmed by ${decisionIn(transaction, end.at).by}` : name;
}

function endName(transaction: Transaction): string {
  const { type, stage, surplus, afterClose } = transaction;
  const reason = reasonOf(transaction);
  if (surplus) return 'Paid twice';
  if (afterClose) return 'Paid after closing';
  if (reason !== null) return endOf(transaction, reason)[0];
  if (stage === 'succeeded') return PAID[type];
  if (isUnseen(transaction)) return ENDED.NOT_CREATED[0];
  if (stage === 'sending') return 'Being sent';
  if (stage === 'uncertain') return checkedName(transaction);
  return transaction.failedAt === null ? PENDING[type] : 'Reported failed, being checked';
}

/** The answer was clear. */
const isRefused = ({ answer }: Pick<Transaction, 'answer'>) => answer === 'refused' || answer === 'duplicate';

/** The shop's desk has the same words. */
const checkedName = (transaction: Transaction) =>
  `${isRefused(transaction) ? 'Refused' : 'No clear answer'}, being checked`;

/** The next step after a failure. The shopper repeats a payment, and the page of its payment offers a refund again. */
const AGAIN: Record<TransactionType, string> = {
  PAY: '',
  REFUND: '',
  PAYOUT: 'To send the money all the same, start a new payout in your shop.',
};

const ONCE_MORE = 'It is checked again before it counts as failed, so there is nothing to do yet.';
const UNCLEAR = 'It is not clear whether the gateway has it. The proxy keeps asking, so there is nothing to do yet.';

const UNSEEN =
  'The gateway’s answer was lost, so nobody was shown a way to pay. The shopper reads that the payment was not started.';

/** More than the status says; empty if there is no more, and in a review, which has its reason. */
export function explanationOf(transaction: Transaction, order?: Pick<Order, 'closed' | 'paidBy'>): string {
  const reason = reasonOf(transaction);
  if (mayBeResolved(transaction)) return '';
  if (isOpen(transaction.stage) && isUnseen(transaction)) return UNSEEN;
  if (isBeingChecked(transaction) && (isRefused(transaction) || transaction.failedAt !== null)) return ONCE_MORE;
  if (transaction.stage === 'uncertain') return UNCLEAR;
  if (transaction.resolved !== null) return decisionOf(transaction);
  if (transaction.late) return lateIn(transaction);
  if (reason === null) return '';
  const [, explanation] = endOf(transaction, reason);
  if (AGAIN[transaction.type]) return `${explanation} ${AGAIN[transaction.type]}`;
  if (isPayable(transaction)) return `${explanation} ${lateOf(order)}`;
  return reason === 'EXPIRED' ? `${explanation} No money moved.` : explanation;
}

const lateIn = ({ history }: Transaction) =>
  history.some(({ event }) => event === 'replaced')
    ? 'Replaced by the customer’s next payment, and paid nevertheless.'
    : 'The money came late: until then the payment counted as unpaid.';

/** Of one that only we have ended: the gateway cannot cancel. */
const lateOf = (order?: Pick<Order, 'closed' | 'paidBy'>) =>
  order?.closed === null && order.paidBy === null
    ? 'If it is still paid, it counts.'
    : 'Money that still comes has to be refunded.';

export const STOP_ORDER = 'If it was shipped or counted as paid, stop the order and tell the customer.';

/** Who said so, and when: the gateway's report is from another time. */
function decisionOf(transaction: Transaction): string {
  const isPaid = transaction.stage === 'succeeded';
  const { by, at } = decisionIn(transaction);
  const verb = isPaid === (transaction.resolved === 'succeeded') ? 'confirmed' : 'denied';
  const what = `${capital(by)} ${verb} that ${isPaid ? 'the' : 'no'} money moved, on ${serverClock.words(at)}.`;
  const reported = reportedAt(transaction);
  if (!isPaid) return what;
  const isToStop = verb === 'denied' && TYPES[transaction.type].paysOrder && !paysNothing(transaction);
  return `${what} ${reported === undefined ? 'The gateway has not reported it.' : `The gateway’s report came on ${serverClock.words(reported)}.`}${isToStop ? ` ${STOP_ORDER}` : ''}`;
}

const EVENTS: Record<Exclude<HistoryEntry['event'], 'resolved' | 'uncertain'>, string> = {
  created: 'Started',
  sending: 'Sent to the gateway',
  pending: 'Waiting at the gateway',
  reported_failed: 'Reported failed',
  replaced: 'Replaced',
  expired: 'Expired',
  rejected: 'Refused by the gateway',
  not_created: 'The gateway does not have it',
  declined: 'Declined by the gateway',
  succeeded: 'Paid',
  surplus: 'Paid twice',
  after_close: 'Paid after closing',
  mismatch: 'The gateway reports something else',
  conflict: 'The gateway contradicts itself',
  needs_review: 'Needs review',
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

/** What was asked, what was reported, and with which outcome. */
const FIGURES = /\basked (.+), reported ([^)]+?)(?: as (pending|failed|succeeded))?(?:\)|$)/;

export function eventName({ event, source, detail }: HistoryEntry, transaction: Transaction): string {
  const { type, endedBy } = transaction;
  if (event === 'resolved') {
    const { said, by } = saidIn(detail ?? '');
    return `${capital(moved(said))}, says ${by}`;
  }
  if (event === 'succeeded') return PAID[type];
  if (event === 'uncertain') return checkedName(transaction);
  // After an answer that was not clear.
  if (event === 'pending' && source === 'check') return 'The gateway has it';
  if (event === 'declined' && TYPES[type].isOutgoing) return 'Failed at the gateway';
  if (event === 'declined' && endedBy === 'EXPIRED') return EVENTS.expired;
  if (event === 'declined' && detail === 'USER_CANCELLED') return 'Canceled by the customer';
  return (event === 'mismatch' && differing(detail ?? '')) || EVENTS[event];
}

/** Two figures of a mismatch. */
function differing(detail: string): string | undefined {
  const [, asked, reported] = FIGURES.exec(withMoney(detail)) ?? [];
  return asked && reported && `The gateway reported ${reported} instead of ${asked}`;
}

/** Empty where the event's name says it. */
export function sourceName({ event, source, detail }: HistoryEntry): string {
  if (['sending', 'replaced', 'resolved'].includes(event)) return '';
  if (event === 'succeeded' && source === 'check') return '· confirmed by the gateway';
  if (event === 'reported_failed') return '· checked once more';
  if (event === 'created' && detail !== null) return `by ${detail}`;
  return SOURCES[source] ?? source.replace(/^merchant:/, 'by the key ');
}

/** Nobody asks for them. */
const OURS = /^(E[A-Z]+|EAI_AGAIN|UND_ERR_\w+|\w+Error|undocumented answer)$/;

/** What the codes of the gateway and of the network mean; the first that fits. */
const MEANINGS: readonly (readonly [RegExp, string])[] = [
  [/^(HTTP \d+ )?(UNKNOWN_CUSTOMER|WALLET_NOT_FOUND)$/, 'no such customer'],
  [/^INSUFFICIENT_BALANCE$/, 'too little money'],
  [/^TOKEN_EXPIRED$/, 'the time to pay was over'],
  [/^HTTP 409|^HTTP 4.*(DUPLICATE|ORDER\w*ALREADY)/, 'the gateway has this id already'],
  [/^HTTP 401/, 'the gateway refused the proxy’s key'],
  [/^HTTP 4/, 'the gateway refused the request'],
  [/^HTTP/, 'the gateway had a problem'],
  [/^(ECONNREFUSED|ENOTFOUND|EAI_AGAIN|UND_ERR_CONNECT_TIMEOUT)$/, 'the gateway could not be reached'],
  [/^(ECONNRESET|EPIPE|UND_ERR_SOCKET)$/, 'the connection to the gateway was lost'],
  [/^undocumented answer$/, 'the gateway’s answer was not understood'],
  [OURS, 'the gateway’s answer did not come'],
];

/** A code of the gateway stays, because its support asks for it. */
function meaningOf(detail: string): string {
  const meaning = MEANINGS.find(([code]) => code.test(detail))?.[1];
  return meaning === undefined ? detail : OURS.test(detail) ? meaning : `${meaning} (${detail})`;
}

/** Of the merchant's server to a webhook: an HTTP status, or why there was none. */
export const answerName = (answer: string) => (answer.startsWith('HTTP') ? answer : `no answer (${answer})`);

/** Empty where the line before has said it. */
export function detailOf({ event, detail }: HistoryEntry, transaction: Pick<Transaction, 'type'>): string {
  if (detail === null || event === 'created' || ['mismatch', 'conflict', 'DECLINED'].includes(detail)) return '';
  if (event === 'mismatch' && FIGURES.test(detail)) return '';
  if (event === 'resolved') return saidIn(detail).note;
  const isOurs = event === 'mismatch' || event === 'conflict' || event === 'needs_review' || FIGURES.test(detail);
  return isOurs ? inWords(detail, transaction) : meaningOf(detail);
}

/** What a person says by a resolution. */
export const moved = (said: string): string =>
  isSettled(said) ? 'settled another way' : said === 'SUCCESS' ? 'money moved' : 'no money moved';

/** What the ledger says of a report, in a bookkeeper's words. */
const SAYS: readonly (readonly [said: RegExp, words: string])[] = [
  [/ \(asked (.+), reported (.+?)(?: as \w+)?\)$/, ': $2, not $1'],
  [/^found after/, 'the gateway has it after'],
  [/ for an order id that the gateway reported as a duplicate/, ', but it had refused this order as a duplicate'],
  [/ after SUCCESS/, ', but it had said {done}'],
  [/ after FAILED/, ', but it had said failed'],
  [/^SUCCESS/, 'the gateway says {done}'],
  [/^FAILED/, 'the gateway says failed'],
  [/\bgatewayOrderId\b/, 'order id'],
  [/\bpaymentId\b/, 'payment id'],
  [/\bcustomer differs/, 'wallet differs'],
];

/** A detail's words and amounts, for reading. */
function inWords(detail: string, { type }: Pick<Transaction, 'type'>): string {
  const text = SAYS.reduce((before, [said, words]) => before.replace(said, words), withMoney(detail));
  return text.replace('{done}', doneName(type));
}

const withMoney = (detail: string) =>
  detail.replaceAll(/\b(\d+(?:\.\d+)?) ([A-Z]{3})\b/g, (_, decimal, currency) => money(decimal, currency));

type Reviewed = Pick<Transaction, 'type' | 'stage' | 'history' | 'mismatch' | 'conflict'>;

const doneName = (type: TransactionType) => (TYPES[type].isOutgoing ? 'sent' : 'paid');

/** What the gateway reported; empty if it said no outcome. */
export const outcomeName = (outcome: string, type: TransactionType): string =>
  ({ pending: 'waiting', failed: 'failed', succeeded: doneName(type) })[outcome] ?? '';

/** The gateway names another amount for a payment that it still waits for. */
export const isUnpaid = (reviewed: Reviewed): boolean =>
  TYPES[reviewed.type].paysOrder &&
  isOpen(reviewed.stage) &&
  (causeOf(reviewed)?.detail?.endsWith(' as pending') ?? false);

/** What the review is about. */
function causeOf({ history, mismatch, conflict }: Reviewed): HistoryEntry | undefined {
  const last = (wanted: HistoryEntry['event']) => history.findLast(({ event }) => event === wanted);
  const asked = last('needs_review');
  const detail = asked?.detail ?? null;
  if (detail === 'mismatch' || (detail === null && mismatch)) return last('mismatch');
  return detail === 'conflict' || (detail === null && conflict) ? last('conflict') : asked;
}

/** Why a person has to look at it. */
export function reviewReason(reviewed: Reviewed): string {
  const cause = causeOf(reviewed);
  const said = cause?.detail ?? null;
  const [, asked, reported] = FIGURES.exec(withMoney(said ?? '')) ?? [];
  if (isUnpaid(reviewed)) return `Nobody has paid yet. The gateway named ${reported} for a request of ${asked}.`;
  if (said === AFTER_CLOSE) return 'The order was closed before.';
  if (cause?.event === 'mismatch') {
    const detail = said ?? 'amount, currency, type or payment id';
    const field = detail === 'customer' ? 'wallet' : inWords(detail.replace(/:.*/, ''), reviewed);
    const what = differing(detail) ?? `The gateway reported a different ${field} than was asked for`;
    const since = reviewed.history.slice(reviewed.history.indexOf(cause));
    const end = since.find((entry) => /^(succeeded|declined)$/.test(entry.event) && !isByPerson(entry))?.event;
    const unpaid = TYPES[reviewed.type].paysOrder ? ', and it ended unpaid' : ', and it failed';
    return `${what}${end === 'succeeded' ? ', and the right one later' : end ? unpaid : ''}.`;
  }
  if (said === null) return 'The gateway has not said in time how it ended.';
  return `${capital(inWords(said, reviewed))}.`;
}

type Asked = Pick<Transaction, 'amountMinor' | 'currency' | 'answer'>;

/** What the gateway reported, and when: of each report that differs its amount and outcome. */
export function reportsOf(reviewed: Reviewed & Asked): { what: string; at: number }[] {
  const [cause, done] = [causeOf(reviewed), doneName(reviewed.type)];
  return reviewed.history.flatMap((entry) => {
    const detail = entry.detail ?? '';
    // Another event's may be a person's words.
    const mayDiffer = ['rejected', 'mismatch', 'needs_review'].includes(entry.event);
    const [, , figure, outcome = ''] = (mayDiffer && FIGURES.exec(withMoney(detail))) || [];
    const end =
      entry.event === 'reported_failed'
        ? 'failed'
        : entry === cause && /^the gateway says (\w+)/.exec(inWords(detail, reviewed))?.[1];
    // Only with our payment id does a SUCCESS count without an amount (protocol/verify.ts).
    const isAsAsked = end === done && reviewed.answer !== 'identified' && !detail.includes('differs');
    const isRight = entry.event === 'succeeded' && !isByPerson(entry);
    const sum = figure ?? (isAsAsked && moneyOf(reviewed));
    const said = [sum, outcomeName(outcome, reviewed.type) || end].filter(Boolean).join(', ');
    const what = isRight ? `${moneyOf(reviewed)}, ${done}, as asked` : said;
    return what === '' ? [] : [{ what: capital(what), at: entry.at }];
  });
}

/** A review only of money that came after the closing: what to do is known, so nobody is asked. */
export function isOnlyAfterClose({ afterClose, mismatch, conflict }: Transaction): boolean {
  return afterClose && !mismatch && !conflict;
}

export const isInDoubt = (transaction: Transaction) => transaction.needsReview && !isOnlyAfterClose(transaction);

/** What to do in a review. The shop's desk has the same sentences. */
export function whatToAsk(transaction: Transaction): string {
  if (isUnpaid(transaction)) return 'Wait until it is paid or ends.';
  const isPayment = TYPES[transaction.type].paysOrder;
  const isDone = transaction.stage === 'succeeded';
  if (isDone && !isPayment) return 'It counts as sent. Ask the gateway’s support before anything else.';
  if (isDone && !paysNothing(transaction))
    return 'It counts as paid. Not shipped yet? Ask the gateway’s support first.';
  const what = isDone ? 'before you refund it' : isPayment ? 'what was paid' : 'before you send it again';
  return `Ask the gateway’s support ${what}.`;
}

/** Minor units of a payment: what is left, and how much of it the gateway takes; and why nothing can be sent. */
export interface Left {
  cause: NotRefundable | null;
  left: number;
  sendable: number;
  /** A refund of it has neither arrived nor failed for certain. */
  isComing: boolean;
  /** The last refund, if it failed. */
  failed: Transaction | undefined;
}

/** Of money that pays no order: what the gateway cannot refund, because it takes no decimals. */
export const owedText = (left: string) =>
  `${left} is still owed to the customer: the gateway sends whole amounts only, so settle it another way once the refund has arrived.`;

/** What to do with money that pays no order, and with what failed to go back, with the reason where no table has it. */
export function whyBack(payment: Transaction, { left, sendable, cause, failed }: Left, reason = ''): string {
  const { surplus, currency } = payment;
  const again = failed ? `The refund of ${moneyOf(failed)} failed. ${reason && `${reason} `}` : '';
  if (!paysNothing(payment)) return `${again}Refund it again.`;
  const [all, whole] = [left, sendable].map((amountMinor) => moneyOf({ amountMinor, currency }));
  const rest = left === sendable ? '' : ` of ${all}: the gateway sends whole amounts only`;
  const settle = `Settle ${all} another way: the gateway sends whole amounts only.`;
  const back = sendable === 0 ? settle : `Refund ${whole}${rest}.`;
  const what = cause === null ? back : `It cannot be refunded, because ${NOT_REFUNDABLE[cause]}.`;
  return `${again}The order was ${surplus ? 'already paid' : 'closed before'}. ${what}`;
}

const TONES: Record<Status, string> = { INITIALIZED: 'wait', PROCESSING: 'wait', SUCCESS: 'good', FAILED: 'over' };

/** The status of a payment, with what only its order and refunds say; and for lists what cannot be refunded. */
export type Back = readonly [tone: string, name: string, rest?: string];

/** The status in a word; of one in doubt that it needs review. */
export function status(transaction: Transaction, back?: Back): Html {
  const { type, stage, surplus, afterClose } = transaction;
  if (isInDoubt(transaction)) {
    const isCounted = stage === 'succeeded' || (TYPES[type].paysOrder && isAwaited(transaction));
    const name = isCounted ? `${statusName(transaction)}, needs review` : 'Needs review';
    return html`<span class="status warn long">${name}</span>`;
  }
  const hasFailed = TYPES[type].isOutgoing && STAGES[stage].status === 'FAILED';
  const isOver = isOpen(stage) && isUnseen(transaction);
  const ofStage = hasFailed ? 'bad' : isOver ? 'over' : TONES[STAGES[stage].status];
  const own = surplus || afterClose || isDenied(transaction) ? 'warn' : ofStage;
  const [tone, name] = back ?? [own, statusName(transaction)];
  // On a phone a line of its own.
  const look = name.length > 9 ? `${tone} long` : tone;
  return html`<span class="status ${look}">${name.replaceAll(' · ', '\u00A0· ')}</span>`;
}
