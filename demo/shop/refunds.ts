// Which payments can be sent back, and how much of each. The proxy decides; this only says what is worth asking for.
import { CURRENCY, centsOf } from './catalog.ts';
import type { Payment, Refund } from './proxy-client.ts';

/** Those of this payment that did not fail: the money has arrived, or may still arrive. */
export function refundsOf({ gatewayOrderId }: Payment, refunds: readonly Refund[]): Refund[] {
  return refunds.filter(({ refundOf, status }) => refundOf === gatewayOrderId && status !== 'FAILED');
}

/**
 * Whole units that are left: the gateway accepts no decimals. 0 if nothing can be sent back: it goes to the wallet that
 * paid, which has to be known, and nothing is sent while it is in doubt whether the money came.
 */
export function refundable(payment: Payment, refunds: readonly Refund[]): number {
  const { status, payer, amount, currency, needsReview } = payment;
  if (status !== 'SUCCESS' || needsReview || payer === null || currency !== CURRENCY) return 0;
  const sent = refundsOf(payment, refunds).reduce((sum, refund) => sum + centsOf(refund.amount), 0);
  return Math.max(0, Math.floor((centsOf(amount) - sent) / 100));
}
