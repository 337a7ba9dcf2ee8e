// One history: up to three proxies, their database and its clock, the gateway, shoppers, a merchant and a person, in
// virtual time. Everything that may happen is chosen from the seed, so the same seed is the same history. What goes
// wrong is in faults.ts, what has to hold all the same in invariants.ts.
import type { Ledger } from '../../backend-proxy/ledger/ledger.ts';
import type { Webhook } from '../../backend-proxy/ledger/model.ts';
import { PAYOUT_FAILED_APART_MS } from '../../backend-proxy/protocol/schedule.ts';
import { createLedger } from '../../backend-proxy/ledger/ledger.ts';
import type { HistoryEntry, Transaction, TransactionType } from '../../backend-proxy/protocol/transaction.ts';
import { D, H, M, NOON, S } from '../backend-proxy/time.ts';
import { SECRETS } from '../backend-proxy/world.ts';
import { createRandom, type Random } from '../faults/random.ts';
import { Agenda } from './agenda.ts';
import { countSignatures } from './signatures.ts';
import {
  DUPLICATES,
  LAG_MS,
  POST_ANSWERS,
  STATUS_ANSWERS,
  type DuplicateName,
  type PostAnswerName,
  type StatusAnswerName,
} from './answers.ts';
import type { Database } from './database.ts';
import { Gateway, type Entry, type Fields } from './gateway.ts';
import { Merchant, Person, Shopper } from './people.ts';
import { ProxyProcess, type Life, type Site } from './process.ts';
import { json, type Lost, type Reply, type Request } from './wire.ts';

const CALL_LIMIT_MS = 30 * S;
const IPN_RETRIES_MS = [10 * S, M, 5 * M, 30 * M];
/** A due row that nobody could claim is tried for again after waits up to this. */
const MAX_POLL_WAIT_MS = 4 * S;

/** The one POST of a transaction, as the wire saw it. */
export interface Post {
  id: string;
  type: TransactionType;
  answer: PostAnswerName | 'duplicate';
  sentAt: number;
  /** When its process had the answer. */
  endedAt: number;
  life: Life;
}

/** A status check, as the wire saw it. */
export interface Check {
  id: string;
  type: TransactionType;
  name: StatusAnswerName;
  said: 'SUCCESS' | 'FAILED' | 'PROCESSING' | 'unknown' | 'nothing';
  isWhole: boolean;
  namesWallet: boolean;
  beganAt: number;
  endedAt: number;
  life: Life;
}

export interface Ipn {
  id: string;
  type: TransactionType;
  body: Fields;
  /** When a proxy had first stored it, and when it was last sent. */
  acceptedAt: number;
  offeredAt: number;
}

/** What the proxies show at a moment. */
export interface Shown {
  transactions: Transaction[];
  pending: Webhook[];
}

const signatures = countSignatures();

export class World implements Site {
  readonly agenda = new Agenda();
  readonly dice: Random;
  readonly random: () => number;
  readonly database: Database;
  readonly store: Database['store'];
  /** Reads what the proxies would show. */
  readonly observer: Ledger;
  readonly gateway = new Gateway(this.agenda);
  readonly processes: ProxyProcess[];
  readonly shoppers: Shopper[];
  readonly merchant = new Merchant(this);
  readonly person = new Person(this);
  readonly hasStatusCheck: boolean;
  readonly saysNoSuchOrder: boolean;
  readonly duplicates: DuplicateName;
  /** What goes wrong most with POSTs, and with status checks. */
  readonly usualPost: PostAnswerName;
  readonly usualStatus: StatusAnswerName;
  readonly held = new Set<string>();
  readonly posts: Post[] = [];
  readonly checks: Check[] = [];
  readonly ipns: Ipn[] = [];
  readonly trace: string[] = [];
  /** When each history entry was first seen, by true time. */
  readonly firstSeen = new Map<string, number>();
  /** Until when something slows everything, or only this id. */
  readonly slowedUntil = new Map<string, number>();
  readonly shown: Shown = { transactions: [], pending: [] };
  violation: string | undefined;
  databaseAheadMs = 0;
  hasStepped = false;
  nextPost: PostAnswerName = 'as documented';
  statusAnswer: StatusAnswerName = 'as documented';
  /** Ids whose status checks are answered 503. */
  readonly silent = new Set<string>();
  /** Ids whose next report says FAILED by mistake. */
  readonly mistaken = new Set<string>();
  ipnDelay: { ms: number; repeats: number } | undefined = { ms: 0, repeats: 1 };
  isMerchantUp = true;
  isCalm = false;
  wentBackAt = -Infinity;
  backUpIn = Infinity;
  /** A backup is made when the gateway answers the next check. */
  isBackUpAtCheck = false;
  hasBackup = false;
  #busy = 0;
  #commits = 0;
  #changes = 0;
  #lookedAt = { changes: -1, commits: -1 };
  #pollWaitMs = 250;

