// The store on PostgreSQL, for more than one proxy on the same books. Each write is a transaction of its own on a pool of
// connections (postgres-connection.ts); two that deadlock or collide are run again, and a commit whose answer is lost is looked up
// (postgres-commit.ts). NOTIFY only wakes the other proxies, outside the transaction (inside, it would serialize every commit);
// the poll of the versions is the guarantee.
import { randomUUID } from 'node:crypto';
import { Kysely, PostgresDialect, sql } from 'kysely';
import { types } from 'pg';
import { Refusal, unavailable } from '../errors.ts';
import { transact } from './postgres-commit.ts';
import { codeOf, createPool, isOfWrongServer } from './postgres-connection.ts';
import { CHANNEL, createEar } from './postgres-listen.ts';
import { migrate, type Tables } from './schema.ts';
import type { Db, Store } from './store.ts';

const MOST_TRIES = 5;
const ANNOUNCE_AFTER_MS = 5;
/**
 * serialization_failure, deadlock_detected: the database asks for another run. unique_violation: another took the same id
 * in the same moment, and a second run finds its row.
 */
const RUN_AGAIN = new Set(['40001', '40P01', '23505']);
const INT8 = 20;

export async function openPostgres(url: string, connections: number): Promise<Store> {
  // Every bigint here is a time or an amount of at most 15 digits.
  types.setTypeParser(INT8, Number);
  const db = new Kysely<Tables>({ dialect: new PostgresDialect({ pool: createPool(url, connections) }) });
  try {
    // By itself, so that what is wrong with the server is said as it is, and not as a migration that failed.
    await timeOf(db);
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
          // Nothing of it was kept in either case, and the next connection may be at the right server.
          const mayHelp = RUN_AGAIN.has(codeOf(error)) || isOfWrongServer(error);
          if (tried < MOST_TRIES && mayHelp) continue;
          // A connection that broke has no code, so whatever else it is counts as the database's.
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
    onAnnounced: ear.onAnnounced,
    async close() {
      await ear.close();
      await db.destroy();
    },
  };
}

/** Not `now()`, which stands still in a transaction. */
async function timeOf(db: Db): Promise<number> {
  const { rows } = await sql<{
    ms: number;
  }>`select (extract(epoch from clock_timestamp()) * 1000)::bigint as ms`.execute(db);
  return rows[0]?.ms ?? Number.NaN;
}
