// Whether the proxy can take payments, and what its operator should fix. Looked up at most once a second, whoever asks:
// /readyz is open to all, and each look writes to the database.
import { Refusal } from './errors.ts';
import { toRefusal } from './http/problem.ts';
import { REMEDIES } from './installation.ts';
import type { Ledger } from './ledger/ledger.ts';
import { SECOND_MS } from './protocol/durations.ts';
import type { Warning } from './protocol/log.ts';

const KEPT_MS = SECOND_MS;

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
      latest = look();
    }
    return latest;
  };
}
