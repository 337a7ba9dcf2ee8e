// The HTTP server, with limits on every wait and every count, because it faces the internet.
import { createServer, type RequestListener, type Server, type ServerOptions } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { serve, type HttpBindings } from '@hono/node-server';
import { GATEWAY_TIMEOUT_MS } from '../protocol/durations.ts';

interface ServerLimits {
  /** Time limit for the headers, and for the whole request. */
  headersMs: number;
  requestMs: number;
  /** How often Node checks these limits; its default of 30 s is longer than the limits themselves. */
  checkEveryMs: number;
  /** A socket that is idle during a request is closed after this, so that a stalled reader holds no resources. */
  idleMs: number;
  /**
   * How long a connection is kept for its next request. Longer than load balancers keep it (60 s at most of them): if
   * both ends close at the same time, the client loses a request.
   */
  keepAliveMs: number;
  headerBytes: number;
  connections: number;
  /** Unanswered requests per connection; a client that pipelines more is disconnected. */
  pipelined: number;
}

/** `idleMs` exceeds the longest silence, which is a gateway call. */
export const LIMITS: ServerLimits = {
  headersMs: 10_000,
  requestMs: 15_000,
  checkEveryMs: 2_000,
  idleMs: GATEWAY_TIMEOUT_MS + 30_000,
  keepAliveMs: 65_000,
  headerBytes: 16_384,
  connections: 20_000,
  pipelined: 8,
};

const CLOSE_IDLE_EVERY_MS = 50;

export interface Listening {
  /** URL for this machine. */
  url: string;
  /** From now on each answer closes its connection, so that a reverse proxy does not keep it for its next request. */
  drain(): void;
  /** Stops accepting and resolves when the last connection has closed. Event streams must be ended by their owner. */
  close(): Promise<void>;
}

type Fetch = (request: Request, env: HttpBindings) => Response | Promise<Response>;

/** Rejects if the port cannot be bound. */
export function listen(
  fetch: Fetch,
  { host, port }: { host: string; port: number },
  limits: ServerLimits = LIMITS,
): Promise<Listening> {
  return new Promise((resolve, reject) => {
    const pending = createPendingAnswers(limits.pipelined);
    let isDraining = false;
    const drain = () => void (isDraining = true);
    const limited = (options: ServerOptions, answer: RequestListener) =>
      createServer(
        options,
        pending.limit((request, response) => {
          if (isDraining) response.setHeader('Connection', 'close');
          answer(request, response);
        }),
      );
    const server = serve({
      fetch: (request, bindings) => fetch(request, bindings as HttpBindings),
      hostname: host,
      port,
      createServer: limited as typeof createServer,
      serverOptions: {
        headersTimeout: limits.headersMs,
        requestTimeout: limits.requestMs,
        keepAliveTimeout: limits.keepAliveMs,
        connectionsCheckingInterval: limits.checkEveryMs,
        maxHeaderSize: limits.headerBytes,
      },
    }) as Server;
    server.on('connection', (socket) => socket.on('close', () => pending.drop(socket)));
    server.maxConnections = limits.connections;
    server.setTimeout(limits.idleMs);
    server.once('error', reject).once('listening', () => {
      const { address, port: actual, family } = server.address() as AddressInfo;
      const name = family === 'IPv6' ? `[${address}]` : address;
      const close = (): Promise<void> => {
        drain();
        return closeServer(server, pending.areAny);
      };
      resolve({ url: `http://${name}:${actual}`, drain, close });
    });
  });
}

/** Counts unanswered requests per connection and disconnects clients above the limit. */
function createPendingAnswers(most: number) {
  const counts = new Map<Socket, number>();
  return {
    areAny: () => counts.size > 0,
    drop: (socket: Socket) => void counts.delete(socket),
    /**
     * Node dispatches every pipelined request at once, a thousand in 64 kB, and buffers all answers for a client that
     * may never read them.
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
        response.on('close', () => {
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
    // Repeated, because a keep-alive connection becomes idle only after its last answer or stream. Node does not
    // count a connection without any request as idle (browsers open some ahead), so when no answer is pending all are
    // closed.
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
