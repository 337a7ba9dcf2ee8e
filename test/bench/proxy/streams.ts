// Event streams of the load: opens them, keeps them, and measures the delay from an IPN until the event that says the
// order is paid. They share one buffer, so that ten thousand of them fit into the client.
import assert from 'node:assert/strict';
import { connect as dial, type Socket } from 'node:net';
import { openPool } from './pool.ts';
import { eachAtRate } from './rate.ts';
import { KINDS, orderIdOf } from './requests.ts';

const OPENED_AT_ONCE = 64;
const IPN_CONNECTIONS = 64;
const LOOK_EVERY_MS = 20;
const BUFFER = Buffer.allocUnsafe(65_536);

interface Stream {
  socket: Socket;
  /** When the event with `paid: true` was read. */
  paidAt: number | undefined;
}

export interface Orders {
  port: number;
  prefix: string;
  from: number;
  count: number;
}

export interface Delays {
  /** Milliseconds from sending each IPN until its 200. */
  toAnswer: number[];
  /** Milliseconds from sending each IPN until its event. One that did not come in time counts as the wait so far. */
  toEvent: number[];
  late: number;
}

const streams = new Map<string, Stream>();

/**
 * Resolves when each stream has got its first event. With a `path`, to which the order id is appended, the head is
 * enough.
 */
export async function openStreams({ port, prefix, from, count }: Orders, path = ''): Promise<{ seconds: number }> {
  const began = performance.now();
  let next = from;
  const one = async () => {
    for (let number = next++; number < from + count; number = next++)
      await openStream(port, orderIdOf(prefix, number), path);
  };
  await Promise.all(Array.from({ length: OPENED_AT_ONCE }, one));
  return { seconds: (performance.now() - began) / 1000 };
}

async function openStream(port: number, orderId: string, path: string): Promise<void> {
  const request =
    path === ''
      ? KINDS.events.of(orderId)
      : `GET ${path}${orderId} HTTP/1.1\r\nHost: 127.0.0.1\r\nAccept: text/event-stream\r\n\r\n`;
  const opened = Promise.withResolvers<void>();
  let isOpen = false;
  const socket = dial({
    port,
    host: '127.0.0.1',
    onread: {
      buffer: BUFFER,
      callback(size) {
        const text = BUFFER.toString('latin1', 0, size);
        if (!isOpen && text.startsWith('HTTP/1.1 ') && !text.startsWith('HTTP/1.1 200')) {
          opened.reject(new Error(`The stream of ${orderId} was refused: ${text.slice(0, 300)}`));
        }
        if (!isOpen && (path !== '' || text.includes('data:'))) {
          isOpen = true;
          opened.resolve();
        }
        if (text.includes('"paid":true')) stream.paidAt ??= performance.now();
        return true;
      },
    },
  });
  const stream: Stream = { socket, paidAt: undefined };
  streams.set(orderId, stream);
  socket.on('error', opened.reject).once('connect', () => void socket.write(request));
  socket.once('close', () => opened.reject(new Error(`The stream of ${orderId} was closed`)));
  await opened.promise;
}

/** Sends an IPN for each order at a fixed rate, and waits until each stream says paid, or `waitSeconds` longer. */
export async function ring(
  orders: Orders,
  perSecond: number,
  waitSeconds: number,
  onIpn: (orderId: string) => void,
): Promise<Delays> {
  const ids = Array.from({ length: orders.count }, (_, at) => orderIdOf(orders.prefix, orders.from + at));
  const isEarly = ids.filter((id) => streams.get(id)?.paidAt !== undefined);
  assert.deepEqual(isEarly, [], 'no order is paid before its IPN');
  const requests = ids.map((id) => KINDS.ipn.of(id));
  const pool = openPool(orders.port, IPN_CONNECTIONS);
  const sentAt: number[] = [];
  const acknowledged: Promise<number>[] = [];
  await eachAtRate(perSecond, ids, (id) => {
    const request = requests[sentAt.length];
    if (!request) return;
    onIpn(id);
    sentAt.push(performance.now());
    acknowledged.push(
      pool.send(request).then(({ status, ms }) => {
        assert.equal(status, 200, 'the status of an IPN');
        return ms;
      }),
    );
  });
  const toAnswer = await Promise.all(acknowledged);
  const endAt = performance.now() + waitSeconds * 1000;
  const paidAt = () => ids.map((id) => streams.get(id)?.paidAt);
  while (paidAt().includes(undefined) && performance.now() < endAt) {
    await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
  }
  pool.close();
  const now = performance.now();
  return {
    toAnswer,
    toEvent: paidAt().map((at, index) => (at ?? now) - (sentAt[index] ?? NaN)),
    late: paidAt().filter((at) => at === undefined).length,
  };
}

/** How many the server has not closed. */
export function countOpen(): number {
  return [...streams.values()].filter(({ socket }) => !socket.destroyed).length;
}

export function closeStreams(): void {
  for (const { socket } of streams.values()) socket.destroy();
  streams.clear();
}
