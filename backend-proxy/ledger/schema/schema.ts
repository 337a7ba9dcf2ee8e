// The tables of the ledger and their indexes, how the databases differ in them, and the steps that make them.
// tables.ts says what the columns mean.
import { randomBytes, randomUUID } from 'node:crypto';
import { sql, type RawBuilder, type Kysely } from 'kysely';
import { STAGES, TRANSACTION_TYPES, TYPES } from '../../protocol/transaction.ts';
import type { Log } from '../../protocol/log.ts';
import type { Tables } from './tables.ts';

/** Of a transaction: neither paid nor failed; a person must resolve it. */
export const IS_OPEN = `rank < ${STAGES.replaced.rank}`;
/** Of a transaction, written as in the indexes. */
export const HAS_FAILED = `rank between ${STAGES.replaced.rank} and ${STAGES.declined.rank}`;
export const NEEDS_REVIEW = 'needs_review = 1';
/** What came in and pays no order. */
export const PAYS_NOTHING = '(surplus = 1 or after_close = 1)';
/** Of a transaction: its changes are seen in an order. */
export const IS_OF_ORDER = typeIn(TRANSACTION_TYPES.filter((type) => TYPES[type].isOfOrder));

function typeIn(types: readonly string[]): string {
  return `type in (${types.map((type) => `'${type}'`).join(', ')})`;
}

/** The statements that make the tables in an empty database, in one transaction. */
export function schemaStatements(by: SchemaSql): string[] {
  const indexes = INDEXES.map((index) => `create ${index}`);
  return [...tables(by), ...indexes, ...identity()];
}

function tables({ int, strict, updated, added, keyed, keyedUpdated }: SchemaSql): string[] {
  return [
    `create table orders (
      order_id text not null primary key,
      amount_minor ${int},
      currency text not null,
      version ${int} not null,
      paid_by text,
      seen_iat ${int},
      seen_terms text,
      closed_at ${int},
      close_reason text
    ) ${keyedUpdated}`,
    `create table transactions (
      id text not null primary key,
      type text not null,
      order_id text not null,
      attempt ${int} not null,
      refund_of text,
      asked text,
      method text,
      amount_minor ${int} not null check (amount_minor > 0),
      currency text not null,
      customer text,
      payer text,
      customer_ref text,
      note text,
      metadata text,
      idempotency_key text,
      fingerprint text not null,
      start_id text,
      rank ${int} not null,
      answer text,
      payment_id text,
      checkout_url text,
      qr text,
      app_url text,
      pay_within_ms ${int},
      expires_at ${int},
      late ${int} not null default 0,
      surplus ${int} not null default 0,
      after_close ${int} not null default 0,
      mismatch ${int} not null default 0,
      conflict ${int} not null default 0,
      needs_review ${int} not null default 0,
      success_seen ${int} not null default 0,
      reviews ${int} not null default 0,
      resolved text,
      reported text,
      ended_by text,
      version ${int} not null default 0,
      created_at ${int} not null,
      updated_at ${int} not null,
      erased_at ${int},
      sent_at ${int},
      sent_by text,
      lost_at ${int},
      found_at ${int},
      unknown_at ${int},
      failed_at ${int},
      ipn_received_at ${int},
      ipns_received ${int} not null default 0,
      ipns_answered ${int} not null default 0,
      waits_from ${int} not null default 0,
      clock_steps ${int} not null default 0,
      checked_at ${int},
      unanswered ${int} not null default 0,
      checks text not null default '[]',
      next_check_at ${int},
      lease_until ${int} not null default 0,
      constraint transactions_idempotency_key unique (order_id, idempotency_key)
    ) ${updated}`,
    `create table history (
      transaction_id text not null,
      event text not null,
      n ${int} not null default 1,
      at ${int} not null,
      source text not null,
      detail text,
      constraint history_key primary key (transaction_id, event, n)
    ) ${keyed}`,
    `create table ipns (
      id text not null primary key,
      transaction_id text,
      reading text,
      body text not null,
      matched ${int} not null,
      n ${int} not null default 0,
      reported ${int} not null default 0,
      seen ${int} not null,
      first_at ${int} not null,
      last_at ${int} not null
    ) ${added}`,
    `create table webhooks (
      id text not null primary key,
      transaction_id text not null,
      order_id text not null,
      type text not null,
      body text not null,
      state text not null,
      attempts ${int} not null,
      next_at ${int} not null,
      lease_until ${int} not null,
      last_answer text,
      created_at ${int} not null
    ) ${updated}`,
    `create table meta (key text not null primary key, value text not null) ${strict}`,
  ];
}

/**
 * Each payment is in the indexes by time and, once a check found it, in the one of those; only what is open, planned,
 * under review or unmatched is in the others. Every index that a row is in costs a page of each write that changes its
 * columns.
 */
