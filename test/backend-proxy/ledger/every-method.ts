// Calls every method of the ledger's port, in each way that leads to another SQL statement, on a large database.
import assert from 'node:assert/strict';
import { mock } from 'node:test';
import { connectDatabase } from '../../../backend-proxy/ledger/connect.ts';
import { createLedger } from '../../../backend-proxy/ledger/ledger.ts';
import type { Ledger } from '../../../backend-proxy/ledger/ledger.ts';
import type { Fact, NewPayment, TokenTerms, TransactionQuery } from '../../../backend-proxy/ledger/model.ts';
import { STATUSES } from '../../../backend-proxy/protocol/wire.ts';
import { GATEWAY_TYPES } from '../../../backend-proxy/protocol/transaction.ts';
import { D, M, NOON, S } from '../time.ts';
import {
  BARE_READING,
  LEASE_MS,
  LIMITS,
  MEANS,
  PAYOUT,
  REFUND,
  UNAVAILABLE,
  UNKNOWN,
  payment,
  verified,
  differing,
  endCheck,
  type Seen,
} from './ledger-kit.ts';

interface Calls {
  ledger: Ledger;
  /** Runs what belongs together; the statements until it resolves are counted under this name. */
  step<T>(name: string, work: () => Promise<T>): Promise<T>;
  /** Lets the watch look for changes. */
  poll(): Promise<void>;
  /** Moves the clock without letting time pass. */
  stepClock(): void;
}

/** Keeps the statements that run on a database. */
export interface Recorder<Kept> {
  /** What has run since the last call. */
  taken(): Kept;
  /** Resolves when a poll that was begun has run. */
  polled(): Promise<void>;
}

/** So far that every wait is planned again. */
const CLOCK_STEP_MS = 10 * M;

const BY = 'host:8787';
const ANSWERED: Fact = { stage: 'pending', ...MEANS };
const ORDER_TERMS = { iat: 1, terms: 'terms' };

/** Returns what ran, by step. Ends all mocks. */
export async function callEveryMethod<Kept>(url: string, { taken, polled }: Recorder<Kept>) {
  mock.timers.enable({ apis: ['setInterval'] });
  const store = await connectDatabase(url, (error) => assert.fail(String(error)));
  let now = NOON;
  const port = createLedger(store, { now: () => now, elapsed: () => 0 });
  const called = new Set<string>();
  const ledger = new Proxy(port, { get: (_, name: keyof Ledger) => (called.add(name), port[name]) });
  const steps = new Map<string, Kept>();
  try {
    await call({
      ledger,
      async step(name, work) {
        taken();
        const result = await work();
        steps.set(name, taken());
        return result;
      },
      async poll() {
        mock.timers.tick(S);
        await polled();
      },
      stepClock: () => void (now += CLOCK_STEP_MS),
    });
  } finally {
    await store.close().catch(() => undefined);
    mock.restoreAll();
    mock.timers.reset();
  }
  assert.deepEqual([...called].toSorted(), Object.keys(port).toSorted());
  return steps;
}

