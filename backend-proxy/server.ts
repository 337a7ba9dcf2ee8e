// The listening server: Node's own, with every wait and every number limited, because it faces the internet.
// Owns sockets and their end; what is answered is the app's.
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { serve } from '@hono/node-server';

export interface ServerLimits {
  /** Until the headers are there, and the whole request. */
  headersMs: number;
  requestMs: number;
  /** How often Node looks for those that are over (its default is 30 s, longer than the limits themselves). */
  lookEveryMs: number;
  /** A socket on which nothing moves for so long is cut: a stream whose reader stopped reading holds nothing after it. */
  idleMs: number;
  headerBytes: number;
  connections: number;
}

/** Idle: longer than the longest quiet there is, the 30 s of a call to the gateway. */
export const LIMITS: ServerLimits = {
  headersMs: 10_000,
  requestMs: 15_000,
  lookEveryMs: 2_000,
  idleMs: 60_000,
  headerBytes: 16_384,
  connections: 20_000,
};

const SWEEP_MS = 50;

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
    const server = serve({
      fetch,
      hostname: host,
      port,
      createServer,
      serverOptions: {
        headersTimeout: limits.headersMs,
        requestTimeout: limits.requestMs,
        connectionsCheckingInterval: limits.lookEveryMs,
        maxHeaderSize: limits.headerBytes,
      },
    }) as Server;
    let underWay = 0;
    server.on('request', (_request, response) => {
      underWay += 1;
      response.once('close', () => (underWay -= 1));
    });
    server.maxConnections = limits.connections;
    server.setTimeout(limits.idleMs);
    server.once('error', reject).once('listening', () => {
      const { address, port: actual, family } = server.address() as AddressInfo;
      const name = family === 'IPv6' ? `[${address}]` : address;
      resolve({ url: `http://${name}:${actual}`, close: () => closeServer(server, () => underWay) });
    });
  });
}

function closeServer(server: Server, underWay: () => number): Promise<void> {
  return new Promise((resolve) => {
    // Again and again: a connection kept alive becomes idle when its last answer or its stream has ended. One on which
    // nothing was ever asked (browsers open some ahead) is not idle to Node, so at the end all go.
    const sweep = setInterval(() => {
      if (underWay() === 0) server.closeAllConnections();
      else server.closeIdleConnections();
    }, SWEEP_MS);
    server.close(() => {
      clearInterval(sweep);
      resolve();
    });
  });
}
