// Checks every transaction that is due, because an IPN requested it or by the schedule, and records the report.
// Without any IPN, everything still settles this way.
import { runAs } from './observability/cause.ts';
import type { Gateway } from './gateway/gateway.ts';
import type { Claim, Ledger, StoredIpn } from './ledger/ledger.ts';
import type { CheckRate } from './workers/check-rate.ts';
import type { UnknownProof } from './workers/unknown-proof.ts';
import { STATUS_CONNECTIONS } from './protocol/gateway-call.ts';
import { TYPES } from './protocol/transaction.ts';
import { LEASE_MS, createWorker, type Reserving, type Worker } from './workers/worker.ts';

const PROVE_EVERY_MS = 250;

interface Ports {
  gateway: Gateway;
  ledger: Ledger;
  proof: UnknownProof;
  rate: CheckRate;
  now?: () => number;
  /** A monotonic clock, ms. */
  elapsed?: (() => number) | undefined;
}

interface StatusChecks extends Worker {
  /**
   * Stores an IPN and begins the check that it requests: at once, claimed in the same commit, or if a limit is reached,
   * with the next claim. Returns whether its transaction is in the database.
   */
  receive(ipn: StoredIpn): Promise<boolean>;
  /** Checks a transaction at once, due or not; if a limit is reached or a check is under way, it does nothing. */
  check(transactionId: string): Promise<void>;
}

export function createStatusChecks(
  { gateway, ledger, proof, rate, now = Date.now, elapsed }: Ports,
  onError: (error: unknown) => void,
): StatusChecks {
  const { status } = gateway;

  async function check(claim: Claim): Promise<void> {
    const { transaction, beganAt } = claim;
    if (status === undefined) return checkByIpns(claim, ledger);
    const askedAt = now();
    const type = TYPES[transaction.type].atGateway;
    const checked = await status(transaction.id, type);
    if (checked.kind !== 'found') {
      const endedAt = await ledger.observe(claim, { kind: checked.kind });
      // An observation recorded after its lease ended proves nothing.
      if (checked.kind === 'unknown' && endedAt <= claim.leaseUntil) {
        proof.unknown(type, { transactionId: transaction.id, beganAt, endedAt }, checked.isNoSuchOrder);
      }
      return;
    }
    await ledger.observe(claim, { kind: 'report', report: checked.report });
    if (checked.report.type === type) await proof.found(type, askedAt);
  }

  const worker = createWorker({
    claim: (most) => ledger.claimChecks(most, LEASE_MS),
    idOf: ({ transaction }) => transaction.id,
    prolong: (claims) => ledger.prolongChecks(claims, LEASE_MS),
    handle: (claim) => {
      const { id: transactionId, orderId } = claim.transaction;
      return runAs({ orderId, transactionId }, () => check(claim));
    },
    atOnce: STATUS_CONNECTIONS,
    // Without a status check no call is made: the IPNs are in the database.
    ...(status && { rate }),
    onError,
    elapsed,
  });
  // Runs beside the checks, so that a slow answer does not delay them.
  let proving: Promise<boolean> | undefined;
  const prove = (): Promise<boolean> => (proving ??= proof.proveWaiting().finally(() => (proving = undefined)));

  return {
    ...checksAtOnce(ledger, worker),
    wake: worker.wake,
    prolong: worker.prolong,
    begin() {
      void prove().catch(onError);
      return worker.begin();
    },
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

/** Checks that begin without waiting for the schedule, claimed in a commit of their own. */
function checksAtOnce(ledger: Ledger, worker: Worker & Reserving<Claim>): Pick<StatusChecks, 'receive' | 'check'> {
  async function receive(ipn: StoredIpn): Promise<boolean> {
    const mayBegin = worker.reserve();
    let claim: Claim | undefined;
    try {
      const received = await ledger.receiveIpn(ipn, mayBegin ? LEASE_MS : undefined);
      claim = received.claim;
      if (received.isMatched && claim === undefined) worker.wake();
      return received.isMatched;
    } finally {
      if (claim !== undefined) void worker.handle(claim);
      else if (mayBegin) worker.release();
    }
  }

  async function check(transactionId: string): Promise<void> {
    if (!worker.reserve()) return;
    const claim = await ledger.claimCheck(transactionId, LEASE_MS).catch((error: unknown) => {
      worker.release();
      throw error;
    });
    if (claim === undefined) worker.release();
    else await worker.handle(claim);
  }

  return { receive, check };
}

/** Weaker mode: the gateway has no status check, so the IPNs are the only reports. Each is read once. */
async function checkByIpns(claim: Claim, ledger: Ledger): Promise<void> {
  const ipns = await ledger.newIpns(claim.transaction.id);
  for (const { reading, n } of ipns) {
    const { outcome } = reading;
    // A commit for each, so that a crash between two loses none.
    await ledger.observe(
      { ...claim, ipnsReceived: n },
      outcome === null ? { kind: 'silent' } : { kind: 'report', report: { ...reading, outcome }, isIpn: true },
    );
  }
  if (ipns.length === 0) await ledger.observe(claim, { kind: 'silent' });
}
