// A connection to an HTTP/1.1 server on loopback: one request at a time, bytes in, status out. It reads only what it
// needs to find the end of an answer, because the load must cost less than the server it measures.
import { connect as dial } from 'node:net';

export interface Connection {
  /** `answered` is called once the whole answer was read, with status 0 if the server closed the connection. */
  send(request: Buffer, answered: (status: number) => void): void;
  close(): void;
}

const HEAD_END = '\r\n\r\n';
const LAST_CHUNK = Buffer.from('0\r\n\r\n');
const NO_BYTES: Buffer = Buffer.alloc(0);
/** Instead of the body's length: the head is not complete yet, or the body is chunked. */
const NO_HEAD = -1;
const CHUNKED = -2;

/** `onClose` is called when the server closes it. */
export async function connect(port: number, onClose: () => void): Promise<Connection> {
  let answered: ((status: number) => void) | undefined;
  let isClosing = false;
  let status = 0;
  let length = NO_HEAD;
  let received = 0;
  /** What came before this chunk: of the head until it is complete, then the last bytes of the body. */
  let kept = NO_BYTES;

  const socket = dial({
    port,
    host: '127.0.0.1',
    noDelay: true,
    onread: {
      buffer: Buffer.allocUnsafe(65_536),
      callback(size, { buffer, byteOffset }) {
        take(Buffer.from(buffer, byteOffset, size));
        return true;
      },
    },
  });
  await new Promise<void>((resolve, reject) => {
    socket.once('connect', resolve).once('error', reject);
  });
  socket.on('error', () => undefined).on('end', () => socket.destroy());
  socket.once('close', () => {
    if (isClosing) return;
    onClose();
    answered?.(0);
  });

  function take(chunk: Buffer): void {
    if (length !== NO_HEAD) return takeBody(chunk);
    const bytes = kept.length === 0 ? chunk : Buffer.concat([kept, chunk]);
    const end = bytes.indexOf(HEAD_END);
    if (end === -1) {
      kept = Buffer.from(bytes);
      return;
    }
    const head = bytes.toString('latin1', 0, end);
    status = Number(head.slice(9, 12));
    const declared = /\r\ncontent-length: *(\d+)/i.exec(head)?.[1];
    length = declared !== undefined ? Number(declared) : /\r\ntransfer-encoding: *chunked/i.test(head) ? CHUNKED : 0;
    kept = NO_BYTES;
    received = 0;
    takeBody(bytes.subarray(end + HEAD_END.length));
  }

  function takeBody(chunk: Buffer): void {
    received += chunk.length;
    if (length === CHUNKED) kept = Buffer.concat([kept, chunk]).subarray(-LAST_CHUNK.length);
    const isWhole = length === CHUNKED ? kept.equals(LAST_CHUNK) : received >= length;
    if (!isWhole) return;
    const done = answered;
    kept = NO_BYTES;
    length = NO_HEAD;
    answered = undefined;
    done?.(status);
  }

  return {
    send(request, done) {
      answered = done;
      socket.write(request);
    },
    close() {
      isClosing = true;
      socket.destroy();
    },
  };
}
