// Comparing a report with the books: the only road from what the gateway says to a fact.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { verify, type Expected, type Report } from '../../../backend-proxy/protocol/verify.ts';

const EXPECTED: Expected = {
  id: 'A-1',
  type: 'PAY',
  paymentId: '111328',
  answeredId: '111328',
  amountMinor: 1010,
  currency: 'EUR',
  customer: '12345678',
};
const REPORT: Report = {
  transactionId: 'A-1',
  type: 'PAY',
  paymentId: '111328',
  customer: '12345678',
  amount: '10.10',
  currency: 'EUR',
  outcome: 'succeeded',
};
const SAID = { paymentId: '111328', customer: '12345678' };
const check = (report: Partial<Report>, expected: Partial<Expected> = {}, complete = false) =>
  verify({ ...EXPECTED, ...expected }, { ...REPORT, ...report }, { complete });

describe('a report', () => {
  it('is verified where everything agrees, with its outcome, payment id and customer', () => {
    for (const outcome of ['pending', 'failed', 'succeeded'] as const) {
      assert.deepEqual(check({ outcome }), { kind: 'verified', outcome, ...SAID });
      assert.deepEqual(check({ outcome }, {}, true), { kind: 'verified', outcome, ...SAID });
    }
  });

  it('is a mismatch of the field that differs', () => {
    assert.deepEqual(check({ transactionId: 'A-2' }), { kind: 'mismatch', field: 'gatewayOrderId' });
    assert.deepEqual(check({ transactionId: 'a-1' }), { kind: 'mismatch', field: 'gatewayOrderId' });
    assert.deepEqual(check({ type: 'PAYOUT' }), { kind: 'mismatch', field: 'type' });
    assert.deepEqual(check({ paymentId: '111329' }), { kind: 'mismatch', field: 'paymentId' });
    assert.deepEqual(check({ currency: 'USD' }), { kind: 'mismatch', field: 'currency' });
    assert.deepEqual(check({ currency: 'eur' }), { kind: 'mismatch', field: 'currency' });
    for (const amount of ['10.11', '10.09', '1010', '0.01', '10.101', '-10.10', '1.01e2', '', 'free', '0']) {
      assert.deepEqual(check({ amount }), { kind: 'mismatch', field: 'amount' }, amount);
    }
  });

  it('names the first difference, in the order that it trusts the fields', () => {
    const all = { transactionId: 'B', type: 'PAYOUT', paymentId: '1', currency: 'USD', amount: '1' } as const;
    assert.deepEqual(check(all), { kind: 'mismatch', field: 'gatewayOrderId' });
    assert.deepEqual(check({ ...all, transactionId: 'A-1' }), { kind: 'mismatch', field: 'type' });
    assert.deepEqual(check({ ...all, transactionId: 'A-1', type: 'PAY' }), { kind: 'mismatch', field: 'paymentId' });
    assert.deepEqual(check({ currency: 'USD', amount: '1' }), { kind: 'mismatch', field: 'currency' });
  });

  it('reads an amount as the same money however many zeros it has', () => {
    for (const amount of ['10.1', '10.10', '10.1000', '1.01e1', '1010E-2'])
      assert.equal(check({ amount }).kind, 'verified', amount);
    assert.equal(check({ amount: '10', currency: 'JPY' }, { currency: 'JPY', amountMinor: 10 }).kind, 'verified');
  });

  it('may give the payment id that the books lack, and may lack the one they have', () => {
    assert.deepEqual(check({}, { paymentId: null }), { kind: 'verified', outcome: 'succeeded', ...SAID });
    assert.deepEqual(check({ paymentId: null }), { kind: 'verified', outcome: 'succeeded', ...SAID, paymentId: null });
    assert.equal(check({ paymentId: null }, { paymentId: null }).kind, 'verified');
  });

  it('of a status check may lack amount and currency while it claims no success', () => {
    for (const outcome of ['pending', 'failed'] as const) {
      for (const lack of [{ amount: null, currency: null }, { amount: null }, { currency: null }]) {
        assert.equal(check({ ...lack, outcome, paymentId: null }, { answeredId: null }).kind, 'verified');
      }
    }
  });

  it('of a success without its sum counts only with the payment id that our own POST was answered with', () => {
    for (const lack of [{ amount: null, currency: null }, { amount: null }, { currency: null }]) {
      assert.equal(check(lack).kind, 'verified');
      for (const expected of [
        { paymentId: null, answeredId: null },
        { paymentId: '111328', answeredId: null },
      ]) {
        assert.deepEqual(check(lack, expected), { kind: 'incomplete' }, 'an id learned from a report proves nothing');
      }
      assert.deepEqual(check({ ...lack, paymentId: null }), { kind: 'incomplete' });
      assert.deepEqual(check({ ...lack, paymentId: null }, { answeredId: null }), { kind: 'incomplete' });
      assert.deepEqual(check({ ...lack, paymentId: '7' }, { paymentId: null }), { kind: 'incomplete' });
    }
    assert.equal(check({}, { paymentId: null, answeredId: null }).kind, 'verified', 'with its sum it is compared');
  });

  it('that has to stand alone proves nothing without amount and currency', () => {
    assert.deepEqual(check({ amount: null }, {}, true), { kind: 'incomplete' });
    assert.deepEqual(check({ currency: null }, {}, true), { kind: 'incomplete' });
    assert.deepEqual(check({ amount: null, currency: null }, {}, true), { kind: 'incomplete' });
    assert.deepEqual(check({ paymentId: null }, {}, true), {
      kind: 'verified',
      outcome: 'succeeded',
      ...SAID,
      paymentId: null,
    });
  });

  it('that differs is a mismatch also where it lacks something', () => {
    assert.deepEqual(check({ amount: null, currency: 'USD' }, {}, true), { kind: 'mismatch', field: 'currency' });
  });

  it('tells that the gateway itself ended the time', () => {
    const verdict = check({ outcome: 'failed', message: 'TOKEN_EXPIRED', isExpired: true });
    assert.deepEqual(verdict, {
      kind: 'verified',
      outcome: 'failed',
      ...SAID,
      message: 'TOKEN_EXPIRED',
      isExpired: true,
    });
  });

  it('is never verified with other money than the books have, whatever it says', () => {
    fc.assert(
      fc.property(fc.nat(10 ** 6), fc.nat(10 ** 6), fc.boolean(), (said, held, complete) => {
        const amount = `${Math.floor(said / 100)}.${String(said % 100).padStart(2, '0')}`;
        const verdict = check({ amount }, { amountMinor: held }, complete);
        assert.equal(verdict.kind, said === held ? 'verified' : 'mismatch');
      }),
    );
  });
});

