// What the operator's page says of a review and of how a transaction ended.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import {
  detailOf,
  eventName,
  explanationOf,
  reportsOf,
  reviewReason,
  statusName,
} from '../../../backend-proxy/admin/words.ts';
import { transactionPage } from '../../../backend-proxy/admin/transaction-page.ts';
import type { Transaction } from '../../../backend-proxy/protocol/transaction.ts';
import { M } from '../time.ts';
import { createMismatch, createOperator, signedIn, textOf } from './admin-kit.ts';

it('a review says in plain words what the gateway said', () => {
  const flags = { type: 'PAY', stage: 'declined', mismatch: false, conflict: false } as const;
  for (const [detail, words] of [
    [
      'SUCCESS for an order id that the gateway reported as a duplicate, and paymentId differs',
      'The gateway says paid, but it had refused this order as a duplicate, and payment id differs.',
    ],
    [
      'SUCCESS, and amount differs (asked 10.10 EUR, reported 0.01 EUR)',
      'The gateway says paid, and amount differs: €0.01, not €10.10.',
    ],
    ['SUCCESS for an order id that was never sent', 'The gateway says paid for an order id that was never sent.'],
    ['SUCCESS after the gateway refused it', 'The gateway says paid after the gateway refused it.'],
    ['SUCCESS after the order was closed', 'The order was closed before.'],
    ['SUCCESS after FAILED', 'The gateway says paid, but it had said failed.'],
    ['FAILED after SUCCESS', 'The gateway says failed, but it had said paid.'],
    ['found after FAILED', 'The gateway has it, but it had said failed.'],
    [
      'SUCCESS while the payment that paid the order is in doubt',
      'The gateway says paid while the payment that paid the order is in doubt.',
    ],
    [null, 'The gateway has not said in time how it ended.'],
  ] as const)
    assert.equal(
      reviewReason({ ...flags, history: [{ at: 0, event: 'needs_review', source: 'check', detail }] }),
      words,
    );
  const both = 'SUCCESS, and amount differs (asked 10.10 EUR, reported 0.01 EUR)';
  const entry = { at: 7, event: 'needs_review', source: 'check', detail: both } as const;
  const person = { at: 8, event: 'resolved', source: 'person', detail: 'FAILED by Ada: asked 1, reported 2' } as const;
  const given = { ...flags, amountMinor: 1010, currency: 'EUR', answer: 'duplicate' } as const;
  assert.deepEqual(reportsOf({ ...given, history: [entry, person] }), [{ what: '€0.01, paid', at: 7 }]);
  const other = { ...entry, at: 6, event: 'rejected', detail: 'a duplicate, and not ours, as amount differs (asked 10.10 EUR, reported 0.01 EUR as pending)' } as const; // prettier-ignore
  const later = { ...entry, detail: 'SUCCESS for an order id that the gateway reported as a duplicate' };
  const first = { what: '€0.01, waiting', at: 6 };
  assert.deepEqual(reportsOf({ ...given, history: [other, later] }), [first, { what: '€10.10, paid', at: 7 }]);
  // With our payment id it may be without an amount.
  assert.deepEqual(reportsOf({ ...given, answer: 'identified', history: [other, later] }), [
    first,
    { what: 'Paid', at: 7 },
  ]);
  for (const [detail, words] of [
    ['currency: asked 5.00 EUR, reported 5.00 USD', 'The gateway reported $5.00 instead of €5.00.'],
    ['customer', 'The gateway reported a different wallet than was asked for.'],
    ['gatewayOrderId', 'The gateway reported a different order id than was asked for.'],
  ] as const)
    assert.equal(reviewReason({ ...flags, mismatch: true, history: [{ at: 0, event: 'mismatch', source: 'check', detail }] }), words); // prettier-ignore
  const mismatch = { at: 0, event: 'mismatch', source: 'check', detail: 'amount: asked 5.00 EUR, reported 0.01 EUR as pending' } as const; // prettier-ignore
  const open = { ...flags, stage: 'pending' as const, mismatch: true, history: [mismatch] };
  assert.equal(reviewReason(open), 'Nobody has paid yet. The gateway named €0.01 for a request of €5.00.');
  const said = 'The gateway reported €0.01 instead of €5.00.';
  assert.deepEqual(
    [reviewReason({ ...open, stage: 'declined' }), reviewReason({ ...open, type: 'PAYOUT' })],
    [said, said],
  );
  // Whatever failed first, and of what sends money nothing is paid.
  const reported = { ...mismatch, detail: mismatch.detail.replace('pending', 'succeeded') };
  const ended = (event: 'declined' | 'succeeded') => ({ ...mismatch, event, detail: 'DECLINED' }) as const;
  const refund = { ...flags, type: 'REFUND', mismatch: true, amountMinor: 500, currency: 'EUR', answer: null } as const;
  assert.equal(
    reviewReason({ ...refund, history: [reported, ended('declined')] }),
    'The gateway reported €0.01 instead of €5.00, and it failed.',
  );
  assert.deepEqual(
    reportsOf({ ...refund, history: [reported, ended('succeeded')] }).map(({ what }) => what),
    ['€0.01, sent', '€5.00, sent, as asked'],
  );
  const failed = { ...entry, event: 'reported_failed', source: 'check', detail: null } as const;
  assert.deepEqual(
    reportsOf({ ...refund, history: [reported, failed] }).map(({ what }) => what),
    ['€0.01, sent', 'Failed'],
  );
  const against = { ...entry, event: 'conflict', detail: 'FAILED after SUCCESS' } as const;
  assert.equal(
    reviewReason({ ...refund, mismatch: false, conflict: true, history: [against] }),
    'The gateway says failed, but it had said sent.',
  );
});

