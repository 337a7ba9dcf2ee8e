// How the ledger reads and writes, what a write changed, steps of the database's clock, and watched orders.
// A write loads a subject's rows, applies a rule to a draft of them, and saves what the draft changed; only after the
// commit the listener and the watchers are called. All parts of the ledger (ledger.ts) read and write in this way.
import { performance } from 'node:perf_hooks';
import type { CompiledQuery } from 'kysely';
import { Refusal, unavailable } from '../errors.ts';
import { type Source, STAGES, stageOf } from '../protocol/transaction.ts';
import type { LedgerEvent } from './model.ts';
import {
  readVersions,
  identityIn,
  readMeta,
  stepsIn,
  writeSteps,
  type Identity,
  type Meta,
} from './queries/reading.ts';
import { readStepsUsed, readLook, type Look } from './queries/work.ts';
import { restartWaits } from './rules/checks.ts';
import { changesOf, createDraft, type Draft } from './rules/records.ts';
import type { TransactionRow, HistoryRow } from './schema/tables.ts';
import type { Changes, Db, Loaded, Store, Subject, Change } from './store.ts';

/** Rows that one statement changes, so that no write waits long for another. */
export const PAGE_SIZE = 100;

export interface LedgerOptions {
  /** Replaces the store's clock in tests. */
  now?: () => number;
  /** A monotonic clock in ms; in tests by default `now`, which never steps. */
  elapsed?: () => number;
  /** Put before every id at the gateway. */
  idPrefix?: string;
}

type Apply<T> = (draft: Draft, taken: ReadonlySet<string>) => T;

export class Access {
  readonly store: Store;
  readonly idPrefix: string;
  readonly steps: ClockSteps;
  readonly watch: ReturnType<typeof createWatch>;
  onWrite: (ms: number, events: LedgerEvent[]) => void = () => undefined;
  readonly #now: (() => number) | undefined;
  #identity: Identity | undefined;

  constructor(store: Store, { now, idPrefix = '', elapsed = now ?? (() => performance.now()) }: LedgerOptions) {
    this.store = store;
    this.idPrefix = idPrefix;
    this.steps = new ClockSteps(elapsed);
    this.#now = now;
    this.watch = createWatch(
      store,
      () => this.time(),
      (orderIds) => readVersions(store.db, orderIds),
    );
  }

  async time(): Promise<number> {
    const since = this.steps.elapsed();
    const time = this.#now?.() ?? (await this.read(() => this.store.time()));
    this.steps.look(time, since);
    return time;
  }

  /** What is due, by the clock that the ledger goes by. */
  async look(): Promise<Look> {
    const since = this.steps.elapsed();
    const look = await this.read(() => readLook(this.store));
    const now = this.#now?.() ?? look.now;
    this.steps.look(now, since);
    return { ...look, now };
  }

  async identity(): Promise<Identity> {
    if (this.#identity === undefined) {
      const meta = await this.read(readMeta);
      // A process that died may have used a count before it was stored.
      const used = await this.read(readStepsUsed);
      this.steps.count = Math.max(this.steps.count, stepsIn(meta), used);
      this.#identity = identityIn(meta);
    }
    return this.#identity;
  }

  /** Learns of the steps that another process has counted, or stores those that only this one has. */
  async shareSteps(meta: Meta): Promise<void> {
    await this.identity();
    const stored = stepsIn(meta);
    const count = Math.max(this.steps.count, stored);
    this.steps.count = count;
    if (stored === count) return;
    // Tried again with the next claim: it must not stop this one.
    await writeSteps(this.store, stored, count).catch(() => undefined);
  }

  async read<T>(op: (db: Db) => Promise<T>): Promise<T> {
    return op(this.store.db).catch((error: unknown) => {
      throw error instanceof Refusal ? error : unavailable(error);
    });
  }

