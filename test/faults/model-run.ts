// One random sequence: each step is applied to both the real app and the model, and then both are compared. The app is
// observed only through the merchant's and the shopper's routes and the received webhooks.
import { D } from '../backend-proxy/time.ts';
import type { Sandbox } from '../../demo/sandbox/sandbox.ts';
import type { Clock } from './manual-clock.ts';
import { signOrder } from './clients.ts';
import { DatabaseSync } from 'node:sqlite';
import { isType } from './model-answers.ts';
import { hasEnded } from './model-transaction.ts';
import type { Model } from './model.ts';
import { asModeled, asShown, type Shown } from './model-views.ts';
import type { ModelGateway } from './model-gateway.ts';
import type { Step } from './model-steps.ts';
import type { TestMerchant } from './merchant-server.ts';
import { openInProcessProxy, passTime, type InProcessProxy } from './in-process-proxy.ts';
import { SECRETS } from './canary-secrets.ts';

const DAYS_MS = 9 * D;
const LAST_SWEEP_MS = 7 * D;
const WALLET = '12345678';
/** For the second order; the first has the gateway's own limits. */
const PAY_WITHIN_S = 600;
const AMOUNT = { text: '10.10', number: 10.1 };
const AS_MERCHANT = { Authorization: `Bearer ${SECRETS.merchantApiKey}` };

export interface ModelRunSettings {
  gateway: ModelGateway;
  merchant: TestMerchant;
  databaseUrl: string;
  /** Unique, because the merchant's records outlive a run and no two runs may share an order id. */
  name: string;
}

export class ModelRun {
  readonly clock: Clock;
  readonly model: Model;
  readonly #settings: ModelRunSettings;
  readonly #sandbox: Sandbox;
  readonly #orders: readonly [string, string];
  readonly #payouts: readonly [string, string];
  #proxy: InProcessProxy | undefined;
  #database: DatabaseSync | undefined;
  /** A status check was altered, so the gateway's real state proves nothing. */
  #hasFalseReport = false;
  /** Ids decided after the last sweep and without an IPN, of which the proxy cannot learn. */
  readonly #unreported = new Set<string>();

  constructor(settings: ModelRunSettings) {
    const { gateway, name } = settings;
    this.#settings = settings;
    const { sandbox, model, clock } = gateway.renew({
      sendIpn: async (input, init) => {
        const request = new Request(input, init);
        this.#noteRing((await request.clone().json()) as Record<string, unknown>);
        return this.#app.request(request);
      },
      leaseOf: (id) => this.#leaseOf(id),
    });
    this.#sandbox = sandbox;
    this.model = model;
    this.clock = clock;
    this.#orders = [`${name}-a`, `${name}-b`];
    this.#payouts = [`${name}-out-a`, `${name}-out-b`];
  }

  async open(): Promise<void> {
    const { gateway, merchant, databaseUrl } = this.#settings;
    const { clock } = this;
    const idPrefix = this.model.prefix;
    const settings = { databaseUrl, gatewayUrl: gateway.url, webhookUrl: merchant.url, clock, idPrefix };
    const proxy = await openInProcessProxy(settings);
    const tick = async () => {
      await proxy.tick();
      this.model.ticked(clock.now());
    };
    this.#proxy = { ...proxy, tick };
    this.#database = new DatabaseSync(databaseUrl.slice('file:'.length), { readOnly: true, timeout: 5_000 });
  }

  async close(): Promise<void> {
    this.#database?.close();
    this.#database = undefined;
    await this.#proxy?.close();
  }

  async perform(step: Step): Promise<void> {
    await this.#act(step);
    await this.#compare(JSON.stringify(step));
  }

  /** Without further faults, everything ends or needs a review, and the results agree with the gateway. */
  async conclude(): Promise<void> {
    this.#settings.gateway.spoilNext('status', []);
    await this.#pass(DAYS_MS);
    await this.#compare('the end');
    for (const { id, stage, needsReview, answer, resolved } of this.model.transactions.values()) {
      if (!hasEnded(stage) && !needsReview) throw new Error(`${id} never ended: ${stage}`);
      const isPaid = this.#sandbox.processor.transaction(id)?.status === 'SUCCESS';
      const isKnowable =
        !this.#hasFalseReport && !this.#unreported.has(id) && answer !== 'duplicate' && resolved === null;
      if (isKnowable && isPaid !== (stage === 'succeeded')) throw new Error(`${id} is ${stage}, against the gateway`);
    }
  }

