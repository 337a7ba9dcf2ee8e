// The demo as three connected processes: sandbox gateway, proxy and shop. Chooses the ports, the secrets (new for
// each run, given only to the processes that need them) and the folder of the proxy's database. `npm start` and the
// journeys run it; it is not for production.
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { mkdtemp, mkdir, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Child, type ChildSettings } from './child.ts';

export type Part = 'sandbox' | 'proxy' | 'shop';
type Ports = Record<Part | 'operator', number>;

export interface StackSettings {
  /** Wanted ports. If one is taken, a free one is used; 0 for any. */
  ports?: Ports;
  /** The folder of the proxy's database. Default: a new one, deleted at the end. */
  dir?: string;
  /** Additional environment variables of each part. */
  env?: Partial<Record<Part, Record<string, string>>>;
  readyWithinMs?: number;
  /** Called after a part has ended by itself and the others were stopped. */
  onExit?: (message: string) => void;
}

export interface Secrets {
  gatewayApiKey: string;
  orderSecret: string;
  merchantApiKey: string;
  ipnSecret: string;
  webhookSecret: string;
  adminToken: string;
}

export const FREE_PORTS: Ports = { sandbox: 0, proxy: 0, shop: 0, operator: 0 };

const DEMO_PORTS: Ports = { sandbox: 8788, proxy: 8787, shop: 8080, operator: 8789 };
const PARTS: readonly Part[] = ['sandbox', 'proxy', 'shop'];
const HOST = '127.0.0.1';
const PROGRAMS: Record<Part, string> = {
  sandbox: 'sandbox/main.ts',
  proxy: '../backend-proxy/main.ts',
  shop: 'shop.ts',
};
const LOGO = `data:image/svg+xml;base64,${readFileSync(new URL('shop/public/icon.svg', import.meta.url), 'base64')}`;
const READY_WITHIN_MS = 30_000;
/** Starts again, at most so often, if another process took a port in the meantime. */
const MAX_STARTS = 3;
const LINES_KEPT = 2_000;

/** Throws, with the part's last lines, if one does not start; the others are stopped. */
export async function startStack(settings: StackSettings = {}): Promise<Stack> {
  let { ports = DEMO_PORTS } = settings;
  for (let start = 1; ; start++) {
    const dir = settings.dir ?? (await mkdtemp(join(tmpdir(), 'payment-widget-')));
    await mkdir(dir, { recursive: true });
    const stack = new Stack(await portsFor(ports), dir, settings);
    try {
      await Promise.all(PARTS.map((part) => stack.start(part)));
      return stack;
    } catch (error) {
      await stack.stop();
      if (start === MAX_STARTS || !String(error).includes('EADDRINUSE')) throw error;
      // Another demo that starts now wants the same ports.
      ports = FREE_PORTS;
    }
  }
}

export class Stack {
  readonly sandbox: string;
  readonly proxy: string;
  readonly shop: string;
  /** The operator's page, of the proxy. */
  readonly operator: string;
  readonly secrets: Secrets = newSecrets();
  readonly #settings: StackSettings;
  readonly #dir: string;
  readonly #children = new Map<Part, Child>();
  readonly #logs: Record<Part, string[]> = { sandbox: [], proxy: [], shop: [] };
  readonly #killAll = () => this.#children.forEach((child) => child.kill());
  #isStopping = false;

