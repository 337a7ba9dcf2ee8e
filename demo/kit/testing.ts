// `payment-widget/testing`: the test world of `payment-sandbox` for tests in Node. The world does the work; here are
// defaults for what a test seldom cares about, and words for a wrong call.
import { setTimeout } from 'node:timers/promises';
import { PaymentProxy, type NewOrder } from '../../backend-proxy/client.ts';
import type { Method, OrderView } from '../../backend-proxy/protocol/wire.ts';
import { VERSION, nodeRefusal } from '../../backend-proxy/installation.ts';
import type { Entry } from './journal.ts';
import type { FaultTarget, TestWorld, TestWorldOptions } from './test-world.ts';
import type { WebhookInbox } from './webhook-inbox.ts';

export type PaymentsOptions = TestWorldOptions;

/** An order with its token, for the page under test. */
export interface TestOrder {
  orderId: string;
  token: string;
}

export interface FaultLimits {
  /** Default: until `faults.end()` or `reset()`. */
  times?: number | undefined;
  /** Default: every order. */
  orderId?: string | undefined;
}

/** What a customer's phone shows after a scan. */
export interface Scanned extends TestOrder {
  approve(): Promise<void>;
  decline(): Promise<void>;
}

/** The part of Playwright's `Page` that `scan` needs. */
interface PageWithWidget {
  locator(selector: string): { first(): { waitFor(): Promise<void> } };
  evaluate<T>(read: () => T): Promise<T>;
}

type Operation = Exclude<FaultTarget, 'ipn'>;

const OPERATIONS: readonly Operation[] = ['pay', 'payout', 'status'];
const IPN_FAULTS = { never: { never: true }, twice: { repeat: 2 }, reversed: { reverse: true } } as const;
const UNIT_MS: Record<string, number> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };
const LOOK_MS = 2_000;

/**
 * Starts the gateway, the proxy and the receiver of webhooks on free ports of loopback.
 * @throws {Error} Without Node 24 or `payment-sandbox` of the same version, or with NODE_ENV=production.
 */
export async function startPayments(options: PaymentsOptions = {}): Promise<Payments> {
  return new Payments(await (await loadTestWorld()).open(options));
}

async function loadTestWorld(): Promise<typeof TestWorld> {
  // In a variable, so that no bundler looks for it.
  const name = 'payment-sandbox';
  const tooOld = nodeRefusal(name);
  if (tooOld !== undefined) throw new Error(tooOld);
  const remedy = `npm i -D ${name}@${VERSION}`;
  const sandbox = (await import(name).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ERR_MODULE_NOT_FOUND') throw error;
    throw new Error(`payment-widget/testing needs ${name}: ${remedy}`, { cause: error });
  })) as { TestWorld: typeof TestWorld; VERSION: string };
  if (sandbox.VERSION !== VERSION) {
    throw new Error(
      `payment-widget/testing ${VERSION} needs ${name} of the same version, not ${sandbox.VERSION}: ${remedy}`,
    );
  }
  return sandbox.TestWorld;
}

export class Payments implements AsyncDisposable {
  readonly #world: TestWorld;
  #orders = 0;

  constructor(world: TestWorld) {
    this.#world = world;
  }

  /** Of the proxy. */
  get url(): string {
    return this.#world.url;
  }

  /** Of the gateway's pages and its `/_sandbox` routes. */
  get gatewayUrl(): string {
    return this.#world.gatewayUrl;
  }

  /** For the shop under test. */
  get env(): TestWorld['env'] {
    return this.#world.env;
  }

  /** Those that came, also if `webhookUrl` had them passed on. */
  get webhooks(): WebhookInbox {
    return this.#world.webhooks;
  }

  /** Every request and answer of proxy, gateway and receiver. */
  get journal(): readonly Entry[] {
    return this.#world.journal.entries;
  }

  /**
   * Default: 10.00 EUR, with the next id.
   * @throws {PaymentProxyError} For a claim that the proxy does not take; `signOrder` with `env` signs any.
   */
  async order(claims: Partial<NewOrder> = {}): Promise<TestOrder> {
    this.#orders += 1;
    const amount = claims.minAmount === undefined && claims.maxAmount === undefined ? { amount: '10.00' } : {};
    const defaults = { orderId: `TEST-${this.#orders}`, currency: 'EUR', returnUrl: `${this.url}/` };
    const client = new PaymentProxy({ url: this.url, key: this.env.MERCHANT_API_KEY });
    const { orderId, token } = await client.createOrder({ ...defaults, ...amount, ...claims });
    return { orderId, token };
  }

