// The proxy inside this process, by its own code over real books and a real socket to the gateway, with the test's clock
// in place of the machine's: for what takes days. `passTime` moves from one due time to the next, so days cost seconds.
import { createProxy, type Proxy } from '../../backend-proxy/app.ts';
import { createGateway } from '../../backend-proxy/gateway/http.ts';
import { profileSchema } from '../../backend-proxy/gateway/profile.ts';
import { createLedger } from '../../backend-proxy/ledger/sql-ledger.ts';
import type { Ledger } from '../../backend-proxy/ledger/ledger.ts';
import { connectDatabase } from '../../backend-proxy/ledger/connect.ts';
import type { Clock } from './manual-clock.ts';
import { openDueTimes } from './database-reader.ts';
import { SHOP_ORIGIN } from './processes.ts';
import { SECRETS } from './canary-secrets.ts';

const STEP_MS = 1_000;
/** What it says of a gateway that misbehaves; its own work goes on. */
const EXPECTED_ERRORS = /^error (the gateway does not know what it knew|IPNs of unknown transactions)/;
/** By this it knows its own calls again after a restart. */
const SELF = '127.0.0.1:8787';

export interface InProcessProxySettings {
  databaseUrl: string;
  gatewayUrl: string;
  webhookUrl: string;
  clock: Clock;
  /** The limit of one call to the gateway; default: as in production. */
  callLimitMs?: number;
  /** Put before every id at the gateway. */
  idPrefix?: string;
  /** When the books went back, as DATABASE_WENT_BACK says it. */
  restoredAt?: number;
  /** Overrides, as GATEWAY_PROFILE would. */
  profile?: object;
}

export interface InProcessProxy {
  app: Proxy['app'];
  ledger: Ledger;
  /** All that it would have printed. */
  log: string[];
  tick(): Promise<void>;
  close(): Promise<void>;
}

export async function openInProcessProxy(settings: InProcessProxySettings): Promise<InProcessProxy> {
  const { databaseUrl, gatewayUrl, webhookUrl, clock, callLimitMs, profile = {} } = settings;
  const store = await connectDatabase(databaseUrl, (error) => {
    throw error;
  });
  const ledger = createLedger(store, { now: clock.now, idPrefix: settings.idPrefix ?? '' });
  const gateway = createGateway({
    url: gatewayUrl,
    apiKey: SECRETS.gatewayApiKey,
    profile: profileSchema.parse(profile),
    checkoutHosts: [],
    ...(callLimitMs !== undefined && { totalTimeoutMs: callLimitMs }),
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
  if (settings.restoredAt !== undefined) await ledger.wentBack(settings.restoredAt);
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

/** What passes time besides the proxy, and the books that say what falls due. */
export interface TimeSources {
  tickOthers: () => Promise<void>;
  databaseUrl: string;
  clock: Clock;
}

/** Does all that is due now and within `forMs`; throws where work failed or there is more of it than there can be. */
export async function passTime(proxy: InProcessProxy, sources: TimeSources, forMs: number): Promise<void> {
  const { tickOthers, databaseUrl, clock } = sources;
  const dueTimes = await openDueTimes(databaseUrl);
  const until = clock.now() + forMs;
  try {
    // A second a step at least, so this is more than there can be; a transaction is checked some 40 times in its life.
    for (let steps = 1; steps <= 5_000; steps += 1) {
      await tickOthers();
      await proxy.tick();
      const failure = proxy.log.find((line) => line.startsWith('error') && !EXPECTED_ERRORS.test(line));
      if (failure !== undefined) throw new Error(`The proxy's work failed: ${failure}`);
      const due = await dueTimes.nextDueAt(clock.now());
      if (due === null || due > until) {
        clock.advance(Math.max(until - clock.now(), 0));
        return;
      }
      // Those due one after the other within a second are done together.
      clock.advance(Math.max(due - clock.now(), STEP_MS));
    }
    throw new Error('Something stays due for ever');
  } finally {
    await dueTimes.close();
  }
}
