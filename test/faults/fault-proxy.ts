// A TCP proxy between the proxy and the gateway with faults: answers that are lost, reset, cut, delayed, sent byte by
// byte or replaced, and requests that never arrive. It reads the first line of a request and otherwise only forwards
// bytes, so both sides see what a bad network shows them. One exchange at a time per connection, because the proxy does
// not pipeline.
import { createServer, connect, type Server, type Socket } from 'node:net';
import { resetConnection } from '../reset-connection.ts';
import { addressOf } from '../loopback.ts';

export type Fault =
  | { kind: 'none' }
  /** The connection ends before the request is forwarded. */
  | { kind: 'unsent' }
  /** The request is forwarded and answered; the connection ends without the answer. */
  | { kind: 'lost' }
  /** Like `lost`, with a reset instead of a normal end. */
  | { kind: 'reset' }
  /** This share of the answer's first bytes, then the end. */
  | { kind: 'cut'; share: number }
  /** The request is forwarded; no byte of the answer comes, and the connection stays open. */
  | { kind: 'silent' }
  | { kind: 'late'; ms: number }
  /** One byte at a time. */
  | { kind: 'dripped'; everyMs: number }
  /** These bytes replace the answer, then the connection ends. */
  | { kind: 'replaced'; bytes: Buffer };

export interface FaultProxy {
  url: string;
  /** How often each fault happened. */
  counts: ReadonlyMap<Fault['kind'], number>;
  close(): Promise<void>;
}

/** `choose` is called once for each exchange: `path` is the request's, `n` counts exchanges from 1. */
export async function startFaultProxy(
  targetUrl: string,
  choose: (exchange: { path: string; n: number }) => Fault,
): Promise<FaultProxy> {
  const { hostname, port } = new URL(targetUrl);
  const counts = new Map<Fault['kind'], number>();
  const open = new Set<Socket>();
  let exchanges = 0;

  function nextFault(firstBytes: Buffer): Fault {
    const path = firstBytes.toString('latin1', 0, 300).split(' ')[1] ?? '';
    const fault = choose({ path, n: (exchanges += 1) });
    counts.set(fault.kind, (counts.get(fault.kind) ?? 0) + 1);
    return fault;
  }

  const server: Server = createServer((client) => {
    const gateway = connect(Number(port), hostname);
    for (const socket of [client, gateway]) {
      open.add(socket);
      socket.setNoDelay(true).on('error', () => undefined);
      socket.once('close', () => open.delete(socket));
    }
    client.once('close', () => gateway.destroy());
    gateway.once('close', () => client.destroy());
    join(client, gateway, nextFault);
  });
  server.listen(0, '127.0.0.1');

  return {
    url: await addressOf(server),
    counts,
    async close() {
      const closed = new Promise((resolve) => server.close(resolve));
      for (const socket of open) socket.destroy();
      await closed;
    },
  };
}

function join(client: Socket, gateway: Socket, nextFault: (firstBytes: Buffer) => Fault): void {
  let fault: Fault = { kind: 'none' };
  let awaits: 'request' | 'answer' = 'request';
  client.on('data', (chunk: Buffer) => {
    if (awaits === 'request') {
      fault = nextFault(chunk);
      awaits = 'answer';
    }
    if (fault.kind === 'unsent') client.destroy();
    else gateway.write(chunk);
  });
  gateway.on('data', (chunk: Buffer) => {
    awaits = 'request';
    spoil(client, chunk, fault);
  });
}

function spoil(client: Socket, chunk: Buffer, fault: Fault): void {
  switch (fault.kind) {
    case 'none':
      client.write(chunk);
      return;
    case 'unsent':
    case 'silent':
      return;
    case 'lost':
      client.end();
      return;
    case 'reset':
      resetConnection(client);
      return;
    case 'cut':
      client.end(chunk.subarray(0, Math.max(1, Math.floor(chunk.length * fault.share))));
      return;
    case 'late':
      setTimeout(() => client.write(chunk), fault.ms);
      return;
    case 'dripped':
      drip(client, chunk, fault.everyMs);
      return;
    case 'replaced':
      client.end(fault.bytes);
      return;
    default:
      fault satisfies never;
  }
}

/** Sends the chunk byte by byte, until all of it is sent or the connection is closed. */
function drip(client: Socket, chunk: Buffer, everyMs: number): void {
  let sent = 0;
  const timer = setInterval(() => {
    if (client.destroyed || sent === chunk.length) clearInterval(timer);
    else client.write(chunk.subarray(sent, (sent += 1)));
  }, everyMs);
}