  /** Pays without a browser. `by`: the wallet that pays. */
  shopper({ token }: { token: string }, by: { customer?: string; amount?: string } = {}) {
    const does =
      (what: 'approve' | 'decline' | 'nothing') =>
      (method: Method): Promise<OrderView> =>
        this.#world.shop({ ...by, token, method, does: what });
    return { pays: does('approve'), declines: does('decline'), starts: does('nothing') };
  }

  /** What the customer does on the phone with the newest payment of an order. */
  readonly wallet = {
    approve: (orderId: string, customer?: string) => this.#world.act(orderId, 'approve', customer),
    decline: (orderId: string) => this.#world.act(orderId, 'decline'),
    expire: (orderId: string) => this.#world.act(orderId, 'expire'),
    /**
     * Waits until the page's widget shows a code, and reads the order that it asks for.
     * @throws {Error} If the proxy has refused what the page asked for last.
     */
    scan: async (page: PageWithWidget): Promise<Scanned> => {
      const waiting = page.locator('payment-widget [part~="code"]').first().waitFor();
      const isShown = waiting.then(() => true);
      while (!(await Promise.race([isShown, setTimeout(LOOK_MS)]))) {
        const last = this.journal.findLast(({ to, path }) => to === 'proxy' && /^\/order(\/|$)/.test(path));
        if (!last?.answer.includes('"retryable":false')) continue;
        isShown.catch(() => undefined);
        throw new Error(`The page shows no code: the proxy refused ${last.method} ${last.path}: ${last.answer}`);
      }
      const order = await page.evaluate(() => {
        const widget = document.querySelector('payment-widget') as unknown as { order: string; view: OrderView };
        return { orderId: widget.view.orderId, token: widget.order };
      });
      const { approve, decline } = this.wallet;
      return { ...order, approve: () => approve(order.orderId), decline: () => decline(order.orderId) };
    },
  };

  readonly clock = {
    now: (): Date => new Date(this.#world.now()),
    /** Resolves when all that fell due is done, webhooks included: `'15m'`, `'2h'`, or milliseconds. */
    advance: async (by: string | number): Promise<void> => void (await this.#world.advance(millisecondsOf(by))),
  };

  /** How the gateway misbehaves. One fault for each operation at a time. */
  readonly faults = {
    /** It does its work, and the answer is lost. */
    lose: (operation: Operation, limits?: FaultLimits) => this.#fault(operation, { dropAnswer: true }, limits),
    /** It answers so much later. */
    delay: (operation: Operation, by: string | number, limits?: FaultLimits) =>
      this.#fault(operation, { delayMs: millisecondsOf(by) }, limits),
    /** It refuses the request (HTTP 422), and does nothing. */
    refuse: (operation: Operation, limits?: FaultLimits) => this.#fault(operation, { status: 422 }, limits),
    /** It answers 503, and does nothing. */
    down: (operation: Operation, limits?: FaultLimits) => this.#fault(operation, { status: 503 }, limits),
    /** Its callbacks to the proxy. */
    ipn: (how: keyof typeof IPN_FAULTS, limits?: FaultLimits): void => {
      if (!Object.hasOwn(IPN_FAULTS, how)) throw unknownFault(how, Object.keys(IPN_FAULTS));
      this.#apply('ipn', IPN_FAULTS[how], limits);
    },
    end: (): Promise<void> => this.#world.faults({}),
  };

  /** A fresh start for the next test. */
  reset(): Promise<void> {
    this.#orders = 0;
    return this.#world.reset();
  }

  close(): Promise<void> {
    return this.#world.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  #fault(operation: Operation, fault: object, limits?: FaultLimits): void {
    if (!OPERATIONS.includes(operation)) throw unknownFault(operation, OPERATIONS);
    this.#apply(operation, fault, limits);
  }

  #apply(target: FaultTarget, fault: object, { times, orderId, ...others }: FaultLimits = {}): void {
    for (const name of Object.keys(others)) throw new Error(`${name}: there are times and orderId.`);
    if (times !== undefined && !(Number.isInteger(times) && times > 0))
      throw new Error('times: a whole number from 1.');
    this.#world.fault(target, { ...fault, ...(orderId !== undefined && { only: orderId }) }, times ?? null);
  }
}

function unknownFault(name: string, allowed: readonly string[]): Error {
  return new Error(`There is no fault of '${name}': ${allowed.join(', ')}.`);
}

function millisecondsOf(duration: string | number): number {
  const [, count, unit = ''] =
    /^(\d+)(ms|s|m|h|d)$/.exec(typeof duration === 'number' ? `${duration}ms` : duration) ?? [];
  const unitMs = UNIT_MS[unit];
  if (unitMs === undefined)
    throw new Error(`'${duration}' is no duration: '500ms', '30s', '15m', '2h', '1d', or milliseconds.`);
  return Number(count) * unitMs;
}
