// The operator's page over the world of the proxy's tests, and a browser's cookie and forms for it.
import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import type { Webhook } from '../../../backend-proxy/ledger/model.ts';
import { METHODS } from '../../../backend-proxy/protocol/wire.ts';
import { createAdmin } from '../../../backend-proxy/admin/app.ts';
import { createWorld, type World, type WorldOptions } from '../world.ts';
import { endCheck } from '../ledger/ledger-kit.ts';

export const TOKEN = 'canary-admin-token-0123456789-0123456789';
export const HOST = '127.0.0.1:8789';

export interface Operator {
  world: World;
  logged: Record<string, unknown>[];
  /** `address`: of the connection. */
  request(path: string, init?: RequestInit, address?: string): Promise<Response>;
  /** Signs in and keeps the cookie. */
  signIn(): Promise<void>;
  /** A page's HTML; its status is 200. */
  open(path: string): Promise<string>;
  /** Sends a form as the page would, with the session's own fields. */
  send(path: string, fields?: Record<string, string>, headers?: Record<string, string>): Promise<Response>;
  cookie: string;
}

export async function createOperator(t: TestContext, options: WorldOptions = {}, host = HOST): Promise<Operator> {
  const world = await createWorld(t, { webhooks: true, ...options });
  const logged: Record<string, unknown>[] = [];
  const admin = createAdmin({
    ledger: world.ledger,
    refunds: world.proxy.refunds,
    refundRules: { refundMethods: new Set(METHODS), payoutDecimals: false },
    token: TOKEN,
    version: '1.2.3',
    host: 'pay.shop.example',
    isTest: true,
    sendsWebhooks: true,
    onDue: () => world.proxy.wake(),
    readiness: () => world.proxy.readiness(),
    gatewaySilence: () => world.proxy.gatewaySilence(),
    now: world.now,
    log: (level, event, fields) => void logged.push({ level, event, ...fields }),
  });
  const operator: Operator = {
    world,
    logged,
    cookie: '',
    async request(path, init = {}, address = '127.0.0.1') {
      const headers = new Headers(init.headers);
      headers.set('Host', host);
      if (operator.cookie !== '' && !headers.has('Cookie')) headers.set('Cookie', operator.cookie);
      const env = { incoming: { socket: { remoteAddress: address } } };
      const response = await admin.request(`http://${host}${path}`, { ...init, headers }, env);
      for (const [pair = ''] of response.headers.getSetCookie().map((set) => set.split(';'))) {
        const others = operator.cookie.split('; ').filter((each) => each.split('=')[0] !== pair.split('=')[0]);
        operator.cookie = [...others, pair].filter(Boolean).join('; ');
      }
      return response;
    },
    async signIn() {
      const response = await operator.send('/admin/login', { token: TOKEN });
      assert.equal(response.status, 303);
      assert.equal(response.headers.get('location'), '/admin');
    },
    async open(path) {
      const response = await operator.request(path);
      assert.equal(response.status, 200, path);
      return response.text();
    },
    async send(path, fields = {}, headers = {}) {
      let form: Record<string, string> = {};
      if (!('form' in fields) && path !== '/admin/login') {
        const [, value = ''] = /name="form" value="([\w-]+)"/.exec(await operator.open('/admin/health')) ?? [];
        form = { form: value };
      }
      return operator.request(path, {
        method: 'POST',
        body: new URLSearchParams({ ...form, ...fields }),
        headers: { Origin: `http://${host}`, ...headers },
      });
    },
  };
  return operator;
}

/** A payment that needs a person: the gateway names another amount, of what is paid or still waited for. */
export async function createMismatch(
  world: World,
  orderId = 'A-1',
  outcome: 'succeeded' | 'pending' = 'pending',
  amount = '10.10',
): Promise<void> {
  await world.start(world.token({ orderId, amount }), { method: 'QR' });
  const none = { paymentId: null, customer: null, amount: null, currency: null };
  const reading = { transactionId: orderId, type: 'PAY', ...none, outcome: 'succeeded' } as const;
  const { claim } = await world.ledger.receiveIpn({ id: orderId, body: '{}', reading }, 45_000);
  assert.ok(claim);
  await endCheck(world.ledger, claim, { kind: 'report', report: { amount: '0.07', outcome } });
}

/** What a reader of the page sees, with one space between words. */
export const textOf = (html: string) => html.replaceAll(/<[^>]+>/g, ' ').replaceAll(/\s+/g, ' ');

/** `says` asserts what a reader of a page sees. */
export async function signedIn(t: TestContext, options?: WorldOptions) {
  const operator = await createOperator(t, options);
  await operator.signIn();
  const says = async (path: string, text: RegExp) => assert.match(textOf(await operator.open(path)), text);
  return Object.assign(operator, { says });
}

export async function resolve(operator: Operator, id: string, fields: Record<string, string>): Promise<Response> {
  const { version } = (await operator.world.ledger.transaction(id)) ?? {};
  return operator.send(`/admin/transactions/${id}/resolve`, { version: String(version), ...fields });
}

export const ADA = { status: 'SUCCESS', by: 'Ada', note: 'on the statement' };

/** The hidden fields of a page's form. */
export const fieldsOf = (html: string): Record<string, string> =>
  Object.fromEntries([...html.matchAll(/type="hidden" name="(\w+)" value="([^"]*)"/g)].map(([, name, value]) => [name, value])); // prettier-ignore

export const WEBHOOK: Webhook = {
  id: 'msg_1',
  type: 'payment.succeeded',
  orderId: 'A-1',
  transactionId: 'A-1',
  state: 'delivered',
  attempts: 1,
  lastAnswer: 'HTTP 200',
  nextAt: 0,
  createdAt: 0,
  body: '{}',
};

/** Where an answer leads, without the proof that this session was sent there. */
export const placeOf = (response: Response) => response.headers.get('location')?.split('.')[0];