it('a history says what a code of the network means, and keeps a code of the gateway', () => {
  for (const [detail, words] of [
    ['UND_ERR_SOCKET', 'the connection to the gateway was lost'],
    ['ECONNREFUSED', 'the gateway could not be reached'],
    ['HTTP 503', 'the gateway had a problem (HTTP 503)'],
    ['undocumented answer', 'the gateway’s answer was not understood'],
  ] as const)
    assert.equal(detailOf({ at: 0, event: 'uncertain', source: 'answer', detail }, { type: 'PAY' }), words);
});

it('a payment that ended is called the same in its status, its explanation and its history', async (t) => {
  const operator = await signedIn(t);
  const { world } = operator;
  for (const [orderId, action, words] of [
    ['A-1', 'decline', /Declined A-1 · Wallet website .* Declined by the gateway\. No money moved\. .* Declined by the gateway Order/], // prettier-ignore
    ['A-2', 'expire', /Expired A-2 · Wallet website .* Nobody paid in time\. .* Expired · the time to pay was over \(TOKEN_EXPIRED\) Order/], // prettier-ignore
  ] as const) {
    await world.start(world.token({ orderId }), { method: 'CHECKOUT' });
    await world.settleAfter(action, orderId);
    await operator.says(`/admin/transactions/${orderId}`, words);
  }
  await operator.says('/admin/transactions/A-2', / Nobody paid in time\. No money moved\. /);
  // Only our clock has ended this one.
  await world.start(world.token({ orderId: 'A-3', payWithin: 60 }), { method: 'QR' });
  const open = (await world.ledger.transaction('A-3')) ?? assert.fail();
  const lost = { ...open, answer: 'lost' } as const;
  const said = [open, lost, { ...lost, stage: 'uncertain' }, { ...lost, method: 'DIRECT' }] as const;
  assert.deepEqual(
    said.map((each) => [statusName(each), explanationOf(each).startsWith('The gateway’s answer was lost, so nobody')]),
    [
      ['Waiting', false],
      ['Not started', true],
      ['Not started', true],
      ['Waiting', false],
    ],
    'a request may be in the wallet',
  );
  await world.pass(4 * M);
  await operator.says(
    '/admin/transactions/A-3',
    /Expired A-3 · QR code .* Nobody paid in time\. If it is still paid, it counts\. /,
  );
  await world.merchant('POST', '/orders/A-3/close', {});
  const closed = / Nobody paid in time\. Money that still comes has to be refunded\. /;
  await operator.says('/admin/transactions/A-3', closed);
  const declined = (await world.ledger.transaction('A-1')) ?? assert.fail();
  const entry = { at: 0, event: 'declined', source: 'check', detail: 'USER_CANCELLED' } as const;
  const canceled = { ...declined, history: [entry] };
  assert.equal(explanationOf(canceled), `${eventName(entry, canceled)}. No money moved.`);
  assert.equal(eventName(entry, canceled), 'Canceled by the customer');
  // It may have reached the gateway, and been refused.
  const none = { at: 0, event: 'not_created', source: 'check', detail: null } as const;
  const refused: Transaction = { ...declined, type: 'PAYOUT', stage: 'not_created', endedBy: null, history: [none] };
  assert.ok(explanationOf(refused).startsWith(`${eventName(none, refused)}. No money moved. `));
  assert.equal(eventName(none, refused), 'The gateway does not have it');
});

it('a review after a restore names each id to look for, and does not say that there is nothing to do', async (t) => {
  const { world } = await createOperator(t);
  await createMismatch(world);
  const found = (await world.ledger.transaction('A-1')) ?? assert.fail();
  const detail = 'the database was restored, and the gateway did not answer; look there for A-1 and 1';
  const history = [{ at: 0, event: 'needs_review', source: 'answer', detail } as const];
  const transaction = { ...found, mismatch: false, stage: 'uncertain', history } as const;
  const given = { transaction, at: undefined, refundRules: { refundMethods: new Set<never>(), payoutDecimals: false }, webhooks: [], form: 'x', name: '', now: 0 }; // prettier-ignore
  const said = textOf(String(await transactionPage(given)));
  assert.match(said, /Needs review The database was restored, and the gateway did not answer; look there for A-1 and 1\. Our ID at the gateway A-1 The gateway’s number \d+ Ask the gateway’s support what was paid\. Then say/); // prettier-ignore
  assert.doesNotMatch(said, /nothing to do/);
});