describe('the wallet in a report', () => {
  const payout = (
    customer: string | null,
    asked: string | null = '12345678',
    outcome: Report['outcome'] = 'succeeded',
  ) => check({ type: 'PAYOUT', customer, outcome }, { type: 'PAYOUT', customer: asked });
  const other = { kind: 'mismatch', field: 'customer' };

  it('of a payout that succeeded is the one that was asked, compared as digits', () => {
    for (const customer of ['12345678', '1234 5678', '1234-56.78', '+12345678', null]) {
      assert.equal(payout(customer).kind, 'verified', String(customer));
    }
    for (const customer of ['99999999', '1234567', '123456789', '012345678', '87654321', 'someone']) {
      assert.deepEqual(payout(customer), other, customer);
    }
  });

  it('agrees where it is masked and the digits that it shows agree', () => {
    for (const customer of [
      '****5678',
      '1234****',
      '12****78',
      '1234xxxx',
      'XXXX 5678',
      '••••5678',
      '####-5678',
      '********',
      '1*3*5*7*',
      '*',
      '12*78',
      '**5678',
      '***********5678',
      '12*45*8',
      '*5678*',
      '1*2*3*4*5*6*7*8',
    ]) {
      assert.equal(payout(customer).kind, 'verified', customer);
    }
    for (const customer of [
      '****5679',
      '1235****',
      '12****79',
      'xxxx5677',
      '1*4*5*7*',
      '*9',
      '9*',
      '12345*45678',
      '12*54*8',
      '12345678*8*',
      '****567a',
      '*123456789',
    ]) {
      assert.deepEqual(payout(customer), other, customer);
    }
  });

  it('is compared with nothing while a payout is open or has failed, nor of a payment, which anybody may pay', () => {
    assert.equal(payout('99999999', '12345678', 'pending').kind, 'verified');
    assert.equal(payout('99999999', '12345678', 'failed').kind, 'verified');
    assert.equal(check({ customer: '99999999' }).kind, 'verified');
  });

  it('proves nothing, and is no difference, where the one that was asked has been erased', () => {
    assert.deepEqual(payout('12345678', null), { kind: 'incomplete' });
    assert.equal(payout(null, null).kind, 'verified');
  });

  it('is never another one, whatever of it is masked', () => {
    const wallet = fc.stringMatching(/^[0-9]{6,12}$/);
    fc.assert(
      fc.property(wallet, wallet, fc.infiniteStream(fc.boolean()), (asked, reported, hide) => {
        const masked = reported.replace(/[0-9]/g, (digit) => (hide.next().value ? '*' : digit));
        const agrees =
          asked.length === reported.length && masked.split('').every((c, at) => c === '*' || c === asked[at]);
        if (agrees) assert.equal(payout(masked, asked).kind, 'verified');
        if (asked.length === reported.length && !agrees) assert.deepEqual(payout(masked, asked), other);
        assert.equal(
          payout(
            asked.replace(/[0-9]/g, (d) => (hide.next().value ? 'x' : d)),
            asked,
          ).kind,
          'verified',
        );
      }),
    );
  });
});
