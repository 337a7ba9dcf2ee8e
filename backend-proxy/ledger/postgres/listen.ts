// A dedicated LISTEN connection that reconnects when it breaks or the server stops answering. It only wakes watchers:
// the poll of versions (watch.ts) finds what is announced while it is disconnected. Behind a transaction pooler nothing
// is received, and the poll does all.
import type { Client } from 'pg';
import { query, connect, prepare } from './connection.ts';

export const CHANNEL = 'payment_widget_orders';
const RECONNECT_AFTER_MS = 1_000;
/**
 * Below the limit for a silent connection: there may be nothing to announce for hours, and the server may have stopped
 * taking writes.
 */
const HEARTBEAT_MS = 10_000;

/** Skips announcements sent by this process, `self`. */
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
