// Tells the page's developer on the console what the widget itself does not show: a missing order, methods that the
// order lacks. Also holds the explanations of mistakes in the page that are reported as `payment-error`.
import type { SessionState, Trouble } from '../shell/state.ts';

export const INVALID_TOKEN: Trouble = {
  code: 'invalid_token',
  retryable: false,
  detail: 'The order attribute holds no order token that can be read.',
};

export const INVALID_PROXY = { detail: 'The proxy attribute is not a valid URL.', retryable: false };

export function warnAboutMissingOrder(): void {
  console.warn('<payment-widget> has no order: set its attribute `order`.');
}

export function warnAboutMethods({ order, preferences: { methods } }: SessionState): void {
  if (methods && !order.methods.some((method) => methods.includes(method)))
    console.warn(`<payment-widget> methods="${methods.join(' ')}": the order has only ${order.methods.join(' ')}`);
}
