// From a text on the screen back to the sentence it is: the keys of the English dictionary whose words these are, with what stands
// in their placeholders. A text without a letter claims nothing; what else is no sentence is data only where the journey knows it.
import { en, type MessageKey } from '../../../widget/locales/en.ts';
import { enFlow } from '../../../widget/locales/en-flow.ts';

/** Where a text stands: `method` is the list of methods, whose names and descriptions say nothing of this payment. */
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

/** What may stand in a placeholder; an amount may still be missing where a button waits for it. */
const PLACEHOLDERS: Record<string, string> = {
  amount: '(?:[^a-z]*\\d[^a-z]*)?',
  min: '[^a-z]*\\d[^a-z]*',
  max: '[^a-z]*\\d[^a-z]*',
  example: '[\\d.,]+',
  time: '[\\d:]+',
  id: '\\S+',
};

const OF_METHODS = /^(DIRECT|CHECKOUT|JETGO|QR)(_help)?$/;
const NAMES = /^(DIRECT|CHECKOUT|JETGO|QR)$/;

/** More than one where two sentences have the same words; none where it is no sentence of ours. */
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

/** An amount, a sign, a number: nothing that could be believed or not. */
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
