// Clients that mean harm, or are only stuck: each holds what a server has little of (connections, memory, its patience)
// for as long as it is let. Bare sockets, because no HTTP client would do this. None knows when it should be cut.
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

const DRIP_MS = 1_000;
const PIECE = Buffer.alloc(64 * 1024, 'x');

export interface Stuck {
  socket: Socket;
  /** Set once the other side, or we, ended it. */
  gone: boolean;
  /** The first of what was answered, of one that reads. */
  received: string;
  /** Everything it had to send was taken. */
  sentAll: boolean;
}

/** `reads`: whether it takes what is answered; where not, all of it stays on its way. */
export async function dial(url: string, { reads }: { reads: boolean }): Promise<Stuck> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  const stuck: Stuck = { socket, gone: false, received: '', sentAll: false };
  socket.on('error', () => undefined).once('close', () => (stuck.gone = true));
  if (reads)
    socket.on('data', (chunk: Buffer) => (stuck.received = (stuck.received + chunk.toString('latin1')).slice(0, 500)));
  await once(socket, 'connect');
  return stuck;
}

/** These first bytes, and then one byte a second, for ever. */
export async function drip(url: string, first: string): Promise<Stuck> {
  const stuck = await dial(url, { reads: true });
  stuck.socket.write(first);
  const timer = setInterval(() => stuck.socket.write('a'), DRIP_MS);
  stuck.socket.once('close', () => clearInterval(timer));
  return stuck;
}

/** `head`, and then so many bytes as fast as they are taken. With `chunked`, no length is announced. */
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

/** A head of so many lines. */
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

/** Ends early where the other side has ended it. */
async function send(stuck: Stuck, pieces: number, piece: (n: number) => Buffer): Promise<void> {
  const { socket } = stuck;
  for (let n = 0; n < pieces; n += 1) {
    if (stuck.gone || socket.destroyed || socket.readableEnded) return;
    if (!socket.write(piece(n)))
      await Promise.race([once(socket, 'drain'), once(socket, 'close')]).catch(() => undefined);
  }
  stuck.sentAll = !stuck.gone;
}
