// Compares what the gateway reports of a transaction with what the ledger wrote before it was sent.
// Pure; the only road from a report to a fact. Anything that differs is a mismatch, and nothing is paid by it.
import { minorOfReported } from './money.ts';
import { TYPES, type TransactionType } from './transaction.ts';

/** A status check's answer or an IPN, in our words. Amounts as the source text wrote them. */
export interface Report {
  transactionId: string;
  type: TransactionType;
  paymentId: string | null;
  /** Wallet id of who paid or was paid. */
  customer: string | null;
  amount: string | null;
  currency: string | null;
  outcome: 'pending' | 'failed' | 'succeeded';
  /** Of a failure: the gateway's own code for it (`TOKEN_EXPIRED`), where it has one that is a code. Decides nothing. */
  message?: string;
  /** Of a failure: that code says that the gateway itself ended the time. */
  isExpired?: true;
}

/** An IPN as read: whether it went well is one of the fields that may be missing. */
export type IpnReading = Omit<Report, 'outcome'> & { outcome: Report['outcome'] | null };

/** What the ledger holds of it. */
export interface Expected {
  id: string;
  type: TransactionType;
  paymentId: string | null;
  /** The payment id that our own POST was answered with; null where the answer had none, or was lost. */
  answeredId: string | null;
  amountMinor: number;
  currency: string;
  /** Of a payout: the wallet that was asked for; null where it has been erased. */
  customer: string | null;
}

/** Named as the merchant's history shows them. */
export type MismatchField = 'gatewayOrderId' | 'type' | 'paymentId' | 'currency' | 'amount' | 'customer';

export type Verdict =
  | ({ kind: 'verified' } & Pick<Report, 'outcome' | 'paymentId' | 'customer' | 'message' | 'isExpired'>)
  | { kind: 'mismatch'; field: MismatchField }
  | { kind: 'incomplete' };

/**
 * `complete: true` is for an IPN that has to stand alone (a gateway without a status check): only documented fields are
 * sure to be there, so one that lacks what has to be compared proves nothing.
 * A status check is asked of the gateway itself, over TLS, about one order id: fields it leaves out are not differences. But
 * another shop on the same account may have used that id; so a success without its sum counts only with the payment id that we
 * were given.
 */
export function verify(expected: Expected, report: Report, { complete }: { complete: boolean }): Verdict {
  const field = differingField(expected, report);
  if (field !== undefined) return { kind: 'mismatch', field };
  const { outcome, paymentId, customer, message, isExpired } = report;
  const lacksSum = report.amount === null || report.currency === null;
  const isOurs = paymentId !== null && paymentId === expected.answeredId;
  if (lacksSum && (complete || (outcome === 'succeeded' && !isOurs))) return { kind: 'incomplete' };
  // Whom the money went to can't be compared any more: neither a difference nor a proof.
  if (namesReceiver(report) && expected.customer === null) return { kind: 'incomplete' };
  return {
    kind: 'verified',
    outcome,
    paymentId,
    customer,
    ...(message && { message }),
    ...(isExpired && { isExpired }),
  };
}

function differingField(expected: Expected, report: Report): MismatchField | undefined {
  if (report.transactionId !== expected.id) return 'gatewayOrderId';
  if (report.type !== expected.type) return 'type';
  const bothHaveId = report.paymentId !== null && expected.paymentId !== null;
  if (bothHaveId && report.paymentId !== expected.paymentId) return 'paymentId';
  if (report.currency !== null && report.currency !== expected.currency) return 'currency';
  if (report.amount !== null && minorOfReported(report.amount, expected.currency) !== expected.amountMinor) {
    return 'amount';
  }
  if (namesReceiver(report) && expected.customer !== null && !isSameWallet(expected.customer, report.customer)) {
    return 'customer';
  }
  return undefined;
}

/** Of a payout whom is the point. Who pays is another matter: whoever scans the code may. */
function namesReceiver(report: Report): report is Report & { customer: string } {
  return TYPES[report.type].isOutgoing && report.outcome === 'succeeded' && report.customer !== null;
}

const MASK = /[*xX•#]+/;

/** Compared as digits, however they are grouped. A masked one agrees where the digits that it shows do. */
function isSameWallet(asked: string, reported: string): boolean {
  const [ours, theirs] = [asked, reported].map((wallet) => wallet.replace(/[\s.+-]/g, '')) as [string, string];
  if (!MASK.test(theirs)) return ours === theirs;
  if (ours.length === theirs.length) return theirs.split('').every((char, at) => MASK.test(char) || char === ours[at]);
  // Another length: the mask stands for any number of digits, and what it shows has to come in this order without overlapping.
  const shown = theirs.split(MASK);
  const [head = '', tail = ''] = [shown[0], shown.at(-1)];
  if (!ours.startsWith(head) || !ours.endsWith(tail) || head.length + tail.length > ours.length) return false;
  let rest = ours.slice(head.length, ours.length - tail.length);
  return shown.slice(1, -1).every((part) => {
    const at = rest.indexOf(part);
    rest = rest.slice(at + part.length);
    return at >= 0;
  });
}
