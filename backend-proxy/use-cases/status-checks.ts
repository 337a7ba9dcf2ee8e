// Checks every transaction that is due, and decides whether an "unknown" of the gateway is trusted.
// A check is due because an IPN requested it or by the schedule, and its report is recorded. Without any IPN,
// everything still settles this way.
import type { Gateway } from '../gateway/gateway.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { Claim, StoredIpn, ProvenUnknown } from '../ledger/model.ts';
import { runAs } from '../observability/log.ts';
import { MINUTE_MS, STATUS_CONNECTIONS, CALL_OVER_MS, isWithin } from '../protocol/durations.ts';
import { TYPES, GATEWAY_TYPES, type GatewayType } from '../protocol/transaction.ts';
import type { CheckRate } from './check-rate.ts';
import { LEASE_MS, createWorker, type Reserving, type Worker } from './worker.ts';

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

// Decides whether an "unknown" of the gateway may be trusted. A wrong path also gives a JSON 404, and a key of
// another account knows none of our transactions. An "unknown" is proven if a check of another transaction of the
// same type, begun within a minute after it, finds that one. If no regular check does, the transaction that was found
// last is checked again, at most once a minute per type.
// Waiting "unknowns" are kept in memory; after a restart the schedule checks again.

/** Reached only if nothing can be proven. */
const MAX_WAITING = 10_000;

interface Waiting {
  unknown: ProvenUnknown;
  /** The answer matched `noSuchOrder` of the profile. */
  isNoSuchOrder: boolean;
  /** Time of the answer, by the clock of this process. */
  answeredAt: number;
}

export interface UnknownProof {
  /** A check that began at `beganAt` (clock of this process) has found a transaction of this type. */
  found(type: GatewayType, beganAt: number): Promise<void>;
  unknown(type: GatewayType, unknown: ProvenUnknown, isNoSuchOrder: boolean): void;
  /**
   * Checks the newest transaction again if "unknowns" wait and the last such check is a minute ago; false if there
   * was nothing to do.
   */
  proveWaiting(): Promise<boolean>;
  /** Checks now whether "unknown" can be trusted. */
  isProven(type: GatewayType): Promise<boolean>;
  /** Types for which a known transaction was answered "unknown". */
  wrongPaths(): GatewayType[];
}

interface ProofPorts {
  gateway: Gateway;
  ledger: Ledger;
  now: () => number;
  /** Called each time the path or the key turns out to be wrong. */
  onWrongPath(type: GatewayType): void;
}

export function createUnknownProof({ gateway, ledger, now, onWrongPath }: ProofPorts): UnknownProof {
  const waiting = new Map<GatewayType, Waiting[]>(GATEWAY_TYPES.map((type) => [type, []]));
  const recheckedAt = new Map<GatewayType, number>();
  const wrongTypes = new Set<GatewayType>();

  async function found(type: GatewayType, beganAt: number): Promise<void> {
    wrongTypes.delete(type);
    const all = waiting.get(type) ?? [];
    const isCovered = ({ answeredAt }: Waiting) => answeredAt <= beganAt && beganAt - answeredAt <= MINUTE_MS;
    waiting.set(
      type,
      all.filter((each) => !isCovered(each)),
    );
    for (const { unknown } of all.filter(isCovered)) await ledger.recordUnknown(unknown);
  }

  /** Checks the transaction that was found last; `none` if there is none. */
  async function recheckNewest(type: GatewayType): Promise<'found' | 'unknown' | 'unavailable' | 'none'> {
    const newest = await ledger.newestFound(type);
    if (newest === undefined || gateway.status === undefined) return 'none';
    const askedAt = now();
    recheckedAt.set(type, askedAt);
    // By the ledger's clock, because another check may have to be some time before this one.
    const beganAt = await ledger.time();
    const { status } = gateway;
    const about = { orderId: newest.orderId, transactionId: newest.id };
    const checked = await runAs(about, () => status(newest.id, type));
    const { kind } = checked;
    if (checked.kind === 'found') {
      // It was asked about for another's sake, and its report counts like any other.
      const claim = { transaction: newest, beganAt, leaseUntil: beganAt + CALL_OVER_MS, ipnsReceived: 0 };
      await ledger.observe(claim, { kind: 'report', report: checked.report });
      // As if unanswered: the path of this type shows another's.
      if (checked.report.type !== type) return 'unavailable';
      await found(type, askedAt);
    }
    if (kind === 'unknown') {
      wrongTypes.add(type);
      waiting.set(type, []);
      onWrongPath(type);
    }
    return kind;
  }

  async function proveWaitingOf(type: GatewayType): Promise<boolean> {
    // Drops those older than a minute, or from a clock that was ahead: they prove nothing.
    const fresh = (waiting.get(type) ?? []).filter(({ answeredAt }) => isWithin(MINUTE_MS, answeredAt, now()));
    waiting.set(type, fresh);
    const isRecheckedRecently = isWithin(MINUTE_MS, recheckedAt.get(type) ?? -Infinity, now());
    if (fresh.length === 0 || isRecheckedRecently) return false;
    if ((await recheckNewest(type)) !== 'none') return true;
    waiting.set(type, []);
    for (const { unknown, isNoSuchOrder } of fresh) if (isNoSuchOrder) await ledger.recordUnknown(unknown);
    return true;
  }

  return {
    found,
    unknown(type, unknown, isNoSuchOrder) {
      const all = waiting.get(type) ?? [];
      if (all.length < MAX_WAITING) all.push({ unknown, isNoSuchOrder, answeredAt: now() });
    },
    async proveWaiting() {
      let hasWorked = false;
      for (const type of GATEWAY_TYPES) hasWorked = (await proveWaitingOf(type)) || hasWorked;
      return hasWorked;
    },
    isProven: async (type) => (await recheckNewest(type)) === 'found',
    wrongPaths: () => [...wrongTypes],
  };
}
