import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { describe, it } from 'node:test';
import { spokenTime } from '../../widget/attention.ts';
import { chooseTag, fill, loadLanguage } from '../../widget/language.ts';
import { en } from '../../widget/locales/en.ts';
import { later } from '../../widget/locales/en-later.ts';

const english: Record<string, string> = { ...en, ...later };
const tags = readdirSync('widget/locales')
  .map((file) => file.replace('.ts', ''))
  .filter((name) => !name.startsWith('en'));

const placesOf = (text: string) => [...text.matchAll(/\{\w+\}/g)].map(([place]) => place).toSorted();

describe('the language', () => {
  it('is the first wish that we have, with its region', () => {
    assert.equal(chooseTag(['', null, undefined, 'xx', 'de-AT', 'fr']), 'de-AT');
    assert.equal(chooseTag(['pt_BR', 'tr_TR']), 'tr-TR');
    assert.equal(chooseTag(['en-GB', 'de']), 'en-GB');
    assert.equal(chooseTag(['DE']), 'DE');
  });

  it('is English where no wish can be met, or a wish is nonsense', () => {
    assert.equal(chooseTag([]), 'en');
    assert.equal(chooseTag(['constructor', 'de--', 'de_', '*']), 'en');
  });

  it('is there at once in English, with the region for amounts', () => {
    const language = loadLanguage('en-GB');
    assert.ok(!(language instanceof Promise));
    assert.deepEqual([language.tag, language.direction, language.messages.choose], ['en-GB', 'ltr', en.choose]);
  });

  it('writes from right to left where it should', async () => {
    assert.equal((await loadLanguage('ar')).direction, 'rtl');
    assert.equal((await loadLanguage('de')).direction, 'ltr');
  });

  it('says a time in its own plural', () => {
    assert.deepEqual(
      [spokenTime(180, 'en'), spokenTime(60, 'en'), spokenTime(30, 'en')],
      ['3 minutes', '1 minute', '30 seconds'],
    );
    assert.equal(spokenTime(180, 'ar'), '3 دقائق');
  });

  it('fills each place from its value, and leaves one without', () => {
    assert.equal(fill('{a} of {b}, {a}', { a: '1' }), '1 of {b}, 1');
  });
});

describe('the dictionaries', () => {
  it('are as many as can be loaded', async () => {
    assert.ok(tags.length >= 5);
    for (const tag of tags) assert.equal(chooseTag([tag]), tag);
  });

  for (const tag of tags) {
    it(`${tag}: has every string, none empty, with the same places as in English`, async () => {
      const { messages } = await loadLanguage(tag);
      assert.deepEqual(Object.keys(messages).toSorted(), Object.keys(english).toSorted());
      for (const [key, text] of Object.entries(messages)) {
        assert.ok(text.trim() === text && text !== '', key);
        assert.deepEqual(placesOf(text), placesOf(english[key] ?? ''), key);
      }
    });

    it(`${tag}: leaves nothing in English but names`, async () => {
      const { messages } = await loadLanguage(tag);
      const same = Object.entries(messages).filter(([key, text]) => text === english[key]);
      assert.deepEqual(
        same.map(([key]) => key).filter((key) => !['DIRECT', 'JETGO', 'QR'].includes(key)),
        [],
      );
    });

    it(`${tag}: says no more than half as much again as English`, async () => {
      const { messages } = await loadLanguage(tag);
      for (const [key, text] of Object.entries(messages)) {
        const limit = Math.max(24, (english[key]?.length ?? 0) * 1.5 + 8);
        assert.ok(text.length <= limit, `${key}: ${text.length} of ${limit}`);
      }
    });
  }
});
