import assert from 'node:assert/strict';
import { it } from 'node:test';
import { timeInWords } from '../../widget/flow/announcer.ts';
import { chooseTag, fill, loadLanguage } from '../../widget/shell/language.ts';
import { en } from '../../widget/locales/en.ts';

it('chooseTag() returns the first tag with a dictionary, with its region', () => {
  assert.equal(chooseTag(['', null, undefined, 'xx', 'de-AT', 'fr']), 'de-AT');
  assert.equal(chooseTag(['cy_GB', 'tr_TR']), 'tr-TR');
  assert.equal(chooseTag(['en-GB', 'de']), 'en-GB');
  assert.equal(chooseTag(['DE']), 'DE');
});

it('chooseTag() returns en if no tag has a dictionary or is valid', () => {
  assert.equal(chooseTag([]), 'en');
  assert.equal(chooseTag(['constructor', 'de--', 'de_', '*']), 'en');
});

it('loadLanguage() returns English at once, with the region for amounts', () => {
  const language = loadLanguage('en-GB');
  assert.ok(!(language instanceof Promise));
  assert.deepEqual([language.tag, language.direction, language.messages.choose], ['en-GB', 'ltr', en.choose]);
});

it('loadLanguage() returns the direction of the language', async () => {
  assert.equal((await loadLanguage('ar')).direction, 'rtl');
  assert.equal((await loadLanguage('de')).direction, 'ltr');
});

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
