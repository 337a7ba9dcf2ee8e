// The store on PostgreSQL, for more than one proxy on the same books. Each write is a transaction of its own on a pool of
// connections; two that deadlock or collide are run again. NOTIFY only wakes the other proxies, outside the transaction
// (inside, it would serialize every commit); the poll of the versions is the guarantee.
import { randomUUID } from 'node:crypto';
import { Kysely, PostgresDialect, sql } from 'kysely';
import { Client, Pool, types } from 'pg';
import { Refusal, unavailable } from '../errors.ts';
import { migrate, type Tables } from './schema.ts';
import type { Books, Store } from './store.ts';

const CONNECTIONS = 16;
const CONNECT_TIMEOUT_MS = 5_000;
const STATEMENT_TIMEOUT_MS = 10_000;
const MOST_TRIES = 5;
const CHANNEL = 'payment_widget_orders';
const RELISTEN_AFTER_MS = 1_000;
const ANNOUNCE_AFTER_MS = 5;
/**
 * serialization_failure, deadlock_detected: the database asks for another run. unique_violation: another took the same id
 * in the same moment, and a second run finds its row.
 */
const RUN_AGAIN = new Set(['40001', '40P01', '23505']);
const INT8 = 20;

export async function openPostgres(url: string): Promise<Store> {
  // Every bigint here is a time or an amount of at most 15 digits.
  types.setTypeParser(INT8, Number);
  const pool = new Pool({
    connectionString: url,
    max: CONNECTIONS,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    statement_timeout: STATEMENT_TIMEOUT_MS,
    options: '-c synchronous_commit=on',
  });
  // A connection that breaks, idle or at work: the pool replaces it, and without a listener the process would end. What was
  // at work on it is told by its own error.
  pool.on('error', () => undefined).on('connect', (client) => client.on('error', () => undefined));
  const db = new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) });
  try {
    await refuseWithoutFsync(db);
    await migrate(db, 'postgres');
  } catch (error) {
    await db.destroy();
    throw error;
  }
  const self = randomUUID();
  const ear = createEar(url, self);
  let waiting = new Set<string>();

  async function sendAnnouncements(): Promise<void> {
    const orderIds = waiting;
    waiting = new Set();
    // Lost where the database is away: then the poll tells, a second later.
    await pool
      .query("select pg_notify($1, $2 || ' ' || id) from unnest($3::text[]) as id", [CHANNEL, self, [...orderIds]])
      .catch(() => undefined);
  }

  return {
    db,
    time: () => timeOf(db),
    async write(op) {
      for (let tried = 1; ; tried += 1) {
        try {
          return await db.transaction().execute(async (tx) => op(tx, await timeOf(tx)));
        } catch (error) {
          if (error instanceof Refusal) throw error;
          if (tried < MOST_TRIES && RUN_AGAIN.has(codeOf(error))) continue;
          // A connection that broke has no code, so whatever else it is counts as the database's.
          throw unavailable(error);
        }
      }
    },
    skipsLocked: true,
    async lockOrderOf(tx, transactionId) {
      const order = tx
        .selectFrom('transactions')
        .select('order_id')
        .where('id', '=', transactionId)
        .where('type', '=', 'PAY');
      await tx.selectFrom('orders').select('order_id').where('order_id', '=', order).forUpdate().execute();
    },
    async lockOrder(tx, orderId) {
      await tx.selectFrom('orders').select('order_id').where('order_id', '=', orderId).forUpdate().execute();
    },
    async lockWallet(tx, customer) {
      await sql`select pg_advisory_xact_lock(hashtextextended(${customer}, 0))`.execute(tx);
    },
    announce(orderIds) {
      if (waiting.size === 0) setTimeout(() => void sendAnnouncements(), ANNOUNCE_AFTER_MS);
      for (const orderId of orderIds) waiting.add(orderId);
    },
    onAnnounced: ear.onAnnounced,
    async close() {
      await ear.close();
      await db.destroy();
    },
  };
}

/** Not `now()`, which stands still in a transaction. */
async function timeOf(db: Books): Promise<number> {
  const { rows } = await sql<{
    ms: number;
  }>`select (extract(epoch from clock_timestamp()) * 1000)::bigint as ms`.execute(db);
  return rows[0]?.ms ?? Number.NaN;
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}

/** With fsync off a commit that was answered may be gone after a crash: no place for money. */
async function refuseWithoutFsync(db: Books): Promise<void> {
  const { rows } = await sql<{ fsync: string }>`show fsync`.execute(db);
  if (rows[0]?.fsync !== 'on')
    throw new Error('DATABASE_URL: PostgreSQL runs with fsync off, which loses payments in a crash');
}

/** One connection that listens, and comes back when it breaks. What `self` has announced is known here already. */
function createEar(url: string, self: string) {
  let listener: (orderId: string) => void = () => undefined;
  let closed = false;
  let client: Client | undefined;

  async function listen(): Promise<void> {
    const fresh = new Client({ connectionString: url, connectionTimeoutMillis: CONNECT_TIMEOUT_MS });
    client = fresh;
    let lost = false;
    const again = (): void => {
      if (lost || closed) return;
      lost = true;
      setTimeout(() => void listen(), RELISTEN_AFTER_MS).unref();
    };
    fresh.on('error', again).on('end', again);
    fresh.on('notification', ({ payload = '' }) => {
      const [from, orderId = ''] = payload.split(' ');
      if (from !== self) listener(orderId);
    });
    await fresh
      .connect()
      .then(() => fresh.query(`listen ${CHANNEL}`))
      .catch(again);
  }
  void listen();

  return {
    onAnnounced(heard: (orderId: string) => void) {
      listener = heard;
    },
    async close() {
      closed = true;
      await client?.end().catch(() => undefined);
    },
  };
}