  constructor(database: Database, seed: number) {
    this.database = database;
    this.store = database.store;
    this.dice = createRandom(seed);
    this.random = () => this.dice.next();
    this.hasStatusCheck = !this.dice.chance(0.25);
    this.saysNoSuchOrder = this.dice.chance(0.7);
    this.duplicates = this.dice.pick(Object.keys(DUPLICATES) as [DuplicateName, ...DuplicateName[]]);
    // Money has to come in first, for what happens to it later.
    const posts = this.dice.chance(0.4) ? ['as documented'] : Object.keys(POST_ANSWERS);
    this.usualPost = this.dice.pick(posts as [PostAnswerName, ...PostAnswerName[]]);
    this.usualStatus = this.dice.pick(Object.keys(STATUS_ANSWERS) as [StatusAnswerName, ...StatusAnswerName[]]);
    // Rarely drawn one by one: answers are lost, and checks do not know yet what the gateway has.
    if (this.dice.chance(0.3)) {
      [this.usualPost, this.statusAnswer] = ['lost, made', 'lagging'];
      this.slow(25 * H);
    }
    this.observer = createLedger(this.store, { now: () => this.databaseTime() });
    this.processes = Array.from(
      { length: this.dice.between(1, 3) },
      (_, n) => new ProxyProcess(this, `proxy-${n + 1}`),
    );
    this.shoppers = Array.from({ length: this.dice.pick([1, 1, 1, 2, 3]) }, (_, n) => new Shopper(this, n + 1));
    this.gateway.onEnd = (entry) => this.sendIpn(entry);
  }

  get now(): number {
    return this.agenda.now;
  }

  databaseTime(): number {
    return this.agenda.now + this.databaseAheadMs;
  }

  note(text: string): void {
    const ms = this.now - NOON;
    const [days, rest] = [Math.floor(ms / D), new Date(ms % D).toISOString().slice(11, -1)];
    this.trace.push(`${days > 0 ? `${days} d ` : ''}${rest} ${text}`);
  }

  busy(change: 1 | -1): void {
    this.#busy += change;
  }

  committed(isShown: boolean): void {
    this.#commits += 1;
    if (isShown) this.#changes += 1;
    this.backUpIn -= 1;
    if (this.backUpIn === 0) this.backUp();
  }

  backUp(): void {
    this.note('a backup is made');
    this.hasBackup = true;
    this.isBackUpAtCheck = false;
    this.busy(1);
    void this.database.backUp().then(() => this.busy(-1));
  }

  slow(forMs: number, id = ''): void {
    this.slowedUntil.set(id, Math.max(this.slowedUntil.get(id) ?? 0, this.now + forMs));
  }

  up(): ProxyProcess | undefined {
    const all = this.processes.filter(({ isUp }) => isUp);
    return all[this.dice.between(0, Math.max(all.length - 1, 0))];
  }

  /** Lets all work go on that waits for nothing but other work. */
  async settle(): Promise<void> {
    for (let quiet = 0; quiet < 3; quiet = this.#busy + signatures.pending === 0 ? quiet + 1 : 0) {
      await new Promise((resolve) => setImmediate(resolve));
    }
  }

