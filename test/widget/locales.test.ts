// The dictionaries: complete, in their own language and writing, filled alike; and which wish leads to which of them.
// Whether a text fits its place is for locales.browser.ts to see.
import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { describe, it } from 'node:test';
import { LOADERS, chooseTag, loadLanguage } from '../../widget/shell/language.ts';
import { en } from '../../widget/locales/en.ts';
import { enFlow } from '../../widget/locales/en-flow.ts';

const english: Record<string, string> = { ...en, ...enFlow };
const tags = readdirSync('widget/locales')
  .map((file) => file.replace('.ts', ''))
  .filter((name) => !name.startsWith('en'));

/** Names, the same in every language that writes them so; and words that a language has taken from English. */
const SAME_AS_ENGLISH: Record<string, string[]> = {
  '*': ['JETGO'],
  da: ['DIRECT'],
  de: ['DIRECT'],
  fr: ['date'],
  nl: ['DIRECT'],
};
/** English that a half translated text would still hold. Not: app, online, QR, ID, wallet, link, which travelled. */
const ENGLISH_WORDS = /\b(the|your|you|please|payment|money|again|order|method|with|will|was|has|this)\b/i;
/** What each text of a dictionary is mostly written in, where that is not Latin. */
const SCRIPTS: Record<string, RegExp> = {
  ar: /\p{Script=Arabic}/u,
  bg: /\p{Script=Cyrillic}/u,
  el: /\p{Script=Greek}/u,
  fa: /\p{Script=Arabic}/u,
  he: /\p{Script=Hebrew}/u,
  hi: /\p{Script=Devanagari}/u,
  ja: /[\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Han}]/u,
  ko: /\p{Script=Hangul}/u,
  ru: /\p{Script=Cyrillic}/u,
  sr: /\p{Script=Cyrillic}/u,
  th: /\p{Script=Thai}/u,
  uk: /\p{Script=Cyrillic}/u,
  ur: /\p{Script=Arabic}/u,
  zh: /\p{Script=Han}/u,
  'zh-Hant': /\p{Script=Han}/u,
};

const placesOf = (text: string) => [...text.matchAll(/\{\w+\}/g)].map(([place]) => place).toSorted();
const textsOf = async (tag: string) => Object.entries((await loadLanguage(tag)).messages);
/** The keys of the texts that are so. */
const keysWhere = async (tag: string, isSo: (text: string, key: string) => boolean) =>
  (await textsOf(tag)).filter(([key, text]) => isSo(text, key)).map(([key]) => key);