  constructor(ports: Ports, dir: string, settings: StackSettings) {
    this.sandbox = `http://${HOST}:${ports.sandbox}`;
    this.proxy = `http://${HOST}:${ports.proxy}`;
    this.shop = `http://${HOST}:${ports.shop}`;
    this.operator = `http://${HOST}:${ports.operator}/admin`;
    this.#dir = dir;
    this.#settings = settings;
    process.once('exit', this.#killAll);
  }

  /** The last 2,000 lines of each part, across restarts. */
  get logs(): Record<Part, readonly string[]> {
    return this.#logs;
  }

  pid(part: Part): number | undefined {
    return this.#children.get(part)?.pid;
  }

  async start(part: Part): Promise<void> {
    const child = new Child(this.#childSettings(part));
    this.#children.set(part, child);
    await child.ready();
  }

  /** Ends the proxy by the signal (SIGKILL simulates a crash) and starts it again with the same database. */
  async restartProxy(signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
    await this.#children.get('proxy')?.end(signal);
    await this.start('proxy');
  }

  /** Ends all parts, and deletes the database unless `dir` was set. Can be called more than once. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    await Promise.all([...this.#children.values()].map((child) => child.end()));
    process.off('exit', this.#killAll);
    if (this.#settings.dir === undefined) await rm(this.#dir, { recursive: true, force: true });
  }

  #childSettings(part: Part): ChildSettings {
    const { env = {}, readyWithinMs = READY_WITHIN_MS, onExit = console.error } = this.#settings;
    let isListening = false;
    return {
      name: part,
      file: fileURLToPath(new URL(PROGRAMS[part], import.meta.url)),
      env: { HOST, PORT: new URL(this[part]).port, ...this.#environment()[part], ...env[part] },
      // Its own line, because another process that took its port would answer requests in its place.
      isReady: () => isListening,
      readyWithinMs,
      onLine: (line) => {
        isListening ||= line.includes('"listening"');
        const lines = this.#logs[part];
        lines.push(line);
        if (lines.length > LINES_KEPT) lines.shift();
      },
      onExit: (message) => {
        if (!this.#isStopping) void this.stop().then(() => onExit(message));
      },
    };
  }

  #environment(): Record<Part, Record<string, string>> {
    const { gatewayApiKey, orderSecret, merchantApiKey, ipnSecret, webhookSecret, adminToken } = this.secrets;
    return {
      sandbox: {
        GATEWAY_API_KEY: gatewayApiKey,
        IPN_URL: `${this.proxy}/ipn/${ipnSecret}`,
        MERCHANT_NAME: 'Stillwater Coffee',
        MERCHANT_LOGO: LOGO,
        SHOP_URL: this.shop,
        DESK_URL: `${this.shop}/desk`,
        OPERATOR_URL: this.operator,
      },
      proxy: {
        GATEWAY_URL: this.sandbox,
        GATEWAY_API_KEY: gatewayApiKey,
        GATEWAY_PROFILE: fileURLToPath(new URL('sandbox-profile.json', import.meta.url)),
        ORDER_SECRET: orderSecret,
        MERCHANT_API_KEY: merchantApiKey,
        IPN_SECRET: ipnSecret,
        ALLOWED_ORIGINS: this.shop,
        PUBLIC_URL: this.proxy,
        DATABASE_URL: `file:${join(this.#dir, 'payments.db')}`,
        WEBHOOK_URL: `${this.shop}/webhooks`,
        WEBHOOK_SECRET: webhookSecret,
        ADMIN_TOKEN: adminToken,
        ADMIN_PORT: new URL(this.operator).port,
        // The line that it listens is of this level.
        LOG_LEVEL: 'info',
        // No load balancer is in front that would have to learn of a stop.
        DRAIN_SECONDS: '0',
      },
      shop: {
        PROXY_URL: this.proxy,
        ORDER_SECRET: orderSecret,
        MERCHANT_API_KEY: merchantApiKey,
        WEBHOOK_SECRET: webhookSecret,
        WALLET_URL: `${this.sandbox}/wallet`,
        OPERATOR_URL: this.operator,
      },
    };
  }
}

async function portsFor(wanted: Ports): Promise<Ports> {
  const ports = [wanted.sandbox, wanted.proxy, wanted.shop, wanted.operator];
  const [sandbox = 0, proxy = 0, shop = 0, operator = 0] = await findPorts(ports);
  return { sandbox, proxy, shop, operator };
}

/**
 * Each wanted port, or a free one if it is taken; 0 for any. They differ, because all are held during the search; a
 * start that loses one to another process is repeated.
 */
async function findPorts(wanted: readonly number[]): Promise<number[]> {
  const held = await Promise.all(wanted.map((port) => listen(port).catch(() => listen(0))));
  const ports = held.map(portOf);
  await Promise.all(held.map((server) => new Promise((resolve) => server.close(resolve))));
  return ports;
}

function listen(port: number): Promise<Server> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject).listen(port, HOST, () => resolve(server));
  });
}

function portOf(server: Server): number {
  const address = server.address();
  return typeof address === 'object' && address !== null ? address.port : 0;
}

function newSecrets(): Secrets {
  return {
    gatewayApiKey: random(),
    orderSecret: random(),
    merchantApiKey: random(),
    ipnSecret: random(),
    webhookSecret: `whsec_${randomBytes(32).toString('base64')}`,
    adminToken: random(),
  };
}

function random(): string {
  return randomBytes(32).toString('base64url');
}
