// The English texts as the shopper reads them.
import { en as firstTexts } from '../widget/locales/en.ts';
import { enAmount } from '../widget/locales/en-amount.ts';
import { enFlow as flowTexts } from '../widget/locales/en-flow.ts';
import { fill } from '../widget/shell/language.ts';

/** A dictionary with the names that an order's token has; without them, of each `[a|b]` the a. */
export const withNames = <Key extends string>(texts: Record<Key, string>, names = {}): Record<Key, string> =>
  Object.fromEntries(Object.entries<string>(texts).map(([key, text]) => [key, fill(text, names)])) as Record<
    Key,
    string
  >;

const otherTexts = { ...flowTexts, ...enAmount };

export const en = withNames(firstTexts);
export const enFlow = withNames(otherTexts);
/** All of them, in the demo's shop. */
export const texts = withNames({ ...firstTexts, ...otherTexts }, { wallet: 'Sandbox Wallet' });
