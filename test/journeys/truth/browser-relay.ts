// An HTTP relay between browsers and the proxy that can cut or freeze the connection of one order, known by its token,
// while other pages go on. Records when it did, and the versions of the views that each stream brought.
import { once } from 'node:events';
import { request as send, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Connection } from './facts.ts';
import { serveOnLoopback } from '../../loopback.ts';

export interface BrowserRelay {
  url: string;
  connectionsOf(orderId: string): readonly { at: number; is: Connection }[];
  /** Of each stream, the versions of its views. */
  streamsOf(orderId: string): readonly (readonly number[])[];
  set(orderId: string, is: Connection): void;
  passOnTo(proxyUrl: string): void;
  close(): Promise<void>;
}

interface OrderConnection {
  connections: { at: number; is: Connection }[];
  streams: number[][];
  /** Ends each open request. */
  cuts: Set<() => void>;
  /** Requests that wait until the connection is up again. */
  frozen: Set<() => void>;
}

export async function startBrowserRelay(): Promise<BrowserRelay> {
  const orders = new Map<string, OrderConnection>();
  let proxy: string | undefined;
  const served = await serveOnLoopback((request, response) => {
    void pass(request, response).catch(() => response.destroy());
  });

  function connectionOf(orderId: string): OrderConnection {
    const order = orders.get(orderId) ?? { connections: [], streams: [], cuts: new Set(), frozen: new Set() };
    orders.set(orderId, order);
    return order;
  }

  async function pass(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (proxy === undefined) return void response.writeHead(503).end();
    const orderId = orderOf(request);
    if (orderId === undefined) return relay(proxy, request, response);
    const order = connectionOf(orderId);
    const cut = () => void response.destroy();
    order.cuts.add(cut);
    response.once('close', () => order.cuts.delete(cut));
    if (order.connections.at(-1)?.is === 'cut') return cut();
    const versions: number[] = [];
    order.streams.push(versions);
    const read = (text: string) => versions.push(...[...text.matchAll(/^id: (\d+)$/gm)].map(([, id]) => Number(id)));
    await relay(proxy, request, response, () => thaw(order), read);
  }

  return {
    ...served,
    connectionsOf: (orderId) => connectionOf(orderId).connections,
    streamsOf: (orderId) => connectionOf(orderId).streams,
    set(orderId, is) {
      const { connections, cuts, frozen } = connectionOf(orderId);
      connections.push({ at: Date.now(), is });
      if (is === 'cut') for (const cut of cuts) cut();
      if (is !== 'frozen') for (const resume of frozen) resume();
    },
    passOnTo: (proxyUrl) => void (proxy = proxyUrl),
  };
}

/** The order id in the token, whose signature is not checked here. Undefined for requests that are not a shopper's. */
function orderOf({ url = '', headers: { authorization } }: IncomingMessage): string | undefined {
  const [, claims] = /^Bearer [\w-]+\.([\w-]+)\./.exec(authorization ?? '') ?? [];
  if (!url.startsWith('/order') || claims === undefined) return undefined;
  return (JSON.parse(Buffer.from(claims, 'base64url').toString()) as { orderId: string }).orderId;
}

function thaw({ connections, frozen }: OrderConnection): Promise<void> | undefined {
  if (connections.at(-1)?.is !== 'frozen') return undefined;
  return new Promise((resolve) => frozen.add(resolve));
}

async function relay(
  target: string,
  request: IncomingMessage,
  response: ServerResponse,
  isUp: () => Promise<void> | undefined = () => undefined,
  read: (text: string) => void = () => {},
): Promise<void> {
  await isUp();
  const { method, url, headers } = request;
  const onward = send(`${target}${url}`, { method, headers });
  response.once('close', () => onward.destroy());
  request.pipe(onward);
  const [answer] = (await once(onward, 'response')) as [IncomingMessage];
  await isUp();
  response.writeHead(answer.statusCode ?? 502, answer.rawHeaders);
  response.flushHeaders();
  for await (const chunk of answer as AsyncIterable<Buffer>) {
    await isUp();
    read(chunk.toString());
    response.write(chunk);
  }
  response.end();
}
