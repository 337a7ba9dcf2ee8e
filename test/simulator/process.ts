// A proxy process: the real app over the real store, which the processes of a history share. It can be killed or
// paused at any of its turns: before and after each statement of its store and each call of its gateway. What a killed
// process was doing never goes on, and its leases stay in the database.
import { createProxy, type Proxy } from '../../backend-proxy/app.ts';
import { unavailable } from '../../backend-proxy/errors.ts';
import { createGateway } from '../../backend-proxy/gateway/http.ts';
import { profileSchema } from '../../backend-proxy/gateway/profile.ts';
import type { Ledger } from '../../backend-proxy/ledger/ledger.ts';
import { createLedger } from '../../backend-proxy/ledger/ledger.ts';
import type { Store } from '../../backend-proxy/ledger/store.ts';
import { METHODS } from '../../backend-proxy/protocol/wire.ts';
import { ensureOwner } from '../../backend-proxy/use-cases/database-owner.ts';
import { SECRETS, SHOP } from '../backend-proxy/world.ts';
import type { Agenda } from './agenda.ts';
import { Wire, type Lost, type Reply, type Request } from './wire.ts';

const GATEWAY_URL = 'https://gateway.example';
const WEBHOOK_URL = 'https://shop.example/webhooks';
/** A statement gives up after waiting so long for a row that somebody holds. */
const LOCK_WAIT_MS = 3_000;

/** What processes share. */
export interface Site {
  agenda: Agenda;
  store: Store;
  /** The database's clock. */
  databaseTime(): number;
  random(): number;
  hasStatusCheck: boolean;
  /** The profile tells its answer about an id that it does not have from a wrong path. */
  saysNoSuchOrder: boolean;
  /** Transactions whose row somebody holds. */
  held: ReadonlySet<string>;
  /** Work that goes on without waiting for virtual time. */
  busy(change: 1 | -1): void;
  /** `isShown`: rows of transactions may have changed, and not only leases. */
  committed(isShown: boolean): void;
  toGateway(life: Life, request: Request): Promise<Reply | Lost>;
  toMerchant(life: Life, request: Request): Promise<Reply | Lost>;
  onLog(process: ProxyProcess, level: string, event: string, fields: object): void;
}

/** From a start to a kill. */
export class Life {
  isAlive = true;
  /** How many more turns until `onLastTurn`. */
  turnsLeft = Infinity;
  /** Only what follows a write that may be shown is a turn. */
  countsWrites = false;
  onLastTurn: () => void = () => undefined;
  #isPaused = false;
  #awake: Promise<void> = Promise.resolve();
  #resume: () => void = () => undefined;

  /** Resolves when the process may go on; never, if it was killed. */
  async turn(isAfterWrite = false): Promise<void> {
    if (isAfterWrite || !this.countsWrites) {
      this.turnsLeft -= 1;
      if (this.turnsLeft === 0) this.onLastTurn();
    }
    if (this.isPaused) await this.#awake;
    if (!this.isAlive) await new Promise(() => undefined);
  }

  get isPaused(): boolean {
    return this.#isPaused;
  }

  pause(): void {
    this.#isPaused = true;
    this.#awake = new Promise((resolve) => (this.#resume = resolve));
  }

  resume(): void {
    this.#isPaused = false;
    this.#resume();
  }
}

class HeldRow extends Error {}

export class ProxyProcess {
  readonly name: string;
  prefix = '';
  apiKey = 'the-key';
  /** How far its own clock is ahead of the database's. */
  skewMs = 0;
  life: Life | undefined;
  startError: unknown;
  readonly #site: Site;
  #proxy: Proxy | undefined;
  #ledger: Ledger | undefined;

  constructor(site: Site, name: string) {
    this.#site = site;
    this.name = name;
  }

  get isUp(): boolean {
    return this.#proxy !== undefined && this.life?.isAlive === true && !this.life.isPaused;
  }

