// Servers of tests on loopback, at any free port.
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo, Server as NetServer } from 'node:net';

export interface Served {
  url: string;
  close(): Promise<void>;
}

export async function serveOnLoopback(listener: RequestListener): Promise<Served> {
  const server = createServer(listener).listen(0, '127.0.0.1');
  return { url: await addressOf(server), close: () => closeServer(server) };
}

/** Of a server that listens, or soon will. */
export async function addressOf(server: NetServer): Promise<string> {
  if (!server.listening) await new Promise((resolve) => server.once('listening', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Ends its connections, too. */
export async function closeServer(server: Server): Promise<void> {
  const closed = new Promise((resolve) => server.close(resolve));
  server.closeAllConnections();
  await closed;
}
