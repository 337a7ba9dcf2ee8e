// Settling: asks the gateway about every transaction whose check is due, because an IPN rang or because time has passed,
// and records what it says. With no IPN at all everything still settles by this.
import type { Gateway } from './gateway/gateway.ts';
import type { Ledger, Observation } from './ledger/ledger.ts';
import type { Transaction } from './protocol/transaction.ts';
import { verify, type Expected } from './protocol/verify.ts';
import { createWorker, type Worker } from './worker.ts';

const CHECKS_PER_SECOND = 20;
const CHECKS_AT_ONCE = 20;
/** Longer than a check can take, so that it is never in flight twice. */
const LEASE_MS = 45_000;

export function createReconciler(
  { gateway, ledger, now = Date.now }: { gateway: Gateway; ledger: Ledger; now?: () => number },
  onError: (error: unknown) => void,
): Worker {
  return createWorker({
    claim: (most) => ledger.claimChecks(most, LEASE_MS),
    handle: (transaction) => check(transaction, gateway, ledger),
    atOnce: CHECKS_AT_ONCE,
    perSecond: CHECKS_PER_SECOND,
    now,
    onError,
  });
}

async function check(transaction: Transaction, gateway: Gateway, ledger: Ledger): Promise<void> {
  const observations = gateway.status ? [await ask(gateway.status, transaction)] : await recall(transaction, ledger);
  for (const observation of observations) await ledger.observe(transaction.id, observation);
}

async function ask(status: NonNullable<Gateway['status']>, transaction: Transaction): Promise<Observation> {
  const checked = await status(transaction.id, transaction.type);
  if (checked.kind !== 'found') return { kind: checked.kind };
  return verify(expectedOf(transaction), checked.report, { complete: false });
}

/** The weaker mode: the gateway has no status check, so what its IPNs said is all there is. */
async function recall(transaction: Transaction, ledger: Ledger): Promise<Observation[]> {
  const readings = await ledger.ipnReadings(transaction.id);
  const seen = readings.flatMap(({ outcome, ...reading }) =>
    outcome === null ? [] : [verify(expectedOf(transaction), { ...reading, outcome }, { complete: true })],
  );
  return seen.length === 0 ? [{ kind: 'unavailable' }] : seen;
}

function expectedOf(transaction: Transaction): Expected {
  return { ...transaction, answeredId: transaction.paymentId };
}
