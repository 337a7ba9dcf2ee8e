// The store on PostgreSQL, for several proxies on one database. A write is one statement that loads and one that saves,
// each a transaction of its own on a pooled connection (connection.ts). Nothing is locked in between: the save
// changes nothing if a loaded row has changed meanwhile (rows.ts), and the write begins again. So a save whose
// outcome was lost can be repeated, too. NOTIFY runs outside the transaction, where it would serialize every commit; it
// only wakes the other proxies, which also poll (watch.ts).
import { createHash, randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Kysely, PostgresDialect, sql, type CompiledQuery } from 'kysely';
import { types } from 'pg';
import { Refusal, unavailable } from '../../errors.ts';
import type { Log } from '../../protocol/log.ts';
import { BEGIN, codeOf, createPool, isOutcomeUnknown, isRepeatable, type Connection } from './connection.ts';
import { CHANNEL, listenForOrders } from './listen.ts';
import { findPooler, type Pooler } from './pooling.ts';
import { standbyWarnings } from './replication.ts';
import {
  CLOCK,
  CONFIRM,
  isSaved,
  loadStatement,
  saveStatement,
  toLoaded,
  type LoadedRow,
  type Versions,
} from './rows.ts';
import { describeServers } from './servers.ts';
import { POSTGRES_SQL } from './sql.ts';
import { createTurns } from './turns.ts';
import { upgradePostgres } from './upgrade.ts';
import { upgradeBy } from '../schema/schema-steps.ts';
import type { Changes, Decision, Loaded, Store, Subject } from '../store.ts';
import type { Tables } from '../schema/tables.ts';

/** Each conflict means that another write of the same rows succeeded. */
const MAX_CONFLICTS = 200;
/** After so many conflicts a write waits up to this long, at random. */
const PATIENT_AFTER = 3;
const CONFLICT_WAIT_MS = 20;
const MAX_ERRORS = 5;
/** How long a write tries to find out what became of a save whose answer was lost. */
const LOST_LIMIT_MS = 10_000;
const LOST_WAIT_MS = { first: 50, longest: 1_000 };
/** The newest changes that a poll looks at; each poll looks back over several. */
const MAX_CHANGES = 50_000;
const UNIQUE_VIOLATION = '23505';
const INT8 = 20;

