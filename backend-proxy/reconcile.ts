// Settling: asks the gateway about every transaction whose check is due, because an IPN rang or because time has passed,
// and records what it says. With no IPN at all everything still settles by this.
import type { Gateway } from './gateway/gateway.ts';
import type { Claim, Ledger, Observation } from './ledger/ledger.ts';
import type { CheckRate } from './check-rate.ts';
import type { UnknownProof } from './unknown-proof.ts';
import { TYPES, type Transaction } from './protocol/transaction.ts';
import { verify, type Expected } from './protocol/verify.ts';
import { createWorker, type Worker } from './worker.ts';

/** The gateway's adapter has so many connections for them (gateway/http.ts): one more would wait there, and seem slow. */
const CHECKS_AT_ONCE = 24;
const LOOK_EVERY_MS = 250;
/** Longer than a check can take, so that it is never in flight twice. */
const LEASE_MS = 45_000;

interface Ports {
  gateway: Gateway;
  ledger: Ledger;
  proof: UnknownProof;
  pace: CheckRate;
  now?: () => number;
}

export function createReconciler(
  { gateway, ledger, proof, pace, now = Date.now }: Ports,
  onError: (error: unknown) => void,
): Worker {
  const { status } = gateway;

  async function check(claim: Claim): Promise<void> {
    const { transaction, leaseUntil, beganAt } = claim;
    if (status === undefined) {
      for (const observation of await recall(transaction, ledger)) await ledger.observe(claim, observation);
      return;
    }
    const askedAt = now();
    const checked = await status(transaction.id, transaction.type);
    if (checked.kind !== 'found') {
      const endedAt = await ledger.observe(claim, { kind: checked.kind });
      // One that was recorded after its lease ran out ends nothing.
      if (checked.kind === 'unknown' && endedAt <= leaseUntil) {
        proof.unknown(transaction.type, { transactionId: transaction.id, beganAt, endedAt }, checked.isOwnWord);
      }
      return;
    }
    await ledger.observe(claim, verify(expected(transaction), checked.report, { complete: false }));
    if (checked.report.type === transaction.type) await proof.found(transaction.type, askedAt);
  }

  const worker = createWorker({
    claim: (most) => ledger.claimChecks(most, LEASE_MS),
    handle: check,
    atOnce: CHECKS_AT_ONCE,
    // Without a status check nobody is asked: it is all in the books.
    ...(status && { pace }),
    onError,
  });
  // Beside the checks and not before them: a question that is not answered holds up nobody.
  let looking: Promise<boolean> | undefined;
  const look = (): Promise<boolean> => (looking ??= proof.look().finally(() => (looking = undefined)));

  return {
    ...worker,
    async tick() {
      const handled = await worker.tick();
      // What it believed is news for the other workers, as a check is.
      return handled + Number(await look());
    },
    run() {
      const stop = worker.run();
      const timer = setInterval(() => void look().catch(onError), LOOK_EVERY_MS);
      return async () => {
        clearInterval(timer);
        await stop();
        await looking?.catch(onError);
      };
    },
  };
}

/** The weaker mode: the gateway has no status check, so what its IPNs said is all there is. */
async function recall(transaction: Transaction, ledger: Ledger): Promise<Observation[]> {
  const readings = await ledger.ipnReadings(transaction.id);
  const seen = readings.flatMap(({ outcome, ...reading }) =>
    outcome === null ? [] : [verify(expected(transaction), { ...reading, outcome }, { complete: true })],
  );
  if (seen.length === 0) return [{ kind: 'silent' }];
  // A payout is never FAILED by an IPN alone: its money would be sent again by hand.
  const isFailedPayout = (verdict: Observation) =>
    TYPES[transaction.type].isOutgoing && verdict.kind === 'verified' && verdict.outcome === 'failed';
  return seen.map((verdict) => (isFailedPayout(verdict) ? { kind: 'failed_ipn' } : verdict));
}

function expected(transaction: Transaction): Expected {
  return { ...transaction, answeredId: transaction.answer === 'identified' ? transaction.paymentId : null };
}
