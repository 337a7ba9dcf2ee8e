// The merchant's view of a transaction: every promised name and no other.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { STAGES, type Stage, type Transaction } from '../../../backend-proxy/protocol/transaction.ts';
import { iso } from '../../../backend-proxy/protocol/durations.ts';
import { merchantView, merchantPayment, merchantPayout } from '../../../backend-proxy/protocol/merchant-view.ts';

const AT = Date.UTC(2026, 10, 20, 12);
const TRANSACTION: Transaction = {
  id: 'A-1-2',
  type: 'PAY',
  orderId: 'A-1',
  attempt: 2,
  refundOf: null,
  asked: 'CHECKOUT',
  method: 'CHECKOUT',
  amountMinor: 1010,
  currency: 'EUR',
  customer: '12345678',
  payer: '87654321',
  note: null,
  metadata: { invoice: 'R-17' },
  fingerprint: 'print',
  startId: null,
  stage: 'expired',
  endedBy: null,
  version: 7,
  answer: 'identified',
  seen: true,
  resolved: null,
  paymentId: '111328',
  checkoutUrl: 'https://checkout.example/pay?token=secret-of-the-shopper',
  qr: null,
  appUrl: null,
  expiresAt: AT + 900_000,
  late: true,
  surplus: false,
  afterClose: false,
  settledMinor: 0,
  mismatch: true,
  conflict: true,
  needsReview: false,
  checking: false,
  failedAt: null,
  createdAt: AT,
  updatedAt: AT + 1,
  erasedAt: null,
  history: [{ at: AT, event: 'created', source: 'shopper', detail: null }],
};

it('the view of a payment has the promised fields', () => {
  assert.deepEqual(merchantPayment(TRANSACTION), {
    type: 'PAY',
    orderId: 'A-1',
    gatewayOrderId: 'A-1-2',
    paymentId: '111328',
    method: 'CHECKOUT',
    amount: '10.10',
    currency: 'EUR',
    customer: '12345678',
    payer: '87654321',
    metadata: { invoice: 'R-17' },
    status: 'FAILED',
    reason: 'EXPIRED',
    late: true,
    surplus: false,
    afterClose: false,
    settled: '0.00',
    needsReview: false,
    version: 7,
    createdAt: '2026-11-20T12:00:00.000Z',
    updatedAt: '2026-11-20T12:00:00.001Z',
    reportedFailedAt: null,
    erasedAt: null,
    history: [{ at: '2026-11-20T12:00:00.000Z', event: 'created', source: 'shopper', detail: null }],
  });
});

it('the view of a payout has its note and no field of payments', () => {
  const payout: Transaction = {
    ...TRANSACTION,
    type: 'PAYOUT',
    orderId: 'P-1',
    note: 'Thank you',
    stage: 'pending',
    failedAt: AT,
    currency: 'JPY',
    needsReview: true,
  };
  assert.deepEqual(merchantPayout(payout), {
    type: 'PAYOUT',
    orderId: 'P-1',
    gatewayOrderId: 'A-1-2',
    paymentId: '111328',
    amount: '1010',
    currency: 'JPY',
    customer: '12345678',
    note: 'Thank you',
    status: 'PROCESSING',
    reason: null,
    needsReview: true,
    version: 7,
    createdAt: '2026-11-20T12:00:00.000Z',
    updatedAt: '2026-11-20T12:00:00.001Z',
    reportedFailedAt: '2026-11-20T12:00:00.000Z',
    erasedAt: null,
    history: [{ at: '2026-11-20T12:00:00.000Z', event: 'created', source: 'shopper', detail: null }],
  });
  assert.deepEqual(merchantView(payout), merchantPayout(payout));
  assert.deepEqual(merchantView(TRANSACTION), merchantPayment(TRANSACTION));
});

it('the view shows every stage by its status and reason', () => {
  for (const stage of Object.keys(STAGES) as Stage[]) {
    const { status, reason } = merchantPayment({ ...TRANSACTION, stage });
    assert.deepEqual({ status, reason }, { status: STAGES[stage].status, reason: STAGES[stage].reason }, stage);
  }
  const resolved = merchantPayment({ ...TRANSACTION, stage: 'declined', endedBy: 'RESOLVED' });
  assert.equal(resolved.reason, 'RESOLVED', 'resolved by a person');
});

it('the view never has what the shopper pays with', () => {
  assert.doesNotMatch(JSON.stringify(merchantView(TRANSACTION)), /secret-of-the-shopper/);
});

it('the view writes times in UTC with milliseconds', () => {
  assert.equal(iso(AT + 7), '2026-11-20T12:00:00.007Z');
});
