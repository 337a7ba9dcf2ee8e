// The third bundle: what an order needs that leaves the amount to the shopper. Few do. payment-widget.ts begins to
// fetch it, and flow/open-amount.ts provides it.
export { amountField } from './amount-field.ts';
export { amountStyles } from './amount.styles.ts';
export { amountErrors, exampleAmount, readTypedAmount, writeTypedAmount } from './typed-amount.ts';
