// The gateway as the use cases see it, in our words: what can be asked of it and every way it can answer.
// No paths, no field names, no HTTP here: those are the profile's (profile.ts) and the adapter's (http.ts).
// An answer is never an exception: a lost one is an outcome like any other, and the one that matters most.
import type { TransactionType } from '../protocol/transaction.ts';
import type { IpnReading, Report } from '../protocol/verify.ts';
import type { Method } from '../protocol/wire.ts';

export interface Collection {
  /** The gateway's `orderId`: unique per payment. */
  transactionId: string;
  method: Method;
  amountMinor: number;
  currency: string;
  returnUrl: string;
  customer: string | null;
  customerReferenceNo: string | null;
  language: string | null;
}

export interface PayoutOrder {
  transactionId: string;
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
 * How a request that creates something ended. `why` is ours and safe to log: `HTTP 400 WALLET_NOT_FOUND`.
 * Only `unreached` says that nothing left; of all others but `accepted` and `refused` it is not known what the gateway did.
 */
export type Sent<Answer> =
  | { kind: 'accepted'; answer: Answer }
  /** A documented 4xx in the gateway's own JSON. */
  | { kind: 'refused'; detail: string }
  /** The gateway knows this order id already: 409 whatever its body, or a 4xx that says so in one of the profile's words. */
  | { kind: 'duplicate'; detail: string }
  /** Every other documented 4xx: written by who knows whom, before or after the gateway took the request. */
  | { kind: 'foreign'; detail: string }
  /** Timeout, reset, 429, 5xx, or any other answer that is not as documented. */
  | { kind: 'lost'; detail: string; retryAfterMs?: number }
  /** No connection was made, so not a byte of it left. */
  | { kind: 'unreached'; detail: string };

export type Checked =
  | { kind: 'found'; report: Report }
  /** A 404 in JSON, which every framework has. `isOwnWord`: the profile's own "no such order", its field and its value. */
  | { kind: 'unknown'; isOwnWord: boolean }
  | { kind: 'unavailable'; detail: string; retryAfterMs?: number };

export interface Gateway {
  pay(collection: Collection): Promise<Sent<Accepted>>;
  payout(payout: PayoutOrder): Promise<Sent<{ paymentId: string | null }>>;
  /** Undefined where the profile has no status check: the documented weaker mode, in which the IPN itself is the fact. */
  status?: (transactionId: string, type: TransactionType) => Promise<Checked>;
  /** Reads an IPN's body. `refused`: nested deeper than any IPN is; `unreadable`: not the JSON of one. */
  readIpn(text: string): { kind: 'read'; reading: IpnReading } | { kind: 'refused' } | { kind: 'unreadable' };
  /** Whether payouts may have decimals. */
  payoutDecimals: boolean;
  close(): Promise<void>;
}
