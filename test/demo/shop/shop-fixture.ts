// Opens a shop with a fake merchant API: its answers are set by each test and returned by the shop's injected `fetch`.
// Also a small browser with one session and cookies, which submits forms from the shop's own pages.
import { Webhook } from 'standardwebhooks';
import { PaymentProxy } from '../../../backend-proxy/client.ts';
import { createShop } from '../../../demo/shop/app.ts';

export const PROXY_URL = 'https://pay.stillwater.example';
export const SHOP_URL = 'https://stillwater.example';
export const ORDER_SECRET = 'an order secret of more than 32 bytes';
export const WEBHOOK_SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;

export interface Asked {
  method: string;
  path: string;
  query: URLSearchParams;
  authorization: string | undefined;
  /** The Idempotency-Key. */
  key: string | null;
  body: unknown;
}

/** The proxy's answers by method and path; 404 for others. A string is a connection error. */
export type Answers = Record<string, { status?: number; body: unknown } | string>;

export class FakeMerchantApi {
  readonly asked: Asked[] = [];
  answers: Answers = {};

  readonly fetch: typeof fetch = async (input, init) => {
    const request = new Request(input, init);
    const { pathname, searchParams: query } = new URL(request.url);
    const body: unknown = request.method === 'POST' ? await request.json() : undefined;
    const authorization = request.headers.get('authorization') ?? undefined;
    const key = request.headers.get('idempotency-key');
    this.asked.push({ method: request.method, path: pathname, query, authorization, key, body });
    const answer = this.answers[`${request.method} ${pathname}`];
    if (typeof answer === 'string') throw new TypeError(answer);
    return Response.json(answer?.body ?? { code: 'not_found', detail: 'Not found.', retryable: false }, {
      status: answer === undefined ? 404 : (answer.status ?? 200),
    });
  };
}

export function openShop(
  proxy = new FakeMerchantApi(),
  now: () => Date = () => new Date('2026-11-20T12:00:00Z'),
  more: { publicUrl?: string; deskPassword?: string; walletUrl?: string; operatorUrl?: string } = {},
) {
  const settings = {
    publicUrl: SHOP_URL,
    proxyUrl: PROXY_URL,
    orderSecret: ORDER_SECRET,
    webhookSecret: WEBHOOK_SECRET,
    ...more,
  };
  const key = 'a merchant key of more than 32 characters';
  const client = new PaymentProxy({ url: PROXY_URL, key, fetch: proxy.fetch, wait: async () => {} });
  return { ...createShop(settings, client, now), proxy, url: settings.publicUrl };
}

export type Shop = ReturnType<typeof openShop>;

export class Browser {
  #cookie = '';
  readonly #shop: Shop;
  readonly #headers: Record<string, string>;

  /** `headers` are sent with each request, such as a password. */
  constructor(shop: Shop, headers: Record<string, string> = {}) {
    this.#shop = shop;
    this.#headers = headers;
  }

  async get(path: string): Promise<{ status: number; text: string; headers: Headers }> {
    const headers = { cookie: this.#cookie, ...this.#headers };
    return this.#read(await this.#shop.app.request(`${this.#shop.url}${path}`, { headers }));
  }

  async post(path: string, fields: Record<string, string>, origin = this.#shop.url) {
    const body = new URLSearchParams(fields);
    const headers = { cookie: this.#cookie, origin, ...this.#headers };
    return this.#read(await this.#shop.app.request(`${this.#shop.url}${path}`, { method: 'POST', headers, body }));
  }

  /** Checks out and returns the path of the order page. */
  async order(fields: Record<string, string>): Promise<string> {
    return (await this.post('/checkout', fields)).headers.get('location') ?? '';
  }

  async #read(response: Response) {
    const [cookie] = response.headers.get('set-cookie')?.split(';') ?? [];
    if (cookie !== undefined) this.#cookie = cookie;
    return { status: response.status, text: await response.text(), headers: response.headers };
  }
}

/** The claims inside the page's order token, read without checking the signature. */
export function claimsIn(page: string): Record<string, unknown> {
  const payload = / order="[\w-]+\.([\w-]+)\.[\w-]+"/.exec(page)?.[1] ?? '';
  const claims: Record<string, unknown> = JSON.parse(Buffer.from(payload, 'base64url').toString());
  return claims;
}

export function paidReport(orderId: string, amount: string, currency = 'EUR') {
  const payments = [
    { type: 'PAY', orderId, amount: '1.00', currency, status: 'FAILED' },
    { type: 'PAY', orderId, amount, currency, status: 'SUCCESS', history: [] },
  ];
  return { orderId, amount, currency, paid: true, payments };
}

/** The fixture's day is a Friday. */
export const PAID = 'We will send your order on Wednesday, Nov 25.';
export const BASKET = { 'dawn-chorus': '2', 'night-harbor': '1' };
export const SEEN = { type: 'PAY', amount: '43.75', currency: 'EUR', payer: null, history: [] };
/** The history of a payment in review: the gateway has reported another amount, of one that is paid or still waits. */
export const mismatch = (outcome: 'succeeded' | 'pending') => [
  { event: 'mismatch', detail: `amount: asked 43.75 EUR, reported 0.01 EUR as ${outcome}` },
  { event: 'needs_review', detail: 'mismatch' },
];
/** The way to the contact page as text alone. */
export const unlinked = (html: string) => html.replaceAll(/<a href="\/contact">(contact us)<\/a>/gi, '$1');
export const orderIdIn = (path: string) => path.replace('/orders/', '');

interface WebhookSettings {
  id?: string;
  type?: string;
  amount?: string;
  at?: Date;
  secret?: string;
}

/** As the proxy delivers it. */
export async function deliver(shop: Shop, orderId: string, settings: WebhookSettings = {}): Promise<number> {
  const {
    id = 'msg_1',
    type = 'payment.succeeded',
    amount = '43.75',
    at = new Date(),
    secret = WEBHOOK_SECRET,
  } = settings;
  const body = JSON.stringify({ type, timestamp: at.toISOString(), data: { orderId, amount, currency: 'EUR' } });
  const headers = {
    'content-type': 'application/json',
    'webhook-id': id,
    'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
    'webhook-signature': new Webhook(secret).sign(id, at, body),
  };
  return (await shop.app.request(`${SHOP_URL}/webhooks`, { method: 'POST', headers, body })).status;
}
