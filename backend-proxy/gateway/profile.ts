// The paths, field names and status names of the gateway; no other module translates them. The service documentation
// leaves them as "not shown"; the defaults follow its developer documentation and public integrations.
// GATEWAY_PROFILE names a JSON file that overrides any of them; unknown keys are rejected.
import { z } from 'zod';
import { isAppUrl } from '../protocol/links.ts';
import { METHODS, type Method } from '../protocol/wire.ts';

const name = z.string().min(1).max(100);
const path = z.string().regex(/^\/[A-Za-z0-9/_.~-]*$/, 'a path that begins with /');
const httpStatus = z.int().min(100).max(599);
/** Form of a gateway code: one word, never free text, which could contain anything. */
export const CODE = /^[A-Z][A-Z0-9_]{1,63}$/;
const codes = z.array(z.string().regex(CODE, 'a code like TOKEN_EXPIRED'));
const words = z.array(z.string().regex(/^[a-z]{2,30}$/, 'one word in small letters'));
const refundType = name.nullable().default('no');
const scheme = z.string().regex(/^[a-z][a-z0-9+.-]{0,30}$/, 'a scheme without its colon');

const appUrl = z
  .string()
  .max(2048)
  .refine((text) => URL.canParse(text) && isAppUrl(new URL(text)), 'an https URL or a link of an app');

/** An object with a default for each key that rejects unknown keys. */
function section<Shape extends z.core.$ZodLooseShape>(shape: Shape) {
  return z.strictObject(shape).prefault({} as never);
}

export const profileSchema = section({
  paths: section({
    pay: path.default('/api/v3/integration/merchants/payments/pay'),
    payout: path.default('/api/v3/integration/merchants/payments/payout'),
    /** null: no status check; IPNs are trusted (the weaker mode). */
    status: path.nullable().default('/api/v3/integration/merchants/payments/status'),
  }),
  request: section({
    orderId: name.default('orderId'),
    amount: name.default('amount'),
    currency: name.default('currency'),
    method: name.default('method'),
    returnUrl: name.default('returnUrl'),
    customer: name.default('customer'),
    customerReference: name.default('customerReferenceNo'),
    language: name.default('language'),
    type: name.default('type'),
    note: name.default('note'),
  }),
  answer: section({
    orderId: name.default('orderId'),
    paymentId: name.default('paymentId'),
    method: name.default('method'),
    checkoutUrl: name.default('checkout'),
    qr: name.default('qr'),
    appUrl: name.default('appPaymentLink'),
  }),
  /** Fields of an IPN and of the answer of a status check. */
  report: section({
    orderId: name.default('orderId'),
    paymentId: name.default('paymentId'),
    type: name.default('type'),
    customer: name.default('customer'),
    amount: name.default('amount'),
    currency: name.default('currency'),
    status: name.default('status'),
    message: name.default('message'),
  }),
  /**
   * Fields of a refused request. It counts as refused by the gateway only if `code` holds a word like
   * WALLET_NOT_FOUND.
   */
  refusal: section({ code: name.default('code'), message: name.default('message') }),
  /** Prefixes of words in the code or message of a refusal that names the order; they mark its id as a duplicate. */
  duplicate: words.default(['duplicate', 'already', 'exist', 'unique', 'used']),
  /** Codes of a refusal that mark it as a duplicate, whatever their words. */
  duplicateCodes: codes.default([]),
  /** How a status check reports that there is no such order, which no 404 of a framework contains; null: not known. */
  noSuchOrder: z.strictObject({ field: name, value: name }).nullable().default(null),
  /** Codes in the message of a failed report that mean that the gateway let the payment expire. */
  expired: codes.default(['TOKEN_EXPIRED']),
  /** Such codes that tell the shopper why the payment was declined. */
  causes: section({
    CANCELLED: codes.default(['USER_CANCELLED']),
    LOW_BALANCE: codes.default(['INSUFFICIENT_BALANCE']),
  }),
  /** Schemes of wallet apps that a link may open. CHECKOUT_HOSTS limits web links. */
  appSchemes: z.array(scheme).default(['jetgo', 'jeton']),
  /** Opens the wallet app, whose requests a phone then shows; a path is one of the gateway's own. null: not known. */
  walletAppUrl: z.union([path, appUrl]).nullable().default(null),
  types: section({
    PAY: name.default('PAY'),
    PAYOUT: name.default('PAYOUT'),
    /** `type` of a payout request; null: it has none. */
    payoutRequest: name.nullable().default('JETGO'),
  }),
  /**
   * How a payment of each method is refunded: the `type` of the payout, null for none, or "no". It is not documented
   * whether such a payout reaches the payer, so the operator has to find out first.
   */
  refundAs: section(
    Object.fromEntries(METHODS.map((method) => [method, refundType])) as Record<Method, typeof refundType>,
  ),
  /**
   * Maps status names; an unknown name counts as pending. `error` fails a payment. It leaves a payout pending: once
   * FAILED is reported, its money may be sent again.
   */
  statuses: z.record(name, z.enum(['pending', 'succeeded', 'failed', 'error'])).default({
    INITIALIZED: 'pending',
    PROCESSING: 'pending',
    SUCCESS: 'succeeded',
    FAILED: 'failed',
    ERROR: 'error',
  }),
  httpStatuses: section({
    /** Documented refusals. After any other error it is unknown whether something was created. */
    rejected: z.array(httpStatus).default([400, 401, 403, 404, 405, 406, 410, 411, 413, 414, 415, 422]),
    /** Answers of the status check that report no such order. */
    unknown: z.array(httpStatus).default([404]),
  }),
  /** The service documents integer payout amounts. */
  payoutDecimals: z.boolean().default(false),
  /** Whether the gateway moves no money. null: if it is on loopback. */
  sandbox: z.boolean().nullable().default(null),
});

export type Profile = z.infer<typeof profileSchema>;

export const DEFAULT_PROFILE: Profile = profileSchema.parse({});