  /** With the clock that the ledger goes by. */
  async load(subject: Subject): Promise<Loaded> {
    const loaded = await this.read(() => this.store.load(subject));
    return { ...loaded, now: this.#now?.() ?? loaded.now };
  }

  async write<T>(source: Source, subject: Subject, apply: Apply<T>): Promise<T> {
    const identity = await this.identity();
    const startedAt = performance.now();
    const since = this.steps.elapsed();
    const decided = await this.store.write(subject, (loaded, taken) => {
      const draft = this.#draftOf(loaded, source, identity, since);
      const result = apply(draft, taken);
      const changes = changesOf(draft);
      return { changes, result: { result, draft, versions: versionsRaised(changes.orders) } };
    });
    this.watch.changed(decided.versions);
    this.onWrite(performance.now() - startedAt, eventsOf(decided.draft));
    return decided.result;
  }

  async writeEach(source: Source, subject: Subject, apply: (draft: Draft, row: TransactionRow) => void): Promise<void> {
    await this.write(source, subject, (draft) => {
      for (const { after } of draft.transactions) apply(draft, after);
    });
  }

  /** What a write would do: applies the rule and saves nothing. */
  async preview<T>(source: Source, subject: Subject, apply: (draft: Draft) => T): Promise<T> {
    const identity = await this.identity();
    const since = this.steps.elapsed();
    return apply(this.#draftOf(await this.read(() => this.store.load(subject)), source, identity, since));
  }

  /** Runs a statement that changes at most PAGE_SIZE rows until it finds fewer; returns how many it changed in all. */
  async executeInPages(page: CompiledQuery): Promise<number> {
    for (let changed = 0; ;) {
      const { length } = await this.store.execute(page);
      changed += length;
      if (length < PAGE_SIZE) return changed;
    }
  }

  /** The rows as after the last step of the clock. */
  #draftOf(loaded: Loaded, source: Source, identity: Identity, since: number): Draft {
    const now = this.#now?.() ?? loaded.now;
    this.steps.look(now, since);
    const { count: clockSteps } = this.steps;
    const draft = createDraft(loaded, { now, clockSteps, source, ...identity, idPrefix: this.idPrefix });
    for (const { after } of draft.transactions) if (after.clock_steps < clockSteps) restartWaits(draft, after);
    return draft;
  }
}

function versionsRaised(orders: Changes['orders']): Map<string, number> {
  const raised = orders.filter(({ before, after }) => after.version > (before?.version ?? 0));
  return new Map(raised.map(({ after }) => [after.order_id, after.version]));
}

// What a committed write changed, read from its draft: each history entry that it added is one event. Only the process
// that committed it sees it, and once.

function eventsOf(draft: Draft): LedgerEvent[] {
  return draft.history.flatMap((entry) => {
    const { event } = entry;
    const change = draft.transactions.find(({ after }) => after.id === entry.transaction_id);
    // Drafts do not write erasures, and a report that is checked once more is only for the history.
    const isOwn = event === 'erased' || event === 'reported_failed';
    return change === undefined || isOwn ? [] : [eventOf(draft, { ...entry, event }, change)];
  });
}

type Entry = HistoryRow & Pick<LedgerEvent, 'event'>;

function eventOf(draft: Draft, entry: Entry, { before, after }: Change<TransactionRow>): LedgerEvent {
  const { event, source, detail } = entry;
  const { id, type, method, answer } = after;
  return {
    event,
    source,
    detail,
    transaction: {
      id,
      type,
      orderId: after.order_id,
      method,
      stage: stageOf(after.rank),
      endedBy: after.ended_by,
      answer,
      late: after.late === 1,
      surplus: after.surplus === 1,
      afterClose: after.after_close === 1,
    },
    statusBefore: before && STAGES[stageOf(before.rank)].status,
    sinceIpnMs: after.ipn_received_at === null ? null : Math.max(0, draft.now - after.ipn_received_at),
    webhooks: draft.webhooks.filter(({ transaction_id: of }) => of === id).map((webhook) => webhook.id),
  };
}

// Notices when the database's clock steps, by comparing it with a monotonic clock at each look, in writes too. Steps
// are counted, in one row of `meta`; a count that is not stored yet is in the rows that it was used for. A transaction
// whose own count is lower was planned before the last step: it is due, and its waits start again with its next write.
// So a step is one small write, however many transactions are open and whoever holds one of them.

/** Between two looks, the two clocks may differ by this much. */
const STEP_MS = 5_000;

class ClockSteps {
  /** The steps that this process has seen, or read from the database. */
  count = 0;
  /** A monotonic clock, ms. */
  readonly elapsed: () => number;
  /** The least and the most by which the database's clock is ahead of the monotonic one. */
  #ahead: [number, number] | undefined;