const INDEXES = [
  // Lists. The conditions are written in the statements as they are here, or no planner would take these indexes.
  'index transactions_updated on transactions (type, updated_at, id)',
  'index transactions_created on transactions (type, created_at, id)',
  // With the rank and the review, by which what is open is counted.
  `index transactions_open_updated on transactions (type, updated_at, id, rank, needs_review) where ${IS_OPEN}`,
  `index transactions_open_created on transactions (type, created_at, id) where ${IS_OPEN}`,
  `index transactions_failed_updated on transactions (type, updated_at, id) where ${HAS_FAILED}`,
  `index transactions_failed_created on transactions (type, created_at, id) where ${HAS_FAILED}`,
  `index transactions_review_updated on transactions (type, updated_at, id) where ${NEEDS_REVIEW}`,
  `index transactions_review_created on transactions (type, created_at, id) where ${NEEDS_REVIEW}`,
  `index transactions_paying_nothing on transactions (created_at, id) where ${PAYS_NOTHING}`,
  // The newest of them proves an "unknown", so however many were opened since, it must be in reach.
  'index transactions_found on transactions (type, found_at) where found_at is not null',
  // Only prompts are counted for each wallet.
  `index transactions_prompts on transactions (customer, created_at) where asked in ('DIRECT')`,
  'index transactions_due on transactions (next_check_at) where next_check_at is not null',
  'index transactions_planned on transactions (clock_steps) where next_check_at is not null',
  `index transactions_ipn_received on transactions (ipn_received_at)
    where next_check_at is not null and ipn_received_at is not null`,
  `index transactions_to_erase on transactions (updated_at, id)
    where erased_at is null and next_check_at is null and needs_review = 0 and rank >= ${STAGES.replaced.rank}`,
  'index transactions_payers on transactions (created_at) where payer is not null and erased_at is not null',
  'index orders_closed on orders (closed_at) where closed_at is not null',
  'index orders_to_erase on orders (closed_at) where close_reason is not null',
  'index ipns_transaction on ipns (transaction_id)',
  'index ipns_unmatched on ipns (first_at) where matched = 0 and reading is not null',
  'index ipns_unreported on ipns (first_at) where matched = 0 and reported = 0 and reading is not null',
  'index ipns_unmatched_last on ipns (last_at) where matched = 0',
  'index webhooks_order on webhooks (order_id)',
  // With the state as a column too, or SQLite would take the next index and sort all that are pending.
  `index webhooks_due on webhooks (state, next_at) where state = 'pending'`,
  'index webhooks_listed on webhooks (state, created_at, id)',
];

function identity(): string[] {
  const [databaseId, fingerprintKey] = [randomUUID(), randomBytes(32).toString('base64url')];
  return [
    `insert into meta (key, value)
      values ('database_id', '${databaseId}'), ('fingerprint_key', '${fingerprintKey}'), ('pinged_at', '0'),
        ('clock_steps', '0')`,
  ];
}

// What differs between the databases when tables are made or looked for: another database is another row here.

export type Dialect = 'sqlite' | 'postgres';

export interface SchemaSql {
  /** The type of whole numbers. */
  int: string;
  /** Each ends a `create table`. `strict`: of any table. */
  strict: string;
  /** Of a table whose rows are often changed: an update stays in its page if that has room for a second version. */
  updated: string;
  /** Of a table whose rows are added and deleted, and seldom changed. */
  added: string;
  /**
   * The same, of short rows with a key of text: SQLite then stores the key once and not twice. Long rows, such as the
   * bodies of IPNs, would be spread over many pages of the key's tree, and a write would change more of them.
   */
  keyed: string;
  /** Both `keyed` and `updated`. */
  keyedUpdated: string;
  hasTable(name: string): RawBuilder<unknown>;
  /** Begin a transaction that one process at a time has. */
  beginLocked: readonly string[];
}

/** Any fixed number, the same in all versions. */
export const LOCK = 4_076_310_586;
const VACUUM_SOON = 'autovacuum_vacuum_scale_factor = 0.02';

export const DIALECTS: Readonly<Record<Dialect, SchemaSql>> = {
  sqlite: {
    int: 'integer',
    strict: 'strict',
    updated: 'strict',
    added: 'strict',
    keyed: 'strict, without rowid',
    keyedUpdated: 'strict, without rowid',
    hasTable: (name) => sql`select 1 from sqlite_master where type = 'table' and name = ${name}`,
    // A plain BEGIN would notice another process only at its first write.
    beginLocked: ['begin immediate'],
  },
  postgres: {
    int: 'bigint',
    strict: '',
    updated: `with (fillfactor = 70, ${VACUUM_SOON})`,
    added: `with (${VACUUM_SOON})`,
    keyed: `with (${VACUUM_SOON})`,
    keyedUpdated: `with (fillfactor = 70, ${VACUUM_SOON})`,
    // To read a table makes the process notice what others have made; `to_regclass` alone may answer from its cache.
    hasTable: (name) => sql`select 1 from pg_class where oid = to_regclass(${name})`,
    beginLocked: [
      'begin isolation level read committed',
      // An index of many rows takes longer than any other statement may.
      'set local statement_timeout = 0',
      `select pg_advisory_xact_lock(${LOCK})`,
    ],
  },
};