  /** Lets virtual time pass, and looks at what is shown after each change. */
  async pass(ms: number, look: () => void): Promise<void> {
    const end = this.now + ms;
    while (this.violation === undefined) {
      const before = this.#changes + this.checks.length;
      const pollers = this.dice.shuffled(this.processes);
      // Nothing is interrupted any more, so one of them is enough.
      for (const each of this.isCalm ? pollers.filter(({ isUp }) => isUp).slice(0, 1) : pollers) each.poll();
      await this.settle();
      await this.#look(look);
      const hasBegun = this.#changes + this.checks.length > before;
      this.#pollWaitMs = hasBegun ? 250 : Math.min(this.#pollWaitMs * 2, MAX_POLL_WAIT_MS);
      const due = Math.max((await this.database.nextDueAt()) - this.databaseAheadMs, this.now + this.#pollWaitMs);
      const next = Math.min(end, this.agenda.nextAt(), due);
      if (this.now >= end && this.agenda.nextAt() > end) return;
      this.agenda.now = Math.max(this.now, next);
      this.agenda.runDue();
      await this.settle();
      await this.#look(look);
    }
  }

  async #look(look: () => void): Promise<void> {
    const { changes, commits } = this.#lookedAt;
    this.#lookedAt = { changes: this.#changes, commits: this.#commits };
    if (changes !== this.#changes) {
      this.shown.transactions = (await this.observer.transactions({ limit: 200 })).transactions;
      for (const { id, history } of this.shown.transactions) for (const entry of history) this.#noteNew(id, entry);
    }
    if (commits !== this.#commits) this.shown.pending = (await this.observer.webhooks('pending', 200)).webhooks;
    look();
  }

  #noteNew(id: string, entry: HistoryEntry): void {
    const key = seenKey(id, entry);
    if (this.firstSeen.has(key)) return;
    this.firstSeen.set(key, this.now);
    this.note(`  ${id} ${entry.event} (${entry.source}${entry.detail === null ? '' : `: ${entry.detail}`})`);
  }

  // The wire.

  async toGateway(life: Life, { path, body }: Request): Promise<Reply | Lost> {
    const fields = JSON.parse(body) as Fields;
    return path.endsWith('/status') ? this.#check(life, fields) : this.#post(life, path, fields);
  }

  async #post(life: Life, path: string, fields: Fields): Promise<Reply | Lost> {
    const type: TransactionType = path.endsWith('/pay') ? 'PAY' : 'PAYOUT';
    const id = String(fields['orderId']);
    const name = this.nextPost;
    this.nextPost = 'as documented';
    const answer: (typeof POST_ANSWERS)[PostAnswerName] & { afterMs?: number } = POST_ANSWERS[name];
    const post: Post = { id, type, answer: name, sentAt: this.now, endedAt: Infinity, life };
    this.posts.push(post);
    this.note(`POST ${type} ${id}, to be answered: ${name}`);
    await this.agenda.wait(this.dice.between(5, 100));
    let reply = answer.reply(json(200, { orderId: id, paymentId: 0 }));
    if (answer.arrives) {
      const existing = this.gateway.find(id, type);
      const refusal = existing === undefined ? undefined : DUPLICATES[this.duplicates];
      if (refusal !== undefined) {
        post.answer = 'duplicate';
        reply = refusal.reply();
      } else reply = answer.reply(this.#create(post, fields));
    }
    await this.agenda.wait(Math.min(answer.afterMs ?? this.dice.between(5, 200), CALL_LIMIT_MS));
    await life.turn();
    post.endedAt = this.now;
    return (answer.afterMs ?? 0) > CALL_LIMIT_MS ? { lost: 'TimeoutError' } : reply;
  }

