// Decides whether an "unknown" of the gateway may be trusted. A wrong path also gives a JSON 404, and a key of
// another account knows none of our transactions. An "unknown" is proven if a check of another transaction of the
// same type, begun within a minute after it, finds that one. If no regular check does, the transaction that was found
// last is checked again, at most once a minute per type.
// Waiting "unknowns" are kept in memory; after a restart the schedule checks again.
import { runAs } from '../observability/cause.ts';
import type { Gateway } from '../gateway/gateway.ts';
import type { ProvenUnknown, Ledger } from '../ledger/ledger.ts';
import { MINUTE_MS } from '../protocol/durations.ts';
import { CALL_OVER_MS } from '../protocol/gateway-call.ts';
import { GATEWAY_TYPES, type GatewayType } from '../protocol/transaction.ts';

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

interface Ports {
  gateway: Gateway;
  ledger: Ledger;
  now: () => number;
  /** Called each time the path or the key turns out to be wrong. */
  onWrongPath(type: GatewayType): void;
}

export function createUnknownProof({ gateway, ledger, now, onWrongPath }: Ports): UnknownProof {
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
    const fresh = (waiting.get(type) ?? []).filter(({ answeredAt }) => Math.abs(now() - answeredAt) <= MINUTE_MS);
    waiting.set(type, fresh);
    const isRecheckedRecently = Math.abs(now() - (recheckedAt.get(type) ?? -Infinity)) < MINUTE_MS;
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