async function call({ ledger, step, poll, stepClock }: Calls): Promise<void> {
  const start = (name: string, given: Partial<NewPayment & TokenTerms>) =>
    step(name, () =>
      ledger.openPayment({ ...payment(), ...ORDER_TERMS, start: { by: BY, id: name }, ...given }, LIMITS),
    );
  const ipn = (transactionId: string, body: string) => ({
    id: `ipn ${transactionId} ${body}`,
    body,
    reading: { ...BARE_READING, transactionId },
  });
  const observe = async (name: string, id: string, seen: Seen) => {
    let { claim } = await ledger.receiveIpn(ipn(id, name), LEASE_MS);
    if (claim === undefined) {
      // It was the turn of the one due longest.
      await ledger.claimChecks(1, LEASE_MS);
      ({ claim } = await ledger.receiveIpn(ipn(id, `${name} again`), LEASE_MS));
    }
    if (claim === undefined) assert.fail(`${id} was not claimed`);
    await step(name, () => endCheck(ledger, claim, seen));
  };

  await step('owner', async () => {
    await ledger.setOwner({ gateway: 'gateway.example', hasStatusCheck: true, keyDigest: 'digest' });
    await ledger.owner();
    ledger.ownerMismatch();
  });

  // The first write also reads the database's id.
  await start('a first start', { orderId: 'F' });
  const started = await start('a start', { orderId: 'A', idempotencyKey: 'one' });
  await start('a repeated start', { orderId: 'A', idempotencyKey: 'one' });
  await step('an answer', () => ledger.record(started.payment, ANSWERED));
  await step('a view', () => ledger.orderAt('A'));
  await start('a start that replaces another', { orderId: 'A' });
  const { payment: prompt } = await start('a start with a prompt', {
    orderId: 'W',
    method: 'DIRECT',
    customer: 'wallet-1',
  });
  await step('an answer that was lost', () =>
    ledger.record(prompt, { stage: 'uncertain', answer: 'lost', detail: 'reset' }),
  );
  await step('an answer whose row was lost', () =>
    ledger.record({ ...started.payment, id: 'R', orderId: 'R' }, ANSWERED),
  );
  await step('newer terms', () => ledger.recordTerms({ ...payment({ orderId: 'A' }), iat: 2, terms: 'other' }));
  await step('orders', () => Promise.all([ledger.order('A'), ledger.order('none')]));

  await step('a start that was not answered', () =>
    ledger.recordUnsent({ type: 'PAY', orderId: 'A' }, { by: BY, id: 'none' }, ANSWERED),
  );
  await step('a payout', () => ledger.openPayout({ ...PAYOUT, start: { by: BY, id: 'payout' } }));
  await step('payouts', () => Promise.all([ledger.payoutIds('P'), ledger.payout('none'), ledger.payout('T1000001')]));

  await step('a closing', () => ledger.closeOrder({ orderId: 'R', reason: 'why', ifUnpaidSince: null }));
  await step('a check that is not due', () => ledger.claimCheck('W', LEASE_MS));

  await step('an IPN', () => ledger.receiveIpn(ipn('A', 'first')));
  const { claim } = await step('an IPN with its claim', () => ledger.receiveIpn(ipn('A', 'second'), LEASE_MS));
  if (claim === undefined) assert.fail('the IPN did not claim its check');
  await step('an observation', () => endCheck(ledger, claim, verified('succeeded')));
  await step('a repeated IPN', () => ledger.receiveIpn(ipn('A', 'first')));
  await step('an unreadable IPN', () => ledger.receiveIpn({ id: 'unreadable', body: '?', reading: undefined }));
  await step('an early IPN', () => ledger.receiveIpn(ipn('E', 'early')));
  await start('a start after its IPN', { orderId: 'E' });
  await step('IPNs', () => Promise.all([ledger.newIpns('A'), ledger.unmatchedIpns(100)]));
  await step('a report of unmatched IPNs', () => ledger.reportUnmatched(M));

  const reports = { pending: verified('pending'), failed: verified('failed'), succeeded: verified('succeeded') };
  const kinds = { ...reports, unanswered: UNAVAILABLE, unknown: UNKNOWN };
  for (const [name, observation] of Object.entries({
    ...kinds,
    mismatch: differing(),
  })) {
    const { payment: other } = await start('another start', { orderId: `O-${name}` });
    await ledger.record(other, ANSWERED);
    await observe(`a check: ${name}`, other.id, observation);
  }
  const { payment: refunded } = await start('another start', { orderId: 'refunded' });
  await ledger.record(refunded, ANSWERED);
  await observe('a success that names the payer', 'refunded', verified('succeeded', null, '12345678'));
  const refund = { ...REFUND, orderId: 'refunded', start: { by: BY, id: 'refund' } };
  await step('a refund', () => ledger.openRefund({ ...refund, amount: '1' }));
  await step('another refund', () => ledger.openRefund({ ...refund, idempotencyKey: 'other' }));
  const found = [{ id: 'refunded-r9', attempt: 9, amountMinor: 1, needsReview: false }];
  const lost = { orderId: 'refunded', transactionId: 'refunded', found };
  await step('refunds that were lost', () => ledger.recordFound(lost));
  await step('an unknown', () => ledger.recordUnknown({ transactionId: 'W', beganAt: NOON, endedAt: NOON }));
  const resolution = { status: 'SUCCESS', by: 'ada', note: 'asked' } as const;
  await step('the preview of a resolution', () => ledger.preview('O-mismatch', resolution));
  await step('a resolution', () => ledger.resolve('O-mismatch', resolution));
  await step('newest found', () => Promise.all(GATEWAY_TYPES.map((type) => ledger.newestFound(type))));

  const checks = await step('a claim of checks', () => ledger.claimChecks(20, LEASE_MS));
  await step('a longer claim of checks', () => ledger.prolongChecks(checks, LEASE_MS));
  const claimed = await step('a claim of webhooks', () => ledger.claimWebhooks(16, LEASE_MS));
  await step('a longer claim of webhooks', () => ledger.prolongWebhooks(claimed, LEASE_MS));
  const [webhook] = (await ledger.webhooks(undefined, 1)).webhooks;
  assert.ok(webhook);
  const { id } = webhook;
  await step('a delivery', () => ledger.recordDelivery(webhook, { state: 'delivered', answer: '200' }));
  await step('a webhook', () => ledger.webhook(id));
  await step('a redelivery', () => ledger.redeliver(id));
  for (const state of ['pending', 'delivered', 'dead', undefined] as const) {
    await step(`webhooks: ${state}`, () => ledger.webhooks(state, 100));
    const cursor = `${NOON - 50 * M}~msg_50000`;
    await step(`older webhooks: ${state}`, () => ledger.webhooks(state, 100, { cursor }));
  }
  await step('webhooks of an order', () => ledger.webhooks(undefined, 100, { orderId: 'A' }));
  await step('a webhook', () => ledger.webhook(id));

  await callLists(ledger, step);
  ledger.onWrite(() => undefined);
  const stopWatching = ledger.watch('A', () => undefined);
  await step('a poll', poll);
  stopWatching();

  await step('a recovery', () => ledger.recover(BY));
  await step('a restore', () => ledger.recordRestore(NOON));
  await step('restored lately', () => ledger.wasRestoredLately());
  await step('clocks', () => Promise.all([ledger.time(), ledger.clockOffset()]));
  await step('counts', () => ledger.counts());
  const sums = await step('sums', () => ledger.sums(NOON - D));
  const summed = [sums.created, sums.open].flatMap((all) => [...Map.groupBy(all, ({ type }) => type).values()]);
  const most = Math.max(...summed.map((ofType) => ofType.reduce((sum, { count }) => sum + count, 0)));
  assert.ok(most <= 5_000, `${most} rows`);
  assert.equal(sums.isWhole, most < 5_000);
  await step('owed', () => ledger.owed(10));
  await step('warnings', () => ledger.databaseWarnings());
  await step('free space', async () => ledger.freeBytes());
  await step('a ping', () => ledger.ping());
  await step('a prune', () => ledger.prune());
  await callErasing(ledger, step, 'O-succeeded');
  stepClock();
  await step('a claim after a clock step', () => ledger.claimChecks(1, LEASE_MS));
  await ledger.close();
}

