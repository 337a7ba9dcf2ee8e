// The terms that a dictionary must use for the same thing everywhere. Each language has a short glossary of its own
// (glossary/): how that country's banks and wallets say it, how the shopper is addressed, and which words are wrong.
// A translator reads it first and changes it first; locales-glossary.test.ts holds the dictionary to it.

/** What is meant, by the English words that say it. A text whose English has the words must use the glossary's term. */
export const TERMS = {
  wallet: /\bwallet\b/i,
  walletApp: /wallet app/i,
  walletWebsite: /wallet’s website|wallet website/i,
  walletId: /wallet ID/i,
  payment: /\bpayment\b(?! (service|link))/i,
  paymentService: /payment service/i,
  order: /\border\b/i,
  shop: /\bshop\b/i,
  amount: /\bamount\b(?!\})/i,
  code: /\bcode\b/i,
  image: /\bimage\b/i,
  device: /\bdevice\b/i,
  request: /\brequest\b/i,
  confirm: /\bconfirm/i,
  logIn: /\blog in\b/i,
  website: /\bwebsite\b/i,
  connection: /\bconnection\b/i,
  method: /\bmethod\b/i,
  anotherWay: /another way/i,
  tryAgain: /\btry again\b/i,
  chargedTwice: /charged twice/i,
  payTwice: /pay twice/i,
  noMoney: /no money was taken/i,
  countsIfPaid: /your payment counts/i,
} as const satisfies Record<string, RegExp>;

export type Term = keyof typeof TERMS;

export interface Glossary {
  /** How the shopper is addressed, and the form of a button's text. For translators. */
  address: string;
  /**
   * The words for each term: what every form of them has in common, alternatives separated by `|`, without regard to
   * case. Alternatives are forms of one word, or one word for each meaning, never synonyms.
   */
  say: Record<Term, string>;
  /** Where a term is left out or is a pronoun, because repeating it would not be idiomatic: the texts' keys. */
  without?: Partial<Record<Term, string[]>>;
  /** Words that no text may have, as a source of a regular expression, with the reason. */
  never: Record<string, string>;
}
