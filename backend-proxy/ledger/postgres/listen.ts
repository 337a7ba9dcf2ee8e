// Announcements of changed orders: sent by NOTIFY, and received on a dedicated LISTEN connection, which reconnects when
// it breaks or the server stops answering. They only wake watchers: the poll of versions (watch.ts) finds what is
// announced while it is disconnected. Behind a transaction pooler nothing is received, and the poll does all.
import { sql } from 'kysely';
import { query, connect, prepare } from './connection.ts';
import type { Servers } from './servers.ts';
import type { Db } from '../store.ts';

const CHANNEL = 'payment_widget_orders';
const RECONNECT_AFTER_MS = 1_000;
/**
 * Below the limit for a silent connection: there may be nothing to announce for hours, and the server may have stopped
 * taking writes.
 */
const HEARTBEAT_MS = 10_000;

/** Announces orders to the other processes, one statement at a time: what changes meanwhile goes with the next. */
export function createAnnouncer(db: Db, self: string): (orderIds: readonly string[]) => void {
  let waiting = new Set<string>();
  let isSending = false;

  async function send(): Promise<void> {
    if (isSending) return;
    isSending = true;
    while (waiting.size > 0) {
      const orderIds = waiting;
      waiting = new Set();
      // If the database is unavailable, the poll finds the change a second later.
      await sql`select pg_notify(${CHANNEL}, ${self} || ' ' || id) from unnest(${[...orderIds]}::text[]) as id`
        .execute(db)
        .catch(() => undefined);
    }
    isSending = false;
  }

  return (orderIds) => {
    for (const orderId of orderIds) waiting.add(orderId);
    void send();
  };
}

/** Skips announcements sent by this process, `self`. */
export function listenForOrders(servers: Servers, self: string) {
  let listener: (orderId: string) => void = () => undefined;
  let closed = false;
  /** Ends the connection that there is. */
  let endCurrent = async (): Promise<void> => undefined;

  /** Resolves when the connection has ended. */
  async function listen(): Promise<void> {
    const fresh = await connect(servers);
    const { promise: ended, resolve } = Promise.withResolvers<void>();
    fresh.once('end', resolve);
    // It may have ended before this listened to its end, which no event says then.
    const end = (endCurrent = () => fresh.end().finally(resolve));
    fresh.on('notification', ({ payload = '' }) => {
      const [from, orderId = ''] = payload.split(' ');
      if (from !== self) listener(orderId);
    });
    const heartbeat = setInterval(() => void prepare(fresh, servers).catch(end), HEARTBEAT_MS);
    if (closed) await end();
    else await query(fresh, `listen ${CHANNEL}`).catch(end);
    await ended;
    clearInterval(heartbeat);
  }

  async function keepListening(): Promise<void> {
    while (!closed) {
      await listen().catch(() => undefined);
      await new Promise((resolve) => setTimeout(resolve, RECONNECT_AFTER_MS).unref());
    }
  }
  void keepListening();

  return {
    onAnnounced(onChange: (orderId: string) => void) {
      listener = onChange;
    },
    async close() {
      closed = true;
      await endCurrent();
    },
  };
}
