// The dictionaries: complete, in their own language and script, with the placeholders of English; and which tag leads
// to which dictionary. Whether a text fits into its box is tested in locales.browser.ts.
import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import { describe, it } from 'node:test';
import { timeInWords } from '../../widget/flow/announcer.ts';
import { LOADERS, chooseTag, fill, loadLanguage } from '../../widget/shell/language.ts';
import { en as first, type MessageKey } from '../../widget/locales/en.ts';
import { enAmount } from '../../widget/locales/en-amount.ts';
import { enFlow as others } from '../../widget/locales/en-flow.ts';
import { en, enFlow, withNames } from '../english.ts';

const english: Record<string, string> = { ...en, ...enFlow };
const tags = readdirSync('widget/locales')
  .map((file) => file.replace('.ts', ''))
  .filter((name) => !name.startsWith('en'));

/** Names that a language does not translate. `Total` is a word of several. */
const SAME_AS_ENGLISH = ['JETGO'];
/** Texts that leave the wallet out. */
const NO_WALLET_NAME: Record<string, string[]> = Object.fromEntries(
  ['ca', 'es-419', 'es', 'fr', 'it', 'pt-BR', 'pt', 'ro'].map((tag) => [tag, ['walletEmpty']]),
);
/** Words of a half translated text. Not app, online, QR, ID, wallet, link, which many languages use. */
const ENGLISH_WORDS = /\b(the|your|you|please|payment|money|again|order|method|with|will|was|has|this)\b/i;
/** The script of a dictionary, if it is not Latin. */
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
/** The scripts of living languages that are written from the right. */
const FROM_THE_RIGHT =
  /[\p{Script=Adlam}\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Nko}\p{Script=Syriac}\p{Script=Thaana}]/u;

const placesOf = (text: string) => [...text.matchAll(/\{\w+\}/g)].map(([place]) => place).toSorted();
/** Of each `[a|b]` the a, which is read without names. */
const textsOf = async (tag: string) =>
  Object.entries(withNames((await loadLanguage(tag)).messages as Record<string, string>));
/** The keys of the texts for which `isSo` is true. */
const keysWhere = async (tag: string, isSo: (text: string, key: string) => boolean) =>
  (await textsOf(tag)).filter(([key, text]) => isSo(text, key)).map(([key]) => key);

it('the dictionaries are at least 34, each with a loader under its file’s name', async () => {
  assert.ok(tags.length + 1 >= 34, `${tags.length + 1}`);
  assert.deepEqual(Object.keys(LOADERS).toSorted(), tags.toSorted());
  const words = new Set<string | undefined>([en.choose]);
  for (const tag of tags) words.add((await loadLanguage(tag)).messages.network);
  assert.equal(words.size, tags.length + 1);
});

/** The tags that lead to each dictionary. `zz, it-CH` is a list of what a reader prefers. */
const WAYS: Record<string, string[]> = {
  'pt-BR': ['pt-BR', 'pt-br'],
  pt: ['pt', 'pt-PT', 'pt-AO'],
  zh: ['zh', 'zh-CN', 'zh-SG', 'zh-Hans-HK'],
  'zh-Hant': ['zh-TW', 'zh-HK', 'zh-MO', 'zh_Hant', 'zh-Hant-HK', 'zh-Hant-CN'],
  nb: ['no', 'nn-NO', 'nb-NO'],
  he: ['iw', 'iw-IL'],
  id: ['in', 'in-ID'],
  sr: ['sr'],
  'sr-Latn': ['sr-Latn-RS', 'sr-ME', 'sh'],
  es: ['es-ES', 'es'],
  'es-419': ['es-MX', 'es_AR', 'es-419'],
  de: ['DE-at', 'de-CH-1996'],
  fr: ['fr-CA-u-nu-latn'],
  it: ['zz, it-CH'],
  uk: ['xx-Latn, zz, uk'],
};
const ways = Object.entries(WAYS).flatMap(([to, all]) => all.map((from) => [from, to] as const));
for (const [way, file] of ways) {
  it(`the tags ${way} lead to the dictionary ${file}`, async () => {
    const preferred = way.split(', ');
    const tag = chooseTag(preferred);
    assert.equal(tag, preferred.at(-1)?.replaceAll('_', '-'));
    const { default: messages } = (await import(`../../widget/locales/${file}.ts`)) as { default: object };
    const language = await loadLanguage(tag);
    assert.equal(language.messages, messages);
    assert.equal(language.tag, tag);
  });
}

it('unknown tags, English tags and no tags lead to English', async () => {
  for (const preferred of [['zz'], ['tlh', 'xx'], ['en-AU', 'de'], [], ['tostring', 'valueof', 'hasOwnProperty']])
    assert.equal((await loadLanguage(chooseTag(preferred))).messages, first, preferred.join());
});

it('a dictionary is right-to-left if its own script is, also under another tag', async () => {
  const directions = new Set<string>();
  for (const tag of [...tags, 'iw', 'AR-eg', 'fa-AF', 'fr-FR', 'ms-Arab']) {
    const { direction, messages } = await loadLanguage(tag);
    assert.equal(direction, FROM_THE_RIGHT.test(Object.values(messages).join(' ')) ? 'rtl' : 'ltr', tag);
    directions.add(direction);
  }
  assert.equal(directions.size, 2);
});

