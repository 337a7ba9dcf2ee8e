// Whether the gateway's "unknown" may be believed: every framework answers a wrong path with a JSON 404, and a key of another
// account knows nothing of ours. It is believed where, within the minute after it, the same path with the same key has found a
// transaction of the same type; where none was found by itself, the one found last is asked about on purpose, at most once a minute
// for each type. Owns what waits to be believed, in memory: what is lost with the process is asked about again by the schedule.
import type { Gateway } from './gateway/gateway.ts';
import type { BelievedUnknown, Ledger } from './ledger/ledger.ts';
import { TRANSACTION_TYPES, type TransactionType } from './protocol/transaction.ts';

const MINUTE_MS = 60_000;
/** More than this wait at once only where nothing can be believed. */
const MOST_WAITING = 10_000;

interface Waiting {
  unknown: BelievedUnknown;
  /** Said by the profile's own "no such order". */
  isOwnWord: boolean;
  /** When it was heard, by this process's clock. */
  heardAt: number;
}

export interface UnknownProof {
  /** A check that began at `beganAt` (this process's clock) has found a transaction of this type. */
  found(type: TransactionType, beganAt: number): Promise<void>;
  unknown(type: TransactionType, unknown: BelievedUnknown, isOwnWord: boolean): void;
  /** Asks on purpose where something waits and the last question is a minute ago; false where there was nothing to do. */
  look(): Promise<boolean>;
  /** Asks now, and tells whether "unknown" means unknown. */
  isProven(type: TransactionType): Promise<boolean>;
  /** The types of which a transaction that is known to exist was answered "unknown". */
  wrongPaths(): TransactionType[];
}

interface Ports {
  gateway: Gateway;
  ledger: Ledger;
  now: () => number;
  /** The path or the key is wrong: said each time it is found. */
  onWrongPath(type: TransactionType): void;
}

export function createUnknownProof({ gateway, ledger, now, onWrongPath }: Ports): UnknownProof {
  const waiting = new Map<TransactionType, Waiting[]>(TRANSACTION_TYPES.map((type) => [type, []]));
  const askedAt = new Map<TransactionType, number>();
  const wrong = new Set<TransactionType>();

  async function found(type: TransactionType, beganAt: number): Promise<void> {
    wrong.delete(type);
    const all = waiting.get(type) ?? [];
    const isServed = ({ heardAt }: Waiting) => heardAt <= beganAt && beganAt - heardAt <= MINUTE_MS;
    waiting.set(
      type,
      all.filter((each) => !isServed(each)),
    );
    for (const { unknown } of all.filter(isServed)) await ledger.believe(unknown);
  }

  /** The one found last, asked about once more; `none` where none ever was. */
  async function ask(type: TransactionType): Promise<'found' | 'unknown' | 'unavailable' | 'none'> {
    const newest = await ledger.newestFound(type);
    if (newest === undefined || gateway.status === undefined) return 'none';
    const beganAt = now();
    askedAt.set(type, beganAt);
    const { kind } = await gateway.status(newest.id, type);
    if (kind === 'found') await found(type, beganAt);
    if (kind === 'unknown') {
      wrong.add(type);
      waiting.set(type, []);
      onWrongPath(type);
    }
    return kind;
  }

  async function lookAt(type: TransactionType): Promise<boolean> {
    // An old one, or one of a clock that was ahead, proves nothing any more.
    const fresh = (waiting.get(type) ?? []).filter(({ heardAt }) => Math.abs(now() - heardAt) <= MINUTE_MS);
    waiting.set(type, fresh);
    const isAskedLately = Math.abs(now() - (askedAt.get(type) ?? -Infinity)) < MINUTE_MS;
    if (fresh.length === 0 || isAskedLately) return false;
    if ((await ask(type)) !== 'none') return true;
    waiting.set(type, []);
    for (const { unknown, isOwnWord } of fresh) if (isOwnWord) await ledger.believe(unknown);
    return true;
  }

  return {
    found,
    unknown(type, unknown, isOwnWord) {
      const all = waiting.get(type) ?? [];
      if (all.length < MOST_WAITING) all.push({ unknown, isOwnWord, heardAt: now() });
    },
    async look() {
      let didAny = false;
      for (const type of TRANSACTION_TYPES) didAny = (await lookAt(type)) || didAny;
      return didAny;
    },
    isProven: async (type) => (await ask(type)) === 'found',
    wrongPaths: () => [...wrong],
  };
}
