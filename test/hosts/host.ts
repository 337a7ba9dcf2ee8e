// Pages that merchants have, and a browser that visits them: the real sandbox, proxy and their processes, a server with an origin
// of its own for the pages, and orders to pay on them. Owns that no visit is over unless the browser had nothing to complain about.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { fileURLToPath } from 'node:url';
import { chromium, type Browser, type BrowserContext, type Locator, type Page } from 'playwright-core';
import { prepareZXingModule, readBarcodes } from 'zxing-wasm/reader';
import { FREE_PORTS, startStack, type Stack } from '../../demo/stack.ts';
import { buildWidgetIfStale } from '../../demo/widget-build.ts';
import { findBrowser } from '../browser.ts';

/** A full test run keeps every core busy. */
const READY_MS = 60_000;
const STEP_MS = 15_000;
const POLL_MS = 25;
const TYPES: Record<string, string> = { js: 'text/javascript', html: 'text/html' };

export interface HostPage {
  body: string;
  head?: string;
  /** Content-Security-Policy. */
  policy?: string;
}

export interface Order {
  orderId: string;
  token: string;
}

export class Host {
  readonly proxy: string;
  readonly origin: string;
  readonly #stack: Stack;
  readonly #browser: Browser;
  readonly #server: Server;
  readonly #files: Map<string, { text: string; policy?: string | undefined }>;
  #orders = 0;

  private constructor(stack: Stack, browser: Browser, server: Server, origin: string, files: Host['#files']) {
    this.proxy = stack.proxy;
    this.origin = origin;
    this.#stack = stack;
    this.#browser = browser;
    this.#server = server;
    this.#files = files;
  }

