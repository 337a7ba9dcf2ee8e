// What the gateway remembers of a transaction: a payment (money comes in, by one of four methods) or a payout (money goes
// out). Only the shape; who may change what is the business of payment-processor.ts.
import type { Method } from './methods.ts';

export type Status = 'INITIALIZED' | 'PROCESSING' | 'SUCCESS' | 'FAILED';
/** Steps of the hosted checkout, by the gateway's own names; here the second factor is a TOTP instead of an SMS. */
export type Step = 'LOGIN_STEP' | 'SMS_VERIFICATION_STEP' | 'PAYMENT_STEP' | 'PAYMENT_FINALIZED' | 'USER_CANCELLED';

export interface Remembered {
  paymentId: number;
  orderId: string;
  /** Decimal text, digit by digit as it was sent. */
  amount: string;
  minor: bigint;
  currency: string;
  status: Status;
  /** What an IPN says beside the status; for FAILED the reason. */
  message: string;
  /** Wallet id: first the one in the request, in the end the one who paid. */
  customer: string | null;
  createdAt: number;
  updatedAt: number;
  history: { at: number; status: Status; message: string }[];
}

export interface Payment extends Remembered {
  type: 'PAY';
  askedMethod: Method;
  /** The method in use, which the answer names. */
  method: Method;
  returnUrl: string;
  language: string | null;
  /** CHECKOUT only. */
  checkout: { token: string; expiresAt: number; step: Step } | null;
  /** JETGO and QR only: what the scanned code carries. */
  code: string | null;
  /** Wallet id of the customer who scanned it last. */
  scannedBy: string | null;
}

export interface Payout extends Remembered {
  type: 'PAYOUT';
  note: string | null;
}

export type Transaction = Payment | Payout;

export function isPayment(transaction: Transaction): transaction is Payment {
  return transaction.type === 'PAY';
}

export function isFinal({ status }: Transaction): boolean {
  return status === 'SUCCESS' || status === 'FAILED';
}
