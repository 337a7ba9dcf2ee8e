// Compares each dictionary with its glossary: one word for one thing, and none of the words that are known to be wrong.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { LOADERS } from '../../widget/shell/language.ts';
import { en, enFlow, withoutNames } from '../english.ts';
import { GLOSSARIES, TERMS, type Glossary, type Term } from './glossary.ts';

const english: Record<string, string> = { ...en, ...enFlow };

async function textsOf(tag: string): Promise<Record<string, string>> {
  const { default: texts } = (await import(`../../widget/locales/${tag}.ts`)) as { default: Record<string, string> };
  return withoutNames(texts);
}

/** The keys of the texts that say `term` in English. */
const keysOf = (term: Term) => Object.keys(english).filter((key) => TERMS[term].test(english[key] ?? ''));

/** Texts that say a term in other words than the glossary, or a word that it forbids. */
function deviations({ say, without = {}, never }: Glossary, texts: Record<string, string>): string[] {
  const missing = (Object.keys(TERMS) as Term[]).flatMap((term) =>
    keysOf(term)
      .filter((key) => !without[term]?.includes(key) && !new RegExp(say[term], 'iu').test(texts[key] ?? ''))
      .map((key) => `${key}: no “${say[term]}” (${term}) in “${texts[key]}”`),
  );
  const forbidden = Object.entries(never).flatMap(([source, reason]) =>
    Object.entries(texts)
      .filter(([, text]) => new RegExp(source, 'iu').test(text))
      .map(([key, text]) => `${key}: “${source}” in “${text}”: ${reason}`),
  );
  return [...missing, ...forbidden];
}

it('every language has a glossary', () => {
  assert.deepEqual(Object.keys(GLOSSARIES).toSorted(), Object.keys(LOADERS).toSorted());
});

it('a term in other words and a forbidden word are found', async () => {
  const glossary = GLOSSARIES['de']!;
  const synonym = { ...(await textsOf('de')), other: 'Anderes Verfahren', pay: 'Bezahle {amount} per Link' };
  assert.match(deviations(glossary, synonym).join('\n'), /^other: no /m);
  const strict = { ...glossary, never: { 'per Link': 'a link is no method' } };
  assert.match(deviations(strict, synonym).join('\n'), /^pay: “per Link” in /m);
});

for (const [tag, glossary] of Object.entries(GLOSSARIES)) {
  describe(`the glossary ${tag}`, () => {
    it(`the glossary ${tag} has the form of address, each term and the forbidden words`, () => {
      const { without: _without, ...rest } = glossary;
      assert.deepEqual(Object.keys(rest), ['address', 'say', 'never']);
      assert.deepEqual(Object.keys(glossary.say), Object.keys(TERMS));
    });

    it(`the dictionary ${tag} says each term as its glossary does`, async () => {
      assert.deepEqual(deviations(glossary, await textsOf(tag)), []);
    });

    it(`the glossary ${tag} excepts only texts that need it`, async () => {
      const texts = await textsOf(tag);
      const needless = Object.entries(glossary.without ?? {}).flatMap(([term, keys]) =>
        keys.filter(
          (key) =>
            !keysOf(term as Term).includes(key) || new RegExp(glossary.say[term as Term], 'iu').test(texts[key] ?? ''),
        ),
      );
      assert.deepEqual(needless, []);
    });
  });
}
