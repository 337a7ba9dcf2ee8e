// Runs a merchant's server, one of servers/, with the installed proxy inside, and talks to it as the merchant's server
// and the shopper's browser do.
import assert from 'node:assert/strict';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { SECRETS, SHOP } from '../backend-proxy/world.ts';
import type { InstalledProxy } from './installed-proxy.ts';

/** Generous, because a full test run keeps every core busy. */
const LIMIT_MS = 60_000;
const JSON_BODY = { 'Content-Type': 'application/json' };

/** The program and arguments that run a server with each runtime. */
export const RUNTIMES = {
  node: [process.execPath],
  bun: [resolve('test/hosts/node_modules/.bin/bun')],
  deno: [resolve('test/hosts/node_modules/.bin/deno'), 'run', '--allow-all'],
} as const;

/** Of a proxy that runs in the folder. */
export function proxyEnvironment(folder: string, gatewayUrl: string): NodeJS.ProcessEnv {
  return {
    PATH: process.env['PATH'],
    HOME: folder,
    GATEWAY_URL: gatewayUrl,
    GATEWAY_API_KEY: SECRETS.gatewayKey,
    ORDER_SECRET: SECRETS.order,
    MERCHANT_API_KEY: SECRETS.merchant,
    IPN_SECRET: SECRETS.ipn,
    ALLOWED_ORIGINS: SHOP,
    DATABASE_URL: `file:${join(folder, 'payments.db')}`,
  };
}

export class Shop {
  readonly url: string;
  readonly #child: ChildProcess;
  readonly #output: string[];
  readonly #ended: Promise<[number | null]>;

  private constructor(child: ChildProcess, output: string[], port: number) {
    this.#child = child;
    this.#output = output;
    this.#ended = once(child, 'close') as Promise<[number | null]>;
    this.url = `http://127.0.0.1:${port}`;
  }

  static async open(
    installed: InstalledProxy,
    {
      server,
      runtime,
      gateway,
      env = {},
    }: {
      server: string;
      runtime: keyof typeof RUNTIMES;
      gateway: string;
      env?: Record<string, string>;
    },
  ): Promise<Shop> {
    const [program, ...args] = RUNTIMES[runtime];
    const child = spawn(program, [...args, join(installed.folder, server)], {
      cwd: installed.folder,
      env: {
        ...proxyEnvironment(installed.folder, gateway),
        NO_COLOR: '1',
        DATABASE_URL: `file:${join(installed.folder, `${server}.db`)}`,
        ...env,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const output: string[] = [];
    const killer = setTimeout(() => child.kill('SIGKILL'), LIMIT_MS);
    const port = new Promise<number>((listens, fails) => {
      for (const stream of [child.stdout, child.stderr]) {
        createInterface({ input: stream }).on('line', (line) => {
          output.push(line);
          const found = /"the shop listens","port":(\d+)/.exec(line)?.[1];
          if (found !== undefined) listens(Number(found));
        });
      }
      child.once('close', () => fails(new Error(`the server ended: ${output.join('\n')}`)));
    });
    const shop = new Shop(child, output, await port);
    clearTimeout(killer);
    return shop;
  }

  /** Below the proxy's prefix. The merchant's key is sent unless `headers` has another credential. */
  proxy(
    path: string,
    init: Omit<RequestInit, 'headers'> & { headers?: Record<string, string> } = {},
  ): Promise<Response> {
    const headers = { Authorization: `Bearer ${SECRETS.merchant}`, ...init.headers };
    return fetch(`${this.url}/pay${path}`, { signal: AbortSignal.timeout(LIMIT_MS), ...init, headers });
  }

  async order(orderId: string): Promise<string> {
    const body = { orderId, amount: '10.10', currency: 'EUR', returnUrl: `${SHOP}/thanks` };
    const response = await this.proxy('/orders', { method: 'POST', headers: JSON_BODY, body: JSON.stringify(body) });
    assert.equal(response.status, 201, await response.clone().text());
    return ((await response.json()) as { token: string }).token;
  }

  start(token: string, body: BodyInit = '{"method":"QR"}'): Promise<Response> {
    const headers = { ...JSON_BODY, Authorization: `Bearer ${token}`, Origin: SHOP, 'Idempotency-Key': 'k' };
    return this.proxy('/order/payments', { method: 'POST', headers, body });
  }

  /** SIGTERM, unless it has ended; the exit code, and every line that is not of the log. */
  async end(): Promise<{ code: number | null; strayLines: string[] }> {
    this.#child.kill('SIGTERM');
    const killer = setTimeout(() => this.#child.kill('SIGKILL'), LIMIT_MS);
    const [code] = await this.#ended;
    clearTimeout(killer);
    return { code, strayLines: this.#output.filter((line) => !line.startsWith('{"')) };
  }
}
