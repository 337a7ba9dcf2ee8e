// Compares what a screen says with what is true: each text has to be a sentence of the dictionary or data of the order,
// and each claim of a sentence has to hold.
import { CLAIMS, type Facts } from './claims.ts';
import { isWordless, sentencesIn, withinSentence, type Sentence } from './dictionary-sentences.ts';
import type { Screen } from './read-screen.ts';
import { SENTENCES } from './sentences.ts';

/** `"…" claims requestAtWallet`, or that a text is no sentence. */
export function falseClaimsOn({ texts, links, hasCode, chosen }: Screen, facts: Facts, data: RegExp): string[] {
  const falseOf = (sentence: Sentence) => {
    const said = { ...sentence, links, hasCode, chosen };
    const claims = [sentence, ...withinSentence(sentence)].flatMap(({ key }) => [...SENTENCES[key]]);
    return claims.filter((name) => !CLAIMS[name](facts, said));
  };
  // One line may have several sentences.
  const parts = texts.flatMap(({ text, place }) => text.split(' · ').map((part) => ({ text: part, place })));
  return parts.flatMap((text) => {
    if (isWordless(text.text) || data.test(text.text)) return [];
    const sentences = sentencesIn(text);
    if (sentences.length === 0) return [`${JSON.stringify(text.text)} is no sentence of the dictionary`];
    // The names and descriptions of methods say nothing about this payment.
    if (text.place === 'method' && sentences.every(({ key }) => key !== 'unavailable')) return [];
    const untrue = sentences.map(falseOf);
    // If two sentences share their words, the true one counts.
    if (untrue.some((names) => names.length === 0)) return [];
    return (untrue[0] ?? []).map((name) => `${JSON.stringify(text.text)} claims ${name}`);
  });
}
