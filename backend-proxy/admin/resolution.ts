// What a resolution will do, in words, before it is made. The ledger decides it: its preview applies the same rules.
import type { Preview, Resolution } from '../ledger/ledger.ts';
import { WEBHOOKS, type WebhookType } from '../protocol/merchant-view.ts';
import { decimalOf } from '../protocol/money.ts';
import { STAGES, type Transaction } from '../protocol/transaction.ts';

/** By the webhook: those that a resolution can queue. */
const BECOMES: Partial<Record<WebhookType, (orderId: string) => string>> = {
  'payment.succeeded': (orderId) => `Order ${orderId} becomes paid.`,
  'payment.surplus': (orderId) => `Order ${orderId} is paid already: this is money paid twice.`,
  'payment.after_close': (orderId) => `Order ${orderId} is closed and stays unpaid: the money has to go back.`,
  'payment.failed': () => 'The payment becomes FAILED.',
  'payout.succeeded': (orderId) => `Payout ${orderId} becomes SUCCESS.`,
  'payout.failed': () => 'The payout becomes FAILED.',
};

export function effectOf({ transaction, webhook }: Preview, status: Resolution['status']): string[] {
  if (webhook === null)
    return [onlyEndsReview(STAGES[transaction.stage].status, status), 'Your server gets no webhook.'];
  const becomes = BECOMES[webhook]?.(transaction.orderId);
  const isAsAsked = transaction.mismatch && status === 'SUCCESS';
  const counts = `It counts as ${amountOf(transaction)}, as it was asked for, whatever the gateway reported.`;
  return [
    ...(becomes === undefined ? [] : [becomes]),
    ...(isAsAsked ? [counts] : []),
    `Your server gets ${webhook}: “${WEBHOOKS[webhook]}”.`,
  ];
}

function onlyEndsReview(shown: string, status: Resolution['status']): string {
  return shown === 'SUCCESS' && status === 'FAILED'
    ? 'It stays SUCCESS: what has succeeded cannot be made to fail. Only the review ends.'
    : `It is ${shown} already and stays so. Only the review ends.`;
}

function amountOf({ amountMinor, currency }: Transaction): string {
  return `${decimalOf(amountMinor, currency)} ${currency}`;
}
