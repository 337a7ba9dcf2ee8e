// The store on PostgreSQL, for several proxies on one database. Each write is a separate transaction on a pooled
// connection (postgres-connection.ts). A transaction that deadlocks or collides runs again, and a commit whose answer
// is lost is looked up (postgres-commit.ts). NOTIFY runs outside the transaction, where it would serialize every
// commit; it only wakes the other proxies, which also poll (watch.ts).
import { randomUUID } from 'node:crypto';
import { Kysely, PostgresDialect, sql } from 'kysely';
import { types } from 'pg';
import { Refusal, unavailable } from '../errors.ts';
import { CLOCK, transact } from './postgres-commit.ts';
import { codeOf, createPool, isWrongServerError } from './postgres-connection.ts';
import { CHANNEL, listenForOrders } from './postgres-listen.ts';
import { standbyWarnings } from './postgres-replication.ts';
import { migrate, type Tables } from './schema.ts';
import type { Db, Store } from './store.ts';

const MAX_TRIES = 5;
const ANNOUNCE_AFTER_MS = 5;
/**
 * serialization_failure, deadlock_detected: the database asks for another run. unique_violation: a concurrent
 * transaction took the same id, and a second run finds its row.
 */
const RETRYABLE = new Set(['40001', '40P01', '23505']);
const INT8 = 20;

export async function openPostgres(url: string, connections: number): Promise<Store> {
  // Every bigint here is a time or an amount of at most 15 digits.
  types.setTypeParser(INT8, Number);
  const db = new Kysely<Tables>({ dialect: new PostgresDialect({ pool: createPool(url, connections) }) });
  try {
    // Before `migrate`, so that a problem with the server is reported as itself, not as a failed migration.
    await timeOf(db);
    await migrate(db, 'postgres');
  } catch (error) {
    await db.destroy();
    throw error;
  }
  const self = randomUUID();
  const listener = listenForOrders(url, self);
  let waiting = new Set<string>();

  async function sendAnnouncements(): Promise<void> {
    const orderIds = waiting;
    waiting = new Set();
    // If the database is unavailable, the poll finds the change a second later.
    await sql`select pg_notify(${CHANNEL}, ${self} || ' ' || id) from unnest(${[...orderIds]}::text[]) as id`
      .execute(db)
      .catch(() => undefined);
  }

  return {
    db,
    time: () => timeOf(db),
    async write(op) {
      for (let tried = 1; ; tried += 1) {
        try {
          return await transact(db, url, op);
        } catch (error) {
          if (error instanceof Refusal) throw error;
          // Nothing was committed in either case, and the next connection may reach the right server.
          const mayHelp = RETRYABLE.has(codeOf(error)) || isWrongServerError(error);
          if (tried < MAX_TRIES && mayHelp) continue;
          // A broken connection has no code, so any other error counts as the database's.
          throw unavailable(error);
        }
      }
    },
    skipsLocked: true,
    async lockOrder(tx, orderId) {
      await tx.selectFrom('orders').select('order_id').where('order_id', '=', orderId).forUpdate().execute();
    },
    async lockOrderOf(tx, transactionId) {
      await tx
        .selectFrom('orders')
        .select('order_id')
        .where('order_id', '=', (eb) =>
          eb.selectFrom('transactions').select('order_id').where('id', '=', transactionId),
        )
        .forUpdate()
        .execute();
    },
    async lockWallet(tx, customer) {
      await sql`select pg_advisory_xact_lock(hashtextextended(${customer}, 0))`.execute(tx);
    },
    announce(orderIds) {
      if (waiting.size === 0) setTimeout(() => void sendAnnouncements(), ANNOUNCE_AFTER_MS);
      for (const orderId of orderIds) waiting.add(orderId);
    },
    onAnnounced: listener.onAnnounced,
    warnings: () => standbyWarnings(db),
    async close() {
      await listener.close();
      await db.destroy();
    },
  };
}

async function timeOf(db: Db): Promise<number> {
  const { rows } = await sql<{ ms: number }>`select ${sql.raw(CLOCK)} as ms`.execute(db);
  return rows[0]?.ms ?? Number.NaN;
}
