// Checks what the shopper chose and typed, and makes the body of the start from it. Pure; the proxy checks all of it again.
import type { Method, StartPayment } from '../backend-proxy/protocol/wire.ts';
import { compareAmounts, parseAmount } from './amount.ts';
import type { FieldErrors, SessionState } from './view.ts';

export type CheckedDraft = { body: StartPayment; errors?: undefined } | { body?: undefined; errors: FieldErrors };

export function checkDraft(state: SessionState, method: Method, language: string): CheckedDraft {
  const { claims, draft } = state;
  const errors: FieldErrors = {};
  const body: StartPayment = { method };
  if (claims?.amount === undefined) {
    const amount = draftAmount(state, language);
    if (!amount) errors.amount = 'amountWrong';
    else if (claims?.minAmount && compareAmounts(amount, claims.minAmount) < 0) errors.amount = 'atLeast';
    else if (claims?.maxAmount && compareAmounts(amount, claims.maxAmount) > 0) errors.amount = 'atMost';
    else body.amount = amount;
  }
  if (method === 'DIRECT' && !claims?.customer) {
    const customer = draft.customer.replaceAll(/\s/g, '');
    if (/^\d{4,20}$/.test(customer)) body.customer = customer;
    else errors.customer = 'walletWrong';
  }
  return errors.amount || errors.customer ? { errors } : { body };
}

/** The amount to be paid, as far as it is known: the order's, else what was typed so far; null where that is no amount. */
export function draftAmount({ claims, order, draft }: SessionState, language: string): string | null {
  if (!order || claims?.amount !== undefined) return order?.amount ?? null;
  return draft.amount ? parseAmount(draft.amount, order.currency, language) : order.amount;
}
