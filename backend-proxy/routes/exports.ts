// Long answers, made while they are read: the next part is read from the database when the connection has taken the
// last one. Between two parts nothing is held but the position, and a client that goes away ends the export.
import { Refusal } from '../errors.ts';

const MOST_AT_ONCE = 4;
/** A reader that takes its time holds one of the places. */
const LIMIT_MS = 3_600_000;
const RETRY_AFTER_S = 30;

export interface Exports {
  /** Throws `too_many_requests`. An error of a part, or the limit of time, breaks the answer off. */
  open(parts: AsyncIterator<string>): ReadableStream<Uint8Array>;
  /** Breaks all off, for a shutdown. */
  close(): void;
}

export function createExports(limits: { atOnce?: number; ms?: number } = {}): Exports {
  const { atOnce = MOST_AT_ONCE, ms = LIMIT_MS } = limits;
  const breakOffs = new Set<(error: Error) => void>();
  const encoder = new TextEncoder();

  return {
    open(parts) {
      if (breakOffs.size >= atOnce) {
        throw new Refusal('too_many_requests', `At most ${atOnce} exports run at once; try again later.`, {
          retryAfterS: RETRY_AFTER_S,
        });
      }
      let controller: ReadableStreamDefaultController<Uint8Array>;
      const breakOff = (error: Error) => {
        end();
        controller.error(error);
      };
      const timer = setTimeout(() => breakOff(new Error('The export took too long')), ms);
      timer.unref();
      breakOffs.add(breakOff);

      function end(): void {
        clearTimeout(timer);
        breakOffs.delete(breakOff);
        void parts.return?.();
      }

      async function pull(): Promise<void> {
        const { done, value } = await parts.next();
        if (!breakOffs.has(breakOff)) return;
        if (!done) return controller.enqueue(encoder.encode(value));
        end();
        controller.close();
      }

      return new ReadableStream<Uint8Array>(
        {
          start: (given) => void (controller = given),
          pull: () => pull().catch(breakOff),
          cancel: end,
        },
        { highWaterMark: 0 },
      );
    },
    close() {
      for (const breakOff of breakOffs) breakOff(new Error('The proxy stops'));
    },
  };
}
