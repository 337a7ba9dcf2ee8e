// The proxy's transactions as the desk sees them: how they stand, and what of them is to review and can be sent back.
// Their names are those of the operator's page.
import type { Payment, Refund, Transaction } from '../../backend-proxy/client.ts';
import { CURRENCY, centsOf } from './catalog.ts';

/** `isClosed`: the order of a payment that waits. */
export type Entry = Transaction & { isClosed?: boolean };

export const paysNothing = ({ surplus, afterClose }: Payment) => surplus || afterClose;
export const isPayment = (entry: Entry): entry is Payment & Entry => 'payer' in entry;
export const isRefund = (entry: Entry): entry is Refund => 'refundOf' in entry;
export const isWaiting = (entry: Entry) => isPayment(entry) && isOpen(entry) && !entry.needsReview && !entry.isClosed;
export const isOpen = ({ status }: Entry) => status === 'INITIALIZED' || status === 'PROCESSING';

/** Sending back what came after the closing ends its review. */
export function isInDoubt(entry: Entry): boolean {
  const isLate = isPayment(entry) && entry.afterClose;
  return entry.needsReview && !(isLate && entry.history.every(({ event }) => !/^(mismatch|conflict)$/.test(event)));
}

/** Money that pays no order is to send back until it is on its way. */
export function toDo(entry: Entry, entries: readonly Entry[]): 'To review' | 'To send back' | undefined {
  const isOwed = isPayment(entry) && paysNothing(entry) && refundable({ ...entry, payer: '' }, entries) > 0;
  return isOwed ? 'To send back' : entry.needsReview ? 'To review' : undefined;
}

/** Those of this payment that did not fail: the money has arrived, or may still arrive. */
export const refundsOf = ({ gatewayOrderId }: Payment, entries: readonly Entry[]) =>
  entries.filter(isRefund).filter(({ refundOf, status }) => refundOf === gatewayOrderId && status !== 'FAILED');

/** As on the operator's page; undefined if it can be, as far as anything is left. */
export function neverBack(payment: Payment): string | undefined {
  const why = whyNotBack(payment);
  return why && `It cannot be sent back, because ${why}.`;
}

function whyNotBack({ status, payer, erasedAt, history }: Payment): string | undefined {
  if (status !== 'SUCCESS') return undefined;
  const isDuplicate = history.some(({ event, detail }) => event === 'uncertain' && /409|DUPLICATE/.test(detail ?? ''));
  if (isDuplicate) return 'the gateway reported its id as a duplicate';
  const decision = lastDecision({ history });
  if (decision?.startsWith('FAILED')) return 'the gateway has contradicted itself or a person about it';
  if (payer !== null) return undefined;
  if (erasedAt) return 'the wallet that paid is erased';
  if (decision) return 'a person has resolved it, so the gateway did not name the wallet that paid';
  return 'the gateway did not name the whole wallet that paid';
}

const lastDecision = ({ history }: Pick<Entry, 'history'>) =>
  history.findLast(({ event }) => event === 'resolved')?.detail;

/** Cents that are left; 0 if none can be sent: the gateway takes no decimals, and the payment must not be in doubt. */
export function refundable(payment: Payment, entries: readonly Entry[]): number {
  const { status, payer, currency } = payment;
  const isDenied = lastDecision(payment)?.startsWith('FAILED');
  if (status !== 'SUCCESS' || isInDoubt(payment) || isDenied || payer === null || currency !== CURRENCY) return 0;
  const left = centsLeft(payment, entries);
  return left < 100 ? 0 : left;
}

export const sumOf = (entries: readonly Entry[]) => entries.reduce((sum, { amount }) => sum + centsOf(amount), 0);
export const centsLeft = (paid: Payment, entries: readonly Entry[]) =>
  centsOf(paid.amount) - sumOf(refundsOf(paid, entries));

/** All that the gateway can send. */
export function isBack(payment: Payment, entries: readonly Entry[]): boolean {
  const sent = refundsOf(payment, entries);
  return sent.length > 0 && sent.every(({ status }) => status === 'SUCCESS') && centsLeft(payment, entries) < 100;
}

export const ofOrder = ({ orderId }: Entry, entries: readonly Entry[]) =>
  entries.filter(isPayment).filter((other) => other.orderId === orderId);

/** It goes back first, so that nobody sends back the payment that paid the order instead. */
export const hasExtra = (entry: Entry, entries: readonly Entry[]) =>
  ofOrder(entry, entries).some((other) => paysNothing(other) && refundable(other, entries) > 0);

/** `•••• 5678`: at most half of a short id. */
export const walletEnd = (id: string) => `••••\u00A0${id.slice(Math.max(id.length - 4, Math.ceil(id.length / 2)))}`;

export const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);

const DONE = { PAY: 'Paid', REFUND: 'Sent back', PAYOUT: 'Paid out' };
export const TYPES = { PAY: 'Payment', REFUND: 'Refund', PAYOUT: 'Payout' };
export const HOW: Record<string, string> = {
  DIRECT: 'Wallet app',
  CHECKOUT: 'Wallet website',
  JETGO: 'JetGo',
  QR: 'QR code',
};

