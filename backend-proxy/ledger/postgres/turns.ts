// Writes of one process that change the same rows take turns once two of them have collided: otherwise each save would
// make all others begin again. It only saves work: the save itself finds what has changed.
import { withinLimit } from '../../protocol/within-limit.ts';

/** After this, a write goes ahead without its turn: the one before it may wait for a connection that is gone. */
const WAIT_LIMIT_MS = 3_000;

export type InTurn = <T>(key: string, hasCollided: boolean, work: () => Promise<T>) => Promise<T>;

export function createTurns(): InTurn {
  const last = new Map<string, Promise<void>>();
  return async (key, hasCollided, work) => {
    const earlier = last.get(key);
    if (earlier === undefined && !hasCollided) return work();
    const mine = Promise.withResolvers<void>();
    last.set(key, mine.promise);
    try {
      if (earlier !== undefined) await withinLimit(earlier, WAIT_LIMIT_MS);
      return await work();
    } finally {
      mine.resolve();
      if (last.get(key) === mine.promise) last.delete(key);
    }
  };
}
