// The stack of the truth test: sandbox, proxy and shop as real processes, with a relay that damages answers between
// proxy and gateway, and one that can cut the connection between browsers and proxy. Gathers their records of an order.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { chromium, type Browser, type Page } from 'playwright-core';
import { FREE_PORTS, startStack, type Stack } from '../../../demo/stack.ts';
import { buildWidgetIfStale } from '../../../demo/widget-build.ts';
import type { Method, OrderClaims, Purpose } from '../../../backend-proxy/protocol/wire.ts';
import { signToken } from '../../backend-proxy/merchant-shop.ts';
import { findBrowser } from '../../browser.ts';
import { watchPageRequests } from './page-requests.ts';
import { startGatewayRelay, type GatewayRelay } from './gateway-relay.ts';
import { startBrowserRelay, type BrowserRelay } from './browser-relay.ts';
import type { PageRequest, OrderRecords, Payment, Status, Terms } from './facts.ts';
import { blank, watchScreens, type ScreenReading } from './watch-screen.ts';
import { WatchedShopper } from './watched-shopper.ts';

/** How long a step may take, with a dozen pages at once on a busy machine. */
const STEP_MS = 120_000;

interface Remembered extends Omit<
  Payment,
  'id' | 'asked' | 'amount' | 'confirmedAt' | 'history' | 'token' | 'expiresAt'
> {
  orderId: string;
  type: 'PAY' | 'PAYOUT';
  amount: string;
  askedMethod: Method;
  checkout: { token: string; expiresAt: string } | null;
  history: { at: string; status: Status; message: string }[];
}

/** What the shop has signed for the widget of the page. */
async function claimsOn(page: Page): Promise<OrderClaims> {
  const token = (await page.locator('payment-widget').getAttribute('order')) ?? '';
  return JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()) as OrderClaims;
}

export class RelayedStack {
  readonly processes: Stack;
  readonly gatewayRelay: GatewayRelay;
  readonly browserRelay: BrowserRelay;
  readonly #browser: Browser;
  readonly #terms = new Map<string, Terms[]>();
  readonly #confirmations = new Map<string, number>();
  readonly #decisions = new Map<string, number>();
  readonly #closings = new Map<string, number>();
  #lastOpening: Promise<unknown> = Promise.resolve();

  private constructor(processes: Stack, gatewayRelay: GatewayRelay, browserRelay: BrowserRelay, browser: Browser) {
    this.processes = processes;
    this.gatewayRelay = gatewayRelay;
    this.browserRelay = browserRelay;
    this.#browser = browser;
  }

  static async open(): Promise<RelayedStack> {
    await buildWidgetIfStale();
    const [gatewayRelay, browserRelay] = await Promise.all([startGatewayRelay(), startBrowserRelay()]);
    const env = { proxy: { GATEWAY_URL: gatewayRelay.url }, shop: { PROXY_URL: browserRelay.url } };
    const [processes, browser] = await Promise.all([
      startStack({ ports: FREE_PORTS, readyWithinMs: STEP_MS, env }),
      findBrowser().then((found) => chromium.launch(found)),
    ]);
    gatewayRelay.passOnTo(processes.sandbox);
    browserRelay.passOnTo(processes.proxy);
    const stack = new RelayedStack(processes, gatewayRelay, browserRelay, browser);
    // A refund is on its way until the journey ends it.
    await stack.control('/faults', { payout: { hold: true } });
    return stack;
  }

