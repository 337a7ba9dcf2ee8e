// Two real proxies and their callers at a pair of PostgreSQL servers, for tests that promote the standby.
import { leaksIn, withPassword } from './canary-secrets.ts';
import { createClients, type Clients } from './clients.ts';
import { createEnvironment, type Environment } from './environment.ts';
import type { FaultTest } from './fault-test.ts';
import { startPostgresPair, type PostgresPair } from '../postgres/pair.ts';
import { startProxy, type Running } from './processes.ts';

const PROXIES = 2;

export interface Failover {
  environment: Environment;
  pair: PostgresPair;
  /** They turn to the two proxies in turn. */
  clients: Clients;
  proxies(): readonly Running[];
  /** Drains both proxies; returns the secrets that their logs contain. */
  endProxies(): Promise<readonly string[]>;
}

/** The gateway sends no IPNs, and the standby is synchronous. */
export async function openFailover(t: FaultTest): Promise<Failover> {
  const environment = await createEnvironment(t);
  const { gateway, merchant } = environment;
  const pair = await startPostgresPair(t, { isSynchronous: true });
  const settings = { databaseUrl: withPassword(pair.address.url), gatewayUrl: gateway.url, webhookUrl: merchant.url };
  let running: Running[] = [];
  let output = '';
  t.defer(() => Promise.all(running.map((proxy) => proxy.kill9())));

  async function endProxies(): Promise<readonly string[]> {
    await Promise.all(running.map((proxy) => proxy.end()));
    output += running.map((proxy) => proxy.output()).join('\n');
    return leaksIn(output);
  }

  running = await Promise.all(Array.from({ length: PROXIES }, () => startProxy(settings)));
  let turn = 0;
  const clients = createClients(() => running[(turn += 1) % PROXIES]?.url ?? '');
  t.defer(clients.close);
  await gateway.control('faults', { ipn: { never: true } });
  return {
    environment,
    pair,
    clients,
    proxies: () => running,
    endProxies,
  };
}
