// One connection that listens for what other processes announce, and comes back when it breaks or nobody answers on it.
// It only wakes: what is announced while it is away is found by the poll of the versions. A pooler that gives a connection
// away after each transaction loses every announcement; then the poll is all there is.
import type { Client } from 'pg';
import { query, connect, prepare } from './postgres-connection.ts';

export const CHANNEL = 'payment_widget_orders';
const RECONNECT_AFTER_MS = 1_000;
/** Less than a connection may be silent. Nothing may be announced for hours, and the server may have become the wrong one. */
const HEARTBEAT_MS = 10_000;

/** What `self` has announced is known here already. */
export function listenForOrders(url: string, self: string) {
  let listener: (orderId: string) => void = () => undefined;
  let closed = false;
  let client: Client | undefined;

  /** Resolves when the connection has ended. */
  async function listen(): Promise<void> {
    const fresh = await connect(url);
    client = fresh;
    const ended = new Promise((resolve) => fresh.once('end', resolve));
    fresh.on('notification', ({ payload = '' }) => {
      const [from, orderId = ''] = payload.split(' ');
      if (from !== self) listener(orderId);
    });
    const end = (): void => void fresh.end();
    const heartbeat = setInterval(() => void prepare(fresh).catch(end), HEARTBEAT_MS);
    if (closed) end();
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
      await client?.end();
    },
  };
}