  static async open(): Promise<Host> {
    await buildWidgetIfStale();
    const files: Host['#files'] = new Map();
    const server = createServer((request, response) => {
      const path = request.url?.split('?')[0] ?? '';
      const file = files.get(path);
      const headers = {
        'content-type': `${TYPES[path.split('.').at(-1) ?? ''] ?? 'text/plain'}; charset=utf-8`,
        ...(file?.policy !== undefined && { 'content-security-policy': file.policy }),
      };
      // No page here has an icon, and browsers ask for one.
      response.writeHead(file ? 200 : path === '/favicon.ico' ? 204 : 404, headers).end(file?.text);
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    const port = typeof address === 'object' && address !== null ? address.port : 0;
    // Another site than the proxy's, to a browser, which is what a merchant's page is.
    const origin = `http://localhost:${port}`;
    const [stack, browser] = await Promise.all([
      startStack({ ports: FREE_PORTS, readyWithinMs: READY_MS, env: { proxy: { ALLOWED_ORIGINS: origin } } }),
      findBrowser().then((found) => chromium.launch(found)),
    ]);
    return new Host(stack, browser, server, origin, files);
  }

  async close(): Promise<void> {
    this.#server.close();
    await Promise.all([this.#browser.close(), this.#stack.stop()]);
  }

  /** As the merchant's server signs one; undefined takes a claim away. */
  async order(claims: Record<string, unknown> = {}): Promise<Order> {
    this.#orders += 1;
    const usual = { amount: '10.10', currency: 'EUR', returnUrl: `${this.origin}/thanks.html` };
    const orderId = `HOST-${this.#orders}`;
    return (await this.#merchant('/orders', { orderId, ...usual, ...claims })) as Order;
  }

  /** Statuses in the proxy's books of an order's payments, oldest first; the books know no order before its first payment. */
  async booked(orderId: string): Promise<string[]> {
    const { payments } = (await this.#merchant(`/orders/${orderId}`).catch(() => ({ payments: [] }))) as {
      payments: { status: string }[];
    };
    return payments.map(({ status }) => status);
  }

  /** Puts a file on the merchant's server. */
  serve(path: string, text: string, policy?: string): void {
    this.#files.set(path, { text, policy });
  }

  /** Opens a page in a browser of its own. */
  async visit({ body, head = '', policy }: HostPage): Promise<Visit> {
    const html = `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Shop</title>${head}</head><body>${body}</body></html>`;
    this.serve('/page.html', html, policy);
    const visit = await Visit.enter(await this.#browser.newContext());
    await visit.page.goto(`${this.origin}/page.html`);
    return visit;
  }

  /** The customer approves the order's latest payment on the phone. */
  async approve(orderId: string): Promise<void> {
    const payment = (await this.payments(orderId)).at(-1);
    await this.control(`/transactions/${payment}/approve`, {});
  }

  /** The gateway's ids of an order's payments, oldest first. */
  async payments(orderId: string): Promise<string[]> {
    const { transactions } = (await this.control('/transactions')) as { transactions: { orderId: string }[] };
    return transactions.map(({ orderId: id }) => id).filter((id) => id === orderId || id.startsWith(`${orderId}-`));
  }

  /** One of the sandbox's controls. */
  control(path: string, body?: object): Promise<unknown> {
    return call(`${this.#stack.sandbox}/_sandbox${path}`, {}, body);
  }

  #merchant(path: string, body?: object): Promise<unknown> {
    return call(`${this.proxy}${path}`, { authorization: `Bearer ${this.#stack.secrets.merchantApiKey}` }, body);
  }
}

/** An event of the widget, as it came to the document. */
export interface Heard {
  type: string;
  /** Tag name of what the document takes for the origin. */
  target: string;
}

export class Visit {
  readonly page: Page;
  readonly complaints: string[] = [];
  readonly #openStreams = new Set<object>();

  private constructor(page: Page) {
    this.page = page;
  }

  static async enter(context: BrowserContext): Promise<Visit> {
    context.setDefaultTimeout(STEP_MS);
    const visit = new Visit(await context.newPage());
    const { page, complaints } = visit;
    page.on('console', (message) => {
      // What React's development build says of itself, in every page that uses it.
      if (!message.text().includes('React DevTools')) complaints.push(`${message.type()}: ${message.text()}`);
    });
    page.on('pageerror', (error) => complaints.push(`uncaught: ${error.message}`));
    page.on('request', (request) => request.url().endsWith('/order/events') && visit.#openStreams.add(request));
    page.on('requestfinished', (request) => visit.#openStreams.delete(request));
    page.on('requestfailed', (request) => {
      visit.#openStreams.delete(request);
      const failure = request.failure()?.errorText;
      if (failure !== 'net::ERR_ABORTED') complaints.push(`failed: ${request.url()} ${failure}`);
    });
    await page.addInitScript(() => {
      const heard: Heard[] = [];
      for (const name of ['submit', 'redirect', 'change', 'success', 'failed', 'error']) {
        document.addEventListener(`payment-${name}`, ({ type, target }) => {
          heard.push({ type, target: (target as Element).localName });
        });
      }
      Object.assign(globalThis, { heard });
    });
    return visit;
  }

  get widget(): Locator {
    return this.page.locator('payment-widget');
  }

  get openStreams(): number {
    return this.#openStreams.size;
  }

  heard(): Promise<Heard[]> {
    return this.page.evaluate(() => (globalThis as unknown as { heard: Heard[] }).heard);
  }

  async pay(widget = this.widget): Promise<void> {
    await widget.locator('input[value="QR"]').check();
    await widget.locator('[part~="pay"]').click();
  }

  async sees(state: string, selector = 'payment-widget'): Promise<void> {
    await this.page.locator(`${selector}:state(${state})`).waitFor();
  }

  /** What the drawn code says, by a decoder that has nothing to do with the encoder. */
  async scannedCode(widget = this.widget): Promise<string> {
    prepareZXingModule({ overrides: { wasmBinary: await decoderBinary() } });
    const picture = await widget.locator('[part~="code"]').screenshot();
    const [found, ...others] = await readBarcodes(picture, { formats: ['QRCode'] });
    assert.ok(found?.isValid && others.length === 0, 'exactly one QR code can be read');
    return found.text;
  }

  /** Closes the browser, and fails where it had complaints. */
  async leave(): Promise<void> {
    await this.page.context().close();
    assert.deepEqual(this.complaints, []);
  }
}

/** Asks again and again until it is so. */
export async function until(isSo: () => boolean | Promise<boolean>, what: string): Promise<void> {
  const deadline = performance.now() + STEP_MS;
  while (!(await isSo())) {
    assert.ok(performance.now() < deadline, `never came true: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}

/** POSTs a body, else GETs. Throws on any answer but a good one. */
async function call(url: string, headers: Record<string, string>, body?: object): Promise<unknown> {
  const response = await fetch(url, {
    headers: { ...headers, 'content-type': 'application/json' },
    ...(body && { method: 'POST', body: JSON.stringify(body) }),
  });
  assert.ok(response.ok, `${url}: ${response.status} ${await response.clone().text()}`);
  return response.json();
}

async function decoderBinary(): Promise<ArrayBuffer> {
  const file = await readFile(fileURLToPath(import.meta.resolve('zxing-wasm/reader/zxing_reader.wasm')));
  return new Uint8Array(file).buffer;
}
