// English of the first paint, built in so that no text has to be loaded for it. The rest is in en-flow.ts and
// en-amount.ts. Every other dictionary has the keys of all three; the compiler checks it. `{…}` stands for a value,
// and `[a|b]` for b if all of its values are known, else for a. Intl formats times and amounts, plurals included, so
// no text depends on a number.
import type { enAmount } from './en-amount.ts';
import type { enFlow } from './en-flow.ts';

export const en = {
  choose: 'How would you like to pay?',
  app: 'Pay in [your wallet app|{wallet}]',
  direct: 'Confirm in [your wallet app|{wallet}]',
  byId: 'Enter your wallet ID',
  CHECKOUT_help: 'Log in on [the wallet|{wallet}]’s website',
  JETGO_help: 'Scan a JetGo code',
  QR_help: 'Scan a QR code',
  wallet: 'Wallet ID',
  walletHelp: 'The number shown in [your wallet app|{wallet}]',
  pay: '[Pay|Pay {amount}]',
  pay_order: 'Order with obligation to pay',
  pay_deposit: '[Deposit|Deposit {amount}]',
  pay_donation: '[Donate|Donate {amount}]',
  network: 'We cannot reach the payment service. Check your connection and try again.',
} as const;

export type MessageKey = keyof typeof en | keyof typeof enFlow | keyof typeof enAmount;
export type Messages = Record<MessageKey, string>;
