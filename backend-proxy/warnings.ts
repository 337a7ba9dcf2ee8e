// What an operator should fix: listed by /readyz and the operator's page, and logged.
import { HOUR_MS, MINUTE_MS, SECOND_MS } from './protocol/durations.ts';
import type { Log, Warning } from './protocol/log.ts';
import type { CallerAddress } from './http/caller-address.ts';
import type { Gateway } from './gateway/gateway.ts';
import type { GatewayKey } from './observability/gateway-key.ts';
import type { Ledger } from './ledger/ledger.ts';
import type { UnknownProof } from './workers/unknown-proof.ts';

const WARN_EVERY_MS = MINUTE_MS;
/** An unmatched IPN this old is reported to the operator: the database may have lost its transaction. */
const UNMATCHED_REPORT_AFTER_MS = HOUR_MS;
const CLOCK_TOLERANCE_MS = SECOND_MS;

interface Ports {
  ledger: Pick<Ledger, 'clockOffset' | 'databaseWarnings' | 'reportUnmatched'>;
  gateway: Pick<Gateway, 'clockOffset'>;
  key: Pick<GatewayKey, 'warnings'>;
  proof: Pick<UnknownProof, 'wrongPaths'>;
  callers: Pick<CallerAddress, 'warnings'>;
  now: () => number;
  log: Log;
  onError(error: unknown): void;
}

export interface Warnings {
  all(): Promise<Warning[]>;
  /** Logs until the returned function is called. */
  run(): () => void;
}

export function createWarnings({ ledger, gateway, key, proof, callers, now, log, onError }: Ports): Warnings {
  /** Warnings of the database, as JSON. */
  const loggedAt = new Map<string, number>();

  async function current(): Promise<Warning[]> {
    return [
      ...key.warnings(),
      ...proof.wrongPaths().map(wrongPath),
      ...clockWarnings('database', await ledger.clockOffset()),
      ...clockWarnings('gateway', gateway.clockOffset() ?? 0),
    ];
  }

  // Each minute; those of the callers and of the database, which may be an operator's choice, once an hour.
  async function logCurrent(): Promise<void> {
    const unmatched = await ledger.reportUnmatched(UNMATCHED_REPORT_AFTER_MS);
    if (unmatched > 0) log('error', 'IPNs unmatched for an hour: see GET /ipns', { count: unmatched });
    for (const warning of await current()) log('warn', 'proxy warning', { ...warning });
    for (const warning of await ledger.databaseWarnings()) {
      const told = JSON.stringify(warning);
      if (Math.abs(now() - (loggedAt.get(told) ?? -Infinity)) < HOUR_MS) continue;
      loggedAt.set(told, now());
      log('warn', 'database warning', { ...warning });
    }
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

function clockWarnings(whose: string, aheadMs: number): Warning[] {
  if (Math.abs(aheadMs) <= CLOCK_TOLERANCE_MS) return [];
  const how = aheadMs > 0 ? 'ahead of' : 'behind';
  return [{ warning: `The ${whose}'s clock is ${Math.abs(Math.round(aheadMs))} ms ${how} this process's.` }];
}

function wrongPath(type: string): Warning {
  const warning = `The gateway no longer knows a ${type} that it reported before: the status path or the API key is wrong.`;
  return { warning };
}
