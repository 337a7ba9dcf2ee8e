// The vocabulary of the journeys: a World (sandbox, proxy and shop as real processes, and a browser), shoppers in it
// with a browser context each, and the phones they pay with. All actions use what a person sees: pages, roles, the
// widget's parts. Every journey also demands that no browser reports an error or a warning, and that no log, answer,
// page, webhook or file contains a secret.
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium, type Browser, type BrowserContextOptions, type Locator, type Page } from 'playwright-core';
import { FREE_PORTS, startStack, type Stack } from '../../demo/stack.ts';
import { buildWidgetIfStale } from '../../demo/widget-build.ts';
import { reportOpenPages, findBrowser } from '../browser.ts';
import { scanCode } from '../qr-reader.ts';
import { createSearch } from '../secret-search.ts';
import { findIn, gather, type Evidence } from './evidence.ts';
import { STEP_MS, Visitor } from './visitor.ts';
import { tapWebhooks, type WebhookTap } from './webhook-tap.ts';

/** Customers of the sandbox's wallet, by their wallet IDs. */
export const ADA = '12345678';
export const BRUNO = '23456789';

export const PHONE_SIZE: BrowserContextOptions = {
  viewport: { width: 390, height: 844 },
  hasTouch: true,
  isMobile: true,
};

const PASSWORD = 'sandbox';

export type Method = 'DIRECT' | 'CHECKOUT' | 'JETGO' | 'QR';

export class World {
  readonly stack: Stack;
  readonly #browser: Browser;
  readonly #webhooks: WebhookTap;
  /** The folder with the database and the browsers' HAR files. */
  readonly #dir: string;
  readonly #pages: string[] = [];
  readonly #visitors: Visitor[] = [];
  #browsers = 0;

  private constructor(stack: Stack, browser: Browser, webhooks: WebhookTap, dir: string) {
    this.stack = stack;
    this.#browser = browser;
    this.#webhooks = webhooks;
    this.#dir = dir;
  }

  static async open(): Promise<World> {
    await buildWidgetIfStale();
    const [dir, webhooks] = await Promise.all([mkdtemp(join(tmpdir(), 'payment-journeys-')), tapWebhooks()]);
    const proxy = { WEBHOOK_URL: webhooks.url, LOG_LEVEL: 'trace' };
    const [stack, browser] = await Promise.all([
      startStack({ ports: FREE_PORTS, dir, readyWithinMs: STEP_MS, env: { proxy } }),
      findBrowser().then((found) => chromium.launch(found)),
    ]);
    webhooks.passOnTo(`${stack.shop}/webhooks`);
    return new World(stack, browser, webhooks, dir);
  }

