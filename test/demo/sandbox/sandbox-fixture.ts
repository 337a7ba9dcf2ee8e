// A merchant for the sandbox's tests: sends requests, receives IPNs and owns the clock, so that 15 minutes take no
// time. No socket is opened: requests go directly to the app, IPNs to the injected fetch. Also a small browser for
// forms, with cookies and redirects within the sandbox.
import assert from 'node:assert/strict';
import { createSandbox, type SandboxOptions } from '../../../demo/sandbox/sandbox.ts';

export type Json = Record<string, unknown>;
export interface Ipn {
  url: string;
  contentType: string | null;
  /** The redirect mode of the request. */
  redirect: string;
  text: string;
  body: Json;
}

export const MINUTE = 60_000;
export const KEY = 'the-merchants-key';
export const HOME = 'http://sandbox.example';
export const SHOP = 'https://shop.example/return?order=1';
const API = '/api/v3/integration/merchants/payments';

/** The additional fields of a valid body, by method. */
export const BODIES = {
  DIRECT: { customer: '12345678', customerReferenceNo: 'user-1' },
  CHECKOUT: {},
  JETGO: {},
  QR: {},
} as const;
export type Method = keyof typeof BODIES;
export const METHODS = ['DIRECT', 'CHECKOUT', 'JETGO', 'QR'] as const satisfies Method[];

export function collection(method: Method, changes: Json = {}): Json {
  return {
    orderId: `order-${method}`,
    amount: 10.5,
    currency: 'EUR',
    method,
    returnUrl: SHOP,
    ...BODIES[method],
    ...changes,
  };
}

export function payout(changes: Json = {}): Json {
  return { orderId: 'payout-1', amount: 25, currency: 'EUR', customer: '12345678', type: 'JETGO', ...changes };
}

export function openSandbox(options: Partial<SandboxOptions> = {}) {
  let now = Date.UTC(2026, 10, 20, 12);
  const ipns: Ipn[] = [];
  const merchant = {
    ipns,
    /** The merchant's answer to the next IPNs. */
    answer: (): Response | Promise<Response> => new Response(null, { status: 200 }),
  };
  const receive: typeof fetch = async (input, init) => {
    const request = new Request(input, init);
    const text = await request.text();
    const contentType = request.headers.get('content-type');
    ipns.push({ url: request.url, contentType, redirect: request.redirect, text, body: parse(text) });
    return merchant.answer();
  };
  const sandbox = createSandbox({
    apiKey: KEY,
    ipnUrl: 'http://merchant.example/ipn/secret',
    publicUrl: HOME,
    now: () => now,
    fetch: receive,
    ...options,
  });
  const request = (path: string, init?: RequestInit) => Promise.resolve(sandbox.app.request(`${HOME}${path}`, init));

  return {
    sandbox,
    merchant,
    request,
    now: () => now,
    /** Advances the time without running the due work. */
    leap(ms: number) {
      now += ms;
    },
    /** Advances the time and runs the due work. */
    async pass(ms: number) {
      now += ms;
      await sandbox.tick();
    },
    /** A string is sent unchanged. */
    async send(operation: string, body: Json | string, headers: Record<string, string> = {}) {
      const response = await request(`${API}/${operation}`, {
        method: 'POST',
        headers: { 'x-api-key': KEY, 'content-type': 'application/json', ...headers },
        body: typeof body === 'string' ? body : JSON.stringify(body),
      });
      const text = await response.text();
      return { status: response.status, text, json: parse(text) };
    },
    async control(path: string, body?: Json) {
      const init = body === undefined ? { method: 'POST' } : { method: 'POST', body: JSON.stringify(body) };
      const response = await request(`/_sandbox/${path}`, init);
      return { status: response.status, json: parse(await response.text()) };
    },
    async transaction(orderId: string): Promise<Json> {
      const response = await request(`/_sandbox/transactions/${orderId}`);
      assert.equal(response.status, 200);
      return parse(await response.text());
    },
  };
}

export type Opened = ReturnType<typeof openSandbox>;

export function parse(text: string): Json {
  const value: unknown = JSON.parse(text);
  assert.ok(typeof value === 'object' && value !== null);
  return { ...value };
}

/** The fields that an error names. */
export function fieldsOf({ errors }: Json): string[] {
  assert.ok(Array.isArray(errors));
  return errors.map((error: unknown) => String(Object(error).field));
}

/** A browser with cookies and no script. A redirect to another site is not followed: `url` has its target. */
export class Browser {
  readonly #request: Opened['request'];
  readonly #cookies = new Map<string, string>();
  status = 0;
  headers = new Headers();
  html = '';
  url = '';

  constructor({ request }: Pick<Opened, 'request'>) {
    this.#request = request;
  }

  async open(url: string, init: RequestInit = {}): Promise<void> {
    this.url = new URL(url, HOME).href;
    if (!this.url.startsWith(`${HOME}/`)) return;
    const cookie = [...this.#cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const headers = new Headers(init.headers);
    headers.set('cookie', cookie);
    const response = await this.#request(this.url.slice(HOME.length), {
      ...init,
      headers,
    });
    for (const line of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      this.#cookies.set(name, value);
    }
    this.status = response.status;
    this.headers = response.headers;
    this.html = await response.text();
    const location = response.headers.get('location');
    if (location !== null) await this.open(location);
  }

  /** Submits the form with that action: its hidden fields, and `fields` for the inputs and the pressed button. */
  async submit(action: string, fields: Record<string, string> = {}): Promise<void> {
    const [form] = new RegExp(`<form[^>]*action="${action}"[^>]*>.*?</form>`, 's').exec(this.html) ?? [];
    assert.ok(form, `no form ${action} on ${this.url}`);
    const body = new URLSearchParams();
    for (const [, name = '', value = ''] of form.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)"/g)) {
      body.set(name, value);
    }
    for (const [name, value] of Object.entries(fields)) body.set(name, value);
    await this.open(action, { method: 'POST', body, headers: { origin: HOME } });
  }

  /** The text of the page, without its markup. */
  get text(): string {
    return this.html.replace(/<[^>]+>/g, ' ').replace(/\s+/g, ' ');
  }
}

/** A picture of nothing. */
export const LOGO = 'data:image/svg+xml;base64,PHN2Zy8+';

export async function statusOf(opened: Opened, orderId = 'order-CHECKOUT'): Promise<unknown[]> {
  const { status, message } = await opened.transaction(orderId);
  return [status, message];
}

export async function openOverview(opened: Opened): Promise<Browser> {
  const browser = new Browser(opened);
  await browser.open('/');
  return browser;
}
