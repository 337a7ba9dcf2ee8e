// The people outside, each with an account of their own: shoppers who pay what they are shown, a merchant who opens
// payouts and acts on webhooks, and a person who resolves what needs review.
import type { Transaction } from '../../backend-proxy/protocol/transaction.ts';
import { METHODS, type Method, type OrderView } from '../../backend-proxy/protocol/wire.ts';
import { signToken } from '../backend-proxy/merchant-shop.ts';
import { H } from '../backend-proxy/time.ts';
import { SECRETS, SHOP, startHeaders } from '../backend-proxy/world.ts';
import { statusOf, was, type Entry } from './gateway.ts';
import type { World } from './world.ts';

export const AMOUNT = 10.1;
/** Typed for the checkout; never pays. */
const STRANGER = '30000000';
const AS_MERCHANT = { Authorization: `Bearer ${SECRETS.merchant}`, 'Content-Type': 'application/json' };

export class Shopper {
  readonly orderId: string;
  readonly wallet: string;
  /** Of the last view, since its page was opened. */
  version = -1;
  view: OrderView | undefined;
  readonly #world: World;
  readonly #payWithin: number | undefined;
  #keys = 0;
  #page = 0;

  constructor(world: World, n: number) {
    this.#world = world;
    this.orderId = `o${n}`;
    this.wallet = `1000000${n}`;
    this.#payWithin = world.dice.chance(0.3) ? 600 : undefined;
  }

