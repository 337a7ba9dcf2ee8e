import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { localizedAmount } from '../../widget/shell/language.ts';
import { checkForm } from '../../widget/flow/start-payment.ts';
import { compareAmounts, readTypedAmount, writeTypedAmount } from '../../widget/flow/amount.ts';
import { BLANK, claimedOrder, type SessionState } from '../../widget/shell/state.ts';
import { provideAmountBundle } from './amount-bundle.ts';
import { claimsOf, type ClaimsChange } from '../../widget/testing/fake-proxy.ts';

before(provideAmountBundle);

describe('readTypedAmount()', () => {
  const cases: [typed: string, currency: string, language: string, amount: string | null][] = [
    ['12.5', 'EUR', 'en', '12.5'],
    ['12,50', 'EUR', 'de', '12.50'],
    ['12.50', 'EUR', 'de', '12.50'],
    [' 1 234,5 ', 'EUR', 'fr', '1234.5'],
    ['007', 'EUR', 'en', '7'],
    ['0.50', 'EUR', 'en', '0.50'],
    ['١٢٫٥', 'EUR', 'ar', '12.5'],
    ['۱۲', 'EUR', 'en', '12'],
    ['500', 'JPY', 'en', '500'],
    ['99999999999999.99', 'EUR', 'en', '99999999999999.99'],
    ['1,000', 'EUR', 'en', '1000'],
    ['1.000', 'EUR', 'de', '1000'],
    ['1,000', 'JPY', 'en', '1000'],
    ['0.500', 'EUR', 'de', null],
    ['0,500', 'EUR', 'en', null],
    ['0.001.000,50', 'EUR', 'de', null],
    ['1,000', 'EUR', 'de', null],
    ['1,000', 'KWD', 'en', null],
    ['1,000', 'KWD', 'ar-KW', null],
    ['1.000', 'KWD', 'de', null],
    ['1.000', 'KWD', 'en', '1.000'],
    ['1.234', 'EUR', 'en', null],
    ['5.0', 'JPY', 'en', null],
    ['0', 'EUR', 'en', null],
    ['0.00', 'EUR', 'en', null],
    ['', 'EUR', 'en', null],
    ['-5', 'EUR', 'en', null],
    ['1e3', 'EUR', 'en', null],
    ['0x10', 'EUR', 'en', null],
    ['5 euros', 'EUR', 'en', null],
    ['1.2.3', 'EUR', 'en', null],
    ['1,234.56', 'EUR', 'en', '1234.56'],
    ['1.234,56', 'EUR', 'en', '1234.56'],
    ['1,234.56', 'EUR', 'de', '1234.56'],
    ['1,234,567', 'EUR', 'en', '1234567'],
    ['12,34,567.50', 'INR', 'hi', '1234567.50'],
    ["1'234.50", 'CHF', 'de-CH', '1234.50'],
    ['1,234.567', 'EUR', 'en', null],
    ['1,23.45', 'EUR', 'en', null],
    ['1,234,56', 'EUR', 'en', null],
    ['1,234.567,8', 'EUR', 'en', null],
    ['€10', 'EUR', 'en', '10'],
    ['10,50 €', 'EUR', 'de', '10.50'],
    ['EUR 10', 'EUR', 'en', '10'],
    ['$10', 'EUR', 'en', null],
    ['-€10', 'EUR', 'en', null],
    ['.5', 'EUR', 'en', null],
  ];
  for (const [typed, currency, language, amount] of cases) {
    it(`readTypedAmount() reads ${JSON.stringify(typed)} in ${currency}, ${language}, as ${amount ?? 'no amount'}`, () => {
      assert.equal(readTypedAmount(typed, currency, language), amount);
    });
  }

  it('readTypedAmount() reads what writeTypedAmount() writes', () => {
    for (const [amount, currency, language, written] of [
      ['12.5', 'EUR', 'en', '12.50'],
      ['1234.5', 'EUR', 'de', '1234,50'],
      ['12.500', 'BHD', 'de', '12,500'],
      ['12.5', 'KWD', 'fr-CH', '12.500'],
      ['500', 'JPY', 'ja', '500'],
      ['12.5', 'EUR', 'fa', '۱۲٫۵۰'],
    ] as const) {
      assert.equal(writeTypedAmount(amount, currency, language), written);
      assert.equal(compareAmounts(readTypedAmount(written, currency, language) ?? '', amount), 0);
    }
  });

  it('compareAmounts() does not round', () => {
    assert.ok(compareAmounts('0.3', '0.30') === 0);
    assert.ok(compareAmounts('10', '9.99') > 0);
    assert.ok(compareAmounts('9007199254740993', '9007199254740992') > 0);
  });
});

it('localizedAmount() shows at least the currency’s decimals, and all that the order has', () => {
  assert.equal(localizedAmount('10.10', 'EUR', 'en'), '€10.10');
  assert.equal(localizedAmount('12.5', 'EUR', 'en'), '€12.50');
  assert.equal(localizedAmount('1.255', 'IQD', 'en'), 'IQD\u00a01.255');
  assert.equal(localizedAmount('500', 'JPY', 'en'), '¥500');
  assert.equal(localizedAmount('1.234', 'KWD', 'en'), 'KWD\u00a01.234');
});

it('localizedAmount() shows nothing for a text that is not an amount', () => {
  for (const text of ['10,10', 'ten', '€1', '1.2.3']) assert.equal(localizedAmount(text, 'EUR', 'en'), '', text);
});