it('the words that the law gives for ordering are on the button as docs/order-button.md lists them, and nothing else', async () => {
  const rows = [...readFileSync('docs/order-button.md', 'utf8').matchAll(/^\| `([a-z]{2})` +\| (.+?) +\|$/gm)];
  const listed = Object.fromEntries(rows.map(([, tag, words]) => [tag, words]));
  assert.deepEqual(Object.keys(listed), 'bg cs da de el en es et fi fr hr hu it lt lv nl pl pt ro sk sl sv'.split(' '));
  for (const [tag, words] of Object.entries(listed))
    assert.equal((await loadLanguage(tag)).messages.pay_order, words, tag);
});

for (const tag of tags) {
  describe(`the dictionary ${tag}`, () => {
    it(`the dictionary ${tag} has the keys and placeholders of English`, async () => {
      assert.deepEqual((await textsOf(tag)).map(([key]) => key).toSorted(), Object.keys(english).toSorted());
      for (const [key, text] of await textsOf(tag))
        assert.deepEqual(placesOf(text), placesOf(english[key] ?? ''), `${key}: ${text}`);
    });

    it(`the dictionary ${tag} names the wallet, the merchant and the amount where English does`, async () => {
      const { messages } = await loadLanguage(tag);
      const named = (text = '') => /\[[^[\]|]*\|[^[\]|]*\{(wallet|merchant)\}[^[\]|]*\]/.test(text);
      const source: Record<string, string> = { ...first, ...others, ...enAmount };
      const wrong = Object.keys(source).filter((key) => named(source[key]) !== named(messages[key as MessageKey]));
      assert.deepEqual(wrong, NO_WALLET_NAME[tag] ?? []);
    });

    it(`the dictionary ${tag} has words of its own for a button without its amount`, async () => {
      const { messages } = await loadLanguage(tag);
      for (const key of ['pay', 'pay_deposit', 'pay_donation'] as const) {
        const [, plain = '', named = ''] = /^\[(.+)\|(.+)\]$/.exec(messages[key] ?? '') ?? [];
        assert.match(named, /\{amount\}/, key);
        assert.doesNotMatch(plain, /[{}]|^を/, key);
        assert.equal(plain, plain.charAt(0).toLocaleUpperCase(tag) + plain.slice(1), key);
      }
    });

    it(`the dictionary ${tag} leaves only names in English`, async () => {
      const same = await keysWhere(tag, (text, key) => text === english[key]);
      assert.deepEqual(same, SAME_AS_ENGLISH);
      assert.deepEqual(await keysWhere(tag, (text) => ENGLISH_WORDS.test(text)), []);
    });

    it(`the dictionary ${tag} is written in its own script`, async () => {
      const script = SCRIPTS[tag];
      const foreign = (text: string) =>
        script ? !script.test(text) : /[^\p{Script=Latin}\p{Script=Common}\p{Script=Inherited}]/u.test(text);
      assert.deepEqual(await keysWhere(tag, foreign), script ? ['JETGO'] : []);
    });

    it(`the dictionary ${tag} keeps the names JetGo and QR, which only Turkish and Chinese translate`, async () => {
      const named = Object.keys(english).filter((key) => /JetGo|QR/.test(english[key] ?? ''));
      assert.deepEqual(
        await keysWhere(tag, (text, key) => named.includes(key) && !/JetGo|QR|[Kk]arekod|二维码/.test(text)),
        [],
      );
    });

    it(`the dictionary ${tag} has no straight quotes, double or outer spaces, or three dots`, async () => {
      assert.deepEqual(await keysWhere(tag, (text) => text.trim() !== text || text === ''), []);
      assert.deepEqual(await keysWhere(tag, (text) => /["'`´]|\s\s|\.\.|[\n\t]/.test(text)), []);
    });

    it(`the dictionary ${tag} is in Unicode form NFC, without invisible characters`, async () => {
      // Persian and Urdu need joiners. Marks of direction are not needed, because each text has its own element.
      const hidden = /[\p{Cc}\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff\u00ad]/u;
      assert.deepEqual(await keysWhere(tag, (text) => text !== text.normalize('NFC') || hidden.test(text)), []);
    });
  });
}

it('timeInWords() uses the plural of the language', () => {
  assert.deepEqual(
    [timeInWords(180, 'en'), timeInWords(60, 'en'), timeInWords(30, 'en')],
    ['3 minutes', '1 minute', '30 seconds'],
  );
  assert.equal(timeInWords(180, 'ar'), '3 دقائق');
});

it('fill() replaces each place that has a value, and leaves the others', () => {
  assert.equal(fill('{a} of {b}, {a}', { a: '1' }), '1 of {b}, 1');
});

it('fill() takes the second text of [a|b] only if each of its values is known', () => {
  const text = 'Approve [the request|{amount} to {merchant}] in [your wallet app|{wallet}].';
  assert.equal(fill(text, { amount: '€10' }), 'Approve the request in your wallet app.');
  assert.equal(fill(text, { amount: '€10', merchant: 'Tea', wallet: 'Jeton' }), 'Approve €10 to Tea in Jeton.');
});
