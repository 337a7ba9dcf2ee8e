// What the widget and the proxy share: token claims, order view, problem document, and payment methods.
// Every name of the types is promised to merchants' pages: extend, never rename.

export const METHODS = ['DIRECT', 'CHECKOUT', 'JETGO', 'QR'] as const;
export type Method = (typeof METHODS)[number];

/** What the shopper's press does, in the words on the button; `order` concludes a contract. */
export const PURPOSES = ['payment', 'order', 'deposit', 'donation'] as const;
export type Purpose = (typeof PURPOSES)[number];

/** A wallet id, as the gateway takes one. */
export const WALLET_ID_FORM = /^[0-9]{4,20}$/;

/**
 * The gateway's names. INITIALIZED: not sent, in flight, or the outcome is unknown. PROCESSING: accepted; the customer
 * has to pay.
 */
export const STATUSES = ['INITIALIZED', 'PROCESSING', 'SUCCESS', 'FAILED'] as const;
export type Status = (typeof STATUSES)[number];

/**
 * Why a payment is FAILED. DECLINED comes from the gateway, RESOLVED from a person at the merchant, EXPIRED from the
 * gateway or our clock. A later SUCCESS still counts and sets `late`.
 */
export const REASONS = ['DECLINED', 'EXPIRED', 'REPLACED', 'REJECTED', 'NOT_CREATED', 'RESOLVED'] as const;
export type Reason = (typeof REASONS)[number];

/**
 * Why the gateway ended a payment. Of a DECLINED one, as far as its code tells: the customer ended it, or had too
 * little money. TOKEN_EXPIRED: of an EXPIRED one that the gateway, not only our clock, has ended.
 */
export const CAUSES = ['CANCELLED', 'LOW_BALANCE', 'TOKEN_EXPIRED'] as const;
export type Cause = (typeof CAUSES)[number];

/**
 * Whether the gateway answered the call that starts the payment. AWAITED: the call is in flight. ARRIVED: the answer is
 * documented. LOST: the call ended without such an answer, so it is unknown whether the gateway has the payment. The
 * shopper then has nothing to pay with, except a DIRECT prompt that may have reached the wallet, and may be offered
 * another attempt. Status checks go on.
 */
export const ANSWERS = ['AWAITED', 'ARRIVED', 'LOST'] as const;
export type AnswerState = (typeof ANSWERS)[number];

/** The merchant's own words about an order. Personal data: shoppers, the log and the gateway never get them. */
export type Metadata = Record<string, string>;

/**
 * Claims of the order token (compact JWS, HS256), made by the merchant's server. Amounts are decimal strings in major
 * units.
 */
export interface OrderClaims {
  orderId: string;
  /** ISO 4217, upper case. */
  currency: string;
  /** If absent, the shopper enters it, between `minAmount` and `maxAmount`. */
  amount?: string;
  minAmount?: string;
  maxAmount?: string;
  /** Where the shopper returns to; its origin is one of ALLOWED_ORIGINS. */
  returnUrl: string;
  /** Wallet id, digits. */
  customer?: string;
  /** The customer's id at the merchant; required for DIRECT. */
  customerReferenceNo?: string;
  /** Ordered subset of METHODS; default: all that the other claims allow. */
  methods?: Method[];
  /** ISO 639-1, lower case. */
  language?: string;
  description?: string;
  /**
   * How long a code or prompt is valid, in whole seconds, 60 to 3600; then the payment is EXPIRED, and the shopper may
   * start another.
   */
  payWithin?: number;
  /** Default: `payment`, for an order that was placed before. */
  purpose?: Purpose;
  /** The shop's help page; https. */
  supportUrl?: string;
  /** The payee's name, as the shopper knows it. */
  merchant?: string;
  /** The payee's mark, drawn square: an https URL, or a `data:` image. */
  logo?: string;
  /** The wallet's name, in place of "your wallet app". */
  walletName?: string;
  /** In place of the widget's own names of methods. */
  methodNames?: Partial<Record<Method, string>>;
  /** Up to 4 for an open amount, within its bounds. */
  suggestedAmounts?: string[];
  /** Of the token that starts the order's first payment; keys `[a-z0-9_]{1,40}`, up to 1024 bytes as JSON. */
  metadata?: Metadata;
  /** Seconds since 1970; `exp` is at most 24 hours ahead. */
  iat?: number;
  exp: number;
}

/**
 * A code to scan: its modules, row by row, one bit each (1 is dark), most significant bit first, base64url; or a raster
 * image.
 */
export type QrCode = { text: string; size: number; modules: string } | { image: string };

export interface PaymentView {
  method: Method;
  /** The requested method; the gateway may answer DIRECT with its checkout. */
  asked: Method;
  status: Status;
  reason: Reason | null;
  /** Of a DECLINED or EXPIRED one; null if unknown. */
  cause: Cause | null;
  answer: AnswerState;
  /** CHECKOUT: where to send the shopper; https, or http on loopback. */
  checkoutUrl: string | null;
  qr: QrCode | null;
  /** Link that opens the wallet application on the same device; of a request, if the profile has it. */
  appUrl: string | null;
  /** The last four digits of the wallet that paid, and before, of DIRECT, of the one that was asked; else null. */
  walletLast4: string | null;
  /**
   * ISO 8601; when the gateway's checkout or the order's `payWithin` ends, whichever is first (compare with
   * `serverTime`); null without either.
   */
  expiresAt: string | null;
  createdAt: string;
  /** ISO 8601; when the gateway reported the success, or without a report, when a person did; or null. */
  paidAt: string | null;
  /** Succeeded after it had been shown as failed. */
  late: boolean;
}

