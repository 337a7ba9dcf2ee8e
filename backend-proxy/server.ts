// The listening server: Node's own, with every wait and every number limited, because it faces the internet.
// Owns sockets and their end; what is answered is the app's.
import { createServer, type RequestListener, type Server, type ServerOptions } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { serve } from '@hono/node-server';

export interface ServerLimits {
  /** Until the headers are there, and the whole request. */
  headersMs: number;
  requestMs: number;
  /** How often Node looks for those that are over (its default is 30 s, longer than the limits themselves). */
  checkEveryMs: number;
  /** A socket on which nothing moves for so long is cut: a stream whose reader stopped reading holds nothing after it. */
  idleMs: number;
  headerBytes: number;
  connections: number;
  /** Requests on one connection whose answers are still to come: one that sends more ahead is cut. */
  pipelined: number;
}

/** Idle: longer than the longest quiet there is, the 30 s of a call to the gateway. */
export const LIMITS: ServerLimits = {
  headersMs: 10_000,
  requestMs: 15_000,
  checkEveryMs: 2_000,
  idleMs: 60_000,
  headerBytes: 16_384,
  connections: 20_000,
  pipelined: 8,
};

const CLOSE_IDLE_EVERY_MS = 50;

export interface Listening {
  /** As reached from this machine. */
  url: string;
  /** Takes no more connections; resolves when the last one has ended. Streams have to be ended by who holds them. */
  close(): Promise<void>;
}

type Fetch = Parameters<typeof serve>[0]['fetch'];

/** Rejects where the port cannot be had. */
export function listen(
  fetch: Fetch,
  { host, port }: { host: string; port: number },
  limits: ServerLimits = LIMITS,
): Promise<Listening> {
  return new Promise((resolve, reject) => {
    const pending = createPendingAnswers(limits.pipelined);
    const limited = (options: ServerOptions, answer: RequestListener) => createServer(options, pending.limit(answer));
    const server = serve({
      fetch,
      hostname: host,
      port,
      createServer: limited as typeof createServer,
      serverOptions: {
        headersTimeout: limits.headersMs,
        requestTimeout: limits.requestMs,
        connectionsCheckingInterval: limits.checkEveryMs,
        maxHeaderSize: limits.headerBytes,
      },
    }) as Server;
    server.on('connection', (socket) => socket.once('close', () => pending.drop(socket)));
    server.maxConnections = limits.connections;
    server.setTimeout(limits.idleMs);
    server.once('error', reject).once('listening', () => {
      const { address, port: actual, family } = server.address() as AddressInfo;
      const name = family === 'IPv6' ? `[${address}]` : address;
      resolve({ url: `http://${name}:${actual}`, close: () => closeServer(server, pending.areAny) });
    });
  });
}

/** How many answers each connection waits for, and who asks ahead of more than there may be. */
function createPendingAnswers(most: number) {
  const counts = new Map<Socket, number>();
  return {
    areAny: () => counts.size > 0,
    drop: (socket: Socket) => void counts.delete(socket),
    /**
     * Node hands on every request of a packet at once, a thousand in 64 kB, and keeps all their answers for a client that
     * may never read them: one who asks so far ahead is cut.
     */
    limit(answer: RequestListener): RequestListener {
      return (request, response) => {
        const { socket } = request;
        const count = (counts.get(socket) ?? 0) + 1;
        if (count > most) {
          socket.destroy();
          return;
        }
        counts.set(socket, count);
        response.once('close', () => {
          const left = (counts.get(socket) ?? 0) - 1;
          if (left > 0) counts.set(socket, left);
          else counts.delete(socket);
        });
        answer(request, response);
      };
    },
  };
}

function closeServer(server: Server, areAnyPending: () => boolean): Promise<void> {
  return new Promise((resolve) => {
    // Again and again: a connection kept alive becomes idle when its last answer or its stream has ended. One on which
    // nothing was ever asked (browsers open some ahead) is not idle to Node, so at the end all go.
    const timer = setInterval(() => {
      if (areAnyPending()) server.closeIdleConnections();
      else server.closeAllConnections();
    }, CLOSE_IDLE_EVERY_MS);
    server.close(() => {
      clearInterval(timer);
      resolve();
    });
  });
}
