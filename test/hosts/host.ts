// A merchant's website for tests: the sandbox and the proxy as processes, a server for the merchant's pages with an
// origin different from theirs, orders, and a browser. visit.ts opens a page and reads it.
import assert from 'node:assert/strict';
import type { RequestListener } from 'node:http';
import { chromium, type Browser } from 'playwright-core';
import { FREE_PORTS, startStack, type Stack } from '../../demo/stack.ts';
import { buildWidgetIfStale } from '../../demo/widget-build.ts';
import { reportOpenPages, findBrowser } from '../browser.ts';
import { serveOnLoopback, type Served } from '../loopback.ts';
import { Visit } from './visit.ts';

/** Generous, because a full test run keeps every core busy. */
const READY_MS = 120_000;
const TYPES: Record<string, string> = { js: 'text/javascript', html: 'text/html' };

export interface HostPage {
  body: string;
  head?: string;
  /** Content-Security-Policy. */
  policy?: string | undefined;
}

export interface ShopPage extends Omit<HostPage, 'body'> {
  claims?: Record<string, unknown>;
  /** Of the widget. */
  attributes?: string;
  /** Puts the widget into more HTML. */
  around?: (widget: string) => string;
}

interface ServedFile {
  text: string;
  policy?: string | undefined;
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
  readonly #server: Served;
  readonly #files: Map<string, ServedFile>;
  readonly #visits: Visit[] = [];
  #orders = 0;

  private constructor(stack: Stack, browser: Browser, server: Served, origin: string, files: Map<string, ServedFile>) {
    this.proxy = stack.proxy;
    this.origin = origin;
    this.#stack = stack;
    this.#browser = browser;
    this.#server = server;
    this.#files = files;
  }

  static async open(): Promise<Host> {
    await buildWidgetIfStale();
    const files = new Map<string, ServedFile>();
    const server = await serveOnLoopback(pagesOf(files));
    // localhost and 127.0.0.1 are different sites to a browser, as the merchant's site and the proxy's are.
    const origin = server.url.replace('127.0.0.1', 'localhost');
    const [stack, browser] = await Promise.all([
      startStack({ ports: FREE_PORTS, readyWithinMs: READY_MS, env: { proxy: { ALLOWED_ORIGINS: origin } } }),
      findBrowser().then((found) => chromium.launch(found)),
    ]);
    return new Host(stack, browser, server, origin, files);
  }

  async close(): Promise<void> {
    await reportOpenPages(this.#browser);
    await Promise.all([this.#server.close(), this.#browser.close(), this.#stack.stop()]);
  }

  /** Creates an order by POST /orders, as a merchant's server does. A claim set to undefined is omitted. */
  async order(claims: Record<string, unknown> = {}): Promise<Order> {
    this.#orders += 1;
    const usual = { amount: '10.10', currency: 'EUR', returnUrl: `${this.origin}/thanks.html` };
    const orderId = `HOST-${this.#orders}`;
    return (await this.#merchant('/orders', { orderId, ...usual, ...claims })) as Order;
  }

  /** Puts a file on the merchant's server. */
  serve(path: string, text: string, policy?: string): void {
    this.#files.set(path, { text, policy });
  }

  /** Opens a page in a new browser context. */
  async visit({ body, head = '', policy }: HostPage): Promise<Visit> {
    const html = `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Shop</title>${head}</head><body>${body}</body></html>`;
    this.serve('/page.html', html, policy);
    const visit = await Visit.enter(await this.#browser.newContext());
    this.#visits.push(visit);
    await visit.page.goto(`${this.origin}/page.html`);
    return visit;
  }

  /** Ends the visits of a test. */
  async leave(): Promise<void> {
    await Promise.all(this.#visits.splice(0).map((visit) => visit.leave()));
  }

  /** Opens a page with a new order in a widget, by the script tag that the documents give. */
  async shop(page: ShopPage = {}): Promise<Order & { visit: Visit }> {
    const { claims, attributes = '', around = (widget) => widget, head = this.script, policy } = page;
    const order = await this.order(claims);
    const body = around(`<payment-widget ${attributes} order="${order.token}"></payment-widget>`);
    return { ...order, visit: await this.visit({ head, body, policy }) };
  }

  get script(): string {
    return `<script type="module" src="${this.proxy}/widget.js"></script>`;
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

  /** Calls one of the sandbox's controls. */
  control(path: string, body?: object): Promise<unknown> {
    return call(`${this.#stack.sandbox}/_sandbox${path}`, {}, body);
  }

  #merchant(path: string, body?: object): Promise<unknown> {
    return call(`${this.proxy}${path}`, { authorization: `Bearer ${this.#stack.secrets.merchantApiKey}` }, body);
  }
}

function pagesOf(files: ReadonlyMap<string, ServedFile>): RequestListener {
  return (request, response) => {
    const path = request.url?.split('?')[0] ?? '';
    const file = files.get(path);
    const headers = {
      'content-type': `${TYPES[path.split('.').at(-1) ?? ''] ?? 'text/plain'}; charset=utf-8`,
      ...(file?.policy !== undefined && { 'content-security-policy': file.policy }),
    };
    // Browsers request an icon, and a 404 would be logged as an error.
    response.writeHead(file ? 200 : path === '/favicon.ico' ? 204 : 404, headers).end(file?.text);
  };
}

/** POSTs the body if there is one, otherwise GETs. Throws if the answer is not a 2xx. */
async function call(url: string, headers: Record<string, string>, body?: object): Promise<unknown> {
  const response = await fetch(url, {
    headers: { ...headers, 'content-type': 'application/json' },
    ...(body && { method: 'POST', body: JSON.stringify(body) }),
  });
  assert.ok(response.ok, `${url}: ${response.status} ${await response.clone().text()}`);
  return response.json();
}
