// Clients that are stuck or malicious: each uses a scarce resource of the server (connections, memory, time) for as
// long as it may. They use raw sockets, because no HTTP client behaves like this, and do not know when they should be
// cut.
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

const DRIP_MS = 1_000;
const PIECE = Buffer.alloc(64 * 1024, 'x');

export interface Stuck {
  socket: Socket;
  /** True once either side has closed the connection. */
  gone: boolean;
  /** The beginning of the answer, if the client reads. */
  received: string;
  /** The server accepted everything the client had to send. */
  sentAll: boolean;
}

/** `reads`: whether the client reads the answer; if not, the answer stays in the buffers. */
export async function dial(url: string, { reads }: { reads: boolean }): Promise<Stuck> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  const stuck: Stuck = { socket, gone: false, received: '', sentAll: false };
  socket.on('error', () => undefined).once('close', () => (stuck.gone = true));
  if (reads)
    socket.on('data', (chunk: Buffer) => (stuck.received = (stuck.received + chunk.toString('latin1')).slice(0, 500)));
  await once(socket, 'connect');
  return stuck;
}

/** Sends these bytes first, and then one byte a second, without end. */
export async function drip(url: string, first: string): Promise<Stuck> {
  const stuck = await dial(url, { reads: true });
  stuck.socket.write(first);
  const timer = setInterval(() => stuck.socket.write('a'), DRIP_MS);
  stuck.socket.once('close', () => clearInterval(timer));
  return stuck;
}

/** Sends `head`, then this many bytes as fast as possible. With `chunked`, no length is announced. */
export async function pour(url: string, head: string, bytes: number, { chunked = false } = {}): Promise<Stuck> {
  const stuck = await dial(url, { reads: true });
  const length = chunked ? 'Transfer-Encoding: chunked' : `Content-Length: ${bytes}`;
  stuck.socket.write(`${head}${length}\r\n\r\n`);
  const piece = chunked
    ? Buffer.concat([Buffer.from(`${PIECE.length.toString(16)}\r\n`), PIECE, Buffer.from('\r\n')])
    : PIECE;
  await send(stuck, bytes / PIECE.length, () => piece);
  if (chunked && stuck.sentAll) stuck.socket.write('0\r\n\r\n');
  return stuck;
}

/** Sends a head of this many lines. */
export async function manyLines(url: string, lines: number): Promise<Stuck> {
  const stuck = await dial(url, { reads: true });
  stuck.socket.write('GET /health HTTP/1.1\r\nHost: proxy\r\n');
  const atOnce = 1_000;
  await send(stuck, lines / atOnce, (n) =>
    Buffer.from(Array.from({ length: atOnce }, (_, line) => `x-${n * atOnce + line}: 1\r\n`).join('')),
  );
  if (stuck.sentAll) stuck.socket.write('\r\n');
  return stuck;
}

/** Stops early if the server closes the connection. */
async function send(stuck: Stuck, pieces: number, piece: (n: number) => Buffer): Promise<void> {
  const { socket } = stuck;
  for (let n = 0; n < pieces; n += 1) {
    if (stuck.gone || socket.destroyed || socket.readableEnded) return;
    if (!socket.write(piece(n)))
      await Promise.race([once(socket, 'drain'), once(socket, 'close')]).catch(() => undefined);
  }
  stuck.sentAll = !stuck.gone;
}