  /** Closes the windows of a journey. */
  async leave(): Promise<void> {
    await Promise.all(this.#visitors.splice(0).map((visitor) => visitor.leave()));
  }

  /** Fails if any evidence of its journeys contains a secret. */
  async close(): Promise<void> {
    try {
      await reportOpenPages(this.#browser);
      await Promise.all(this.#browser.contexts().map((context) => context.close()));
      assert.deepEqual(findIn(await this.evidence(), createSearch({ ...this.stack.secrets })), []);
    } finally {
      await Promise.all([this.#browser.close(), this.stack.stop()]);
      await Promise.all([this.#webhooks.close(), rm(this.#dir, { recursive: true })]);
    }
  }

  /** The evidence so far, of visitors who have left. */
  evidence(): Promise<Evidence> {
    return gather({ stack: this.stack, dir: this.#dir, pages: this.#pages, webhooks: this.#webhooks.passed });
  }

  /** A shopper who opens the shop on a device of their own. */
  async shopper(device: BrowserContextOptions = {}): Promise<Shopper> {
    return new Shopper(this, await this.#enter(device));
  }

  /** The wallet on another device than the shopper's. */
  async phone(customer: string): Promise<Phone> {
    const phone = new Phone(this, await this.#enter({ viewport: { width: 390, height: 844 } }));
    await phone.visitor.page.goto(`${this.stack.sandbox}/wallet?as=${customer}`);
    return phone;
  }

  async staff(): Promise<Visitor> {
    const visitor = await this.#enter();
    await visitor.page.goto(`${this.stack.shop}/desk`);
    return visitor;
  }

  /** In a browser context of its own, with a HAR file of all that it receives. */
  async #enter(device: BrowserContextOptions = {}): Promise<Visitor> {
    const path = join(this.#dir, `${(this.#browsers += 1)}.har`);
    const context = await this.#browser.newContext({ ...device, recordHar: { path, content: 'embed' } });
    const visitor = await Visitor.enter(context, (shown) => this.#pages.push(shown));
    this.#visitors.push(visitor);
    return visitor;
  }

  /** Calls one of the sandbox's controls. */
  async control(path: string, body?: object): Promise<unknown> {
    const response = await fetch(`${this.stack.sandbox}/_sandbox${path}`, {
      ...(body && { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
    });
    assert.ok(response.ok, `${path}: ${response.status}`);
    return response.json();
  }

  /** Statuses at the gateway of all payments of an order (or of a payout), oldest first. */
  async atGateway(orderId: string): Promise<string[]> {
    const answer = (await this.control('/transactions')) as { transactions: { orderId: string; status: string }[] };
    const oldestFirst = answer.transactions.toReversed();
    return oldestFirst.filter(({ orderId: id }) => id.startsWith(orderId)).map(({ status }) => status);
  }
}

export class Shopper {
  readonly visitor: Visitor;
  readonly page: Page;
  readonly widget: Locator;
  readonly #world: World;

  constructor(world: World, visitor: Visitor) {
    this.#world = world;
    this.visitor = visitor;
    this.page = visitor.page;
    this.widget = this.page.locator('payment-widget');
  }

  get orderId(): string {
    return this.page.url().split('/').at(-1) ?? '';
  }

  /** From the shop front to the order's page: two bags of one coffee. */
  async order(product = 'Dawn Chorus'): Promise<void> {
    await this.page.goto(this.#world.stack.shop);
    await this.page.getByRole('button', { name: `Add ${product}` }).click();
    await this.page.getByRole('button', { name: `One more ${product}` }).click();
    await this.page.getByRole('button', { name: 'Check out' }).click();
    await this.part('pay').waitFor();
  }

  part(name: string): Locator {
    return this.widget.locator(`[part~="${name}"]`);
  }

  async choose(method: Method): Promise<void> {
    await this.widget.locator(`input[value="${method}"]`).check();
  }

  async pay(method: Method, wallet?: string): Promise<void> {
    await this.choose(method);
    if (wallet !== undefined) await this.part('wallet').fill(wallet);
    await this.part('pay').click();
  }

  /** Waits for a custom state of the widget. */
  async sees(state: 'choosing' | 'waiting' | 'paid' | 'failed'): Promise<void> {
    await this.page.locator(`payment-widget:state(${state})`).waitFor();
  }

  /** The text of the drawn code, from a decoder that shares no code with the encoder. */
  async scannedCode(): Promise<string> {
    const code = this.part('code');
    await code.scrollIntoViewIfNeeded();
    return scanCode(code, STEP_MS);
  }

  /** The hosted checkout: login, then the code that the customer's phone shows. Stops before the button that pays. */
  async logInAtCheckout(customer: string): Promise<void> {
    await this.page.locator('#wallet').fill(customer);
    await this.page.locator('#password').fill(PASSWORD);
    await this.page.getByRole('button', { name: 'Log in' }).click();
    await this.page.locator('#code').waitFor();
    const phone = await this.#world.phone(customer);
    await this.page.locator('#code').fill(await phone.securityCode());
    await phone.visitor.leave();
    await this.page.getByRole('button', { name: 'Continue' }).click();
    await this.page.getByRole('button', { name: /^Pay/ }).waitFor();
  }

  /** Waits until the shop shows the order as unpaid; of a paid one it never would. */
  async isUnfulfilled(): Promise<void> {
    await this.page.locator('main [data-state="unpaid"]').waitFor();
  }

  /** Waits until the shop shows the order as paid, and asserts that exactly one payment succeeded at the gateway. */
  async isFulfilled(text = /^We will send your order on Wednesday, \w+ \d+\.$/): Promise<void> {
    await this.sees('paid');
    const fulfillment = this.page.locator('main [data-state="paid"]');
    await fulfillment.waitFor();
    assert.match((await fulfillment.textContent()) ?? '', text);
    assert.match(await this.page.title(), /^Paid · Order /);
    const statuses = await this.#world.atGateway(this.orderId);
    assert.equal(statuses.filter((status) => status === 'SUCCESS').length, 1, statuses.join());
  }

  async leave(): Promise<void> {
    await this.visitor.leave();
  }
}

export class Phone {
  readonly visitor: Visitor;
  readonly page: Page;
  readonly #world: World;

  constructor(world: World, visitor: Visitor) {
    this.#world = world;
    this.visitor = visitor;
    this.page = visitor.page;
  }

  async securityCode(): Promise<string> {
    return (await this.page.locator('#security-code output').textContent()) ?? '';
  }

  /** What the wallet's camera does with the text of a code. */
  async scan(code: string): Promise<void> {
    assert.ok(code.startsWith(`${this.#world.stack.sandbox}/wallet/`), code);
    await this.page.goto(code);
  }

  async approve(): Promise<void> {
    await this.page.getByRole('button', { name: 'Approve' }).click();
    await this.page.getByRole('heading', { name: 'Paid', exact: true }).waitFor();
  }

  async decline(): Promise<void> {
    await this.page.getByRole('button', { name: 'Decline' }).click();
    await this.page.getByRole('heading', { name: 'Not paid' }).waitFor();
  }

  async leave(): Promise<void> {
    await this.visitor.leave();
  }
}
