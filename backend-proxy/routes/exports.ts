// Long answers, made while they are read: the next part is read from the database when the connection has taken the
// last one. Between two parts only the position is held, and a client that disconnects ends the export. A failed export
// is cut off, so that nobody takes it for complete.
import { Readable, type Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { Refusal } from '../errors.ts';
import { HOUR_MS } from '../protocol/durations.ts';

const MAX_AT_ONCE = 4;
/** A slow reader holds one of the places. */
const LIMIT_MS = HOUR_MS;
const RETRY_AFTER_S = 30;

export interface Exports {
  /** Throws `too_many_requests`. */
  open(parts: AsyncIterator<string> & AsyncIterable<string>): Export;
  /** Aborts all of them, for a shutdown. */
  close(): void;
}

/** Goes to a socket of node:http, or in a merchant's own server into a web stream; to one of the two. */
export interface Export {
  writeTo(outgoing: Writable): void;
  toWebStream(): ReadableStream<Uint8Array>;
}

interface Options {
  atOnce?: number;
  limitMs?: number;
  onError?: (error: unknown) => void;
}

export function createExports(options: Options = {}): Exports {
  const { atOnce = MAX_AT_ONCE, limitMs = LIMIT_MS, onError = () => undefined } = options;
  const open = new Set<{ breakOff(): void }>();

  return {
    open(parts) {
      if (open.size >= atOnce) {
        throw new Refusal('too_many_requests', `At most ${atOnce} exports run at once; try again later.`, {
          retryAfterS: RETRY_AFTER_S,
        });
      }
      const running = { breakOff: end };
      open.add(running);
      const timer = setTimeout(() => running.breakOff(), limitMs);
      timer.unref();

      function end(): void {
        clearTimeout(timer);
        open.delete(running);
      }

      return {
        writeTo(outgoing) {
          running.breakOff = () => void outgoing.destroy();
          pipeline(Readable.from(parts), outgoing)
            .catch((error: unknown) => {
              if (!isReaderGone(error)) onError(error);
            })
            .finally(end);
        },
        toWebStream: () => webStream(parts, running, end, onError),
      };
    },
    close() {
      for (const { breakOff } of open) breakOff();
    },
  };
}

function isReaderGone(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ERR_STREAM_PREMATURE_CLOSE';
}

function webStream(
  parts: AsyncIterator<string>,
  running: { breakOff(): void },
  end: () => void,
  onError: (error: unknown) => void,
): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  let isOver = false;
  const stop = () => {
    isOver = true;
    end();
    void parts.return?.();
  };
  return new ReadableStream<Uint8Array>(
    {
      start(controller) {
        running.breakOff = () => {
          stop();
          // Without the cause, because a server may show this text to the reader.
          controller.error(new Error('The export was cut off'));
        };
      },
      async pull(controller) {
        try {
          const { done, value } = await parts.next();
          if (isOver) return;
          if (!done) return controller.enqueue(encoder.encode(value));
          stop();
          controller.close();
        } catch (error) {
          onError(error);
          running.breakOff();
        }
      },
      cancel: stop,
    },
    { highWaterMark: 0 },
  );
}
