// Finds ports that can be listened on now. Whether they still can be when someone asks for them is not ours to promise:
// stack.ts starts again where one was taken in between.
import { createServer, type Server } from 'node:net';

/** For each wanted port itself, or a free one where it is taken; 0 is any free one. All differ: they are held while we look. */
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
