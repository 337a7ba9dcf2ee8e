// A TCP relay that holds back what the client sends by a fixed time, as a longer way to the database would. Answers
// pass at once, so the time is that of a round trip.
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

export interface Relay {
  /** `url` through the relay. */
  url: string;
  close(): void;
}

export async function startRelay(url: string, delayMs: number): Promise<Relay> {
  const { port, hostname } = new URL(url);
  const open = new Set<Socket>();
  const server = createServer((client) => {
    const behind = connect(Number(port), hostname);
    for (const socket of [client, behind]) {
      open.add(socket);
      socket.setNoDelay(true).on('error', () => undefined);
    }
    client.on('data', (chunk) => {
      if (delayMs === 0) behind.write(chunk);
      else setTimeout(() => behind.write(chunk), delayMs);
    });
    behind.on('data', (chunk) => client.write(chunk));
    client.once('close', () => void behind.destroy());
    behind.once('close', () => {
      client.destroy();
      open.delete(client);
      open.delete(behind);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const relayed = new URL(url);
  relayed.port = String((server.address() as AddressInfo).port);
  return {
    url: relayed.href,
    close() {
      for (const socket of open) socket.destroy();
      server.close();
    },
  };
}
