// Where the journeys of the truth test take place: sandbox, proxy and shop as real processes, with a box that spoils answers between
// proxy and gateway, and a line that can be cut between browsers and proxy. Gathers what the three remember of an order.
import assert from 'node:assert/strict';
import { chromium, type Browser } from 'playwright-core';
import { FREE_PORTS, startStack, type Stack } from '../../../demo/stack.ts';
import { buildWidgetIfStale } from '../../../demo/widget-build.ts';
import type { Method } from '../../../backend-proxy/protocol/wire.ts';
import { findBrowser } from '../../browser.ts';
import { watchAsks } from './page-requests.ts';
import { startBox, type Box } from './gateway-relay.ts';
import { startLine, type LineRelay } from './browser-relay.ts';
import type { Ask, Memory, Payment, Status } from './facts.ts';
import { blank, watchScreens, type Reading } from './watch-screen.ts';
import { WatchedShopper } from './watched-shopper.ts';

/** How long a step may take, with a dozen pages at once on a machine that is busy with other things. */
const STEP_MS = 120_000;

interface Remembered extends Omit<Payment, 'id' | 'asked' | 'history' | 'token' | 'expiresAt'> {
  orderId: string;
  askedMethod: Method;
  checkout: { token: string; expiresAt: string } | null;
  history: { at: string; status: Status; message: string }[];
}

export class Stage {
  readonly stack: Stack;
  readonly box: Box;
  readonly line: LineRelay;
  readonly #browser: Browser;
  #lastOpening: Promise<unknown> = Promise.resolve();

  private constructor(stack: Stack, box: Box, line: LineRelay, browser: Browser) {
    this.stack = stack;
    this.box = box;
    this.line = line;
    this.#browser = browser;
  }

  static async open(): Promise<Stage> {
    await buildWidgetIfStale();
    const [box, line] = await Promise.all([startBox(), startLine()]);
    const env = { proxy: { GATEWAY_URL: box.url }, shop: { PROXY_URL: line.url } };
    const [stack, browser] = await Promise.all([
      startStack({ ports: FREE_PORTS, readyWithinMs: STEP_MS, env }),
      findBrowser().then((found) => chromium.launch(found)),
    ]);
    box.passOnTo(stack.sandbox);
    line.passOnTo(stack.proxy);
    return new Stage(stack, box, line, browser);
  }

  async close(): Promise<void> {
    await Promise.all([this.#browser.close(), this.stack.stop()]);
    await Promise.all([this.box.close(), this.line.close()]);
  }

  /** Someone with an order of their own, whose page shows the choice. One opens at a time: loading is the most work. */
  shopper(): Promise<WatchedShopper> {
    const opening = this.#lastOpening.then(() => this.#enter());
    this.#lastOpening = opening.catch(() => {});
    return opening;
  }

  async #enter(): Promise<WatchedShopper> {
    const context = await this.#browser.newContext();
    context.setDefaultTimeout(STEP_MS);
    const readings: Reading[] = [];
    await watchScreens(context, (reading) => readings.push(reading));
    const { shop } = this.stack;
    const form = { 'dawn-chorus': '2' };
    const ordered = await context.request.post(`${shop}/checkout`, { form, headers: { origin: shop } });
    const page = await context.newPage();
    const asks = await watchAsks(page);
    // A page that leaves may be gone before it could say so.
    page.on('framenavigated', (frame) => {
      if (!frame.url().startsWith(shop)) readings.push(blank(Date.now()));
    });
    const shopper = new WatchedShopper({
      page,
      orderId: ordered.url().split('/').at(-1) ?? '',
      readings,
      sandbox: this.stack.sandbox,
      memoryOf: async (orderId) => this.memoryOf(orderId, await asks.gather()),
      settle: (id, how) => this.control(`/transactions/${id}/${how}`, {}),
    });
    await shopper.page.goto(ordered.url());
    await shopper.part('pay').waitFor();
    return shopper;
  }

  /** One of the sandbox's controls. */
  async control(path: string, body?: object): Promise<unknown> {
    const response = await fetch(`${this.stack.sandbox}/_sandbox${path}`, {
      ...(body && { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
    });
    assert.ok(response.ok, `${path}: ${response.status}`);
    return response.json();
  }

  async memoryOf(orderId: string, asks: readonly Ask[] = []): Promise<Memory> {
    const { transactions } = (await this.control('/transactions')) as { transactions: Remembered[] };
    const isOurs = (id: string) => id === orderId || id.startsWith(`${orderId}-`);
    return {
      payments: transactions
        .toReversed()
        .filter(({ orderId: id }) => isOurs(id))
        .map(({ orderId: id, askedMethod: asked, method, code, checkout, history }) => ({
          id,
          asked,
          method,
          code,
          token: checkout?.token ?? null,
          expiresAt: checkout ? Date.parse(checkout.expiresAt) : null,
          history: history.map((entry) => ({ ...entry, at: Date.parse(entry.at) })),
        })),
      starts: this.box.starts.filter(({ id }) => isOurs(id)),
      asks,
      lines: this.line.linesOf(orderId),
      // No journey here has anybody at the shop do so.
      closedAt: null,
    };
  }
}