export async function openPostgres(url: string, connections: number, log: Log): Promise<Store> {
  // Every bigint here is a time or an amount of at most 15 digits.
  types.setTypeParser(INT8, Number);
  const pool = createPool(url, connections);
  const db = new Kysely<Tables>({ dialect: new PostgresDialect({ pool: pool.forKysely }) });
  let pooler: Pooler;
  try {
    // First, so that a problem with the server is reported as itself, not as a failed change of the tables.
    await time();
    await requireSchema(db);
    await upgradePostgres(url, db, upgradeBy(log));
    pooler = await pool.use((on) => findPooler(on, url));
  } catch (error) {
    await pool.end();
    throw error;
  }
  const inTurn = createTurns();
  const self = randomUUID();
  const listener = listenForOrders(url, self);
  let waiting = new Set<string>();
  let isAnnouncing = false;

  async function time(): Promise<number> {
    const [row] = await pool.use(({ run }) => run<{ ms: number }>({ sql: `select ${CLOCK} as ms`, parameters: [] }));
    return row?.ms ?? Number.NaN;
  }

  async function loadOn({ run }: Connection, subject: Subject, versions: Versions): Promise<Loaded> {
    return toLoaded(subject, await run<LoadedRow>(loadStatement(subject)), versions);
  }

  async function saveOn({ run }: Connection, changes: Changes, versions: Versions): Promise<boolean> {
    const [row] = await run<{ saved: boolean }>(saveStatement(changes, versions));
    return row?.saved === true;
  }

  async function write<T>(
    subject: Subject,
    decide: (loaded: Loaded, taken: ReadonlySet<string>) => Decision<T>,
  ): Promise<T> {
    const wallet = 'prompts' in subject ? subject.prompts?.customer : undefined;
    const taken = new Set<string>();
    const lost: Decision<T>[] = [];
    let lostAt: number | undefined;
    let waitMs = LOST_WAIT_MS.first;
    let errors = 0;

    /** Undefined if a loaded row has changed meanwhile. `commit` ends the transaction around it, if there is one. */
    async function attempt(on: Connection, commit?: () => Promise<void>): Promise<Decision<T> | undefined> {
      const versions: Versions = new WeakMap();
      const loaded = await loadOn(on, subject, versions);
      const done = lost.find(({ changes }) => isSaved(changes, loaded));
      const decision = done ?? decide(loaded, taken);
      if (decision === done || isEmpty(decision.changes)) {
        if (lost.length > 0) await on.run(CONFIRM);
        await commit?.();
        return decision;
      }
      try {
        const saved = await saveOn(on, decision.changes, versions);
        await commit?.();
        return saved ? decision : undefined;
      } catch (error) {
        if (isIdTaken(error)) {
          for (const { before, after } of decision.changes.transactions) if (before === undefined) taken.add(after.id);
        } else if (isOutcomeUnknown(error)) {
          lost.push(decision);
          lostAt ??= performance.now();
        }
        throw error;
      }
    }

    for (let conflicts = 0; conflicts < MAX_CONFLICTS; conflicts += 1) {
      if (conflicts > PATIENT_AFTER) await sleep(Math.random() * CONFLICT_WAIT_MS);
      try {
        const decision = await inTurn(rowsOf(subject), conflicts > 0, () =>
          pool.use((on) => {
            if (wallet === undefined && !on.isPooled) return attempt(on);
            return inTransaction(on, wallet, (commit) => attempt(on, commit));
          }),
        );
        if (decision !== undefined) return decision.result;
      } catch (error) {
        if (error instanceof Refusal) throw error;
        const isUniqueViolation = codeOf(error) === UNIQUE_VIOLATION;
        if (isUniqueViolation) continue;
        if (lostAt !== undefined && performance.now() - lostAt < LOST_LIMIT_MS) {
          await sleep(waitMs);
          waitMs = Math.min(waitMs * 2, LOST_WAIT_MS.longest);
          continue;
        }
        errors += 1;
        if (lostAt === undefined && isRepeatable(error) && errors < MAX_ERRORS) continue;
        throw unavailable(error);
      }
    }
    throw unavailable(new Error('Other writes of the same order came first each time'));
  }

  /**
   * Within a transaction: behind a pooler, because the settings hold nowhere else, and for a wallet: its lock
   * serializes the counting of prompts.
   */
  async function inTransaction<T>(
    on: Connection,
    wallet: string | undefined,
    work: (commit: () => Promise<void>) => Promise<T>,
  ): Promise<T> {
    await on.runSimple(wallet === undefined ? BEGIN : `${BEGIN}; select pg_advisory_xact_lock(${lockOf(wallet)})`);
    try {
      return await work(() => on.runSimple('commit'));
    } finally {
      // Nothing to roll back after the commit. If this fails, the connection is not used again.
      if (on.isInTransaction()) await on.runSimple('rollback').catch(() => undefined);
    }
  }

  async function executeOn<Row>(on: Connection, statement: CompiledQuery<Row>): Promise<Row[]> {
    if (!on.isPooled) return on.run<Row>(statement);
    return inTransaction(on, undefined, async (commit) => {
      const rows = await on.run<Row>(statement);
      await commit();
      return rows;
    });
  }

  async function execute<Row>(statement: CompiledQuery<Row>, undo?: CompiledQuery): Promise<Row[]> {
    for (let tries = 1; ; tries += 1) {
      try {
        return await pool.use((on) => executeOn(on, statement));
      } catch (error) {
        if (undo !== undefined && isOutcomeUnknown(error))
          await pool.use((on) => executeOn(on, undo)).catch(() => undefined);
        if (!isRepeatable(error) || tries >= MAX_ERRORS) throw unavailable(error);
      }
    }
  }

  async function changedSince(since: number): Promise<Map<string, number>> {
    const newest = `select order_id from transactions where updated_at >= $1 order by updated_at desc limit ${MAX_CHANGES}`;
    const text = `select o.order_id, o.version from (${newest}) t join orders o on o.order_id = t.order_id`;
    const rows = await pool.use(({ run }) =>
      run<{ order_id: string; version: number }>({ sql: text, parameters: [since] }),
    );
    return new Map(rows.map(({ order_id, version }) => [order_id, version]));
  }

  /** One statement at a time: changes during it are announced by the next. */
  async function sendAnnouncements(): Promise<void> {
    if (isAnnouncing) return;
    isAnnouncing = true;
    while (waiting.size > 0) {
      const orderIds = waiting;
      waiting = new Set();
      // If the database is unavailable, the poll finds the change a second later.
      await sql`select pg_notify(${CHANNEL}, ${self} || ' ' || id) from unnest(${[...orderIds]}::text[]) as id`
        .execute(db)
        .catch(() => undefined);
    }
    isAnnouncing = false;
  }

  return {
    db,
    sql: POSTGRES_SQL,
    place: { ...describeServers(url), connections: connections + 1, ...(pooler !== 'none' && { pooler }) },
    write,
    load: (subject) => pool.use((on) => loadOn(on, subject, new WeakMap())),
    execute,
    time,
    changedSince,
    announce(orderIds) {
      for (const orderId of orderIds) waiting.add(orderId);
      void sendAnnouncements();
    },
    onAnnounced: listener.onAnnounced,
    shrink: () => Promise.resolve(false),
    warnings: () => standbyWarnings(db),
    async close() {
      await listener.close();
      await pool.end();
    },
  };
}

/** A 48-bit number for the wallet. */
function lockOf(wallet: string): number {
  return createHash('sha256').update(wallet).digest().readUIntBE(0, 6);
}

/** The same for writes that change the same rows; the id of an order's first payment is often the order's own. */
function rowsOf(subject: Subject): string {
  if ('order' in subject) return subject.order;
  if ('payout' in subject) return subject.payout;
  return ('alone' in subject ? subject.alone : subject.transactions).join(' ');
}

/** Kysely replaces this error by the next one that it causes. */
async function requireSchema(db: Kysely<Tables>): Promise<void> {
  const { rows } = await sql<{ name: string | null; is_open: boolean | null }>`select current_schema() as name,
    to_regclass('schema_steps') is not null or has_schema_privilege(current_schema(), 'create') as is_open`.execute(db);
  const { name = null, is_open: isOpen } = rows[0] ?? {};
  if (name === null) throw Object.assign(new Error('no schema has been selected to create in'), { code: '3F000' });
  if (isOpen !== true) throw Object.assign(new Error(`permission denied for schema ${name}`), { code: '42501' });
}

function isEmpty({ orders, transactions, history, webhooks, ipn }: Changes): boolean {
  return orders.length + transactions.length + history.length + webhooks.length === 0 && ipn === undefined;
}

/** Whether a row with the id of a new transaction exists. */
function isIdTaken(error: unknown): boolean {
  const constraint = error instanceof Error && 'constraint' in error ? error.constraint : undefined;
  return codeOf(error) === UNIQUE_VIOLATION && constraint === 'transactions_pkey';
}
