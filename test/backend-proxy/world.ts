// The environment of most proxy tests: the real sandbox on a loopback port, the real ledger in a temporary SQLite
// file, createProxy() over both, and one virtual clock for all. Nothing of this project is mocked, and each response
// is compared with the OpenAPI document. `pass` advances the clock from one due event to the next, as a running
// process would.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { TestContext } from 'node:test';
import { serve } from '@hono/node-server';
import { createProxy, type Proxy, type ProxyConfig } from '../../backend-proxy/app.ts';
import type { Gateway } from '../../backend-proxy/gateway/gateway.ts';
import { DEFAULT_PROFILE, type Profile } from '../../backend-proxy/gateway/profile.ts';
import { listen } from '../../backend-proxy/http/server.ts';
import { createLedger } from '../../backend-proxy/ledger/ledger.ts';
import type { Ledger } from '../../backend-proxy/ledger/ledger.ts';
import type { Log } from '../../backend-proxy/protocol/log.ts';
import { connectDatabase } from '../../backend-proxy/ledger/connect.ts';
import type { OrderClaims, OrderView, Problem, StartPayment } from '../../backend-proxy/protocol/wire.ts';
import { createSandbox, type Sandbox } from '../../demo/sandbox/sandbox.ts';
import { assertDocumented, type OpenApi } from './documented.ts';
import { httpGateway } from './gateway/http-gateway.ts';
import { writeEmptyDatabase } from './ledger/empty-database.ts';
import { signToken, startWebhookReceiver, type WebhookReceiver } from './merchant-shop.ts';
import { NOON } from './time.ts';

export const SHOP = 'https://shop.example';
/** Each is also a canary that must not appear in a log, an answer, a webhook or the database. */
export const SECRETS = {
  gatewayKey: 'canary-gateway-key-0123456789',
  order: 'canary-order-secret-0123456789-0123456789',
  merchant: 'canary-merchant-key-0123456789-0123456789',
  ipn: 'canary-ipn-secret-0123456789',
  webhook: `whsec_${Buffer.from('canary-webhook-secret-0123456789').toString('base64')}`,
};

/** The proxy's host and port, as recorded in the database. */
export const SELF = 'proxy.example:8787';
/**
 * Points at which a waiting "unknown" may be proven: it waits a minute, and the newest transaction is checked once a
 * minute.
 */
const PROOF_MS = [10_000, 20_000, 30_000, 40_000, 50_000, 60_000];

/** A payment by QR code is sent back as a payout of type JETGO, and no other is. */
export const REFUNDS_QR = { refundAs: { DIRECT: 'no', CHECKOUT: 'no', JETGO: 'no', QR: 'JETGO' } } as const;

/** The "no such order" answer of the sandbox: with it an "unknown" is trusted before any transaction was found. */
export const NO_SUCH_ORDER = { field: 'code', value: 'UNKNOWN_ORDER' };

export interface WorldOptions {
  profile?: Partial<Profile>;
  config?: Partial<ProxyConfig>;
  checkoutHosts?: string[];
  totalTimeoutMs?: number;
  /** Starts a webhook receiver and configures it as the target. */
  webhooks?: boolean;
  /** Wraps a port, to make it fail or to observe it. */
  wrapLedger?: (ledger: Ledger) => Ledger;
  wrapGateway?: (gateway: Gateway) => Gateway;
}

/** Each call of the gateway advances the clock by this, because a real call takes time. */
const CALL_MS = 1;

