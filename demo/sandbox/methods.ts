// The gateway's payment methods and transaction types, and every way in which the methods differ. A method is one row
// in each table, so the compiler names what a new method still needs; no other file compares a method's name.

export const TYPES = ['PAY', 'PAYOUT'] as const;
export type TransactionType = (typeof TYPES)[number];

export const METHODS = ['DIRECT', 'CHECKOUT', 'JETGO', 'QR'] as const;
export type Method = (typeof METHODS)[number];

/** How the customer confirms: a prompt on the phone, a link to the hosted checkout, or a code to scan. */
export type Answer = 'prompt' | 'link' | 'code';

export const ANSWER = {
  DIRECT: 'prompt',
  CHECKOUT: 'link',
  JETGO: 'code',
  QR: 'code',
} as const satisfies Record<Method, Answer>;

/** The widget's receipt has the same names. */
export const NAMES = {
  DIRECT: 'Wallet app',
  CHECKOUT: 'Wallet website',
  JETGO: 'JetGo',
  QR: 'QR code',
} as const satisfies Record<Method, string>;

/** 202: accepted, and confirmed later without the shopper's browser. */
export const HTTP_STATUS = { prompt: 202, link: 200, code: 200 } as const satisfies Record<Answer, 200 | 202>;

/** The method in use for a customer without a wallet, who has no phone to confirm on. */
export const WITHOUT_WALLET = {
  DIRECT: 'CHECKOUT',
  CHECKOUT: 'CHECKOUT',
  JETGO: 'JETGO',
  QR: 'QR',
} as const satisfies Record<Method, Method>;

export type Presence = 'required' | 'optional' | 'no part';

/** The fields that depend on the method; every method requires the other fields of a collection. */
export const PRESENCE = {
  DIRECT: { customer: 'required', customerReferenceNo: 'required', language: 'optional' },
  CHECKOUT: { customer: 'optional', customerReferenceNo: 'no part', language: 'optional' },
  JETGO: { customer: 'no part', customerReferenceNo: 'no part', language: 'no part' },
  QR: { customer: 'no part', customerReferenceNo: 'no part', language: 'no part' },
} as const satisfies Record<Method, Record<'customer' | 'customerReferenceNo' | 'language', Presence>>;
