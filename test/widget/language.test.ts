import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { timeInWords } from '../../widget/flow/announcer.ts';
import { chooseTag, fill, loadLanguage } from '../../widget/shell/language.ts';
import { en } from '../../widget/locales/en.ts';

describe('the language', () => {
  it('is the first wish that we have, with its region', () => {
    assert.equal(chooseTag(['', null, undefined, 'xx', 'de-AT', 'fr']), 'de-AT');
    assert.equal(chooseTag(['cy_GB', 'tr_TR']), 'tr-TR');
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
      [timeInWords(180, 'en'), timeInWords(60, 'en'), timeInWords(30, 'en')],
      ['3 minutes', '1 minute', '30 seconds'],
    );
    assert.equal(timeInWords(180, 'ar'), '3 دقائق');
  });

  it('fills each place from its value, and leaves one without', () => {
    assert.equal(fill('{a} of {b}, {a}', { a: '1' }), '1 of {b}, 1');
  });
});