/** Each tone has a sign too, for those who do not see its color. */
export const SIGNS = { good: '✓', bad: '✕', warn: '!', wait: '…', over: '–' };

/** By the gateway's code or by the reason: of a payment its status, and why a payout or refund failed. */
const ENDED: Record<string, readonly [status: string, why: string]> = {
  USER_CANCELLED: ['Canceled', 'canceled by the customer'],
  INSUFFICIENT_BALANCE: ['Balance too low', 'balance too low at the gateway'],
  UNKNOWN_CUSTOMER: ['No such customer', 'no such customer'],
  DECLINED: ['Declined', 'declined by the gateway'],
  TOKEN_EXPIRED: ['Expired', 'expired'],
  EXPIRED: ['Expired', 'nobody paid in time'],
  REPLACED: ['Replaced', 'the customer chose another way to pay'],
  REJECTED: ['Refused', 'the gateway refused it'],
  NOT_CREATED: ['Not started', 'it never reached the gateway'],
  RESOLVED: ['Not paid', 'a colleague confirmed it'],
};

const EVENTS: Record<string, string> = {
  created: 'Started',
  uncertain: 'No clear answer, checking',
  pending: 'Waiting at the gateway',
  replaced: 'Replaced by another payment',
  expired: 'Expired',
  rejected: 'Refused by the gateway',
  not_created: 'Never reached the gateway',
  declined: 'Declined by the gateway',
  surplus: 'Paid twice',
  after_close: 'Paid after closing',
  mismatch: 'The gateway reports something else',
  conflict: 'The gateway contradicts itself',
  needs_review: 'Needs review',
  erased: 'Personal data erased',
};

export function endOf({ history, reason }: Entry): readonly [status: string, why: string] {
  const end = history.findLast(({ event }) => /^(declined|rejected|uncertain)$/.test(event))?.detail ?? '';
  const code = end.replace(/^HTTP \d+ /, '').replace('WALLET_NOT_FOUND', 'UNKNOWN_CUSTOMER');
  return (reason !== 'RESOLVED' && ENDED[code]) || (ENDED[reason ?? ''] ?? ['Failed', 'failed']);
}

export function badgeOf(entry: Entry, entries: readonly Entry[]): { tone: keyof typeof SIGNS; label: string } {
  const paid = isPayment(entry) && ((entry.surplus && 'Paid twice') || (entry.afterClose && 'Paid after closing'));
  const done = paid || DONE[entry.type];
  if (isInDoubt(entry))
    return { tone: 'warn', label: entry.status === 'SUCCESS' ? `${done}, needs review` : 'Needs review' };
  if (isPayment(entry) && paysNothing(entry)) {
    const sent = refundsOf(entry, entries).length === 0 ? 'over' : isBack(entry, entries) ? 'good' : 'wait';
    return { tone: toDo(entry, entries) ? 'warn' : sent, label: done };
  }
  if (entry.isClosed) return { tone: 'over', label: 'Closed' };
  if (isPayment(entry) && isBack(entry, entries)) return { tone: 'over', label: 'Refunded' };
  if (isOpen(entry)) return { tone: 'wait', label: isPayment(entry) ? 'Waiting' : 'On its way' };
  if (entry.status === 'SUCCESS') return { tone: 'good', label: done };
  return isPayment(entry) ? { tone: 'over', label: endOf(entry)[0] } : { tone: 'bad', label: 'Failed' };
}

/** What a person decided; without name and note once they are erased. */
function decisionIn(detail: string | null): { isMoved: boolean; by: string; note: string } {
  const [, said, by = 'a person', note = ''] = /^(\w+)(?: by (.+?): (.*))?$/.exec(detail ?? '') ?? [];
  return { isMoved: said === 'SUCCESS', by, note };
}

/** What the last decision says; undefined without one. */
export function decidedIn({ history, status }: Entry): string | undefined {
  const decision = lastDecision({ history });
  if (!decision) return undefined;
  const { isMoved, by } = decisionIn(decision);
  const isPaid = status === 'SUCCESS';
  return `${capital(by)} ${isMoved === isPaid ? 'confirmed' : 'denied'} that ${isPaid ? 'the' : 'no'} money moved.`;
}

/** What happened, and more than its name says. */
export function eventOf({ event, detail }: Entry['history'][number], { type }: Entry): [name: string, more: string] {
  const said = detail ?? '';
  if (event === 'resolved') {
    const { isMoved, by, note } = decisionIn(detail);
    return [`${isMoved ? 'Money' : 'No money'} moved, says ${by}`, note];
  }
  if (event === 'succeeded') return [DONE[type], ''];
  if (event === 'declined' && said in ENDED && said !== 'DECLINED') return [capital(ENDED[said]?.[1] ?? ''), ''];
  return [EVENTS[event] ?? event, event === 'created' || /^(mismatch|conflict|DECLINED)$/.test(said) ? '' : said];
}
