// The shape of a transaction: a payment (money in, by one of four methods) or a payout (money out). Only
// payment-processor.ts changes one.
import type { Method } from './methods.ts';

export type Status = 'INITIALIZED' | 'PROCESSING' | 'SUCCESS' | 'FAILED';
/** Steps of the hosted checkout, by the gateway's names; the sandbox uses a TOTP in place of the SMS. */
export type Step = 'LOGIN_STEP' | 'SMS_VERIFICATION_STEP' | 'PAYMENT_STEP' | 'PAYMENT_FINALIZED' | 'USER_CANCELLED';

export interface TransactionFields {
  paymentId: number;
  orderId: string;
  /** Decimal text with the digits of the request. */
  amount: string;
  minor: bigint;
  currency: string;
  status: Status;
  /** The reason, if the status is FAILED; else the status. */
  message: string;
  /** Wallet id: from the request at first, of the payer in the end. */
  customer: string | null;
  createdAt: number;
  updatedAt: number;
  history: { at: number; status: Status; message: string }[];
}

export interface Payment extends TransactionFields {
  type: 'PAY';
  askedMethod: Method;
  /** The method in use, which the answer contains. */
  method: Method;
  returnUrl: string;
  customerReferenceNo: string | null;
  language: string | null;
  /** Only if the method is confirmed by a link. */
  checkout: { token: string; expiresAt: number; step: Step } | null;
  /** The content of the code, only if the method is confirmed by one. */
  code: string | null;
  /** Wallet id of the last customer who scanned the code, or who is logged in at the checkout. */
  openedBy: string | null;
}

export interface Payout extends TransactionFields {
  type: 'PAYOUT';
  note: string | null;
  /** By a fault: it ends by hand alone. */
  isHeld: boolean;
}

export type Transaction = Payment | Payout;

export function isPayment(transaction: Transaction): transaction is Payment {
  return transaction.type === 'PAY';
}

/** Who pays or is paid, as far as it is known; of a payment that is not paid, who confirms it, or ended it. */
export function walletIn(transaction: Transaction): string | null {
  const { customer, status } = transaction;
  const openedBy = isPayment(transaction) ? transaction.openedBy : null;
  return status === 'SUCCESS' ? (customer ?? openedBy) : (openedBy ?? customer);
}

export function isFinal({ status }: Transaction): boolean {
  return status === 'SUCCESS' || status === 'FAILED';
}
