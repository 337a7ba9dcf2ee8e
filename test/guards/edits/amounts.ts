// The edits for the attacks under "Amounts" in docs/threats.md.
import type { Edits } from '../apply.ts';

const ORDER_TOKEN = 'backend-proxy/orders/order-token.ts';
const PAYMENTS = 'backend-proxy/payments.ts';
const MONEY = 'backend-proxy/protocol/money.ts';
const LEDGER_PAYMENTS = 'backend-proxy/ledger/rules/payments.ts';
const EXACT_JSON = 'backend-proxy/protocol/exact-json.ts';
const PAYOUT_ROUTES = 'backend-proxy/routes/payouts.ts';

export const amounts: Edits = {
  'Pay less than the order costs': [
    ['backend-proxy/routes/order.ts', '.strictObject({\n    method', '.object({\n    method'],
    [PAYMENTS, 'if (terms.amountMinor !== null) {', 'if (terms.amountMinor !== null && !asked) {'],
  ],
  'Pay less if the amount is open': [
    [PAYMENTS, ' || amountMinor < minMinor', ''],
    [PAYMENTS, ' || amountMinor > maxMinor', ''],
  ],
  'Send an amount that two parsers read differently': [
    [MONEY, '/^(0|[1-9][0-9]*)(?:\\.([0-9]+))?$/', '/^([^.]*)(?:\\.(.+))?$/'],
    [MONEY, 'if (fraction.length > exponent) return undefined;', ''],
    [MONEY, 'digits.length > MAX_AMOUNT_DIGITS ? undefined : ', ''],
  ],
  'Sign an ambiguous amount': [[ORDER_TOKEN, 'minorOf(text, currency);', 'Math.round(Number(text) * 10 ** digits);']],
  'Pay out a rounded amount': [
    [PAYOUT_ROUTES, 'parseExact(await c.req.text()) as { amount: string }', '{ amount: String(sent.amount) }'],
    [EXACT_JSON, '(context?.source ?? String(value))', 'String(value)'],
  ],
  'Change an order after it was started': [
    [LEDGER_PAYMENTS, ' || order.amount_minor !== payment.orderAmountMinor', ''],
    [LEDGER_PAYMENTS, 'order.currency !== payment.currency || ', ''],
    ['backend-proxy/orders/order-view.ts', '= order?.payments.length ? order : terms;', '= terms;'],
  ],
  'Pay with an older token': [
    [LEDGER_PAYMENTS, 'if (isOlder && payment.terms !== order.seen_terms) {', 'if (false) {'],
  ],
};
