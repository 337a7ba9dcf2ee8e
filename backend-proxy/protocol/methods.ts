// The traits of each payment method, one table per trait. To add a method, add it to METHODS (wire.ts); the compiler
// then names every table that needs a row. No other file compares a method's name.
import { METHODS, type Method, type OrderClaims } from './wire.ts';

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