  get #app(): InProcessProxy['app'] {
    if (this.#proxy === undefined) throw new Error('open() first');
    return this.#proxy.app;
  }

  async #act(step: Step): Promise<void> {
    switch (step.do) {
      case 'start':
        return this.#start(step);
      case 'pay out':
        return this.#payOut(step);
      case 'decide':
        return this.#decide(step);
      case 'forge':
        return this.#forge(step);
      case 'spoil checks':
        this.#hasFalseReport ||= step.answers.some(({ kind }) => kind === 'tamper' || kind === 'http');
        return this.#settings.gateway.spoilNext('status', step.answers);
      case 'wait':
        return this.#pass(step.ms);
      case 'resolve':
        return this.#resolve(step);
      case 'restart':
        await this.close();
        this.model.restarted(step.prefix);
        return this.open();
      default:
        step satisfies never;
    }
  }

  async #start({ order, method, key: first, times, answer }: Extract<Step, { do: 'start' }>): Promise<void> {
    const orderId = this.#orders[order];
    for (let n = first; n < first + times; n += 1) {
      const key = `key-${n}`;
      const payWithinMs = order === 1 ? PAY_WITHIN_S * 1000 : null;
      const start = { orderId, method, key, amount: AMOUNT.number, customer: WALLET, payWithinMs };
      const expected = this.model.start(start, this.clock.now());
      this.#settings.gateway.spoilNext('create', [answer]);
      const headers = { ...this.#asShopper(orderId), 'Idempotency-Key': key };
      const body = { method, ...(method === 'DIRECT' && { customer: WALLET }) };
      await expectStatus(expected, this.#request('/order/payments', headers, body));
    }
    this.#settings.gateway.spoilNext('create', []);
  }

  async #payOut({ payout, amount, answer }: Extract<Step, { do: 'pay out' }>): Promise<void> {
    const orderId = this.#payouts[payout];
    const expected = this.model.payout(orderId, amount, WALLET, this.clock.now());
    this.#settings.gateway.spoilNext('create', [answer]);
    const body = { orderId, amount, currency: 'EUR', customer: WALLET };
    await expectStatus(expected, this.#request('/payouts', AS_MERCHANT, body));
    this.#settings.gateway.spoilNext('create', []);
  }

  /**
   * The customer's decision on one of the gateway's transactions; if that has ended, the gateway refuses and nothing
   * changes.
   */
  async #decide({ which, action, ipn }: Extract<Step, { do: 'decide' }>): Promise<void> {
    const transactions = this.#sandbox.processor.transactions();
    const transaction = transactions[which % Math.max(transactions.length, 1)];
    if (transaction === undefined) return;
    const { orderId, createdAt } = transaction;
    if (ipn === 'never' && this.clock.now() > createdAt + LAST_SWEEP_MS) this.#unreported.add(orderId);
    const control = (path: string, body: object) =>
      this.#sandbox.app.request(`/_sandbox/${path}`, { method: 'POST', body: JSON.stringify(body) });
    await control('faults', { ipn: ipn === 'never' ? { never: true } : { repeat: ipn === 'twice' ? 2 : 1 } });
    await control(`transactions/${orderId}/${action}`, {});
    await this.#sandbox.tick();
    await control('faults', {});
  }

  async #forge({ which, fields }: Extract<Step, { do: 'forge' }>): Promise<void> {
    const ids = [...this.model.transactions.keys(), `${this.#settings.name}-unknown`];
    const ipn = {
      orderId: ids[which % ids.length],
      type: 'PAY',
      amount: 10.1,
      currency: 'EUR',
      status: 'SUCCESS',
      ...fields,
    };
    this.#noteRing(ipn);
    await expectStatus(200, this.#request(`/ipn/${SECRETS.ipnSecret}`, {}, ipn));
  }

  /** A person resolves a transaction that needs a review, or, if there is none, any one, which is refused. */
  async #resolve({ which, status }: Extract<Step, { do: 'resolve' }>): Promise<void> {
    const all = [...this.model.transactions.values()];
    const asked = all.filter(({ needsReview }) => needsReview).map(({ id }) => id);
    const ids = asked.length > 0 ? asked : [...all.map(({ id }) => id), `${this.#settings.name}-unknown`];
    const id = ids[which % ids.length] ?? '';
    const expected = this.model.resolve(id, status);
    const body = { status, by: 'Ada', note: 'asked the support' };
    await expectStatus(expected, this.#request(`/transactions/${id}/resolve`, AS_MERCHANT, body));
  }

  #noteRing({ orderId, type }: Record<string, unknown>): void {
    if (isType(type)) this.model.ringReceived(String(orderId));
  }

  #leaseOf(id: string): number {
    const row = this.#database?.prepare('select lease_until from transactions where id = ?').get(id);
    return Number(row?.['lease_until'] ?? 0);
  }

  async #pass(ms: number): Promise<void> {
    const { databaseUrl } = this.#settings;
    if (this.#proxy === undefined) throw new Error('open() first');
    await passTime(this.#proxy, { tickOthers: this.#sandbox.tick, databaseUrl, clock: this.clock }, ms);
  }

  async #compare(after: string): Promise<void> {
    await this.#proxy?.tick();
    this.#settings.gateway.check();
    const real = (await this.#shown()).map((item) => JSON.stringify(item));
    const expected = this.#expected().map((item) => JSON.stringify(item));
    const difference = [
      ...real.filter((item) => !expected.includes(item)).map((item) => `the app shows  ${item}`),
      ...expected.filter((item) => !real.includes(item)).map((item) => `the model says ${item}`),
    ];
    if (difference.length > 0) throw new Error([`after ${after}`, ...difference].join('\n'));
  }

  /** What the app shows, in the model's format. */
  async #shown(): Promise<unknown[]> {
    const seen: unknown[] = [];
    const webhooks = [...this.#settings.merchant.webhooks.values()];
    for (const orderId of this.#orders) {
      const answer = await this.#request(`/orders/${orderId}`, AS_MERCHANT);
      const order = answer.ok
        ? ((await answer.json()) as { paid: boolean; payments: Shown[] })
        : { paid: false, payments: [] };
      const view = (await (await this.#request('/order', this.#asShopper(orderId))).json()) as { paid: boolean };
      const credits = order.payments.filter(({ status, surplus }) => status === 'SUCCESS' && !surplus).length;
      seen.push({ orderId, paid: order.paid, viewPaid: view.paid, credits });
      seen.push(...order.payments.map((payment) => asShown(payment.gatewayOrderId ?? '', payment, webhooks)));
    }
    for (const orderId of this.#payouts) {
      const answer = await this.#request(`/payouts/${orderId}`, AS_MERCHANT);
      if (!answer.ok) continue;
      const payout = (await answer.json()) as Shown;
      seen.push(asShown(payout.gatewayOrderId ?? '', payout, webhooks));
    }
    return seen;
  }

  #expected(): unknown[] {
    const ordered = this.#orders.flatMap((orderId) => {
      const payments = this.model.paymentsOf(orderId);
      const paid = payments.some(({ stage }) => stage === 'succeeded');
      return [{ orderId, paid, viewPaid: paid, credits: paid ? 1 : 0 }, ...payments.map(asModeled)];
    });
    const payouts = this.#payouts.flatMap((orderId) => this.model.payoutOf(orderId) ?? []);
    return [...ordered, ...payouts.map(asModeled)];
  }

  #request(path: string, headers: Record<string, string>, body?: object): Response | Promise<Response> {
    return this.#app.request(path, {
      ...(body && { method: 'POST', body: JSON.stringify(body) }),
      headers: { 'Content-Type': 'application/json', ...headers },
    });
  }

  #asShopper(orderId: string): Record<string, string> {
    const payWithin = orderId === this.#orders[1] ? { payWithin: PAY_WITHIN_S } : {};
    const order = { orderId, amount: AMOUNT.text, currency: 'EUR', customerReferenceNo: orderId, ...payWithin };
    return { Authorization: `Bearer ${signOrder(order, this.clock.now())}` };
  }
}

async function expectStatus(expected: number, answer: Response | Promise<Response>): Promise<void> {
  const { status } = await answer;
  if (status !== expected) throw new Error(`Answered ${status}, and the model says ${expected}`);
}
