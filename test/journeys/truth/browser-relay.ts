// The line between browsers and the proxy: an HTTP relay that can cut or freeze it for one order, known by its token, while the
// other pages go on. Keeps when it did so.
import { once } from 'node:events';
import { createServer, request as ask, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Line } from './facts.ts';

export interface LineRelay {
  url: string;
  linesOf(orderId: string): readonly { at: number; is: Line }[];
  set(orderId: string, is: Line): void;
  passOnTo(proxyUrl: string): void;
  close(): Promise<void>;
}

interface Wire {
  lines: { at: number; is: Line }[];
  /** Of what is open now. */
  cuts: Set<() => void>;
  /** Those that wait for the line to thaw. */
  frozen: Set<() => void>;
}

export async function startLine(): Promise<LineRelay> {
  const wires = new Map<string, Wire>();
  let proxy: string | undefined;
  const server = createServer((request, response) => {
    void pass(request, response).catch(() => response.destroy());
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');

  function wireOf(orderId: string): Wire {
    const wire = wires.get(orderId) ?? { lines: [], cuts: new Set(), frozen: new Set() };
    wires.set(orderId, wire);
    return wire;
  }

  async function pass(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (proxy === undefined) return void response.writeHead(503).end();
    const orderId = orderOf(request);
    if (orderId === undefined) return relay(proxy, request, response);
    const wire = wireOf(orderId);
    const cut = () => void response.destroy();
    wire.cuts.add(cut);
    response.once('close', () => wire.cuts.delete(cut));
    if (wire.lines.at(-1)?.is === 'cut') return cut();
    await relay(proxy, request, response, () => thaw(wire));
  }

  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    linesOf: (orderId) => wireOf(orderId).lines,
    set(orderId, is) {
      const { lines, cuts, frozen } = wireOf(orderId);
      lines.push({ at: Date.now(), is });
      if (is === 'cut') for (const cut of cuts) cut();
      if (is !== 'frozen') for (const goOn of frozen) goOn();
    },
    passOnTo: (proxyUrl) => void (proxy = proxyUrl),
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

/** By the token, which is not checked here: only the proxy knows its secret. Undefined for what is no shopper's. */
function orderOf({ url = '', headers: { authorization } }: IncomingMessage): string | undefined {
  const [, claims] = /^Bearer [\w-]+\.([\w-]+)\./.exec(authorization ?? '') ?? [];
  if (!url.startsWith('/order') || claims === undefined) return undefined;
  return (JSON.parse(Buffer.from(claims, 'base64url').toString()) as { orderId: string }).orderId;
}

function thaw({ lines, frozen }: Wire): Promise<void> | undefined {
  if (lines.at(-1)?.is !== 'frozen') return undefined;
  return new Promise((resolve) => frozen.add(resolve));
}

async function relay(
  target: string,
  request: IncomingMessage,
  response: ServerResponse,
  isUp: () => Promise<void> | undefined = () => undefined,
): Promise<void> {
  await isUp();
  const { method, url, headers } = request;
  const onward = ask(`${target}${url}`, { method, headers });
  response.once('close', () => onward.destroy());
  request.pipe(onward);
  const [answer] = (await once(onward, 'response')) as [IncomingMessage];
  await isUp();
  response.writeHead(answer.statusCode ?? 502, answer.rawHeaders);
  response.flushHeaders();
  for await (const chunk of answer as AsyncIterable<Buffer>) {
    await isUp();
    response.write(chunk);
  }
  response.end();
}