  #create({ id, type, sentAt }: Post, fields: Fields): Reply {
    const asked = fields['method'] as Entry['method'];
    const wallet = (fields['customer'] ?? null) as string | null;
    const amount = Number(fields['amount']);
    const { paymentId } = this.gateway.create({
      id,
      type,
      amount,
      method: asked ?? null,
      wallet,
      isOurs: true,
      sentAt,
    });
    if (type === 'PAYOUT') return json(202, { orderId: id, paymentId });
    return json(asked === 'DIRECT' ? 202 : 200, {
      orderId: id,
      paymentId,
      method: asked,
      checkout: asked === 'CHECKOUT' ? `https://pay.example/pay?token=${id}` : null,
      qr: asked === 'QR' || asked === 'JETGO' ? Buffer.from(`https://pay.example/${id}`).toString('base64') : null,
    });
  }

  async #check(life: Life, fields: Fields): Promise<Reply | Lost> {
    const { orderId, type } = fields as { orderId: string; type: TransactionType };
    const check: Check = {
      id: orderId,
      type,
      name: this.statusAnswer,
      said: 'nothing',
      isWhole: true,
      namesWallet: true,
      beganAt: this.now,
      endedAt: Infinity,
      life,
    };
    this.checks.push(check);
    await this.agenda.wait(this.dice.chance(0.1) ? this.dice.between(500, 4_000) : this.dice.between(5, 100));
    const entry = this.gateway.find(orderId, type);
    const name = (check.name = this.silent.has(orderId) ? '503' : this.statusAnswer);
    const report = this.gateway.report(entry, name === 'lagging' ? this.now - LAG_MS : this.now);
    if (report !== undefined && this.mistaken.delete(orderId)) {
      report['status'] = 'FAILED';
      this.slow(PAYOUT_FAILED_APART_MS, orderId);
    }
    const honest = report === undefined ? json(404, { code: 'UNKNOWN_ORDER' }) : json(200, report);
    const reply = STATUS_ANSWERS[name](honest);
    // A copy that has what was before this check is recorded.
    if (this.isBackUpAtCheck) this.backUp();
    await life.turn();
    check.endedAt = this.now;
    check.isWhole = name !== 'without amount';
    check.namesWallet = name !== 'masked';
    if (!('lost' in reply) && reply.status === 404) check.said = 'unknown';
    if (reply === honest || name === 'without amount' || name === 'masked')
      check.said = report === undefined ? 'unknown' : (report['status'] as Check['said']);
    this.note(`  checked ${orderId} by ${name}: ${check.said}`);
    return reply;
  }

  sendIpn(entry: Entry): void {
    const body = this.gateway.report(entry);
    if (body === undefined || this.ipnDelay === undefined) return;
    const ipn: Ipn = { id: entry.id, type: entry.type, body, acceptedAt: Infinity, offeredAt: -Infinity };
    this.ipns.push(ipn);
    const { ms, repeats } = this.ipnDelay;
    for (let n = 0; n < repeats; n += 1) this.deliver(ipn, ms + n * 7 * S);
  }

  deliver(ipn: Ipn, afterMs: number, retries = IPN_RETRIES_MS): void {
    this.agenda.later(afterMs, () => {
      void this.#offer(ipn);
      const [wait, ...rest] = retries;
      if (wait === undefined) return;
      this.agenda.later(wait, () => {
        if (ipn.acceptedAt === Infinity) this.deliver(ipn, 0, rest);
      });
    });
  }

  async #offer(ipn: Ipn): Promise<void> {
    const init = { body: JSON.stringify(ipn.body) };
    // Before the answer, which may be lost.
    ipn.offeredAt = this.now;
    const answer = await this.up()?.request('POST', `/ipn/${SECRETS.ipn}`, init);
    this.note(`IPN of ${ipn.id}: ${String(ipn.body['status'])}, answered ${answer?.status ?? 'by nobody'}`);
    if (answer?.status !== 200) return;
    ipn.acceptedAt = Math.min(ipn.acceptedAt, this.now);
  }

  async toMerchant(life: Life, { headers, body }: Request): Promise<Reply | Lost> {
    await life.turn();
    await this.agenda.wait(this.dice.between(5, 50));
    this.#changes += 1;
    const isTaken = this.isMerchantUp;
    this.merchant.receive(headers['webhook-id'] ?? '', body, isTaken);
    await life.turn();
    return isTaken ? json(200, {}) : json(503, {});
  }

  onLog(process: ProxyProcess, level: string, event: string, fields: object): void {
    if (level !== 'error') return;
    // Without what is random in each run.
    const text = JSON.stringify({ ...fields, requestId: undefined });
    this.note(`  ${process.name} logs ${event} ${text}`);
    if (/TypeError|RangeError|ReferenceError/.test(text)) this.violation ??= `${process.name} fails: ${text}`;
  }
}

export function seenKey(id: string, { event, at, detail }: HistoryEntry): string {
  return `${id} ${event} ${at} ${detail}`;
}
