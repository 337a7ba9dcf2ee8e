// verify() compares a report with the ledger's record.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { verify, type Report } from '../../../backend-proxy/protocol/verify.ts';
import { words } from '../in-words.ts';

type Expected = Parameters<typeof verify>[0];
const EXPECTED: Expected = {
  id: 'A-1',
  type: 'PAY',
  paymentId: '111328',
  asked: 'QR',
  answer: 'identified',
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
const REPORTED = { paymentId: '111328', payer: '12345678' };
const check = (report: Partial<Report>, expected: Partial<Expected> = {}, complete = false) =>
  verify({ ...EXPECTED, ...expected }, { ...REPORT, ...report }, { complete });

it('verify() accepts a report that agrees, with its outcome, payment id and payer', () => {
  for (const outcome of ['pending', 'failed', 'succeeded'] as const) {
    const agreed = { kind: 'verified', outcome, ...REPORTED };
    assert.deepEqual(check({ outcome }), agreed);
    assert.deepEqual(check({ outcome }, {}, true), { ...agreed, payer: null }, 'an IPN proves no payer');
  }
});

it('verify() names a payer only by the whole wallet id, written as a payout needs it', () => {
  const payerOf = (customer: string | null) => (check({ customer }) as { payer?: string | null }).payer;
  for (const wallet of ['1234', '87654321', '12345678901234567890']) assert.equal(payerOf(wallet), wallet);
  const others = [null, '', '****5678', '1234xxxx', '12#78', '…5678', '123', '123456789012345678901'];
  for (const other of [...others, '1234 5678', '+12345678', '12345678.0', '1e9', '١٢٣٤', 'someone', '12345678\n']) {
    assert.equal(payerOf(other), null, String(other));
  }
});

it('verify() returns a mismatch with the field that differs', () => {
  assert.deepEqual(check({ transactionId: 'A-2' }), { kind: 'mismatch', field: 'gatewayOrderId' });
  assert.deepEqual(check({ transactionId: 'a-1' }), { kind: 'mismatch', field: 'gatewayOrderId' });
  assert.deepEqual(check({ type: 'PAYOUT' }), { kind: 'mismatch', field: 'type' });
  assert.deepEqual(check({ paymentId: '111329' }), { kind: 'mismatch', field: 'paymentId' });
  const money = (field: 'amount' | 'currency', reported: string) => ({
    kind: 'mismatch',
    field,
    figures: `asked 10.10 EUR, reported ${reported} as succeeded`,
  });
  assert.deepEqual(check({ currency: 'USD' }), money('currency', '10.10 USD'));
  assert.deepEqual(check({ currency: 'eur' }), money('currency', '10.10 eur'));
  for (const amount of ['10.11', '10.09', '1010', '0.01', '10.101', '-10.10', '1.01e2', '0']) {
    assert.deepEqual(check({ amount }), money('amount', `${amount} EUR`));
  }
  for (const amount of ['', 'free']) assert.deepEqual(check({ amount }), money('amount', 'unreadable EUR'));
});

it('verify() names the first difference, in the order of its trust in the fields', () => {
  const all = { transactionId: 'B', type: 'PAYOUT', paymentId: '1', currency: 'USD', amount: '1' } as const;
  assert.deepEqual(check(all), { kind: 'mismatch', field: 'gatewayOrderId' });
  assert.deepEqual(check({ ...all, transactionId: 'A-1' }), { kind: 'mismatch', field: 'type' });
  assert.deepEqual(check({ ...all, transactionId: 'A-1', type: 'PAY' }), { kind: 'mismatch', field: 'paymentId' });
  assert.match(JSON.stringify(check({ currency: 'USD', amount: '1' })), /"field":"currency"/);
});

it('verify() compares amounts regardless of trailing zeros', () => {
  for (const amount of ['10.1', '10.10', '10.1000', '1.01e1', '1010E-2'])
    assert.equal(check({ amount }).kind, 'verified', amount);
  assert.equal(check({ amount: '10', currency: 'JPY' }, { currency: 'JPY', amountMinor: 10 }).kind, 'verified');
});

it('verify() accepts a payment id that the ledger lacks, and a report that lacks it', () => {
  assert.deepEqual(check({}, { paymentId: null }), { kind: 'verified', outcome: 'succeeded', ...REPORTED });
  assert.deepEqual(check({ paymentId: null }), {
    kind: 'verified',
    outcome: 'succeeded',
    ...REPORTED,
    paymentId: null,
  });
  assert.equal(check({ paymentId: null }, { paymentId: null }).kind, 'verified');
});

it('verify() accepts a status check without amount and currency unless it is a success', () => {
  for (const outcome of ['pending', 'failed'] as const) {
    for (const lack of [{ amount: null, currency: null }, { amount: null }, { currency: null }]) {
      assert.equal(check({ ...lack, outcome, paymentId: null }, { answer: 'accepted' }).kind, 'verified');
    }
  }
});

it('verify() accepts a success without amount or currency only with the payment id from our own POST', () => {
  for (const lack of [{ amount: null, currency: null }, { amount: null }, { currency: null }]) {
    assert.equal(check(lack).kind, 'verified');
    for (const expected of [
      { paymentId: null, answer: 'accepted' },
      { paymentId: '111328', answer: 'accepted' },
    ] as const) {
      assert.deepEqual(check(lack, expected), { kind: 'incomplete' }, 'an id learned from a report proves nothing');
    }
    assert.deepEqual(check({ ...lack, paymentId: null }), { kind: 'incomplete' });
    assert.deepEqual(check({ ...lack, paymentId: null }, { answer: 'accepted' }), { kind: 'incomplete' });
    assert.deepEqual(check({ ...lack, paymentId: '7' }, { paymentId: null }), { kind: 'incomplete' });
  }
  assert.equal(
    check({}, { paymentId: null, answer: 'accepted' }).kind,
    'verified',
    'a report with its amount is compared',
  );
});

it('verify() finds a complete report without amount and currency incomplete', () => {
  assert.deepEqual(check({ amount: null }, {}, true), { kind: 'incomplete' });
  assert.deepEqual(check({ currency: null }, {}, true), { kind: 'incomplete' });
  assert.deepEqual(check({ amount: null, currency: null }, {}, true), { kind: 'incomplete' });
  assert.deepEqual(check({ paymentId: null }, {}, true), {
    kind: 'verified',
    outcome: 'succeeded',
    paymentId: null,
    payer: null,
  });
});

it('verify() returns a mismatch even if other fields are missing', () => {
  assert.deepEqual(check({ amount: null, currency: 'USD' }, {}, true), {
    kind: 'mismatch',
    field: 'currency',
    figures: 'asked 10.10 EUR, reported USD as succeeded',
  });
  const hostile = check({ amount: '<b>1</b>', currency: '\u202eRUE' });
  assert.equal('figures' in hostile && hostile.figures, 'asked 10.10 EUR, reported unreadable unreadable as succeeded');
});

it('verify() passes on that the gateway expired the transaction', () => {
  const verdict = check({ outcome: 'failed', message: 'TOKEN_EXPIRED', isExpired: true });
  assert.deepEqual(verdict, {
    kind: 'verified',
    outcome: 'failed',
    ...REPORTED,
    message: 'TOKEN_EXPIRED',
    isExpired: true,
  });
});

it("verify() never accepts other money than the ledger's, whatever the report", () => {
  fc.assert(
    fc.property(fc.nat(10 ** 6), fc.nat(10 ** 6), fc.boolean(), (said, held, complete) => {
      const amount = `${Math.floor(said / 100)}.${String(said % 100).padStart(2, '0')}`;
      const verdict = check({ amount }, { amountMinor: held }, complete);
      assert.equal(verdict.kind, said === held ? 'verified' : 'mismatch');
    }),
  );
});

describe('verify() and the wallet', () => {
  const payout = (
    customer: string | null,
    asked: string | null = '12345678',
    outcome: Report['outcome'] = 'succeeded',
  ) => check({ type: 'PAYOUT', customer, outcome }, { type: 'PAYOUT', asked: null, customer: asked });
  const other = { kind: 'mismatch', field: 'customer' };

  it('verify() accepts a successful payout only to the requested wallet, compared by its digits', () => {
    for (const customer of ['12345678', '1234 5678', '1234-56.78', '+12345678', null]) {
      assert.equal(payout(customer).kind, 'verified', String(customer));
    }
    for (const customer of ['99999999', '1234567', '123456789', '012345678', '87654321', 'someone']) {
      assert.deepEqual(payout(customer), other, customer);
    }
  });

  it('verify() accepts a masked wallet if its visible digits agree', () => {
    for (const customer of [
      ...words`
      ****5678 1234**** 12****78 1234xxxx ####-5678 ******** 1*3*5*7* * 12*78 1234*5678 **5678 ***********5678 12*45*8 *5678*
      1*2*3*4*5*6*7*8
    `,
      'XXXX 5678',
      '••••5678',
    ]) {
      assert.equal(payout(customer).kind, 'verified', customer);
    }
    for (const customer of words`
      ****5679 1235**** 12****79 xxxx5677 1*4*5*7* *9 9* 12345*45678 12*54*8 12345678*8* ****567a *123456789
    `) {
      assert.deepEqual(payout(customer), other, customer);
    }
  });

  it('verify() ignores the wallet of an open or failed payout and of a payment', () => {
    assert.equal(payout('99999999', '12345678', 'pending').kind, 'verified');
    assert.equal(payout('99999999', '12345678', 'failed').kind, 'verified');
    assert.equal(check({ customer: '99999999' }).kind, 'verified');
  });

  it('verify() cannot compare a successful payout once its requested wallet was erased', () => {
    assert.deepEqual(payout('12345678', null), { kind: 'incomparable' });
    assert.equal(payout(null, null).kind, 'verified');
  });

  it('verify() never accepts another wallet, however it is masked', () => {
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