// Brings a database to the tables of this version by numbered steps. Each is one transaction under a lock: a process
// that is killed leaves it made or not made, and processes that start together make it once. The table `meta` has the
// number of the last step as `schema`, and as `oldest` the lowest number that a version must know to work on the
// tables.

export interface Step {
  /** Nobody else writes to a table that they change until the last of them has ended. */
  statements: (by: SchemaSql) => string[];
  /** The number of the oldest step whose version works on the tables after this one; its own if none before does. */
  oldest: number;
}

/** In their order; the first has the number 1. A step that was released is never changed. */
export const STEPS: readonly Step[] = [
  { statements: schemaStatements, oldest: 1 },
  // A version that does not know it would send back what is settled.
  {
    statements: ({ int }) => [`alter table transactions add column settled_minor ${int} not null default 0`],
    oldest: 2,
  },
];

/** For the operator. */
const UNRELEASED =
  'This database was made before the first release, and no version changes it: set DATABASE_URL to a new database.';

/** How far the tables of a database are from those of this version. */
export interface SchemaState {
  /** The number of the last step that was made; 0 before the first start. */
  schema: number;
  /** How many steps the next start will make. */
  pending: number;
  /** Why this version cannot use it, written for the operator; undefined if it can. */
  refusal: string | undefined;
}

/** `meta`: the table's rows. `hasTables`: whether there were any before `meta` was read. */
export function schemaState(
  meta: readonly { key: string; value: string }[],
  hasTables: boolean,
  steps = STEPS,
): SchemaState {
  const numberOf = (name: string) => Number(meta.find(({ key }) => key === name)?.value ?? 0);
  const [schema, oldest] = [numberOf('schema'), numberOf('oldest')];
  const newer =
    `A newer version has changed this database (schema ${schema}, and this version knows ${steps.length}): ` +
    'install that version, or restore a backup from before it.';
  const refusal = oldest > steps.length ? newer : hasTables && schema === 0 ? UNRELEASED : undefined;
  return { schema, pending: Math.max(0, steps.length - schema), refusal };
}

/**
 * May be called again after any failure.
 * @throws an Error for the operator if this version cannot use the database
 */
export async function migrate(db: Kysely<Tables>, dialect: Dialect, log: Log, steps = STEPS): Promise<void> {
  const { schema } = await readState(db, dialect, steps);
  for (const [at, step] of steps.entries()) {
    const number = at + 1;
    if (number <= schema) continue;
    const startedAt = performance.now();
    await whileLocked(db, dialect, async (tx) => {
      // Another process may have made it since.
      if ((await readState(tx, dialect, steps)).schema >= number) return;
      for (const statement of step.statements(DIALECTS[dialect])) await sql.raw(statement).execute(tx);
      await sql`insert into meta (key, value) values ('schema', ${String(number)}), ('oldest', ${String(step.oldest)})
        on conflict (key) do update set value = excluded.value`.execute(tx);
    });
    const level = schema === 0 ? 'debug' : 'info';
    log(level, 'database changed', { schema: number, ms: Math.round(performance.now() - startedAt) });
  }
}

async function readState(db: Kysely<Tables>, dialect: Dialect, steps: readonly Step[]): Promise<SchemaState> {
  const has = async (table: string) => (await DIALECTS[dialect].hasTable(table).execute(db)).rows.length > 0;
  // Before `meta` is read: another process may make all tables now, in one commit.
  const hasTables = await has('transactions');
  const meta = (await has('meta')) ? await db.selectFrom('meta').select(['key', 'value']).execute() : [];
  const state = schemaState(meta, hasTables, steps);
  if (state.refusal !== undefined) throw new Error(state.refusal);
  return state;
}

function whileLocked(db: Kysely<Tables>, dialect: Dialect, work: (tx: Kysely<Tables>) => Promise<void>): Promise<void> {
  return db.connection().execute(async (tx) => {
    try {
      for (const statement of DIALECTS[dialect].beginLocked) await sql.raw(statement).execute(tx);
      await work(tx);
      await sql`commit`.execute(tx);
    } catch (error) {
      await sql`rollback`.execute(tx).catch(() => undefined);
      throw error;
    }
  });
}