it('localizedAmount() does not round', () => {
  assert.equal(localizedAmount('9007199254740993.01', 'EUR', 'en'), '€9,007,199,254,740,993.01');
});

it('localizedAmount() depends on the language', () => {
  assert.equal(localizedAmount('1234.5', 'EUR', 'de'), '1.234,50\u00a0€');
});

describe('checkForm()', () => {
  const state = (claims: ClaimsChange, form: Partial<SessionState['form']> = {}): SessionState => ({
    ...BLANK,
    claims: claimsOf(claims),
    order: claimedOrder(claimsOf(claims)),
    form: { ...BLANK.form, ...form },
  });
  const open = { amount: undefined, minAmount: '5', maxAmount: '500.00' };

  it('checkForm() sends no amount if the token has one', () => {
    assert.deepEqual(checkForm(state({}, { amount: '1' }), 'QR', 'en'), { body: { method: 'QR' } });
  });

  it('checkForm() sends an open amount as a decimal string', () => {
    assert.deepEqual(checkForm(state(open, { amount: '12,5' }), 'QR', 'de').body, { method: 'QR', amount: '12.5' });
    assert.deepEqual(checkForm(state(open, { amount: '5.00' }), 'QR', 'en').body?.amount, '5.00');
  });

  it('checkForm() says which bound an amount exceeds', () => {
    assert.deepEqual(checkForm(state(open, { amount: '4.99' }), 'QR', 'en').errors, { amount: 'below' });
    assert.deepEqual(checkForm(state(open, { amount: '500.01' }), 'QR', 'en').errors, { amount: 'above' });
  });

  it('checkForm() tells a missing amount from a malformed one, from zero and from too many decimals', () => {
    const errorsOf = (amount: string | null, claims: ClaimsChange = open, language = 'en') =>
      checkForm(state(claims, { amount }), 'QR', language).errors;
    for (const missing of [null, '', ' ']) assert.deepEqual(errorsOf(missing), { amount: 'amountEmpty' });
    for (const malformed of ['ten', '1.2.3', '-5'])
      assert.deepEqual(errorsOf(malformed), { amount: 'amountWrong', example: '5.00' });
    for (const exact of ['12.345', '0.001', '€5.0001'])
      assert.deepEqual(errorsOf(exact), { amount: 'amountDecimals', example: '5.00' });
    for (const zero of ['0', '0,00', '€0', '٠']) assert.deepEqual(errorsOf(zero), { amount: 'below' });
    const unbounded = { amount: undefined, maxAmount: '500' };
    assert.deepEqual(errorsOf('0', unbounded), { amount: 'below', min: '0.01' });
    assert.deepEqual(errorsOf('0', { ...unbounded, currency: 'JPY' }), { amount: 'below', min: '1' });
    assert.deepEqual(errorsOf('5.5', { ...unbounded, currency: 'JPY' }), { amount: 'amountDecimals', example: '12' });
  });

  it('checkForm() gives an example amount that it accepts', () => {
    for (const [currency, language] of [
      ['EUR', 'de'],
      ['JPY', 'en'],
      ['KWD', 'ar'],
    ] as const) {
      const wrong = state({ amount: undefined, maxAmount: '1000', currency }, { amount: '?' });
      const { example = '' } = checkForm(wrong, 'QR', language).errors ?? {};
      const right = state({ amount: undefined, maxAmount: '1000', currency }, { amount: example });
      assert.equal(checkForm(right, 'QR', language).errors, undefined, example);
    }
    const small = { amount: undefined, maxAmount: '5' };
    assert.equal(checkForm(state(small, { amount: '?' }), 'QR', 'en').errors?.example, '5.00');
  });

  it('checkForm() requires a wallet id only for DIRECT', () => {
    assert.deepEqual(checkForm(state({}, { customer: '1234 5678' }), 'DIRECT', 'en').body, {
      method: 'DIRECT',
      customer: '12345678',
    });
    assert.equal(checkForm(state({}, { customer: '۱۲۳۴٥٦٧٨' }), 'DIRECT', 'fa').body?.customer, '12345678');
    for (const customer of ['1234-5678', '1234.5678', '１２３４５６７８', 'Wallet 12345678', 'ID: 1234\u00a05678'])
      assert.equal(checkForm(state({}, { customer }), 'DIRECT', 'en').body?.customer, '12345678', customer);
    for (const customer of ['123', '1'.repeat(21), 'me1234@mail.example', '12345678 EUR', '12345678@'])
      assert.deepEqual(
        checkForm(state({}, { customer }), 'DIRECT', 'en').errors,
        { customer: 'walletWrong' },
        customer,
      );
    assert.deepEqual(checkForm(state({}), 'DIRECT', 'en').errors, { customer: 'walletEmpty' });
    assert.deepEqual(checkForm(state({}, { customer: 'me' }), 'DIRECT', 'en').errors, { customer: 'walletWrong' });
    assert.deepEqual(checkForm(state({}, { customer: '12345678' }), 'CHECKOUT', 'en').body, { method: 'CHECKOUT' });
  });

  it('checkForm() sends no wallet id if the token has one', () => {
    assert.deepEqual(checkForm(state({ customer: '12345678' }), 'DIRECT', 'en').body, { method: 'DIRECT' });
  });
});
