// Runs the proxy in this process, with a real database and a real socket to the gateway but the test's clock, for tests
// that span days. `passTime` jumps from one due time to the next, so that days take seconds.
import { createProxy, type Proxy } from '../../backend-proxy/app.ts';
import { createGateway } from '../../backend-proxy/gateway/http.ts';
import { DEFAULT_PROFILE } from '../../backend-proxy/gateway/profile.ts';
import { createLedger } from '../../backend-proxy/ledger/ledger.ts';
import type { Ledger } from '../../backend-proxy/ledger/ledger.ts';
import { connectDatabase } from '../../backend-proxy/ledger/connect.ts';
import type { Clock } from './manual-clock.ts';
import { openDueTimes } from './database-reader.ts';
import { SHOP_ORIGIN } from './processes.ts';
import { SECRETS } from './canary-secrets.ts';

const STEP_MS = 1_000;
/** Errors that it logs about a misbehaving gateway or late money; its work continues. */
const EXPECTED_ERRORS =
  /^error (the gateway no longer knows a transaction|IPNs unmatched for an hour|(payment|payout) (mismatch|conflict|after close)|webhook dead)/;
/** Identifies this process's own calls after a restart. */
const SELF = '127.0.0.1:8787';

export interface InProcessProxySettings {
  databaseUrl: string;
  gatewayUrl: string;
  webhookUrl: string;
  clock: Clock;
  /** Put before every id at the gateway. */
  idPrefix?: string;
}

export interface InProcessProxy {
  app: Proxy['app'];
  ledger: Ledger;
  /** The lines of its log. */
  log: string[];
  tick(): Promise<void>;
  close(): Promise<void>;
}

export async function openInProcessProxy(settings: InProcessProxySettings): Promise<InProcessProxy> {
  const { databaseUrl, gatewayUrl, webhookUrl, clock } = settings;
  const store = await connectDatabase(databaseUrl, (error) => {
    throw error;
  });
  const ledger = createLedger(store, { now: clock.now, idPrefix: settings.idPrefix ?? '' });
  const gateway = createGateway({
    url: gatewayUrl,
    apiKey: SECRETS.gatewayApiKey,
    profile: DEFAULT_PROFILE,
    checkoutHosts: [],
  });
  const log: string[] = [];
  const { app, tick } = createProxy({
    gateway,
    ledger,
    now: clock.now,
    log: (level, event, fields) => void log.push(`${level} ${event} ${JSON.stringify(fields)}`),
    config: {
      orderSecrets: [SECRETS.orderSecret],
      merchantKeys: [SECRETS.merchantApiKey],
      ipnSecrets: [SECRETS.ipnSecret],
      allowedOrigins: [SHOP_ORIGIN],
      self: SELF,
      webhook: { url: webhookUrl, secrets: [SECRETS.webhookSecret] },
    },
  });
  await ledger.recover(SELF);
  return {
    app,
    ledger,
    log,
    tick,
    async close() {
      await gateway.close();
      await ledger.close();
    },
  };
}

/** What advances with the proxy, and the database that has the due times. */
export interface TimeSources {
  tickOthers: () => Promise<void>;
  databaseUrl: string;
  clock: Clock;
}

/** Does all work that is due now and within `forMs`. Throws if work fails, or if there is more of it than possible. */
export async function passTime(proxy: InProcessProxy, sources: TimeSources, forMs: number): Promise<void> {
  const { tickOthers, databaseUrl, clock } = sources;
  const dueTimes = await openDueTimes(databaseUrl);
  const until = clock.now() + forMs;
  try {
    // A step is at least a second, so this is more than enough: a transaction has about 40 checks in its life.
    for (let steps = 1; steps <= 5_000; steps += 1) {
      // A running clock advances during the tick too, which misses what falls due meanwhile.
      const tickedAt = clock.now();
      await tickOthers();
      await proxy.tick();
      const failure = proxy.log.find((line) => line.startsWith('error') && !EXPECTED_ERRORS.test(line));
      if (failure !== undefined) throw new Error(`The proxy logged an error: ${failure}`);
      const due = await dueTimes.nextDueAt(tickedAt);
      if (due === null || due > until) {
        clock.advance(Math.max(until - clock.now(), 0));
        return;
      }
      // Work that falls due within the same second is done together.
      clock.advance(Math.max(due - clock.now(), STEP_MS));
    }
    throw new Error('Some work stays due forever');
  } finally {
    await dueTimes.close();
  }
}
