// The port to the gateway: what the proxy can request, and every way it can be answered. Paths and field names are in
// profile.ts, HTTP in http.ts.
// An answer is never an exception: a lost one is an outcome like any other, and the most important one.
import type { GatewayType } from '../protocol/transaction.ts';
import type { IpnReading, Report } from '../protocol/verify.ts';
import type { RefundRules } from '../protocol/refundable.ts';
import type { Cause, Method } from '../protocol/wire.ts';

export interface Collection {
  /** The gateway's `orderId`: unique per payment. */
  transactionId: string;
  method: Method;
  amountMinor: number;
  currency: string;
  returnUrl: string;
  customer: string | null;
  customerReference: string | null;
  language: string | null;
}

export interface PayoutOrder {
  transactionId: string;
  amountMinor: number;
  currency: string;
  customer: string;
  note: string | null;
  /** Of a refund: the method of its payment. */
  refunds?: Method | undefined;
}

/** How the shopper can pay. */
export interface Accepted {
  paymentId: string | null;
  /** The method in use; may differ from the requested one. */
  method: Method;
  checkoutUrl: string | null;
  /** The text of the code, or a `data:image/…` URL if the gateway sent an image. */
  qr: string | null;
  appUrl: string | null;
}

/**
 * How a request that creates something ended. `detail` is safe to log: `HTTP 400 WALLET_NOT_FOUND`. `unreached` means
 * that nothing was sent; after `duplicate`, `foreign` and `lost` it is not known what the gateway did.
 */
export type Sent<Answer> =
  | { kind: 'accepted'; answer: Answer }
  /** A documented 4xx with a code of the gateway in its JSON. */
  | { kind: 'refused'; detail: string }
  /** The gateway already has this order id: any 409, or a 4xx with one of the words in `duplicate` of the profile. */
  | { kind: 'duplicate'; detail: string }
  /** Any other documented 4xx: possibly from a proxy or firewall, before or after the gateway took the request. */
  | { kind: 'foreign'; detail: string }
  /** Timeout, reset, 429, 5xx, or any undocumented answer. */
  | { kind: 'lost'; detail: string }
  /** No connection was made, so nothing was sent. */
  | { kind: 'unreached'; detail: string };

export type Checked =
  | { kind: 'found'; report: Report }
  /**
   * A JSON 404, as every framework sends for a wrong path. `isNoSuchOrder`: it matches `noSuchOrder` of the profile.
   */
  | { kind: 'unknown'; isNoSuchOrder: boolean }
  | { kind: 'unavailable'; detail: string; retryAfterMs?: number };

/** Headers beside those that the gateway documents; it ignores them. */
export interface ExtraHeaders {
  traceparent?: string;
}

/** What is sent to the gateway. Each call has connections of its own, and is logged and counted. */
interface GatewayCalls {
  pay(collection: Collection, headers?: ExtraHeaders): Promise<Sent<Accepted>>;
  payout(payout: PayoutOrder, headers?: ExtraHeaders): Promise<Sent<{ paymentId: string | null }>>;
  /** Undefined if the profile has no status check: the documented weaker mode, in which IPNs are trusted. */
  status?: (transactionId: string, type: GatewayType, headers?: ExtraHeaders) => Promise<Checked>;
}

export type Operation = keyof GatewayCalls;

export interface Gateway extends GatewayCalls, RefundRules {
  /** Parses the body of an IPN. `refused`: nested too deep; `unreadable`: not the JSON of an IPN. */
  readIpn(text: string): { kind: 'read'; reading: IpnReading } | { kind: 'refused' } | { kind: 'unreadable' };
  /** It moves no money: the profile says so, or it is on loopback. */
  isTest: boolean;
  /** Opens the wallet app. */
  walletAppUrl: string | null;
  /** What a failure's code tells the shopper. */
  causeOf(code: string | null): Cause | null;
  /** How far its clock is ahead of this process's, in ms, by its last answer; undefined before that. */
  clockOffset(): number | undefined;
  close(): Promise<void>;
}