async function callErasing(ledger: Ledger, step: Calls['step'], id: string): Promise<void> {
  await step('an erasing that is refused', () => ledger.erase(id, { sendsWebhooks: true }).catch(() => undefined));
  const [webhook] = (await ledger.webhooks('pending', 50)).webhooks.filter(({ orderId }) => orderId === id);
  assert.ok(webhook);
  await ledger.recordDelivery(webhook, { state: 'delivered', answer: '200' });
  await step('an erasing of an order', () => ledger.erase(id, { sendsWebhooks: true }));
  await step('a redelivery of what is erased', () => ledger.redeliver(webhook.id).catch(() => undefined));
  for (const sendsWebhooks of [true, false]) {
    const retention = { afterMs: 8 * D, payersMs: 0, sendsWebhooks };
    const { next } = await step(`a first page of erasing: ${sendsWebhooks}`, () => ledger.erasePage(retention, ''));
    await step(`a page of erasing: ${sendsWebhooks}`, () => ledger.erasePage(retention, next));
  }
  await step('a shrinking', () => ledger.shrink());
}

async function callLists(ledger: Ledger, step: Calls['step']): Promise<void> {
  const list = (query: Omit<TransactionQuery, 'limit'>) =>
    step(`transactions: ${JSON.stringify(query)}`, () => ledger.transactions({ ...query, limit: 50 }));
  const [from, to] = [NOON - 100 * M, NOON - M];
  await list({ updatedSince: from, cursor: `${NOON - 50 * M}~T1050000` });
  await step('an export', () => ledger.transactions({ sort: 'createdAt', successOnly: true, limit: 50 }));
  await step('a transaction', () => ledger.transaction('A'));
  const maybe = <T>(...values: T[]) => [undefined, ...values];
  for (const [sort, cursor] of [
    ['updatedAt', `${NOON - 50 * M}~T1050000`],
    ['createdAt', `c${NOON - 50 * M}~T1050000`],
    ['-createdAt', `n${NOON - 50 * M}~T1050000`],
  ] as const) {
    for (const orderId of maybe('A')) {
      await list({ sort, orderId, ...(sort !== 'updatedAt' && { createdFrom: from, createdBefore: to }), cursor });
    }
    for (const type of maybe(...GATEWAY_TYPES)) {
      for (const status of maybe(...STATUSES)) {
        for (const needsReview of maybe(true, false)) {
          for (const after of maybe(cursor)) await list({ sort, type, status, needsReview, cursor: after });
        }
      }
    }
  }
}
