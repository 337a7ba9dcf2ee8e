// Comparing a report with the books: the only road from what the gateway says to a fact.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { verify, type Expected, type Report } from '../../../backend-proxy/protocol/verify.ts';

const EXPECTED: Expected = { id: 'A-1', type: 'PAY', paymentId: '111328', amountMinor: 1010, currency: 'EUR' };
const REPORT: Report = {
  orderId: 'A-1',
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
    assert.deepEqual(check({ orderId: 'A-2' }), { kind: 'mismatch', field: 'orderId' });
    assert.deepEqual(check({ orderId: 'a-1' }), { kind: 'mismatch', field: 'orderId' });
    assert.deepEqual(check({ type: 'PAYOUT' }), { kind: 'mismatch', field: 'type' });
    assert.deepEqual(check({ paymentId: '111329' }), { kind: 'mismatch', field: 'paymentId' });
    assert.deepEqual(check({ currency: 'USD' }), { kind: 'mismatch', field: 'currency' });
    assert.deepEqual(check({ currency: 'eur' }), { kind: 'mismatch', field: 'currency' });
    for (const amount of ['10.11', '10.09', '1010', '0.01', '10.101', '-10.10', '1.01e1', '', 'free', '0']) {
      assert.deepEqual(check({ amount }), { kind: 'mismatch', field: 'amount' }, amount);
    }
  });

  it('names the first difference, in the order that it trusts the fields', () => {
    const all = { orderId: 'B', type: 'PAYOUT', paymentId: '1', currency: 'USD', amount: '1' } as const;
    assert.deepEqual(check(all), { kind: 'mismatch', field: 'orderId' });
    assert.deepEqual(check({ ...all, orderId: 'A-1' }), { kind: 'mismatch', field: 'type' });
    assert.deepEqual(check({ ...all, orderId: 'A-1', type: 'PAY' }), { kind: 'mismatch', field: 'paymentId' });
    assert.deepEqual(check({ currency: 'USD', amount: '1' }), { kind: 'mismatch', field: 'currency' });
  });

  it('reads an amount as the same money however many zeros it has', () => {
    for (const amount of ['10.1', '10.10', '10.1000']) assert.equal(check({ amount }).kind, 'verified', amount);
    assert.equal(check({ amount: '10', currency: 'JPY' }, { currency: 'JPY', amountMinor: 10 }).kind, 'verified');
  });

  it('may give the payment id that the books lack, and may lack the one they have', () => {
    assert.deepEqual(check({}, { paymentId: null }), { kind: 'verified', outcome: 'succeeded', ...SAID });
    assert.deepEqual(check({ paymentId: null }), { kind: 'verified', outcome: 'succeeded', ...SAID, paymentId: null });
    assert.equal(check({ paymentId: null }, { paymentId: null }).kind, 'verified');
  });

  it('of a status check may lack amount and currency', () => {
    assert.equal(check({ amount: null, currency: null }).kind, 'verified');
    assert.equal(check({ amount: null }).kind, 'verified');
    assert.equal(check({ currency: null }).kind, 'verified');
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
