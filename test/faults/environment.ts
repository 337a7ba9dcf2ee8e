// The environment of every fault test: the gateway, the merchant's server, a folder for the database, one clock. And
// the end of every fault test: let days pass, then compare all records with the database.
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { serve } from '@hono/node-server';
import { D } from '../backend-proxy/time.ts';
import { createRunningClock, type Clock } from './manual-clock.ts';
import { startPostgres } from '../postgres/server.ts';
import { createClients, type Clients } from './clients.ts';
import { readDatabase, type DatabaseRows } from './database-reader.ts';
import { addressOf, closeServer } from '../loopback.ts';
import { startGateway, type TestGateway } from './sandbox-gateway.ts';
import { compare } from './compare-records.ts';
import { startMerchant, type TestMerchant } from './merchant-server.ts';
import { openInProcessProxy, passTime, type InProcessProxySettings } from './in-process-proxy.ts';
import { startProxy, type ProxySettings } from './processes.ts';
import { SECRETS } from './canary-secrets.ts';
import type { Findings, FaultTest } from './fault-test.ts';

export interface Environment {
  clock: Clock;
  gateway: TestGateway;
  merchant: TestMerchant;
  dir: string;
  /** A new SQLite file in `dir`. */
  databaseUrl: string;
}

export async function createEnvironment(
  { defer }: Pick<FaultTest, 'defer'>,
  clock = createRunningClock(),
): Promise<Environment> {
  const gateway = await startGateway({ clock });
  defer(gateway.close);
  const merchant = await startMerchant({ clock });
  defer(merchant.close);
  const dir = await mkdtemp(join(tmpdir(), 'payment-faults-'));
  defer(() => rm(dir, { recursive: true, force: true }));
  return { clock, gateway, merchant, dir, databaseUrl: `file:${join(dir, 'payments.db')}` };
}

/** An empty database of a PostgreSQL server of its own. */
export async function createPostgresDatabase({ defer }: Pick<FaultTest, 'defer'>) {
  const postgres = await startPostgres();
  defer(postgres.end);
  return { postgres, databaseUrl: await postgres.createDatabase() };
}

/** A real proxy, and its callers. */
export async function serveProxy(
  { defer }: Pick<FaultTest, 'defer'>,
  { gateway, merchant, databaseUrl, clock }: Environment,
  settings: Partial<ProxySettings> = {},
) {
  const proxy = await startProxy({ databaseUrl, gatewayUrl: gateway.url, webhookUrl: merchant.url, ...settings });
  defer(proxy.kill9);
  const clients = createClients(() => proxy.url, clock.now);
  defer(clients.close);
  return { proxy, clients };
}

/** Serves a proxy in this process over loopback, for IPNs and its callers. */
export async function serveInProcessProxy(
  { defer }: FaultTest,
  environment: Environment,
  settings: Partial<InProcessProxySettings> = {},
) {
  const { gateway, merchant, databaseUrl, clock } = environment;
  const proxy = await openInProcessProxy({
    databaseUrl,
    gatewayUrl: gateway.url,
    webhookUrl: merchant.url,
    clock,
    ...settings,
  });
  const server = serve({ fetch: proxy.app.fetch, hostname: '127.0.0.1', port: 0, createServer }) as Server;
  const url = await addressOf(server);
  await gateway.control('ipn-url', { url: `${url}/ipn/${SECRETS.ipnSecret}` });
  defer(() => closeServer(server));
  const clients = createClients(() => url, clock.now);
  defer(clients.close);
  const sources = { tickOthers: gateway.sandbox.tick, databaseUrl, clock };
  return { ...proxy, url, clients, pass: (forMs: number) => passTime(proxy, sources, forMs) };
}

interface Settled {
  problems: Findings['problems'];
  database: DatabaseRows;
}

/** Longer than the last sweep and the last review. */
const DAYS_MS = 9 * D;

/** Lets the days pass without faults, and compares. Call it after the last proxy has stopped. */
export async function settle(
  environment: Environment,
  clients: Clients,
  settings: { databaseUrl?: string; idPrefix?: string } = {},
): Promise<Settled> {
  const { gateway, merchant, clock } = environment;
  const { databaseUrl = environment.databaseUrl } = settings;
  const proxy = await openInProcessProxy({
    ...settings,
    databaseUrl,
    gatewayUrl: gateway.url,
    webhookUrl: merchant.url,
    clock,
  });
  try {
    await passTime(proxy, { tickOthers: gateway.sandbox.tick, databaseUrl, clock }, DAYS_MS);
  } finally {
    await proxy.close();
  }
  const database = await readDatabase(databaseUrl);
  const problems = compare({
    gateway: await gateway.transactions(),
    clients: clients.records,
    merchant: merchant.webhooks.values(),
    database,
  });
  return { problems: { ...problems, forged: [...problems.forged, ...merchant.invalid] }, database };
}
