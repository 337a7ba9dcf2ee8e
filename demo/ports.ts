// Finds free ports. Another process may take one before it is used: stack.ts then starts again.
import { createServer, type Server } from 'node:net';

/** Each wanted port, or a free one if it is taken; 0 for any. They differ, because all are held during the search. */
export async function findPorts(wanted: readonly number[], host: string): Promise<number[]> {
  const held = await Promise.all(wanted.map((port) => listen(port, host).catch(() => listen(0, host))));
  const ports = held.map(portOf);
  await Promise.all(held.map((server) => new Promise((resolve) => server.close(resolve))));
  return ports;
}

function listen(port: number, host: string): Promise<Server> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject).listen(port, host, () => resolve(server));
  });
}

function portOf(server: Server): number {
  const address = server.address();
  return typeof address === 'object' && address !== null ? address.port : 0;
}