  /** In the order of compose.ts. `restoredAt` as in DATABASE_RESTORED. */
  async start(restoredAt?: number): Promise<void> {
    const site = this.#site;
    const { agenda, random } = site;
    const life = (this.life = new Life());
    const elapsed = () => agenda.now;
    const ledger = createLedger(this.#storeOf(life), {
      now: () => site.databaseTime(),
      elapsed,
      idPrefix: this.prefix,
    });
    const gateway = createGateway({
      url: GATEWAY_URL,
      apiKey: this.apiKey,
      profile: profileSchema.parse({
        refundAs: Object.fromEntries(METHODS.map((method) => [method, 'JETGO'])),
        payoutDecimals: true,
        ...(site.saysNoSuchOrder && { noSuchOrder: { field: 'code', value: 'UNKNOWN_ORDER' } }),
        ...(!site.hasStatusCheck && { paths: { status: null } }),
      }),
      checkoutHosts: [],
      dispatcher: new Wire((request) => this.#site.toGateway(life, request)),
      now: () => this.now(),
    });
    this.#ledger = ledger;
    try {
      await this.#open(ledger, gateway, restoredAt);
    } catch (error) {
      this.startError = error;
      return;
    }
    this.#proxy = createProxy(
      {
        gateway,
        ledger,
        now: () => this.now(),
        log: (level, event, fields = {}) => this.#site.onLog(this, level, event, fields),
        config: {
          orderSecrets: [SECRETS.order],
          merchantKeys: [SECRETS.merchant],
          ipnSecrets: [SECRETS.ipn],
          allowedOrigins: [SHOP],
          self: this.name,
          widgetFolder: 'none',
          webhook: { url: WEBHOOK_URL, secrets: [SECRETS.webhook] },
        },
      },
      {
        elapsed,
        random,
        dispatcher: new Wire((request) => this.#site.toMerchant(life, request)),
        wait: async (ms) => {
          await agenda.wait(ms);
          await life.turn();
        },
      },
    );
    // A failure of this is logged, and the process goes on.
    await ledger.recover(this.name).catch(() => undefined);
  }

  /** Also at the end of a history, for its timers. */
  kill(): void {
    void this.#ledger?.close();
    if (this.life !== undefined) this.life.isAlive = false;
    this.life?.resume();
    this.#proxy = undefined;
  }

  now(): number {
    return this.#site.databaseTime() + this.skewMs;
  }

  /** Undefined if it is down. Never resolves if it is killed before it answers. */
  async request(method: string, path: string, init: RequestInit = {}): Promise<Response | undefined> {
    if (!this.isUp) return undefined;
    const { life } = this;
    const response = await this.#proxy?.app.request(path, { ...init, method });
    await life?.turn();
    return response;
  }

  /** What a running process does several times a second. */
  poll(): void {
    if (this.isUp) void this.#proxy?.begin().catch(() => undefined);
  }

  async #open(ledger: Ledger, gateway: ReturnType<typeof createGateway>, restoredAt: number | undefined) {
    await ensureOwner({
      ledger,
      gateway,
      url: GATEWAY_URL,
      apiKey: this.apiKey,
      renamedFrom: undefined,
      allowsWeaker: false,
    });
    if (restoredAt !== undefined) await ledger.recordRestore(restoredAt);
  }

  #storeOf(life: Life): Store {
    const site = this.#site;
    const { store, held, agenda } = site;
    const step = async <T>(isShown: boolean, work: () => Promise<T>): Promise<T> => {
      await life.turn();
      site.busy(1);
      try {
        const result = await work();
        site.committed(isShown);
        return result;
      } finally {
        site.busy(-1);
        await life.turn(isShown);
      }
    };
    return {
      ...store,
      execute: (query, undo) => step(false, () => store.execute(query, undo)),
      async write(subject, decide) {
        try {
          return await step(true, () =>
            store.write(subject, (loaded, taken) => {
              const decision = decide(loaded, taken);
              if (decision.changes.transactions.some(({ after }) => held.has(after.id))) throw new HeldRow();
              return decision;
            }),
          );
        } catch (error) {
          if (!(error instanceof HeldRow)) throw error;
          await agenda.wait(LOCK_WAIT_MS);
          await life.turn();
          throw unavailable(error);
        }
      },
      close: () => Promise.resolve(),
    };
  }
}
