// What crosses widget ⇄ proxy, as types: the order token's claims, the order view, the problem document.
// Both sides import these and nothing else of each other. Every name here is promised to merchants' pages: extend, never rename.

export const METHODS = ['DIRECT', 'CHECKOUT', 'JETGO', 'QR'] as const;
export type Method = (typeof METHODS)[number];

/** The gateway's names. INITIALIZED: being sent, or its outcome is not known yet. PROCESSING: accepted, the customer's turn. */
export const STATUSES = ['INITIALIZED', 'PROCESSING', 'SUCCESS', 'FAILED'] as const;
export type Status = (typeof STATUSES)[number];

/**
 * Why a payment is FAILED. DECLINED is the gateway's word, RESOLVED a person's at the merchant; EXPIRED is the gateway's or our
 * clock's. A SUCCESS that comes after any of them still counts, and is `late`.
 */
export const REASONS = ['DECLINED', 'EXPIRED', 'REPLACED', 'REJECTED', 'NOT_CREATED', 'RESOLVED'] as const;
export type Reason = (typeof REASONS)[number];

/**
 * Whether the gateway answered the call that starts the payment. AWAITED: the call is under way. ARRIVED: it was answered as
 * documented. LOST: the call is over without such an answer, so it is not known whether the gateway has the payment; there is
 * nothing to pay with but what DIRECT may have put into the wallet, and another try may be offered. The payment stays watched.
 */
export const ANSWERS = ['AWAITED', 'ARRIVED', 'LOST'] as const;
export type AnswerState = (typeof ANSWERS)[number];

/** Claims of the order token (compact JWS, HS256), made by the merchant's server. Amounts are decimal strings in major units. */
export interface OrderClaims {
  orderId: string;
  /** ISO 4217, upper case. */
  currency: string;
  /** Absent: the shopper enters it, between `minAmount` and `maxAmount`. */
  amount?: string;
  minAmount?: string;
  maxAmount?: string;
  /** Where the shopper returns to; its origin is one of ALLOWED_ORIGINS. */
  returnUrl: string;
  /** Wallet id, digits. */
  customer?: string;
  /** The customer's id at the merchant; DIRECT is offered only when it is present. */
  customerReferenceNo?: string;
  /** Ordered subset of METHODS; default: all that the other claims allow. */
  methods?: Method[];
  /** ISO 639-1, lower case. */
  language?: string;
  description?: string;
  /** Whole seconds, 60 to 3600, that a code or a request is good for; then it is EXPIRED, and the shopper may ask for a new one. */
  payWithin?: number;
  /** Where a shopper in trouble finds the shop's help; https. */
  supportUrl?: string;
  /** Seconds since 1970; `exp` is at most 24 hours ahead. */
  iat?: number;
  exp: number;
}

/** A code to scan: its modules, row by row, one bit each (1 is dark), most significant bit first, base64url; or a raster image. */
export type QrCode = { text: string; size: number; modules: string } | { image: string };

export interface PaymentView {
  method: Method;
  /** The method that was asked for: a wallet that cannot be asked directly is led to the checkout. */
  asked: Method;
  status: Status;
  reason: Reason | null;
  answer: AnswerState;
  /** CHECKOUT: where to send the shopper; https, or http on loopback. */
  checkoutUrl: string | null;
  qr: QrCode | null;
  /** Link that opens the wallet application on the same device. */
  appUrl: string | null;
  /** DIRECT only: the last four digits of the wallet id that was asked, so that the shopper sees whether it is the right one. */
  walletLast4: string | null;
  /** ISO 8601; when the gateway's checkout or the order's `payWithin` is over, whichever is first (compare with `serverTime`); null without either. */
  expiresAt: string | null;
  createdAt: string;
  /** ISO 8601; when it was seen to have succeeded, else null. */
  paidAt: string | null;
  /** It succeeded after it had been taken for ended. */
  late: boolean;
}

/** The whole truth about an order at one version; a view with a lower version is older and is ignored. */
export interface OrderView {
  orderId: string;
  /** Decimal string with the currency's digits; null while the shopper has not entered it. */
  amount: string | null;
  currency: string;
  description: string | null;
  /** The shop's help page, from the token; https. */
  supportUrl: string | null;
  methods: Method[];
  paid: boolean;
  /** Paid more than once; the merchant was told by `payment.surplus`. */
  surplus: boolean;
  /** Another payment than the current one can still be paid. */
  otherOpen: boolean;
  version: number;
  serverTime: string;
  /** The current payment: the one that succeeded, else the latest. */
  payment: PaymentView | null;
}

/**
 * Body of `POST /order/payments`. `amount` only where the token leaves it open; `customer` only for DIRECT and CHECKOUT. `language`:
 * what the widget speaks, ISO 639-1, for the gateway's own pages; the token's goes before it.
 */
export interface StartPayment {
  method: Method;
  customer?: string;
  amount?: string;
  language?: string;
}

/** RFC 9457, media type application/problem+json. */
export interface Problem {
  type: string;
  title: string;
  status: number;
  detail: string;
  /** Stable, for programs. */
  code: string;
  /** Whether the same request may succeed later. */
  retryable: boolean;
  /** What is wrong with which field, and what is allowed. */
  errors?: { field: string; detail: string }[];
  requestId: string;
}
