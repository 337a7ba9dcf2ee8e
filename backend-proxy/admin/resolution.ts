// What a resolution will do, in words, before it is made. The ledger decides it: its preview applies the same rules.
import type { Preview, Resolution } from '../ledger/ledger.ts';
import { WEBHOOKS, type WebhookType } from '../protocol/merchant-view.ts';
import { STAGES, TYPES, type Flag, type Transaction, type TransactionType } from '../protocol/transaction.ts';
import { moneyOf } from './words.ts';

/** Those that a resolution can queue: all but those that ask for a review or say why. */
type Queued = Exclude<WebhookType, `${string}.${Exclude<Flag, 'surplus' | 'after_close'>}`>;

const BECOMES: Record<Queued, (orderId: string) => string> = {
  'payment.succeeded': (orderId) => `Order ${orderId} becomes paid.`,
  'payment.surplus': (orderId) => `Order ${orderId} is paid already: this is money paid twice.`,
  'payment.after_close': (orderId) => `Order ${orderId} is closed and stays unpaid: the money has to go back.`,
  'payment.failed': (orderId) => `The payment of order ${orderId} counts as unpaid.`,
  'payout.succeeded': (orderId) => `Payout ${orderId} counts as paid out.`,
  'payout.failed': (orderId) => `Payout ${orderId} counts as not sent.`,
  'refund.succeeded': (orderId) => `The refund of order ${orderId} counts as sent back.`,
  'refund.failed': (orderId) => `The refund of order ${orderId} counts as not sent.`,
};

export function effectOf({ transaction, webhook }: Preview, status: Resolution['status']): string[] {
  if (webhook === null) return [onlyEndsReview(transaction, status), 'Your server gets no webhook.'];
  const becomes = webhook in BECOMES ? BECOMES[webhook as Queued](transaction.orderId) : undefined;
  const isAsAsked = transaction.mismatch && status === 'SUCCESS';
  const counts = `It counts as ${moneyOf(transaction)}, as it was asked for, whatever the gateway reported.`;
  return [
    ...(becomes === undefined ? [] : [becomes]),
    ...(isAsAsked ? [counts] : []),
    `Your server gets ${webhook}: “${WEBHOOKS[webhook]}”.`,
  ];
}

function onlyEndsReview({ stage, type }: Transaction, status: Resolution['status']): string {
  return STAGES[stage].status === 'SUCCESS' && status === 'FAILED'
    ? 'It stays as it is: what has succeeded cannot be made to fail. This only ends the review.'
    : `It is already counted as ${counted(type, status)}. This only ends the review.`;
}

/** `Record €48.00 as received`, and of a payout or refund `as sent`. */
export function resolutionTitle(transaction: Transaction, status: Resolution['status']): string {
  return `Record ${moneyOf(transaction)} as ${counted(transaction.type, status)}`;
}

function counted(type: TransactionType, status: Resolution['status']): string {
  return `${status === 'FAILED' ? 'not ' : ''}${TYPES[type].isOutgoing ? 'sent' : 'received'}`;
}
