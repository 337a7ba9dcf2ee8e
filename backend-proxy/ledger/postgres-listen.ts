// One connection that listens for what other processes announce, and comes back when it breaks or nobody answers on it.
// It only wakes: what is announced while it is away is found by the poll of the versions. A pooler that gives a connection
// away after each transaction loses every announcement; then the poll is all there is.
import type { Client } from 'pg';
import { ask, connect, prepare } from './postgres-connection.ts';

export const CHANNEL = 'payment_widget_orders';
const AGAIN_AFTER_MS = 1_000;
/** Less than a connection may be silent. Nothing may be announced for hours, and the server may have become the wrong one. */
const ASKED_EVERY_MS = 10_000;

/** What `self` has announced is known here already. */
export function createEar(url: string, self: string) {
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
    const beat = setInterval(() => void prepare(fresh).catch(end), ASKED_EVERY_MS);
    if (closed) end();
    else await ask(fresh, `listen ${CHANNEL}`).catch(end);
    await ended;
    clearInterval(beat);
  }

  async function stay(): Promise<void> {
    while (!closed) {
      await listen().catch(() => undefined);
      await new Promise((resolve) => setTimeout(resolve, AGAIN_AFTER_MS).unref());
    }
  }
  void stay();

  return {
    onAnnounced(heard: (orderId: string) => void) {
      listener = heard;
    },
    async close() {
      closed = true;
      await client?.end();
    },
  };
}
