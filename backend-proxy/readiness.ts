// Whether the proxy can take payments, and what its operator should fix. Looked up at most once a second, whoever asks:
// /readyz is open to all, and each look writes to the database.
import { Refusal } from './errors.ts';
import { toRefusal } from './http/problem.ts';
import { REMEDIES } from './installation.ts';
import type { Ledger } from './ledger/ledger.ts';
import { SECOND_MS } from './protocol/durations.ts';
import type { Warning } from './protocol/log.ts';
import { withinLimit } from './protocol/within-limit.ts';

const KEPT_MS = SECOND_MS;
/** Longer than a ping waits for a lock. A database that takes longer is not ready. */
const LIMIT_MS = 3 * SECOND_MS;

export interface Readiness {
  /** Why it cannot take payments. */
  refusal?: Refusal;
  warnings: Warning[];
}

interface Ports {
  ledger: Pick<Ledger, 'ping' | 'ownerMismatch'>;
  /** False until `npm run build` has run. */
  isWidgetBuilt: boolean;
  warnings(): Promise<Warning[]>;
  now: () => number;
}

const UNWRITABLE = 'The database cannot be written: the log says why.';
const OTHER_OWNER = 'No payments are started, because the database is used with another gateway: the log names both.';

const tooSlow = () => new Refusal('unavailable', UNWRITABLE, { cause: new Error('no answer within 3 s') });

/** What it returns never rejects. */
export function createReadiness({ ledger, isWidgetBuilt, warnings, now }: Ports): () => Promise<Readiness> {
  let lookedAt = -Infinity;
  let latest: Promise<Readiness>;

  async function look(): Promise<Readiness> {
    try {
      await ledger.ping().catch((error: unknown) => {
        throw new Refusal('unavailable', UNWRITABLE, { cause: error });
      });
      const difference = ledger.ownerMismatch();
      if (!isWidgetBuilt) throw new Refusal('unavailable', `The widget is not built: ${REMEDIES.widget}.`);
      if (difference !== undefined) throw new Refusal('unavailable', OTHER_OWNER, { cause: new Error(difference) });
      return { warnings: await warnings() };
    } catch (error) {
      return { refusal: toRefusal(error instanceof Error ? error : new Error(String(error))), warnings: [] };
    }
  }

  return () => {
    // In either direction, because a clock may be set back.
    if (Math.abs(now() - lookedAt) >= KEPT_MS) {
      lookedAt = now();
      latest = withinLimit(look(), LIMIT_MS).then((found) => found ?? { refusal: tooSlow(), warnings: [] });
    }
    return latest;
  };
}
