// The days after a fault: the same books opened in this process, by the proxy's own code, and its clock moved from one due
// time to the next until nothing is left to do. Real processes do the same at their own pace (20 checks a second, days);
// this only takes the waiting out, so that a test can ask how everything ended.
import { createProxy } from '../../backend-proxy/app.ts';
import { createGateway } from '../../backend-proxy/gateway/http.ts';
import { DEFAULT_PROFILE } from '../../backend-proxy/gateway/profile.ts';
import { createLedger } from '../../backend-proxy/ledger/books.ts';
import { openStore } from '../../backend-proxy/ledger/open.ts';
import type { Clock } from './clock.ts';
import { nextDueAt } from './database.ts';
import type { TestGateway } from './gateway.ts';
import { SHOP_ORIGIN } from './processes.ts';
import { SECRETS } from './secrets.ts';

const MOST_STEPS = 3_000;
/** Past the last sweep and the last review. */
const DAYS_MS = 9 * 24 * 3_600_000;
const STEP_MS = 1_000;

interface Books {
  databaseUrl: string;
  gateway: TestGateway;
  webhookUrl: string;
  clock: Clock;
}

/** Throws where something was still due after nine days. */
export async function catchUp({ databaseUrl, gateway, webhookUrl, clock }: Books): Promise<{ steps: number }> {
  const until = clock.now() + DAYS_MS;
  const store = await openStore(databaseUrl, (error) => {
    throw error;
  });
  const ledger = createLedger(store, clock.now);
  const adapter = createGateway({
    url: gateway.url,
    apiKey: SECRETS.gatewayApiKey,
    profile: DEFAULT_PROFILE,
    checkoutHosts: [],
  });
  const failures: string[] = [];
  const proxy = createProxy({
    gateway: adapter,
    ledger,
    now: clock.now,
    log: (level, event, fields) => level === 'error' && failures.push(`${event} ${JSON.stringify(fields)}`),
    config: {
      orderSecrets: [SECRETS.orderSecret],
      merchantKeys: [SECRETS.merchantApiKey],
      ipnSecrets: [SECRETS.ipnSecret],
      allowedOrigins: [SHOP_ORIGIN],
      webhook: { url: webhookUrl, secrets: [SECRETS.webhookSecret] },
    },
  });
  try {
    await ledger.recover();
    for (let steps = 1; ; steps += 1) {
      await gateway.sandbox.tick();
      await proxy.tick();
      if (failures.length > 0) throw new Error(`The proxy's work failed: ${failures[0]}`);
      const due = await nextDueAt(databaseUrl, clock.now());
      if (due === null || due > until) return { steps };
      if (steps > MOST_STEPS) throw new Error(`Something is still due after ${steps} steps`);
      // A second at least, so that those due one after the other are done together.
      clock.advance(Math.max(due - clock.now(), STEP_MS));
    }
  } finally {
    await adapter.close();
    await ledger.close();
  }
}