/** The headers of the request that starts a payment. */
export function startHeaders(token: string, key = 'k'): Record<string, string> {
  return { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json', 'Idempotency-Key': key };
}

export interface Answer<Body = OrderView> {
  status: number;
  headers: Headers;
  body: Body;
}

export interface SandboxTransaction {
  orderId: string;
  status: string;
  createRequests: number;
  ipns: { state: string; attempts: { answer: number | null; body: string }[] }[];
}

export interface World {
  now(): number;
  /** Advances the clock without running anything. */
  skip(ms: number): void;
  /** Advances the clock and runs everything that becomes due, when it is due. */
  pass(ms: number): Promise<void>;
  /** The same, until this time. */
  passTo(at: number): Promise<void>;
  /** Runs everything that is due now. */
  settle(): Promise<void>;
  proxy: Proxy;
  ledger: Ledger;
  sandbox: Sandbox;
  gatewayUrl: string;
  receiver: WebhookReceiver;
  log: Record<string, unknown>[];
  file: string;
  rows<Row>(sql: string, ...parameters: (string | number)[]): Row[];

  /** Serves the proxy on a socket until the test ends; resolves with its URL. */
  listen(): Promise<string>;
  request(method: string, path: string, init?: RequestInit, env?: object): Promise<Response>;
  /** Any claim can be replaced, or omitted with undefined. */
  token(claims?: Partial<Record<keyof OrderClaims, unknown>>): string;
  start(token: string, body: StartPayment | object, key?: string): Promise<Answer>;
  refused(token: string, body: StartPayment | object, key?: string): Promise<Answer<Problem>>;
  /** A payment by QR code that `payer` approves, or the sandbox's own wallet; returns its token. */
  paid(claims?: Parameters<World['token']>[0], payer?: string): Promise<string>;
  view(token: string): Promise<OrderView>;
  /** `key`: the idempotency key. */
  merchant<Body = Record<string, unknown>>(
    method: 'GET' | 'POST' | 'DELETE',
    path: string,
    body?: unknown,
    key?: string,
  ): Promise<Answer<Body>>;
  ipn(body: unknown, secret?: string): Promise<Response>;
  /** The types of the webhooks that the merchant received. */
  webhooks(): string[];
  /** The text of GET /metrics. */
  metrics(): Promise<string>;
  /** An action of the customer, the wallet or the clock at the gateway; `walletId`: who approves. */
  customer(does: 'approve' | 'decline' | 'expire' | 'ipn', gatewayOrderId: string, walletId?: string): Promise<void>;
  /** The same, and then everything that is due. */
  settleAfter(...action: Parameters<World['customer']>): Promise<void>;
  faults(faults: object): Promise<void>;
  gatewayHas(gatewayOrderId: string): Promise<SandboxTransaction | undefined>;
}

let openApi: Promise<OpenApi> | undefined;

/** The variables of another proxy at the same gateway, with a database of its own. */
export const environmentOf = ({ gatewayUrl, file }: Pick<World, 'gatewayUrl' | 'file'>): Record<string, string> => ({
  GATEWAY_URL: gatewayUrl,
  GATEWAY_API_KEY: SECRETS.gatewayKey,
  ORDER_SECRET: SECRETS.order,
  MERCHANT_API_KEY: SECRETS.merchant,
  IPN_SECRET: SECRETS.ipn,
  ALLOWED_ORIGINS: SHOP,
  DATABASE_URL: `file:${file}.other`,
});

export async function createWorld(t: TestContext, options: WorldOptions = {}): Promise<World> {
  let time = NOON;
  /** The time of the last status check to which the gateway answered "unknown". */
  let unknownAt = -Infinity;
  const now = (): number => time;
  const folder = mkdtempSync(join(tmpdir(), 'proxy-world-'));
  const file = join(folder, 'payments.db');
  writeFileSync(join(folder, 'widget.js'), 'export const widget = true;\n');
  const log: Record<string, unknown>[] = [];
  const onLog: Log = (level, event, fields) => void log.push({ level, event, ...fields });

  const sandbox = createSandbox({
    apiKey: SECRETS.gatewayKey,
    now,
    ipnUrl: `http://proxy.example/ipn/${SECRETS.ipn}`,
    fetch: async (url, init) => proxy.app.request(url, init),
  });
  const server = serve({ fetch: sandbox.app.fetch, hostname: '127.0.0.1', port: 0 }) as Server;
  if (!server.listening) await new Promise((resolve) => server.once('listening', resolve));
  const gatewayUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  await writeEmptyDatabase(file);
  const store = await connectDatabase(`file:${file}`, (error) => assert.fail(String(error)));
  const unwrapped = createLedger(store, { now });
  const ledger = options.wrapLedger?.(unwrapped) ?? unwrapped;
  const wire = httpGateway(gatewayUrl, {
    apiKey: SECRETS.gatewayKey,
    profile: { ...DEFAULT_PROFILE, ...options.profile },
    checkoutHosts: options.checkoutHosts ?? [],
    ...(options.totalTimeoutMs !== undefined && { totalTimeoutMs: options.totalTimeoutMs }),
  });
  const receiver = options.webhooks ? await startWebhookReceiver(SECRETS.webhook, now) : undefined;
  const gateway = options.wrapGateway?.(wire) ?? wire;
  const proxy = createProxy({
    gateway: {
      ...gateway,
      pay: (...asked) => timed(() => gateway.pay(...asked)),
      payout: (...asked) => timed(() => gateway.payout(...asked)),
      ...(gateway.status && { status: noteUnknown(gateway.status) }),
    },
    ledger,
    now,
    log: onLog,
    config: {
      orderSecrets: [SECRETS.order],
      merchantKeys: [SECRETS.merchant],
      ipnSecrets: [SECRETS.ipn],
      allowedOrigins: [SHOP],
      widgetFolder: folder,
      self: SELF,
      ...(receiver && { webhook: { url: receiver.url, secrets: [SECRETS.webhook] } }),
      ...options.config,
    },
  });
  const reader = new DatabaseSync(file, { readOnly: true });
  const document = await (openApi ??= readDocument(proxy));

  t.after(async () => {
    reader.close();
    server.closeAllConnections();
    await Promise.all([unwrapped.close(), wire.close(), receiver?.close()]);
    await new Promise((resolve) => server.close(resolve));
    rmSync(folder, { recursive: true, force: true });
  });

  async function request(method: string, path: string, init: RequestInit = {}, env?: object): Promise<Response> {
    const response = await proxy.app.request(path, { ...init, method }, env ?? {});
    const { pathname } = new URL(path, 'http://proxy.example');
    await assertDocumented(document, method, pathname, response);
    return response;
  }

  async function post(token: string, body: object, key: string): Promise<Answer<unknown>> {
    const init = { headers: startHeaders(token, key), body: JSON.stringify(body) };
    const response = await request('POST', '/order/payments', init);
    return { status: response.status, headers: response.headers, body: await response.json() };
  }

  async function control(path: string, body: object): Promise<Response> {
    return sandbox.app.request(`/_sandbox/${path}`, { method: 'POST', body: JSON.stringify(body) });
  }

  async function timed<T>(call: () => Promise<T>): Promise<T> {
    time += CALL_MS;
    return call();
  }

  function noteUnknown(status: NonNullable<Gateway['status']>): typeof status {
    return async (...asked) => {
      const answer = await timed(() => status(...asked));
      if (answer.kind === 'unknown') unknownAt = time;
      return answer;
    };
  }

  async function settle(): Promise<void> {
    await sandbox.tick();
    await proxy.tick();
  }

  function nextDueAt(): number | undefined {
    const [row] = reader
      .prepare(
        `select min(at) as at from (
           select max(next_check_at, lease_until) as at from transactions where next_check_at is not null
           union all select max(next_at, lease_until) from webhooks where state = 'pending') where at > ?`,
      )
      .all(time) as { at: number | null }[];
    return row?.at ?? undefined;
  }

  async function passTo(end: number): Promise<void> {
    for (;;) {
      await settle();
      if (time >= end) return;
      const due = nextDueAt() ?? end;
      // After an "unknown" a process tries again and again to prove it.
      const proofTimes = PROOF_MS.map((after) => unknownAt + after);
      time = Math.min(due, end, ...proofTimes.filter((at) => at > time));
    }
  }

  async function customer(...[does, gatewayOrderId, walletId]: Parameters<World['customer']>): Promise<void> {
    const response = await control(`transactions/${gatewayOrderId}/${does}`, { customer: walletId });
    assert.equal(response.status, 200, await response.text());
  }

  const world: World = {
    now,
    skip: (ms) => void (time += ms),
    settle,
    pass: (ms) => passTo(time + ms),
    passTo,
    proxy,
    ledger,
    sandbox,
    gatewayUrl,
    get receiver() {
      assert.ok(receiver, 'createWorld was not asked for webhooks');
      return receiver;
    },
    log,
    file,
    rows: <Row>(sql: string, ...parameters: (string | number)[]) =>
      reader
        .prepare(sql)
        .all(...parameters)
        .map((row) => ({ ...row }) as Row),
    async listen() {
      const { url, close } = await listen(proxy.app.fetch, { host: '127.0.0.1', port: 0 });
      t.after(close);
      return url;
    },
    request,
    token: (claims = {}) =>
      signToken(
        {
          orderId: 'A-1',
          amount: '10.10',
          currency: 'EUR',
          returnUrl: `${SHOP}/thanks`,
          exp: Math.floor(time / 1000) + 3600,
          ...claims,
        },
        SECRETS.order,
        { alg: 'HS256' },
      ),
    async start(token, body, key = randomUUID()) {
      const answer = await post(token, body, key);
      assert.ok(answer.status < 300, JSON.stringify(answer.body));
      return answer as Answer;
    },
    async refused(token, body, key = randomUUID()) {
      const answer = await post(token, body, key);
      assert.ok(answer.status >= 400, JSON.stringify(answer.body));
      return answer as Answer<Problem>;
    },
    async paid(claims, payer) {
      const token = world.token(claims);
      const { body } = await world.start(token, { method: 'QR' });
      await customer('approve', body.orderId, payer);
      await settle();
      return token;
    },
    async view(token) {
      const response = await request('GET', '/order', { headers: { Authorization: `Bearer ${token}` } });
      assert.equal(response.status, 200);
      return (await response.json()) as OrderView;
    },
    async merchant<Body>(method: string, path: string, body?: unknown, key?: string): Promise<Answer<Body>> {
      const json = { Authorization: `Bearer ${SECRETS.merchant}`, 'Content-Type': 'application/json' };
      const headers = { ...json, ...(key !== undefined && { 'Idempotency-Key': key }) };
      const text = typeof body === 'string' ? body : JSON.stringify(body);
      const response = await request(method, path, { headers, ...(body !== undefined && { body: text }) });
      return { status: response.status, headers: response.headers, body: (await response.json()) as Body };
    },
    ipn: (body, secret = SECRETS.ipn) =>
      request('POST', `/ipn/${secret}`, { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    webhooks: () =>
      (receiver?.received ?? assert.fail('createWorld was not asked for webhooks')).map(({ payload }) => payload.type),
    async metrics() {
      const headers = { Authorization: `Bearer ${SECRETS.merchant}` };
      return (await request('GET', '/metrics', { headers })).text();
    },
    customer,
    async settleAfter(...action) {
      await customer(...action);
      await settle();
    },
    async faults(faults) {
      const response = await control('faults', faults);
      assert.equal(response.status, 200, await response.text());
    },
    async gatewayHas(gatewayOrderId) {
      const response = await sandbox.app.request(`/_sandbox/transactions/${gatewayOrderId}`);
      return response.ok ? ((await response.json()) as SandboxTransaction) : undefined;
    },
  };
  return world;
}

export async function readDocument(proxy: Proxy): Promise<OpenApi> {
  return (await (await proxy.app.request('/openapi.json')).json()) as OpenApi;
}
