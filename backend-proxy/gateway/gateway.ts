// The gateway as the use cases see it, in our words: what can be asked of it and every way it can answer.
// No paths, no field names, no HTTP here: those are the profile's (profile.ts) and the adapter's (http.ts).
// An answer is never an exception: a lost one is an outcome like any other, and the one that matters most.
import type { TransactionType } from '../protocol/transaction.ts';
import type { IpnReading, Report } from '../protocol/verify.ts';
import type { Method } from '../protocol/wire.ts';

export interface Collection {
  /** The order id at the gateway, unique per payment. */
  id: string;
  method: Method;
  amountMinor: number;
  currency: string;
  returnUrl: string;
  customer: string | null;
  customerReferenceNo: string | null;
  language: string | null;
}

export interface PayoutOrder {
  id: string;
  amountMinor: number;
  currency: string;
  customer: string;
  note: string | null;
}

/** What the gateway gave the shopper to pay with. */
export interface Accepted {
  paymentId: string | null;
  /** The method in use; may differ from the one asked for. */
  method: Method;
  checkoutUrl: string | null;
  /** The text of the code, or a `data:image/…` URL where the gateway sent an image. */
  qr: string | null;
  appUrl: string | null;
}

/**
 * `uncertain`: it may or may not have been created. `unreached`: no connection was made, so not a byte of it left. `why` is ours
 * and safe to log.
 */
export type Sent<Answer> =
  | { kind: 'accepted'; answer: Answer }
  | { kind: 'rejected'; why: string }
  | { kind: 'uncertain'; why: string }
  | { kind: 'unreached'; why: string };

export type Checked = { kind: 'found'; report: Report } | { kind: 'unknown' } | { kind: 'unavailable'; why: string };

export interface Gateway {
  pay(collection: Collection): Promise<Sent<Accepted>>;
  payout(payout: PayoutOrder): Promise<Sent<{ paymentId: string | null }>>;
  /** Undefined where the profile has no status check: the documented weaker mode, in which the IPN itself is the fact. */
  status?: (id: string, type: TransactionType) => Promise<Checked>;
  /** Reads an IPN's body. `refused`: nested deeper than any IPN is; `unreadable`: not the JSON of one. */
  readIpn(text: string): { kind: 'read'; reading: IpnReading } | { kind: 'refused' } | { kind: 'unreadable' };
  /** Whether payouts may have decimals. */
  payoutDecimals: boolean;
  close(): Promise<void>;
}
