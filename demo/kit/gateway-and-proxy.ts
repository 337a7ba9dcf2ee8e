// What a reset of the test world replaces: the sandbox gateway, the proxy and its database. The servers before them
// stay, and so do the secrets.
import { createHash, randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Hono } from 'hono';
import { createProxy, type Proxy } from '../../backend-proxy/app.ts';
import { createGateway } from '../../backend-proxy/gateway/http.ts';
import { DEFAULT_PROFILE } from '../../backend-proxy/gateway/profile.ts';
import { connectDatabase } from '../../backend-proxy/ledger/connect.ts';
import { createLedger } from '../../backend-proxy/ledger/ledger.ts';
import type { Transaction } from '../../backend-proxy/protocol/transaction.ts';
import { createSandbox, type Sandbox } from '../sandbox/sandbox.ts';
import profile from '../sandbox-profile.json' with { type: 'json' };

export interface GatewayAndProxy {
  sandbox: Sandbox;
  proxy: Proxy;
  newestPayment(orderId: string): Promise<Transaction | undefined>;
  unknownAt(): number;
  /** Infinity if nothing will be due. */
  nextDueAt(time: number): number;
  close(): Promise<void>;
}

export interface GatewayAndProxyOptions {
  now: () => number;
  /** Whether time moves by itself. */
  isRunning: boolean;
  origins?: readonly string[] | undefined;
  seed?: number | undefined;
  secrets: Secrets;
  controls: Hono;
  /** Where the two are reached. */
  gatewayUrl: string;
  proxyUrl: string;
}

export async function openGatewayAndProxy(options: GatewayAndProxyOptions): Promise<GatewayAndProxy> {
  const { now, secrets, gatewayUrl, proxyUrl } = options;
  const folder = mkdtempSync(join(tmpdir(), 'payment-sandbox-'));
  const file = join(folder, 'payments.db');
  const sandbox = createSandbox({
    apiKey: secrets.gateway,
    now,
    controls: options.controls,
    ipnUrl: `${proxyUrl}/ipn/${secrets.ipn}`,
    ...(options.seed !== undefined && { random: seeded(options.seed) }),
  });
  const ledger = createLedger(await connectDatabase(`file:${file}`, fail), { now });
  const wire = createGateway({
    url: gatewayUrl,
    apiKey: secrets.gateway,
    profile: { ...DEFAULT_PROFILE, ...(profile as object) },
    checkoutHosts: [],
  });
  let unknownAt = -Infinity;
  const status: typeof wire.status = async (...asked) => {
    const answer = await wire.status!(...asked);
    if (answer.kind === 'unknown') unknownAt = now();
    return answer;
  };
  const proxy = createProxy(
    {
      gateway: { ...wire, status },
      ledger,
      now,
      config: {
        orderSecrets: [secrets.order],
        merchantKeys: [secrets.merchant],
        ipnSecrets: [secrets.ipn],
        allowedOrigins: {
          includes: (origin) => isOnLoopback(origin) || options.origins?.includes(origin) === true,
          words: ['on loopback', ...(options.origins ?? [])].join(' or '),
        },
        publicUrl: proxyUrl,
        webhook: { url: `${gatewayUrl}/_receiver`, secrets: [secrets.webhook] },
      },
    },
    { signedAt: Date.now },
  );
  const stopSandbox = options.isRunning ? sandbox.run() : () => undefined;
  const work = options.isRunning ? proxy.run() : undefined;
  const reader = new DatabaseSync(file, { readOnly: true });
  const nextDue = reader.prepare(
    `select min(at) as at from (
       select max(next_check_at, lease_until) as at from transactions where next_check_at is not null
       union all select max(next_at, lease_until) from webhooks where state = 'pending') where at > ?`,
  );
  return {
    sandbox,
    proxy,
    newestPayment: async (orderId) => (await ledger.order(orderId))?.payments.at(-1),
    unknownAt: () => unknownAt,
    nextDueAt: (time) =>
      Math.min((nextDue.get(time) as { at: number | null }).at ?? Infinity, sandbox.nextDueAt() ?? Infinity),
    async close() {
      stopSandbox();
      sandbox.wake();
      await work?.stop();
      reader.close();
      // The ledger last: it stores what the gateway still answers.
      await wire.close();
      await ledger.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

export type Secrets = ReturnType<typeof newSecrets>;

export function newSecrets() {
  const secret = () => `sandbox-${randomBytes(32).toString('base64url')}`;
  return {
    gateway: secret(),
    order: secret(),
    merchant: secret(),
    ipn: secret(),
    webhook: `whsec_${Buffer.from(secret()).toString('base64')}`,
  };
}

function seeded(seed: number): (bytes: number) => Buffer {
  let count = 0;
  return (bytes) => {
    count += 1;
    const block = createHash('sha512').update(`${seed}.${count}`).digest();
    return Buffer.concat(Array.from({ length: Math.ceil(bytes / block.length) }, () => block)).subarray(0, bytes);
  };
}

export function isOnLoopback(origin = ''): boolean {
  return /^https?:\/\/(localhost|127\.0\.0\.1|\[::1\]|[\w.-]+\.localhost)(:\d+)?$/.test(origin);
}

function fail(error: unknown): never {
  throw error;
}
