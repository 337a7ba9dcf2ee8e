// The English texts as the shopper reads them if the order's token names neither a merchant nor a wallet.
import { en as firstTexts } from '../widget/locales/en.ts';
import { enFlow as otherTexts } from '../widget/locales/en-flow.ts';
import { fill } from '../widget/shell/language.ts';

/** A dictionary without names: of each `[a|b]` the a. */
export const withoutNames = <Key extends string>(texts: Record<Key, string>): Record<Key, string> =>
  Object.fromEntries(Object.entries<string>(texts).map(([key, text]) => [key, fill(text)])) as Record<Key, string>;

export const en = withoutNames(firstTexts);
export const enFlow = withoutNames(otherTexts);
