// A gateway that answers at once: a collection with a code, a status check with SUCCESS after settle() and with
// PROCESSING before. It has none of the sandbox's rules and faults, so that the benchmark measures the proxy and not
// a gateway.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

export interface InstantGateway {
  url: string;
  /** Marks the order as paid. */
  settle(orderId: string): void;
  collections(): number;
  close(): void;
}

const QR = Buffer.from('https://wallet.example/pay?reference=4711').toString('base64');

export async function openGateway(): Promise<InstantGateway> {
  const settled = new Set<string>();
  let collections = 0;

  function answer(path: string, orderId: string): object {
    const known = { paymentId: 111328, orderId };
    if (path.endsWith('/pay')) {
      collections++;
      return { ...known, method: 'QR', checkout: null, qr: QR };
    }
    const status = settled.has(orderId) ? 'SUCCESS' : 'PROCESSING';
    return { ...known, type: 'PAY', amount: JSON.rawJSON('10.10'), currency: 'EUR', status };
  }

  async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { orderId } = JSON.parse(await text(request)) as { orderId: string };
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify(answer(request.url ?? '', orderId)));
  }

  const server = createServer((request, response) => void respond(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    settle: (orderId) => void settled.add(orderId),
    collections: () => collections,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
