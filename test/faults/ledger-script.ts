// Every kind of write of the ledger, in steps at fixed times, so that all runs are identical. The operations of one
// step start together and so share a commit. commit-kill.test.ts runs it once undisturbed, to know the database after
// each step, and then again and again with a kill at some point.
import { H, NOON, S } from '../backend-proxy/time.ts';
import { Refusal } from '../../backend-proxy/errors.ts';
import { createLedger } from '../../backend-proxy/ledger/sql-ledger.ts';
import { connectDatabase } from '../../backend-proxy/ledger/connect.ts';
import { byId, type LedgerById } from '../backend-proxy/ledger/by-id.ts';

/** More IPNs than ever come. */
const ALL_IPNS_ANSWERED = { ipnsReceived: 99 };
const LIMITS = {
  perOrder: 5,
  directPerOrder: 3,
  withDuplicates: 10,
  inAll: 20,
  directPerWallet: { perCustomer: 3, inAll: 10, withinMs: H },
};

const start = { by: 'host:8787', id: 'start' };
const payment = (orderId: string, key: string, method: 'QR' | 'CHECKOUT' | 'DIRECT') => ({
  orderId,
  orderAmountMinor: 1010,
  amountMinor: 1010,
  currency: 'EUR',
  method,
  customer: method === 'DIRECT' ? '12345678' : null,
  customerReference: method === 'DIRECT' ? 'c-1' : null,
  metadata: null,
  payWithinMs: method === 'CHECKOUT' ? 600_000 : null,
  idempotencyKey: key,
  fingerprint: `${key} ${method}`,
  start,
});
const payout = {
  orderId: 'out-1',
  amountMinor: 5000,
  currency: 'EUR',
  customer: '12345678',
  note: null,
  fingerprint: 'p',
  start,
};
const accepted = {
  stage: 'pending',
  paymentId: '1',
  method: 'QR',
  checkoutUrl: null,
  qr: { image: 'data:image/png;base64,AA==' },
  appUrl: null,
} as const;
const ipn = (orderId: string) => ({
  id: `digest-${orderId}`,
  body: `{"orderId":"${orderId}"}`,
  reading: {
    transactionId: orderId,
    type: 'PAY' as const,
    paymentId: null,
    customer: null,
    amount: null,
    currency: null,
    outcome: 'succeeded' as const,
  },
});
const verified = (outcome: 'succeeded' | 'failed' | 'pending') => ({ kind: 'report', report: { outcome } }) as const;

async function deliver(ledger: LedgerById): Promise<void> {
  const { webhooks: claimed } = await ledger.webhooks('pending', 10);
  await Promise.all(
    claimed.map((webhook) => ledger.recordDelivery(webhook, { state: 'delivered', answer: 'HTTP 200' })),
  );
}

/** A review that was resolved before the kill cannot be resolved again. */
function onlyRefusals(error: unknown): void {
  if (!(error instanceof Refusal)) throw error;
}

/** Each promise resolves when its operation is durable. */
export const STEPS: readonly ((ledger: LedgerById) => Promise<unknown>[])[] = [
  (ledger) => [ledger.openPayment(payment('a', 'k1', 'QR'), LIMITS)],
  (ledger) => [ledger.record('a', accepted), ledger.openPayment(payment('b', 'k1', 'CHECKOUT'), LIMITS)],
  (ledger) => [ledger.receiveIpn(ipn('a')), ledger.receiveIpn(ipn('unknown'))],
  (ledger) => [ledger.claimChecks(10, 45_000)],
  (ledger) => [
    // As a claim that has answered all IPNs, even if the process that made the claim is dead.
    ledger.observe('a', verified('succeeded'), ALL_IPNS_ANSWERED),
    ledger.record('b', { stage: 'uncertain', detail: 'ECONNRESET' }),
  ],
  (ledger) => [ledger.claimWebhooks(10, 30_000)],
  (ledger) => [deliver(ledger)],
  (ledger) => [ledger.openPayment(payment('b', 'k2', 'DIRECT'), LIMITS), ledger.openPayout(payout)],
  (ledger) => [
    ledger.record('out-1', { stage: 'uncertain', detail: 'timeout' }),
    ledger.record('b-2', { stage: 'rejected', detail: 'HTTP 400' }),
  ],
  (ledger) => [
    ledger.observe('out-1', verified('failed')),
    ledger.observe('b', { kind: 'report', report: { amount: '0.07' } }),
  ],
  (ledger) => [ledger.observe('b', verified('succeeded')), ledger.observe('a', verified('failed'), ALL_IPNS_ANSWERED)],
  (ledger) => [
    ledger.resolve('a', { status: 'SUCCESS', by: 'ada', note: 'the statement says so' }).catch(onlyRefusals),
  ],
  (ledger) => [ledger.recover()],
];

export interface Scripted {
  /** Runs one step, possibly again after a kill: the database must allow it. */
  run(step: number): Promise<void>;
  close(): Promise<void>;
}

export async function openScripted(databaseUrl: string): Promise<Scripted> {
  let now = NOON;
  const store = await connectDatabase(databaseUrl, (error) => {
    throw error;
  });
  const ledger = byId(
    createLedger(store, { now: () => now }),
    () => now,
    () => 'start',
  );
  return {
    async run(step) {
      now = NOON + step * S;
      await Promise.all(STEPS[step]?.(ledger) ?? []);
    },
    close: () => ledger.close(),
  };
}
