// A shop's whole test world in one process on loopback: the sandbox gateway, a proxy before it, the receiver of its
// webhooks, and one clock for all. It reads nothing of the environment, and makes its own secrets, which begin with
// `sandbox-`, so that a proxy with a real gateway refuses them. Nothing waits for time to pass: `quiet` runs what is due,
// and only the answer that a shopper waits for is looked for again and again.
import { randomBytes } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import { Hono } from 'hono';
import { z } from 'zod';
import { PaymentProxyError, signOrder, type NewOrder } from '../../backend-proxy/client.ts';
import { fieldErrorsOf } from '../../backend-proxy/errors.ts';
import { listen, type Listening } from '../../backend-proxy/http/server.ts';
import { PAYS_BY, WALLET_ID } from '../../backend-proxy/protocol/wire.ts';
import type { Transaction } from '../../backend-proxy/protocol/transaction.ts';
import type { OrderView, Problem } from '../../backend-proxy/protocol/wire.ts';
import { namedCustomer } from '../sandbox/controls.ts';
import { Refusal } from '../sandbox/refusal.ts';
import { createWorldControls } from './controls.ts';
import {
  isOnLoopback,
  newSecrets,
  openGatewayAndProxy,
  type GatewayAndProxy,
  type Secrets,
} from './gateway-and-proxy.ts';
import { Journal } from './journal.ts';
import type { Shopping } from './shopping.ts';
import { WebhookInbox } from './webhook-inbox.ts';

export interface TestWorldOptions {
  /** The shop's endpoint, on loopback; every webhook is passed on to it. */
  webhookUrl?: string | undefined;
  /** Those of pages that may pay, beside every one on loopback: `https://shop.test`. */
  origins?: readonly string[] | undefined;
  /** `stopped`: time moves by `advance` alone. Default: `real`. */
  clock?: 'real' | 'stopped' | undefined;
  /** Codes, tokens and two-factor numbers of the gateway repeat. */
  seed?: number | undefined;
  /** Of proxy and gateway; default: free ones. */
  ports?: { proxy: number; gateway: number } | undefined;
}

const PORT = z.int().min(0).max(65_535);
const OPTIONS = z.strictObject({
  webhookUrl: z
    .string()
    .refine((url) => isOnLoopback(URL.parse(url)?.origin), 'an http or https URL on loopback')
    .optional(),
  origins: z
    .array(
      z.string().refine((origin) => URL.parse(origin)?.origin === origin, 'an origin, like "https://shop.test"'),
      'a list, like ["https://shop.test"]',
    )
    .optional(),
  clock: z.enum(['real', 'stopped'], "'real' or 'stopped'").optional(),
  seed: z.int('a whole number').optional(),
  ports: z.strictObject({ proxy: PORT, gateway: PORT }, '{ proxy, gateway }, 0 for a free one').optional(),
});

export type FaultTarget = 'pay' | 'payout' | 'status' | 'ipn';

const HOST = '127.0.0.1';
/** Ada, of the sandbox's wallet. */
const FIRST_CUSTOMER = '12345678';
/** After an "unknown" the proxy tries again and again to prove it, within the next minute. */
const PROOF_MS = [10_000, 20_000, 30_000, 40_000, 50_000, 60_000];
const POLL_MS = 5;
/** After this a shopper's wait for an answer fails, because the clock is stopped. */
const STUCK_MS = 3_000;
const STUCK =
  'The answer of the gateway waits for the clock, which is stopped: ' +
  "const paying = payments.shopper(order).pays('QR'); await payments.clock.advance('6s'); await paying;";
const MAX_ADVANCE_MS = 366 * 86_400_000;

export class TestWorld {
  readonly journal = new Journal(() => this.now());
  readonly webhooks: WebhookInbox;
  readonly #options: TestWorldOptions;
  readonly #secrets: Secrets = newSecrets();
  readonly #startedAt = Date.now();
  #aheadMs = 0;
  /** How many are paying. */
  #shoppers = 0;
  #gatewayServer!: Listening;
  #proxyServer!: Listening;
  #current!: GatewayAndProxy;

