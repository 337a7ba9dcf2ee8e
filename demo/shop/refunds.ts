// Refunds by payout: which payments can be refunded, with what amount and under which order id. The order id contains
// the payment's id, so the payouts alone show what was refunded.
import { CURRENCY } from './catalog.ts';
import type { Payment, Payout } from './proxy-client.ts';

/**
 * Whether a payout can refund it: payouts need a whole amount in the shop's currency, and the wallet that paid. The one
 * that was asked may be somebody else's.
 */
export function canRefund({ status, payer, amount, currency }: Payment): boolean {
  return status === 'SUCCESS' && payer !== null && currency === CURRENCY && wholeAmount(amount) > 0;
}

/** Rounded down, so that a refund never exceeds the payment. */
export function wholeAmount(amount: string): number {
  return Math.floor(Number(amount));
}

/** The order id of a payment's refund after this many failed ones; the same for two people who send it at once. */
export function refundOrderId(gatewayOrderId: string, failed: number): string {
  return `BACK${failed + 1}-${gatewayOrderId}`;
}

/** The payouts that refund this payment, including failed ones. */
export function refundsOf(gatewayOrderId: string, payouts: readonly Payout[]): Payout[] {
  return payouts.filter(({ orderId }) => orderId.replace(/^BACK\d+-/, '') === gatewayOrderId);
}

/** Not failed: the money has arrived, or may still arrive. */
export function hasNotFailed({ status }: Payout): boolean {
  return status !== 'FAILED';
}
