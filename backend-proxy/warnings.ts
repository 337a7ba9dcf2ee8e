// What an operator should fix: listed by /readyz and the operator's page, and logged each minute.
import { HOUR_MS, MINUTE_MS, SECOND_MS } from './protocol/durations.ts';
import type { Log } from './protocol/log.ts';
import type { CallerAddress } from './http/caller-address.ts';
import type { Ledger } from './ledger/ledger.ts';
import type { UnknownProof } from './workers/unknown-proof.ts';

const WARN_EVERY_MS = MINUTE_MS;
/** An unmatched IPN this old is reported to the operator: the database may have lost its transaction. */
const UNMATCHED_REPORT_AFTER_MS = HOUR_MS;
const CLOCK_TOLERANCE_MS = SECOND_MS;

interface Ports {
  ledger: Pick<Ledger, 'clockOffset' | 'databaseWarnings' | 'reportUnmatched'>;
  proof: Pick<UnknownProof, 'wrongPaths'>;
  callers: Pick<CallerAddress, 'warnings'>;
  log: Log;
  onError(error: unknown): void;
}

export interface Warnings {
  /** Without secrets. */
  all(): Promise<string[]>;
  /** Logs until the returned function is called. */
  run(): () => void;
}

export function createWarnings({ ledger, proof, callers, log, onError }: Ports): Warnings {
  async function current(): Promise<string[]> {
    const offset = Math.round(await ledger.clockOffset());
    const isAhead = Math.abs(offset) > CLOCK_TOLERANCE_MS;
    return [
      ...proof.wrongPaths().map(wrongPath),
      ...(isAhead ? [`The database's clock is ${offset} ms ahead of this process's.`] : []),
    ];
  }

  // Those of the callers are logged once an hour. Those of the database are an operator's choice: compose.ts logs them
  // once.
  async function logCurrent(): Promise<void> {
    const unmatched = await ledger.reportUnmatched(UNMATCHED_REPORT_AFTER_MS);
    if (unmatched > 0) log('error', 'IPNs unmatched for an hour: see GET /ipns', { count: unmatched });
    for (const warning of await current()) log('warn', 'proxy warning', { warning });
  }

  return {
    all: async () => [...(await current()), ...callers.warnings(), ...(await ledger.databaseWarnings())],
    run() {
      const timer = setInterval(() => void logCurrent().catch(onError), WARN_EVERY_MS);
      timer.unref();
      return () => clearInterval(timer);
    },
  };
}

function wrongPath(type: string): string {
  return `The gateway no longer knows a ${type} that it reported before: the status path or the API key is wrong.`;
}