/** A payment beside the one that is shown. */
export type OtherPaymentView = Pick<PaymentView, 'method' | 'walletLast4' | 'createdAt'>;

/** A payment that arrived. */
export interface ReceivedView extends Pick<PaymentView, 'method' | 'walletLast4' | 'paidAt'> {
  /** Decimal string with the currency's digits. */
  amount: string;
}

/** Money that goes back to the wallet that paid. PROCESSING: the gateway has accepted it; SUCCESS: it was sent. */
export interface RefundView {
  /** Decimal string with the currency's digits. */
  amount: string;
  status: 'PROCESSING' | 'SUCCESS';
}

/** The complete state of an order at one version; within one stream, ignore a view with a lower version. */
export interface OrderView {
  orderId: string;
  /** Decimal string with the currency's digits; null until the shopper enters it. */
  amount: string | null;
  currency: string;
  description: string | null;
  /** The shop's help page, from the token; https. */
  supportUrl: string | null;
  methods: Method[];
  paid: boolean;
  /**
   * The gateway reported SUCCESS for a payment, and a person of the shop has to confirm it: nothing is shown to pay
   * with, and a start is refused until then. Also of a paid order, if what paid it is in doubt.
   */
  checking: boolean;
  /** The shop has closed it: nothing is shown to pay with, and a start is refused. */
  closed: boolean;
  /** The gateway moves no money, because it is on loopback or its profile says so (`sandbox`). */
  test: boolean;
  /** Paid more than once; reported to the merchant as `payment.surplus`. */
  surplus: boolean;
  /** What the payments after the first brought in all: a decimal string, null if there are none. */
  surplusAmount: string | null;
  /** What of money that pays no order is neither refunded, even in doubt, nor settled another way: null if nothing. */
  owedAmount: string | null;
  /** A payment other than the current one can still be paid. */
  otherOpen: boolean;
  /** Which, oldest first. */
  otherPayments: OtherPaymentView[];
  /** Oldest first; none that a person of the shop has denied. */
  received: ReceivedView[];
  /** Oldest first; none that the gateway has not accepted yet or reports failed, or that a person has to look into. */
  refunds: RefundView[];
  /** Those others, unless they have failed, in all: a decimal string, null if there are none. */
  refundInDoubtAmount: string | null;
  /** Of each payment's last refund, if it has failed and was not settled either, in all: a decimal string, else null. */
  refundFailedAmount: string | null;
  version: number;
  serverTime: string;
  /** The current payment: the one that succeeded, else the latest. */
  payment: PaymentView | null;
  /** Once it has failed: the only other one that can still be paid, with what there is to pay it with. */
  openPayment: PaymentView | null;
}

/**
 * Body of `POST /order/payments`. `amount` only if the token leaves it open; `customer` only for DIRECT and CHECKOUT.
 * `language`: the widget's, ISO 639-1, for the gateway's own pages; the token's `language` takes precedence.
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
  /** Which field is wrong, and what is allowed. */
  errors?: { field: string; detail: string }[];
  requestId: string;
}

// The traits of each payment method, one table per trait. To add a method, add it to METHODS; the compiler then names
// every table that needs a row. Only the index of prompts (ledger/schema/schema.ts) compares a method's name.

/** How the customer pays: by a prompt in their wallet, a link to the gateway's checkout page, or a code to scan. */
export const PAYS_BY = {
  DIRECT: 'prompt',
  CHECKOUT: 'link',
  JETGO: 'code',
  QR: 'code',
} as const satisfies Record<Method, 'prompt' | 'link' | 'code'>;

/** The methods that send a prompt to the customer's phone; prompts are limited per wallet. */
export const PROMPT_METHODS = /* @__PURE__ */ METHODS.filter((method) => PAYS_BY[method] === 'prompt');

/** Whether a start names the customer's wallet id. */
export const WALLET_ID = {
  DIRECT: 'required',
  CHECKOUT: 'optional',
  JETGO: 'none',
  QR: 'none',
} as const satisfies Record<Method, 'required' | 'optional' | 'none'>;

/** Whether the gateway needs the customer's reference at the merchant. Only orders that name it offer the method. */
const CUSTOMER_REFERENCE = {
  DIRECT: 'required',
  CHECKOUT: 'none',
  JETGO: 'none',
  QR: 'none',
} as const satisfies Record<Method, 'required' | 'none'>;

type Offer = { [Claim in 'methods' | 'customerReferenceNo']?: OrderClaims[Claim] | undefined };

/** The methods an order offers, in the merchant's order; by default all that its other claims allow. */
export function methodsOf({ methods, customerReferenceNo }: Offer): Method[] {
  // In the browser the claims are unchecked, so this may be no list.
  return Array.from(methods ?? METHODS).filter(
    (method) => CUSTOMER_REFERENCE[method] === 'none' || customerReferenceNo,
  );
}
