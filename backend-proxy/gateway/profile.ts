// The gateway's paths, field names and status names: the only translation between its words and ours.
// The service's own description leaves them "not shown"; the defaults are what its developer documentation and public
// integrations show. GATEWAY_PROFILE names a JSON file that overrides any of them; unknown keys are refused.
import { z } from 'zod';

const name = z.string().min(1).max(100);
const path = z.string().regex(/^\/[A-Za-z0-9/_.~-]*$/, 'a path that begins with /');
const httpStatus = z.int().min(100).max(599);
/** What a code of the gateway's looks like: a word, and never a text, which could hold anything. */
export const CODE = /^[A-Z][A-Z0-9_]{1,63}$/;
const words = z.array(z.string().regex(/^[a-z]{2,30}$/, 'one word in small letters'));
const scheme = z.string().regex(/^[a-z][a-z0-9+.-]{0,30}$/, 'a scheme without its colon');

/** An object whose every key has a default, and which refuses keys it does not know. */
function section<Shape extends z.core.$ZodLooseShape>(shape: Shape) {
  return z.strictObject(shape).prefault({} as never);
}

export const profileSchema = section({
  paths: section({
    pay: path.default('/api/v3/integration/merchants/payments/pay'),
    payout: path.default('/api/v3/integration/merchants/payments/payout'),
    /** null: the gateway has no status check, and an IPN is believed as it is (the weaker mode). */
    status: path.nullable().default('/api/v3/integration/merchants/payments/status'),
  }),
  request: section({
    orderId: name.default('orderId'),
    amount: name.default('amount'),
    currency: name.default('currency'),
    method: name.default('method'),
    returnUrl: name.default('returnUrl'),
    customer: name.default('customer'),
    customerReferenceNo: name.default('customerReferenceNo'),
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
  /** Fields of an IPN and of a status check's answer. */
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
  /** Fields of a refused request's answer. Only where `code` holds a word like WALLET_NOT_FOUND was it the gateway that refused. */
  refusal: section({ code: name.default('code'), message: name.default('message') }),
  /** Beginnings of the words by which a refusal's code or message says that the order id is known already. */
  duplicate: words.default(['duplicate', 'already', 'exist', 'unique', 'used']),
  /** The status check's own way to say that there is no such order, which no framework's 404 has; null: not known. */
  noSuchOrder: z.strictObject({ field: name, value: name }).nullable().default(null),
  /** Codes in a failed report's message that say that the gateway itself ended the time. */
  expired: z.array(z.string().regex(CODE, 'a code like TOKEN_EXPIRED')).default(['TOKEN_EXPIRED']),
  /** Schemes of wallet applications that a link may open. Web links go by CHECKOUT_HOSTS. */
  appSchemes: z.array(scheme).default(['jetgo', 'jeton']),
  types: section({
    PAY: name.default('PAY'),
    PAYOUT: name.default('PAYOUT'),
    /** The `type` of a payout request. */
    payoutRequest: name.default('JETGO'),
  }),
  /**
   * Status name → what it means; a name that is not here is taken for pending. `error`: a payment failed by it; of a payout, whose
   * money may be sent again once it is told failed, it says nothing.
   */
  statuses: z.record(name, z.enum(['pending', 'succeeded', 'failed', 'error'])).default({
    INITIALIZED: 'pending',
    PROCESSING: 'pending',
    SUCCESS: 'succeeded',
    FAILED: 'failed',
    ERROR: 'error',
  }),
  httpStatuses: section({
    /** Answers that the service documents as refusals. All other errors leave it open whether something was created. */
    rejected: z.array(httpStatus).default([400, 401, 403, 404, 405, 406, 410, 411, 413, 414, 415, 422]),
    /** Answers of the status check that say: there is no such order. */
    unknown: z.array(httpStatus).default([404]),
  }),
  /** The service documents payout amounts as Integer. */
  payoutDecimals: z.boolean().default(false),
});

export type Profile = z.infer<typeof profileSchema>;

export const DEFAULT_PROFILE: Profile = profileSchema.parse({});
