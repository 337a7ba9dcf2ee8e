// Compares what the gateway reports of a transaction with what the ledger wrote before it was sent.
// Pure; the only road from a report to a fact. Anything that differs is a mismatch, and nothing is paid by it.
import { parseReportedAmount } from './money.ts';
import type { TransactionType } from './transaction.ts';

/** A status check's answer or an IPN, in our words. Amounts as the source text wrote them. */
export interface Report {
  orderId: string;
  type: TransactionType;
  paymentId: string | null;
  /** Wallet id of who paid or was paid. */
  customer: string | null;
  amount: string | null;
  currency: string | null;
  outcome: 'pending' | 'failed' | 'succeeded';
  /** Of a failure: the gateway's own code for it (`TOKEN_EXPIRED`), where it has one that is a code. Decides nothing. */
  message?: string;
}

/** An IPN as read: whether it went well is one of the fields that may be missing. */
export type IpnReading = Omit<Report, 'outcome'> & { outcome: Report['outcome'] | null };

/** What the ledger holds of it. */
export interface Expected {
  id: string;
  type: TransactionType;
  paymentId: string | null;
  amountMinor: number;
  currency: string;
}

export type MismatchField = 'orderId' | 'type' | 'paymentId' | 'currency' | 'amount';

export type Verdict =
  | ({ kind: 'verified' } & Pick<Report, 'outcome' | 'paymentId' | 'customer' | 'message'>)
  | { kind: 'mismatch'; field: MismatchField }
  | { kind: 'incomplete' };

/**
 * `complete: true` is for an IPN that has to stand alone (a gateway without a status check): only documented fields are
 * sure to be there, so one that lacks what has to be compared proves nothing.
 * A status check is asked of the gateway itself, over TLS, about one order id: fields it leaves out are not differences.
 */
export function verify(expected: Expected, report: Report, { complete }: { complete: boolean }): Verdict {
  const field = differingField(expected, report);
  if (field !== undefined) return { kind: 'mismatch', field };
  if (complete && (report.amount === null || report.currency === null)) return { kind: 'incomplete' };
  const { outcome, paymentId, customer, message } = report;
  return { kind: 'verified', outcome, paymentId, customer, ...(message && { message }) };
}

function differingField(expected: Expected, report: Report): MismatchField | undefined {
  if (report.orderId !== expected.id) return 'orderId';
  if (report.type !== expected.type) return 'type';
  const bothHaveId = report.paymentId !== null && expected.paymentId !== null;
  if (bothHaveId && report.paymentId !== expected.paymentId) return 'paymentId';
  if (report.currency !== null && report.currency !== expected.currency) return 'currency';
  if (report.amount !== null && parseReportedAmount(report.amount, expected.currency) !== expected.amountMinor) {
    return 'amount';
  }
  return undefined;
}