  async close(): Promise<void> {
    await Promise.all([this.#browser.close(), this.processes.stop()]);
    await Promise.all([this.gatewayRelay.close(), this.browserRelay.close()]);
  }

  /**
   * A shopper with a new order, whose page shows the choice of methods. Pages open one at a time, because loading is
   * the most work.
   */
  shopper(): Promise<WatchedShopper> {
    const opening = this.#lastOpening.then(() => this.#enter());
    this.#lastOpening = opening.catch(() => {});
    return opening;
  }

  async #enter(): Promise<WatchedShopper> {
    const context = await this.#browser.newContext();
    context.setDefaultTimeout(STEP_MS);
    const readings: ScreenReading[] = [];
    await watchScreens(context, (reading) => readings.push(reading));
    const { shop } = this.processes;
    const form = { 'dawn-chorus': '2' };
    const ordered = await context.request.post(`${shop}/checkout`, { form, headers: { origin: shop } });
    const page = await context.newPage();
    const requests = await watchPageRequests(page);
    // A page may be gone before it can report that it leaves.
    page.on('framenavigated', (frame) => {
      if (!frame.url().startsWith(shop)) readings.push(blank(Date.now()));
    });
    const shopper = new WatchedShopper({
      page,
      orderId: ordered.url().split('/').at(-1) ?? '',
      readings,
      sandbox: this.processes.sandbox,
      recordsOf: async (orderId) => this.recordsOf(orderId, await requests.gather()),
      settle: (id, how) => {
        if (how === 'approve') this.#confirmations.set(id, Date.now());
        return this.control(`/transactions/${id}/${how}`, {});
      },
    });
    await shopper.page.goto(ordered.url());
    await shopper.part('pay').waitFor();
    this.#remember(await claimsOn(page));
    return shopper;
  }

  /** The shop signs the order again, with this purpose. */
  async offer({ page }: WatchedShopper, purpose: Purpose): Promise<void> {
    const claims = { ...(await claimsOn(page)), purpose };
    const token = signToken(claims, this.processes.secrets.orderSecret, { alg: 'HS256' });
    this.#remember(claims, Date.now());
    await page.locator('payment-widget').evaluate((widget, order) => widget.setAttribute('order', order), token);
  }

  #remember({ orderId, amount, merchant = '', purpose = 'payment' }: OrderClaims, at = 0): void {
    const terms = { at, amount: Number(amount), merchant, purpose };
    this.#terms.set(orderId, [...(this.#terms.get(orderId) ?? []), terms]);
  }

  /** A person at the shop decides that the payment has paid its order. */
  async confirm(id: string): Promise<void> {
    this.#decisions.set(id, Date.now());
    await this.#asShop(`/transactions/${id}/resolve`, {
      status: 'SUCCESS',
      by: 'Ada',
      note: 'It is on the statement.',
    });
  }

  /** The shop closes the order. */
  async closeOrder(orderId: string): Promise<void> {
    this.#closings.set(orderId, Date.now());
    await this.#asShop(`/orders/${orderId}/close`, { reason: 'out of stock' });
  }

  /** The shop sends money back; without an amount all that is left. */
  async refund(orderId: string, amount?: string): Promise<void> {
    await this.#asShop(`/orders/${orderId}/refunds`, { amount }, 202);
  }

  async #asShop(path: string, body: object, expected = 200): Promise<void> {
    const { proxy, secrets } = this.processes;
    const response = await fetch(proxy + path, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${secrets.merchantApiKey}`,
        'content-type': 'application/json',
        'idempotency-key': randomUUID(),
      },
      body: JSON.stringify(body),
    });
    assert.equal(response.status, expected, await response.text());
  }

  /** Calls one of the sandbox's controls. */
  async control(path: string, body?: object): Promise<unknown> {
    const response = await fetch(`${this.processes.sandbox}/_sandbox${path}`, {
      ...(body && { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
    });
    assert.ok(response.ok, `${path}: ${response.status}`);
    return response.json();
  }

  async recordsOf(orderId: string, requests: readonly PageRequest[] = []): Promise<OrderRecords> {
    const { transactions } = (await this.control('/transactions')) as { transactions: Remembered[] };
    const isOurs = (id: string) => id === orderId || id.startsWith(`${orderId}-`);
    const ours = transactions
      .toReversed()
      .filter(({ orderId: id }) => isOurs(id))
      .map(({ history, ...rest }) => ({
        ...rest,
        history: history.map((entry) => ({ ...entry, at: Date.parse(entry.at) })),
      }));
    return {
      terms: this.#terms.get(orderId) ?? [],
      payments: ours
        .filter(({ type }) => type === 'PAY')
        .map(({ orderId: id, askedMethod: asked, method, code, checkout, amount, customer, history }) => ({
          id,
          asked,
          method,
          code,
          token: checkout?.token ?? null,
          expiresAt: checkout ? Date.parse(checkout.expiresAt) : null,
          amount: Number(amount),
          customer,
          confirmedAt: this.#confirmations.get(id) ?? null,
          history,
        })),
      refunds: ours
        .filter(({ type }) => type === 'PAYOUT')
        .map(({ orderId: id, amount, customer, history }) => ({ id, amount: Number(amount), customer, history })),
      starts: this.gatewayRelay.starts.filter(({ id }) => isOurs(id)),
      requests,
      connections: this.browserRelay.connectionsOf(orderId),
      streams: this.browserRelay.streamsOf(orderId),
      doubtedAt: this.gatewayRelay.doubts.get(orderId) ?? null,
      decidedAt: this.#decisions.get(orderId) ?? null,
      // No journey here ends a payment at the shop.
      closedAt: null,
      orderClosedAt: this.#closings.get(orderId) ?? null,
    };
  }
}
