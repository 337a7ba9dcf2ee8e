// What each payment method is, one row a method in each table. A method that the gateway adds is added to METHODS (wire.ts);
// the compiler then names every table that needs its row. No other file compares a method's name.
import { METHODS, type Method, type OrderClaims } from './wire.ts';

/** What the gateway answers a start with: a request in the customer's wallet, a link to its checkout page, or a code to scan. */
export const ANSWER = {
  DIRECT: 'prompt',
  CHECKOUT: 'link',
  JETGO: 'code',
  QR: 'code',
} as const satisfies Record<Method, 'prompt' | 'link' | 'code'>;

/** The methods that send a request to the customer's phone; these are limited by wallet. */
export const PROMPTING = /* @__PURE__ */ METHODS.filter((method) => ANSWER[method] === 'prompt');

/** Whether a start names the customer's wallet id. */
export const WALLET_ID = {
  DIRECT: 'required',
  CHECKOUT: 'optional',
  JETGO: 'none',
  QR: 'none',
} as const satisfies Record<Method, 'required' | 'optional' | 'none'>;

/** Which orders may be paid by it: all, or only those whose token has `customerReferenceNo`, which the gateway requires. */
const OFFERED = {
  DIRECT: 'with customerReferenceNo',
  CHECKOUT: 'always',
  JETGO: 'always',
  QR: 'always',
} as const satisfies Record<Method, 'always' | 'with customerReferenceNo'>;

interface Offer {
  methods?: OrderClaims['methods'] | undefined;
  customerReferenceNo?: string | undefined;
}

/** The methods an order can be paid by, in the merchant's order; by default all that its other claims allow. */
export function methodsOf({ methods, customerReferenceNo }: Offer): Method[] {
  return (methods ?? METHODS).filter((method) => OFFERED[method] === 'always' || customerReferenceNo);
}