  private constructor(options: TestWorldOptions) {
    this.#options = options;
    this.webhooks = new WebhookInbox(this.#secrets.webhook, options.webhookUrl);
  }

  /** @throws {Error} For a port that is taken or with NODE_ENV=production; a RangeError for a wrong option. */
  static async open(options: TestWorldOptions = {}): Promise<TestWorld> {
    if (process.env['NODE_ENV'] === 'production') {
      throw new Error('The sandbox moves no money, so it does not run with NODE_ENV=production.');
    }
    const { error } = OPTIONS.safeParse(options);
    if (error)
      throw new RangeError(
        fieldErrorsOf(error)
          .map(({ field, detail }) => `${field}: ${detail}`)
          .join('; '),
      );
    const world = new TestWorld(options);
    await world.#listen();
    world.#current = await world.#open();
    return world;
  }

  /** Of the proxy. */
  get url(): string {
    return this.#proxyServer.url;
  }

  /** Of the sandbox gateway, its pages and its `/_sandbox` routes. */
  get gatewayUrl(): string {
    return this.#gatewayServer.url;
  }

  /** For the shop under test. */
  get env(): Record<
    'PAYMENT_PROXY_URL' | 'PAYMENT_SANDBOX_URL' | 'ORDER_SECRET' | 'MERCHANT_API_KEY' | 'WEBHOOK_SECRET',
    string
  > {
    const { order, merchant, webhook } = this.#secrets;
    return {
      PAYMENT_PROXY_URL: this.url,
      PAYMENT_SANDBOX_URL: this.gatewayUrl,
      ORDER_SECRET: order,
      MERCHANT_API_KEY: merchant,
      WEBHOOK_SECRET: webhook,
    };
  }

  now(): number {
    return (this.#options.clock === 'stopped' ? this.#startedAt : Date.now()) + this.#aheadMs;
  }

  token(order: NewOrder): Promise<string> {
    return signOrder(order, this.#secrets.order, this.now());
  }

  /** Runs all that is due now, webhooks included, until nothing is. */
  async quiet(): Promise<void> {
    await this.#current.sandbox.tick();
    await this.#current.proxy.tick();
    await this.#current.sandbox.tick();
  }

  /** Moves the clock from one due time to the next, and runs what is due. Resolves with the time. */
  async advance(ms: number): Promise<string> {
    if (!Number.isInteger(ms) || ms < 0 || ms > MAX_ADVANCE_MS) {
      throw new RangeError(`A whole number of milliseconds, 0 to ${MAX_ADVANCE_MS}.`);
    }
    const end = this.now() + ms;
    for (;;) {
      await this.quiet();
      // A shopper who waits for the gateway's answer is not passed by.
      while (this.#shoppers > this.#current.sandbox.sleeping()) await setTimeout(POLL_MS);
      const time = this.now();
      if (time >= end) return new Date(time).toISOString();
      const proofs = PROOF_MS.map((after) => this.#current.unknownAt() + after).filter((at) => at > time);
      this.#aheadMs += Math.min(this.#current.nextDueAt(time), end, ...proofs) - time;
    }
  }

  /** Starts a payment as the widget does, ends it as the customer would, and resolves with the order view. */
  async shop(shopping: Shopping): Promise<OrderView> {
    this.#shoppers += 1;
    try {
      return await this.#shop(shopping);
    } finally {
      this.#shoppers -= 1;
    }
  }

  async #shop({ token, method, customer, amount, does }: Shopping): Promise<OrderView> {
    if (does !== 'nothing') namedCustomer(this.#current.sandbox.processor, customer);
    const asks = WALLET_ID[method] === 'required';
    const body = { method, ...(amount && { amount }), ...(asks && { customer: customer ?? FIRST_CUSTOMER }) };
    const { orderId } = await this.#asShopper(token, '/order/payments', {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'idempotency-key': randomBytes(16).toString('hex') },
      body: JSON.stringify(body),
    });
    if (does !== 'nothing') await this.act(orderId, does, customer);
    await this.quiet();
    return this.#asShopper(token, '/order');
  }

  /** What the customer or the gateway does: with the newest payment of an order, or a transaction by its own id. */
  async act(orderId: string, does: 'approve' | 'decline' | 'expire' | 'ipn', customer?: string): Promise<void> {
    const payment = await this.#current.newestPayment(orderId);
    if (payment && (does === 'approve' || does === 'decline')) this.#checkReached(payment);
    const id = payment?.id ?? orderId;
    await this.#control(`transactions/${encodeURIComponent(id)}/${does}`, { customer });
    await this.quiet();
  }

  /** @throws {Error} If nobody can know of the payment. */
  #checkReached({ id, orderId, method, qr, checkoutUrl }: Transaction): void {
    if (this.#current.sandbox.processor.transaction(id) === undefined)
      throw new Error(`The gateway has no payment of ${orderId}: it refused the request, or never got it.`);
    if (method !== null && PAYS_BY[method] !== 'prompt' && qr === null && checkoutUrl === null)
      throw new Error(`The shopper was shown no code: the gateway's answer to the payment of ${orderId} was lost.`);
  }

  /** Replaces all faults of the gateway; `{}` ends them. */
  async faults(faults: object): Promise<void> {
    await this.#control('faults', faults);
  }

  /** Replaces the fault of one target, and leaves those of the others; `{}` ends it. */
  fault(target: FaultTarget, fault: object, times: number | null): void {
    if (target === 'status' && 'delayMs' in fault && this.#options.clock === 'stopped')
      throw new Error('With a stopped clock status cannot be delayed: advance waits for it.');
    this.#current.sandbox.faults.replaceOne(target, fault, times);
  }

  /** A fresh start for the next test: database, gateway, faults, clock, webhooks, journal. */
  async reset(): Promise<void> {
    await this.#current.close();
    this.#aheadMs = 0;
    this.webhooks.clear();
    this.journal.clear();
    this.#current = await this.#open();
  }

  async close(): Promise<void> {
    await this.#current.close();
    await Promise.all([this.#gatewayServer.close(), this.#proxyServer.close()]);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  async #listen(): Promise<void> {
    const { ports } = this.#options;
    const gateway = new Hono();
    gateway.post('/_receiver', (c) => this.webhooks.receive(c.req.raw));
    gateway.all('*', (c) => this.#current.sandbox.app.fetch(c.req.raw, c.env as object));
    this.#gatewayServer = await listen(
      (request, env) => {
        const side = new URL(request.url).pathname === '/_receiver' ? 'receiver' : 'gateway';
        return this.journal.record(side, request, (read) => gateway.fetch(read, env));
      },
      { host: HOST, port: ports?.gateway ?? 0 },
    );
    try {
      this.#proxyServer = await listen(
        (request, env) => this.journal.record('proxy', request, (read) => this.#current.proxy.app.fetch(read, env)),
        { host: HOST, port: ports?.proxy ?? 0 },
      );
    } catch (error) {
      await this.#gatewayServer.close();
      throw error;
    }
  }

  #open(): Promise<GatewayAndProxy> {
    const { clock, origins, seed } = this.#options;
    return openGatewayAndProxy({
      now: () => this.now(),
      isRunning: clock !== 'stopped',
      origins,
      seed,
      secrets: this.#secrets,
      controls: createWorldControls(this),
      gatewayUrl: this.gatewayUrl,
      proxyUrl: this.url,
    });
  }

  async #asShopper(token: string, path: string, init: RequestInit = {}): Promise<OrderView> {
    const headers = new Headers(init.headers);
    headers.set('authorization', `Bearer ${token}`);
    const stuck = new AbortController();
    const limit = setInterval(() => {
      if (this.#options.clock === 'stopped' && this.#current.sandbox.sleeping() > 0) stuck.abort(new Error(STUCK));
    }, STUCK_MS);
    const response = await fetch(`${this.url}${path}`, { ...init, headers, signal: stuck.signal }).finally(() =>
      clearInterval(limit),
    );
    const body: unknown = await response.json();
    if (response.ok) return body as OrderView;
    const { errors = [], detail } = body as Problem;
    const fields = errors.map((error) => `${error.field}: ${error.detail}`).join('; ');
    throw new PaymentProxyError(fields || detail, body as Problem);
  }

  /** @throws {Refusal} With the sandbox's own words, which say what is allowed. */
  async #control(path: string, body: object): Promise<void> {
    const init = { method: 'POST', body: JSON.stringify(body) };
    const response = await this.#current.sandbox.app.request(`/_sandbox/${path}`, init);
    if (response.ok) return;
    const { code, message, errors } = (await response.json()) as Refusal['body'];
    throw new Refusal(response.status as Refusal['status'], code, message, errors);
  }
}
