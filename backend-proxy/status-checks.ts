// Checks every transaction that is due, because an IPN requested it or by the schedule, and records the report.
// Without any IPN, everything still settles this way.
import { runAs } from './observability/cause.ts';
import type { Gateway } from './gateway/gateway.ts';
import type { Claim, Ledger, Observation, StoredIpn } from './ledger/ledger.ts';
import type { CheckRate } from './workers/check-rate.ts';
import type { UnknownProof } from './workers/unknown-proof.ts';
import { CALL_OVER_MS, STATUS_CONNECTIONS } from './protocol/gateway-call.ts';
import { TYPES } from './protocol/transaction.ts';
import { verify, type Expected } from './protocol/verify.ts';
import { createWorker, type Worker } from './workers/worker.ts';

const PROVE_EVERY_MS = 250;

interface Ports {
  gateway: Gateway;
  ledger: Ledger;
  proof: UnknownProof;
  rate: CheckRate;
  now?: () => number;
}

interface StatusChecks extends Worker {
  /**
   * Stores an IPN and begins the check that it requests: at once, claimed in the same commit, or if a limit is reached,
   * with the next claim. Returns whether its transaction is in the database.
   */
  receive(ipn: StoredIpn): Promise<boolean>;
}

export function createStatusChecks(
  { gateway, ledger, proof, rate, now = Date.now }: Ports,
  onError: (error: unknown) => void,
): StatusChecks {
  const { status } = gateway;

  async function check(claim: Claim): Promise<void> {
    const { transaction, leaseUntil, beganAt } = claim;
    if (status === undefined) {
      for (const observation of await observationsOfIpns(transaction, ledger)) await ledger.observe(claim, observation);
      return;
    }
    const askedAt = now();
    const checked = await status(transaction.id, transaction.type);
    if (checked.kind !== 'found') {
      const endedAt = await ledger.observe(claim, { kind: checked.kind });
      // An observation recorded after its lease ended proves nothing.
      if (checked.kind === 'unknown' && endedAt <= leaseUntil) {
        proof.unknown(transaction.type, { transactionId: transaction.id, beganAt, endedAt }, checked.isNoSuchOrder);
      }
      return;
    }
    await ledger.observe(claim, verify(expected(transaction), checked.report, { complete: false }));
    if (checked.report.type === transaction.type) await proof.found(transaction.type, askedAt);
  }

  const worker = createWorker({
    claim: (most) => ledger.claimChecks(most, CALL_OVER_MS),
    handle: (claim) => {
      const { id: transactionId, orderId } = claim.transaction;
      return runAs({ orderId, transactionId }, () => check(claim));
    },
    atOnce: STATUS_CONNECTIONS,
    // Without a status check no call is made: the IPNs are in the database.
    ...(status && { rate }),
    onError,
  });
  // Runs beside the checks, so that a slow answer does not delay them.
  let proving: Promise<boolean> | undefined;
  const prove = (): Promise<boolean> => (proving ??= proof.proveWaiting().finally(() => (proving = undefined)));

  async function receive(ipn: StoredIpn): Promise<boolean> {
    const mayBegin = worker.reserve();
    let claim: Claim | undefined;
    try {
      const received = await ledger.receiveIpn(ipn, mayBegin ? CALL_OVER_MS : undefined);
      claim = received.claim;
      if (received.isMatched && claim === undefined) worker.wake();
      return received.isMatched;
    } finally {
      if (claim !== undefined) worker.handle(claim);
      else if (mayBegin) worker.release();
    }
  }

  const { begin, wake } = worker;
  return {
    receive,
    begin,
    wake,
    async tick() {
      const handled = await worker.tick();
      // Proven "unknowns" may make work due for the other workers, as a check does.
      return handled + Number(await prove());
    },
    run() {
      const stop = worker.run();
      const timer = setInterval(() => void prove().catch(onError), PROVE_EVERY_MS);
      return async () => {
        clearInterval(timer);
        await stop();
        await proving?.catch(onError);
      };
    },
  };
}

/** Weaker mode: the gateway has no status check, so the stored IPNs are the only reports. */
async function observationsOfIpns(transaction: Claim['transaction'], ledger: Ledger): Promise<Observation[]> {
  const readings = await ledger.ipnReadings(transaction.id);
  const verdicts = readings.flatMap(({ outcome, ...reading }) =>
    outcome === null ? [] : [verify(expected(transaction), { ...reading, outcome }, { complete: true })],
  );
  if (verdicts.length === 0) return [{ kind: 'silent' }];
  // An IPN alone never fails a payout: the merchant would send the money again.
  const isFailedPayout = (verdict: Observation) =>
    TYPES[transaction.type].isOutgoing && verdict.kind === 'verified' && verdict.outcome === 'failed';
  return verdicts.map((verdict) => (isFailedPayout(verdict) ? { kind: 'failed_ipn' } : verdict));
}

function expected(transaction: Claim['transaction']): Expected {
  return { ...transaction, answeredId: transaction.answer === 'identified' ? transaction.paymentId : null };
}