  constructor(elapsed: () => number) {
    this.elapsed = elapsed;
  }

  /** `time`: the database's clock, ms since 1970, read after `since` by the monotonic one. */
  look(time: number, since: number): void {
    const [least, most] = [time - this.elapsed(), time - since];
    const [knownLeast, knownMost] = this.#ahead ?? [least, most];
    if (least > knownMost + STEP_MS || most < knownLeast - STEP_MS) this.count += 1;
    // A slow answer leaves a wide range; what both allow is narrower, unless the clocks drift.
    const both: [number, number] = [Math.max(least, knownLeast), Math.min(most, knownMost)];
    this.#ahead = both[0] <= both[1] ? both : [least, most];
  }
}

// Calls watchers after a commit that changed their order, with its new version. The version of each watched order is
// remembered, so that no change is reported twice. Changes by other processes are found by a poll of what changed
// lately. A commit that waited for a standby may show later than any poll looks back, so now and then the versions of
// all watched orders are read.

const POLL_MS = 1_000;
/**
 * A change is stamped when its rows are loaded, and seen by a poll once it is committed: up to two statements later, of
 * at most 10 s each (`statement_timeout`), and their round trips.
 */
const LOOK_BACK_MS = 25_000;
const POLLS_PER_READ_OF_ALL = 30;

type OnChange = (version: number) => void;

interface Watched {
  /** The last version that was reported to the watchers. */
  version: number | undefined;
  watchers: readonly OnChange[];
}

/** `time` is the clock of the stamps. */
export function createWatch(
  store: Pick<Store, 'changedSince'>,
  time: () => Promise<number>,
  versionsOf: (orderIds: readonly string[]) => Promise<ReadonlyMap<string, number>>,
) {
  const orders = new Map<string, Watched>();
  /** When the last successful poll began. */
  let polledAt = Infinity;
  let polling = false;
  let polls = 0;

  function tell(orderId: string, version: number): void {
    const order = orders.get(orderId);
    if (order === undefined || order.version === version) return;
    order.version = version;
    for (const watcher of order.watchers) watcher(version);
  }

  async function poll(): Promise<void> {
    if (polling) return;
    if (orders.size === 0) {
      polledAt = Infinity;
      return;
    }
    polling = true;
    try {
      const at = await time();
      // From the last successful poll, because a change may have been committed while the database did not answer us.
      for (const [orderId, version] of await store.changedSince(Math.min(at, polledAt) - LOOK_BACK_MS))
        tell(orderId, version);
      polledAt = at;
      polls += 1;
      if (polls % POLLS_PER_READ_OF_ALL === 0)
        for (const [orderId, version] of await versionsOf([...orders.keys()])) tell(orderId, version);
    } catch {
      // The database is unavailable: the next poll tries again.
    } finally {
      polling = false;
    }
  }

  const timer = setInterval(() => void poll(), POLL_MS);
  timer.unref();

  return {
    add(orderId: string, onChange: OnChange): () => void {
      const order = orders.get(orderId) ?? { version: undefined, watchers: [] };
      order.watchers = [...order.watchers, onChange];
      orders.set(orderId, order);
      return () => {
        order.watchers = order.watchers.filter((watcher) => watcher !== onChange);
        if (order.watchers.length === 0 && orders.get(orderId) === order) orders.delete(orderId);
      };
    },
    /** After a commit of this process: the new version of each order that it changed. */
    changed(versions: ReadonlyMap<string, number>): void {
      for (const [orderId, version] of versions) tell(orderId, version);
    },
    close: () => clearInterval(timer),
  };
}
