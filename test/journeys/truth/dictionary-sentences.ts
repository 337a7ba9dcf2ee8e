// Finds the sentence of a text on the screen: the keys of the English dictionary with these words, and the values of
// their placeholders. A text without a letter claims nothing. Any other text must be data that the journey knows.
import { en, type MessageKey } from '../../../widget/locales/en.ts';
import { enFlow } from '../../../widget/locales/en-flow.ts';

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

const ENGLISH: Record<MessageKey, string> = { ...en, ...enFlow };
const KEYS = Object.keys(ENGLISH) as MessageKey[];

/** What may fill a placeholder; a button may still wait for its amount. */
const PLACEHOLDERS: Record<string, string> = {
  amount: '(?:[^a-z]*\\d[^a-z]*)?',
  min: '[^a-z]*\\d[^a-z]*',
  max: '[^a-z]*\\d[^a-z]*',
  example: '[\\d.,]+',
  time: '[\\d:]+(?: \\w+)?',
  id: '\\S+',
};

const OF_METHODS = /^(DIRECT|CHECKOUT|JETGO|QR)(_help)?$|^(codeOnPhone|unavailable)$/;
const NAMES = /^(DIRECT|CHECKOUT|JETGO|QR)$/;

/** Several if sentences share their words; none if it is not in the dictionary. */
export function sentencesIn({ text, place }: Text): Sentence[] {
  const isCandidate = (key: MessageKey) =>
    place === 'method' ? OF_METHODS.test(key) : NAMES.test(key) || !OF_METHODS.test(key);
  const exact = KEYS.filter((key) => isCandidate(key) && ENGLISH[key] === text);
  if (exact.length > 0) return exact.map((key) => ({ key, values: {} }));
  return KEYS.flatMap((key) => {
    const values = isCandidate(key) && PATTERNS[key]?.exec(text)?.groups;
    return values ? [{ key, values: { ...values } }] : [];
  });
}

/** An amount, a sign or a number, which claims nothing. */
export function isWordless(text: string): boolean {
  return !/\p{L}/u.test(text);
}

const PATTERNS = Object.fromEntries(
  KEYS.filter((key) => ENGLISH[key].includes('{')).map((key) => {
    const words = ENGLISH[key].replaceAll(/[.?()]/g, String.raw`\$&`);
    const pattern = words.replaceAll(/ ?\{(\w+)\}/g, (place, name: string) => {
      const space = place.startsWith(' ') ? ' ?' : '';
      return `${space}(?<${name}>${PLACEHOLDERS[name] ?? '.+'})`;
    });
    return [key, new RegExp(`^${pattern}$`)];
  }),
) as Partial<Record<MessageKey, RegExp>>;
