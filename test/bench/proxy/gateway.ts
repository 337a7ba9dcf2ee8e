// A gateway that answers at once, in the process of the load: a collection with a link or a code, a status check with
// SUCCESS once the order's IPN was sent. It has none of the sandbox's rules and faults, so that the benchmark measures
// the proxy and not a gateway.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { paymentIdOf } from './requests.ts';

export interface InstantGateway {
  url: string;
  /** From now on the order's status is SUCCESS. */
  settle(orderId: string): void;
}

const QR = Buffer.from('https://wallet.example/pay?reference=4711').toString('base64');

export async function openGateway(): Promise<InstantGateway> {
  const settled = new Set<string>();

  function answer(path: string, { orderId, method }: { orderId: string; method?: string }): string {
    const id = `"paymentId":${paymentIdOf(orderId)},"orderId":"${orderId}"`;
    if (path.endsWith('/pay')) {
      return method === 'QR'
        ? `{${id},"method":"QR","checkout":null,"qr":"${QR}"}`
        : `{${id},"method":"CHECKOUT","checkout":"https://checkout.example/pay?token=abc.def","qr":null}`;
    }
    const status = settled.has(orderId) ? 'SUCCESS' : 'PROCESSING';
    return `{${id},"type":"PAY","customer":"12345678","amount":10.10,"currency":"EUR","status":"${status}"}`;
  }

  function respond(request: IncomingMessage, response: ServerResponse): void {
    let text = '';
    request.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
    request.on('end', () => {
      const body = Buffer.from(answer(request.url ?? '', JSON.parse(text) as { orderId: string; method?: string }));
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': body.length }).end(body);
    });
  }

  const server = createServer(respond);
  // A proxy keeps its connections for the whole run.
  server.keepAliveTimeout = 600_000;
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    settle: (orderId) => void settled.add(orderId),
  };
}
