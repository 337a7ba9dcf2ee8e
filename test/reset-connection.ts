// Resets a connection, for tests that break one. No other file calls Node's own `resetAndDestroy`.
import type { Socket } from 'node:net';

/**
 * Node's own reset fails while the socket's end is under way, and the process then never exits: it keeps a processor
 * busy after its `exit` event. Such a socket is closed instead.
 */
export function resetConnection(socket: Socket): void {
  if (socket.writableEnded) socket.destroy();
  else socket.resetAndDestroy();
}
