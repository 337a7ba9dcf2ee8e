// The terms that a dictionary must use for the same thing everywhere, and the glossary of each language, which says
// them (glossaries.yaml).
import { readFileSync } from 'node:fs';
import { parse } from 'yaml';

/** What is meant, by the English words that say it. A text whose English has the words must use the glossary's term. */
export const TERMS = {
  wallet: /\bwallet\b/i,
  walletApp: /wallet app/i,
  walletWebsite: /website/i,
  walletId: /wallet ID/i,
  payment: /\bpayment\b(?! (service|link))/i,
  paymentService: /payment service/i,
  // Not on the button: the law or usage fixes its words.
  order: /\border\b(?! with)/i,
  shop: /\bshop\b/i,
  amount: /\bamount\b(?!\})/i,
  code: /\bcode\b/i,
  image: /\bimage\b/i,
  device: /\bdevice\b/i,
  request: /\brequest\b/i,
  confirm: /\bconfirm/i,
  logIn: /\blog in\b/i,
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
  address: string;
  say: Record<Term, string>;
  /** The keys of texts. */
  without?: Partial<Record<Term, string[]>>;
  /** Sources of regular expressions, with the reason. */
  never: Record<string, string>;
}

/** By language. */
export const GLOSSARIES = parse(readFileSync('test/widget/glossaries.yaml', 'utf8')) as Record<string, Glossary>;