  /** With a new key, or again with the last one. */
  async start(method: Method, isAgain: boolean): Promise<void> {
    if (!isAgain || this.#keys === 0) this.#keys += 1;
    const headers = startHeaders(this.#token(), `key-${this.orderId}-${this.#keys}-${method}`);
    const body = JSON.stringify({ method, ...this.#typed(method) });
    const asked = { version: this.version, page: this.#page };
    const answer = await this.#world.up()?.request('POST', '/order/payments', { headers, body });
    this.#world.note(`${this.orderId} ${method} answered ${answer?.status ?? 'by nobody'}`);
    if (answer?.ok === true) this.#see((await answer.json()) as OrderView, asked);
  }

  /** In the checkout, the shopper signs in with another wallet than the one that was typed. */
  #typed(method: Method): { customer?: string } {
    if (method === 'CHECKOUT') return { customer: STRANGER };
    return method === 'DIRECT' ? { customer: this.wallet } : {};
  }

  async look(): Promise<void> {
    const headers = { Authorization: `Bearer ${this.#token()}` };
    const asked = { version: this.version, page: this.#page };
    const answer = await this.#world.up()?.request('GET', '/order', { headers });
    if (answer?.ok === true) this.#see((await answer.json()) as OrderView, asked);
  }

  /** A reload, after which the first view counts whatever its version. */
  reopen(): void {
    this.#page += 1;
    this.version = -1;
    this.view = undefined;
  }

  /** What this shopper could pay: prompts in the wallet, and codes and pages that were shown. */
  payable(): Entry[] {
    const { gateway, shown } = this.#world;
    const known = new Map(shown.transactions.map((each) => [each.id, each]));
    return gateway.entries.filter((entry) => {
      const row = known.get(entry.id);
      if (!entry.isOurs || entry.type !== 'PAY' || row?.orderId !== this.orderId) return false;
      if (statusOf(entry) !== 'PROCESSING') return false;
      return entry.method === 'DIRECT' || row.qr !== null || row.checkoutUrl !== null;
    });
  }

  /** `asked`: what was seen when this view was asked for; an earlier request may be answered later. */
  #see(view: OrderView, asked: { version: number; page: number }): void {
    if (asked.page !== this.#page) return;
    if (view.version < asked.version)
      this.#world.violation ??= `${this.orderId}: version ${view.version} is shown after ${this.version}`;
    this.version = Math.max(this.version, view.version);
    this.view = view;
  }

  #token(): string {
    return signToken(
      {
        orderId: this.orderId,
        amount: '10.10',
        currency: 'EUR',
        returnUrl: `${SHOP}/thanks`,
        customerReferenceNo: `customer-${this.orderId}`,
        payWithin: this.#payWithin,
        exp: Math.floor((this.#world.now + 12 * H) / 1000),
        methods: METHODS,
      },
      SECRETS.order,
      { alg: 'HS256' },
    );
  }
}

/** Money that the merchant wants a customer to have, once. */
export interface Intention {
  wallet: string;
  /** Its payouts' ids: another one only after the one before was reported FAILED. */
  ids: string[];
}

export interface ReceivedWebhook {
  type: string;
  id: string;
  at: number;
}

/** Money of a payment that the merchant wants to go back, once. */
export interface Wish {
  key: string;
  orderId: string;
  paymentId: string;
  /** Undefined: what is left. */
  amount: string | undefined;
}

/** What the merchant was told to be closed. */
export interface ClosedOrder {
  at: number;
  /** Closed as unpaid, and paid before that was asked for. */
  paidBefore: Entry | undefined;
}

/** A request of the merchant, and how it was answered. */
export interface Asked {
  what: 'payout' | 'refund' | 'closing' | 'closing if unpaid';
  /** The payout's order, the refunded payment, or the order to be closed. */
  id: string;
  /** Nobody has asked for the same before. */
  isFirst: boolean;
  askedAt: number;
  /** How many status checks had begun by then. */
  checks: number;
  answeredAt: number;
  answer: { status: number; code?: string; cause?: string; shows?: string };
}

export class Merchant {
  readonly asked: Asked[] = [];
  readonly intentions: Intention[] = [];
  readonly wishes: Wish[] = [];
  readonly received: ReceivedWebhook[] = [];
  /** By order, since the database last went back. */
  readonly closed = new Map<string, ClosedOrder>();
  /** Of each webhook, by its id: the true times at which it came. */
  readonly attempts = new Map<string, number[]>();
  readonly #keys = new Set<string>();
  readonly #world: World;

  constructor(world: World) {
    this.#world = world;
  }

  receive(webhookId: string, body: string, isTaken: boolean): void {
    const { now } = this.#world;
    this.attempts.set(webhookId, [...(this.attempts.get(webhookId) ?? []), now]);
    if (!isTaken) return;
    const { type, data } = JSON.parse(body) as { type: string; data: { gatewayOrderId: string } };
    this.#world.note(`webhook ${type} ${data.gatewayOrderId}`);
    this.received.push({ type, id: data.gatewayOrderId, at: now });
  }

  async payOut(intention: Intention): Promise<void> {
    const body = JSON.stringify({
      orderId: intention.ids.at(-1),
      amount: '25',
      currency: 'EUR',
      customer: intention.wallet,
    });
    const id = intention.ids.at(-1) ?? '';
    const answer = await this.#ask('payout', id, id, '/payouts', AS_MERCHANT, body);
    this.#world.note(`payout ${id} answered ${answer?.status ?? 'by nobody'}`);
  }

  openIntention(): Intention {
    const n = this.intentions.length + 1;
    const intention: Intention = { wallet: `2000000${n}`, ids: [`p${n}`] };
    this.intentions.push(intention);
    return intention;
  }

  /** After it was reported FAILED, as the webhook's description allows. */
  sendAgain(intention: Intention): boolean {
    const last = intention.ids.at(-1) ?? '';
    const isFailed = this.received.some(({ type, id }) => type === 'payout.failed' && id.endsWith(last));
    if (!isFailed) return false;
    intention.ids.push(`${intention.ids[0] ?? ''}-again${intention.ids.length}`);
    return true;
  }

  wish({ id: paymentId, orderId }: Transaction, amount: string | undefined): Wish {
    const wish = { key: `refund-${this.wishes.length + 1}-${paymentId}`, orderId, paymentId, amount };
    this.wishes.push(wish);
    return wish;
  }

  async refund({ key, orderId, paymentId, amount }: Wish): Promise<void> {
    const body = JSON.stringify({ gatewayOrderId: paymentId, amount });
    const headers = { ...AS_MERCHANT, 'Idempotency-Key': key };
    const answer = await this.#ask('refund', paymentId, key, `/orders/${orderId}/refunds`, headers, body);
    // Without its request id, which is random.
    const why = answer === undefined || answer.status === 202 ? '' : `: ${String(answer.body['detail'])}`;
    this.#world.note(`${key} answered ${answer?.status ?? 'by nobody'}${why}`);
  }

  async #ask(
    what: Asked['what'],
    id: string,
    key: string,
    path: string,
    headers: Record<string, string>,
    body: string,
  ): Promise<{ status: number; body: Record<string, unknown> } | undefined> {
    const world = this.#world;
    const isFirst = !this.#keys.has(key);
    this.#keys.add(key);
    const askedAt = world.now;
    const checks = world.checks.length;
    const answer = await world.up()?.request('POST', path, { headers, body });
    if (answer === undefined) return undefined;
    const fields = (await answer.json()) as Record<string, unknown>;
    const { code, cause, status: shows } = fields as Record<string, string>;
    const seen = { status: answer.status, ...(answer.ok ? { shows } : { code, cause }) } as Asked['answer'];
    this.asked.push({ what, id, isFirst, askedAt, checks, answeredAt: world.now, answer: seen });
    return { status: answer.status, body: fields };
  }

  async close(orderId: string, ifUnpaid: boolean): Promise<void> {
    const world = this.#world;
    const { now: askedAt, wentBackAt } = world;
    const asked = world.databaseTime();
    const known = new Set(world.shown.transactions.map((row) => row.orderId === orderId && row.id));
    const paid = world.gateway.entries.find(
      (entry) =>
        entry.type === 'PAY' &&
        known.has(entry.id) &&
        entry.isOurs &&
        statusOf(entry) === 'SUCCESS' &&
        !was(entry, 'FAILED'),
    );
    const body = JSON.stringify({ ifUnpaid });
    const what = ifUnpaid ? 'closing if unpaid' : 'closing';
    const answer = await this.#ask(what, orderId, orderId, `/orders/${orderId}/close`, AS_MERCHANT, body);
    world.note(`closing ${orderId} answered ${answer?.status ?? 'by nobody'}`);
    if (answer?.status !== 200 || this.closed.has(orderId) || wentBackAt !== world.wentBackAt) return;
    // One that was closed before, asked or not, is answered as it was then.
    const isNew = Date.parse(String(answer.body['closedAt'])) >= asked;
    const mayLag = world.checks.some(({ name, endedAt }) => name === 'lagging' && endedAt >= askedAt);
    const isTakenBack = paid !== undefined && was(paid, 'FAILED');
    // Without a status check nobody can be asked, and what a person has ended is not asked about.
    const isKnowable = world.hasStatusCheck && !mayLag && !isTakenBack && !world.person.said.has(paid?.id ?? '');
    this.closed.set(orderId, { at: world.now, paidBefore: ifUnpaid && isNew && isKnowable ? paid : undefined });
  }

  async erase(orderId: string): Promise<void> {
    const answer = await this.#world
      .up()
      ?.request('DELETE', `/orders/${orderId}/personal-data`, { headers: AS_MERCHANT });
    this.#world.note(`erasing ${orderId} answered ${answer?.status ?? 'by nobody'}`);
  }
}

/** What a person knows about who sent the money. */
export class Person {
  readonly said = new Map<string, 'SUCCESS' | 'FAILED'>();
  readonly saidAt = new Map<string, number>();
  readonly wrong = new Set<string>();
  readonly #world: World;

  constructor(world: World) {
    this.#world = world;
  }

  /** Looks for what the row is called at the gateway, and for the other ids that the review names. */
  async resolve({ id, history }: Transaction, isWrong: boolean): Promise<void> {
    const named = history.map(({ detail }) => detail?.split(/[ ,;]+/) ?? []).flat();
    const [entry] = [id, ...named].flatMap((each) => this.#world.gateway.ours(each) ?? []);
    // Waits for the gateway's end, unless mistaken.
    if (entry !== undefined && statusOf(entry) === 'PROCESSING' && !isWrong) return;
    const status = entry !== undefined && was(entry, 'SUCCESS') && !isWrong ? 'SUCCESS' : 'FAILED';
    const before = this.said.get(id);
    // Before the answer, which may be lost.
    this.said.set(id, status);
    if (isWrong) this.wrong.add(id);
    if ((await this.#say(id, status)) || (await this.#say(id, status, true))) {
      this.saidAt.set(id, this.#world.now);
    } else if (before === undefined) this.said.delete(id);
    else this.said.set(id, before);
  }

  /** `knowingly`: against what the gateway reports. */
  async #say(id: string, status: 'SUCCESS' | 'FAILED', knowingly = false): Promise<boolean> {
    const gatewayReports = status === 'SUCCESS' ? 'FAILED' : 'SUCCESS';
    const body = JSON.stringify({ status, by: 'ada', note: 'looked', ...(knowingly && { gatewayReports }) });
    const path = `/transactions/${id}/resolve`;
    const answer = await this.#world.up()?.request('POST', path, { headers: AS_MERCHANT, body });
    this.#world.note(`a person says ${status} of ${id}: answered ${answer?.status ?? 'by nobody'}`);
    return answer?.ok === true;
  }
}
