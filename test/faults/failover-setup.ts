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
  /** Drains both proxies and starts two with these variables. */
  restartProxies(env: Record<string, string>): Promise<void>;
  /** Drains both proxies; returns the secrets that their logs contain. */
  endProxies(): Promise<readonly string[]>;
}

/** The gateway sends no IPNs; `gatewayUrl` is its address for the proxies. */
export async function openFailover(
  t: FaultTest,
  { isSynchronous, through }: { isSynchronous: boolean; through?: (gatewayUrl: string) => Promise<string> },
): Promise<Failover> {
  const environment = await createEnvironment(t);
  const { gateway, merchant } = environment;
  const pair = await startPostgresPair(t, { isSynchronous });
  const gatewayUrl = (await through?.(gateway.url)) ?? gateway.url;
  const settings = { databaseUrl: withPassword(pair.address.url), gatewayUrl, webhookUrl: merchant.url };
  let running: Running[] = [];
  let output = '';
  t.defer(() => Promise.all(running.map((proxy) => proxy.kill9())));

  async function startProxies(env: Record<string, string> = {}): Promise<void> {
    running = await Promise.all(Array.from({ length: PROXIES }, () => startProxy({ ...settings, env })));
  }
  async function endProxies(): Promise<readonly string[]> {
    await Promise.all(running.map((proxy) => proxy.end()));
    output += running.map((proxy) => proxy.output()).join('\n');
    return leaksIn(output);
  }

  await startProxies();
  let turn = 0;
  const clients = createClients(() => running[(turn += 1) % PROXIES]?.url ?? '');
  t.defer(clients.close);
  await gateway.control('faults', { ipn: { never: true } });
  return {
    environment,
    pair,
    clients,
    proxies: () => running,
    async restartProxies(env) {
      await endProxies();
      await startProxies(env);
    },
    endProxies,
  };
}
