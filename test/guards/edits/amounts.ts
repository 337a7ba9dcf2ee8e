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
    { file: 'backend-proxy/routes/order.ts', find: '.strictObject({\n    method', put: '.object({\n    method' },
    { file: PAYMENTS, find: 'if (terms.amountMinor !== null) {', put: 'if (terms.amountMinor !== null && !asked) {' },
  ],
  'Pay less if the amount is open': [
    { file: PAYMENTS, find: ' || amountMinor < minMinor', put: '' },
    { file: PAYMENTS, find: ' || amountMinor > maxMinor', put: '' },
  ],
  'Send an amount that two parsers read differently': [
    { file: MONEY, find: '/^(0|[1-9][0-9]*)(?:\\.([0-9]+))?$/', put: '/^([^.]*)(?:\\.(.+))?$/' },
    { file: MONEY, find: 'if (fraction.length > exponent) return undefined;', put: '' },
    { file: MONEY, find: 'digits.length > MAX_AMOUNT_DIGITS ? undefined : ', put: '' },
  ],
  'Sign an ambiguous amount': [
    { file: ORDER_TOKEN, find: 'minorOf(text, currency);', put: 'Math.round(Number(text) * 10 ** digits);' },
  ],
  'Pay out a rounded amount': [
    {
      file: PAYOUT_ROUTES,
      find: 'parseExact(await c.req.text()) as { amount: string }',
      put: '{ amount: String(sent.amount) }',
    },
    { file: EXACT_JSON, find: '(context?.source ?? String(value))', put: 'String(value)' },
  ],
  'Change an order after it was started': [
    { file: LEDGER_PAYMENTS, find: ' || order.amount_minor !== payment.orderAmountMinor', put: '' },
    { file: LEDGER_PAYMENTS, find: 'order.currency !== payment.currency || ', put: '' },
    { file: 'backend-proxy/orders/order-view.ts', find: '= order?.payments.length ? order : terms;', put: '= terms;' },
  ],
  'Pay with an older token': [
    { file: LEDGER_PAYMENTS, find: 'if (isOlder && payment.terms !== order.seen_terms) {', put: 'if (false) {' },
  ],
};
