// Finds the sentence of a text on the screen: the keys of the English dictionary with these words, and the values of
// their placeholders. A text without a letter claims nothing. Any other text must be data that the journey knows.
import { en, type MessageKey } from '../../widget/locales/en.ts';
import { enAmount } from '../../widget/locales/en-amount.ts';
import { enFlow } from '../../widget/locales/en-flow.ts';

/**
 * Where a text stands: `method` is the list of methods, whose names and descriptions say nothing about this payment.
 */
export interface Text {
  text: string;
  place: 'method' | 'panel';
}

export interface Sentence {
  key: MessageKey;
  values: Record<string, string>;
}

/** `[a|b]`: a without names, b with them. */
const CHOICE = /\[(.*?)\|(.*?)\]/g;
/** Each text without names, and with them. */
const ENGLISH = Object.fromEntries(
  Object.entries({ ...en, ...enFlow, ...enAmount }).map(([key, text]) => [
    key,
    [text.replaceAll(CHOICE, '$1'), text.replaceAll(CHOICE, '$2')],
  ]),
) as Record<MessageKey, [string, string]>;
const KEYS = Object.keys(ENGLISH) as MessageKey[];

/** What may fill a placeholder; a button may still wait for its amount. */
const PLACEHOLDERS: Record<string, string> = {
  amount: '(?:[^a-z]*\\d[^a-z]*)?',
  min: '[^a-z]*\\d[^a-z]*',
  max: '[^a-z]*\\d[^a-z]*',
  example: '[\\d.,]+',
  time: '[\\d:]+(?: \\w+)?',
  id: '\\S+',
  merchant: '.+',
  // No sentence: "Open {wallet}" would be found in each one that begins with "Open".
  wallet: '[^.]{1,30}',
  last4: '.?•+.\\d{4}.?',
};

const OF_METHODS = /^(DIRECT|CHECKOUT|JETGO|QR|scan|app)_help$|^(direct|byId|app|unavailable|checkoutTime)$/;
const ALSO_OF_PANELS = /^(direct|app|scan_help|app_help)$/;

/** Several if sentences share their words; none if it is not in the dictionary. */
export function sentencesIn({ text, place }: Text): Sentence[] {
  const isCandidate = (key: MessageKey) =>
    place === 'method' ? OF_METHODS.test(key) : ALSO_OF_PANELS.test(key) || !OF_METHODS.test(key);
  const exact = KEYS.filter((key) => isCandidate(key) && ENGLISH[key].includes(text));
  if (exact.length > 0) return exact.map((key) => ({ key, values: {} }));
  return KEYS.flatMap((key) => {
    const found = isCandidate(key) && PATTERNS[key].map((pattern) => pattern.exec(text)?.groups).find(Boolean);
    return found ? [{ key, values: { ...found } }] : [];
  });
}

/** The sentence within this one that says what was charged. */
export const withinSentence = ({ values: { nothing } }: Sentence): Sentence[] =>
  nothing ? sentencesIn({ text: nothing, place: 'panel' }) : [];

/** An amount, a sign or a number, which claims nothing. */
export function isWordless(text: string): boolean {
  return !/\p{L}/u.test(text);
}

const patternOf = (text: string): RegExp => {
  const words = text.replaceAll(/[.?()]/g, String.raw`\$&`);
  const pattern = words.replaceAll(/ ?\{(\w+)\}/g, (place, name: string) => {
    const space = place.startsWith(' ') ? ' ?' : '';
    return `${space}(?<${name}>${PLACEHOLDERS[name] ?? '.+'})`;
  });
  return new RegExp(`^${pattern}$`);
};

const PATTERNS = Object.fromEntries(
  KEYS.map((key) => [key, ENGLISH[key].filter((text) => text.includes('{')).map(patternOf)]),
) as Record<MessageKey, RegExp[]>;