describe('the languages', () => {
  it('are at least 34 with English, each with a loader under its file’s name', async () => {
    assert.ok(tags.length + 1 >= 34, `${tags.length + 1}`);
    assert.deepEqual(Object.keys(LOADERS).toSorted(), tags.toSorted());
    const words = new Set<string | undefined>([en.choose]);
    for (const tag of tags) words.add((await loadLanguage(tag)).messages.network);
    assert.equal(words.size, tags.length + 1);
  });

  const ways: [wishes: string[], file: string][] = [
    [['pt-BR'], 'pt-BR'],
    [['pt-br'], 'pt-BR'],
    [['pt'], 'pt'],
    [['pt-PT'], 'pt'],
    [['pt-AO'], 'pt'],
    [['zh'], 'zh'],
    [['zh-CN'], 'zh'],
    [['zh-SG'], 'zh'],
    [['zh-Hans-HK'], 'zh'],
    [['zh-TW'], 'zh-Hant'],
    [['zh-HK'], 'zh-Hant'],
    [['zh-MO'], 'zh-Hant'],
    [['zh_Hant'], 'zh-Hant'],
    [['zh-Hant-HK'], 'zh-Hant'],
    [['zh-Hant-CN'], 'zh-Hant'],
    [['no'], 'nb'],
    [['nn-NO'], 'nb'],
    [['nb-NO'], 'nb'],
    [['iw'], 'he'],
    [['iw-IL'], 'he'],
    [['in'], 'id'],
    [['in-ID'], 'id'],
    [['sr'], 'sr'],
    [['sr-Latn-RS'], 'sr-Latn'],
    [['sr-ME'], 'sr-Latn'],
    [['sh'], 'sr-Latn'],
    [['DE-at'], 'de'],
    [['de-CH-1996'], 'de'],
    [['es-419'], 'es'],
    [['fr-CA-u-nu-latn'], 'fr'],
    [['cy', 'it-CH'], 'it'],
    [['xx-Latn', 'zz', 'uk'], 'uk'],
  ];
  for (const [wishes, file] of ways) {
    it(`are found by ${wishes.join(', ')}: ${file}`, async () => {
      const tag = chooseTag(wishes);
      assert.equal(tag, wishes.at(-1)?.replaceAll('_', '-'));
      const { default: messages } = (await import(`../../widget/locales/${file}.ts`)) as { default: object };
      const language = await loadLanguage(tag);
      assert.equal(language.messages, messages);
      assert.equal(language.tag, tag);
    });
  }

  it('are English where nothing else is: for an unknown wish, a wish for English, and no wish', async () => {
    for (const wishes of [['cy'], ['tlh', 'xx'], ['en-AU', 'de'], [], ['tostring', 'valueof', 'hasOwnProperty']])
      assert.equal((await loadLanguage(chooseTag(wishes))).messages, en, wishes.join());
  });

  it('run from right to left for ar, fa, he and ur alone, also under another name', async () => {
    const fromTheRight: string[] = [];
    for (const tag of [...tags, 'iw', 'AR-eg', 'fa-AF', 'fr-FR', 'ms-Arab'])
      if ((await loadLanguage(tag)).direction === 'rtl') fromTheRight.push(tag);
    assert.deepEqual(fromTheRight, ['ar', 'fa', 'he', 'ur', 'iw', 'AR-eg', 'fa-AF']);
  });
});

for (const tag of tags) {
  describe(`the dictionary ${tag}`, () => {
    it('has the keys of English, in English’s places', async () => {
      assert.deepEqual((await textsOf(tag)).map(([key]) => key).toSorted(), Object.keys(english).toSorted());
      for (const [key, text] of await textsOf(tag))
        assert.deepEqual(placesOf(text), placesOf(english[key] ?? ''), `${key}: ${text}`);
    });

    it('leaves nothing in English but names', async () => {
      const allowed = [...(SAME_AS_ENGLISH['*'] ?? []), ...(SAME_AS_ENGLISH[tag] ?? [])];
      const same = await keysWhere(tag, (text, key) => text === english[key]);
      assert.deepEqual(same.toSorted(), allowed.toSorted());
      assert.deepEqual(await keysWhere(tag, (text) => ENGLISH_WORDS.test(text)), []);
    });

    it('is written in its own script', async () => {
      const script = SCRIPTS[tag];
      const foreign = (text: string) =>
        script ? !script.test(text) : /[^\p{Script=Latin}\p{Script=Common}\p{Script=Inherited}]/u.test(text);
      assert.deepEqual(await keysWhere(tag, foreign), script ? ['JETGO'] : []);
    });

    it('keeps the names JetGo and QR, the latter but for Turkish and Chinese, which have words of their own', async () => {
      const named = Object.keys(english).filter((key) => /JetGo|QR/.test(english[key] ?? ''));
      assert.deepEqual(
        await keysWhere(tag, (text, key) => named.includes(key) && !/JetGo|QR|[Kk]arekod|二维码/.test(text)),
        [],
      );
    });

    it('is set with care: trimmed, no straight quotes, no two spaces, three dots as one sign', async () => {
      assert.deepEqual(await keysWhere(tag, (text) => text.trim() !== text || text === ''), []);
      assert.deepEqual(await keysWhere(tag, (text) => /["'`´]|\s\s|\.\.|[\n\t]/.test(text)), []);
    });

    it('is one text in one Unicode form, without characters that nobody sees', async () => {
      // Joiners belong to Persian and Urdu; marks of direction are not needed, for each text stands in its own element.
      const hidden = /[\p{Cc}\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff\u00ad]/u;
      assert.deepEqual(await keysWhere(tag, (text) => text !== text.normalize('NFC') || hidden.test(text)), []);
    });
  });
}
