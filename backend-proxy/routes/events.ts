// GET /order/events: streams the order view at once and after every commit, and a comment every 15 s; ends when the
// order can no longer change.
// Views are pulled: each is built when the connection can take it, so a slow reader always gets the latest and never
// a queue. A reader that takes nothing between two heartbeats is disconnected; the widget reconnects.
import type { OrderView } from '../protocol/wire.ts';
import { Refusal } from '../errors.ts';

const HEARTBEAT_MS = 15_000;
/** Heartbeats are spread over slices: all at once would block for 150 ms with ten thousand streams. */
const SLICE_MS = 100;
/**
 * Only these limits and the expiry of the token bound the streams. A stalled reader costs no more than an active one,
 * and looks the same while its kernel buffers the comments: 9 bytes per 15 s fit for days.
 */
const MAX_STREAMS = { perOrder: 3, perAddress: 20, inAll: 10_000 };
const RETRY_AFTER_S = 10;

export interface StreamSource {
  orderId: string;
  address: string | undefined;
  view(): Promise<OrderView>;
  watch(onChange: () => void): () => void;
  /** Expiry of the order token, and so of the stream; ms since 1970. */
  endsAt: number;
}

export interface Streams {
  /** Throws `too_many_streams`. */
  open(source: StreamSource): Response;
  /** Number of open streams. */
  size(): number;
  /** Ends all streams for a shutdown; the widgets reconnect. */
  close(): void;
}

export function createStreams({ now = Date.now }: { now?: () => number } = {}): Streams {
  const ends = new Set<() => void>();
  const byOrder = createTally();
  const byAddress = createTally();
  const slices: Set<() => void>[] = Array.from({ length: HEARTBEAT_MS / SLICE_MS }, () => new Set());
  let slice = 0;
  let closed = false;
  const timer = setInterval(() => {
    slice = (slice + 1) % slices.length;
    for (const heartbeat of slices[slice] ?? []) heartbeat();
  }, SLICE_MS);
  timer.unref();

  function refuseTooMany({ orderId, address }: StreamSource): void {
    const full =
      closed ||
      ends.size >= MAX_STREAMS.inAll ||
      byOrder.of(orderId) >= MAX_STREAMS.perOrder ||
      byAddress.of(address) >= MAX_STREAMS.perAddress;
    if (full)
      throw new Refusal('too_many_streams', 'Too many streams are open; use GET /order instead.', {
        retryAfterS: RETRY_AFTER_S,
      });
  }

  return {
    open(source) {
      refuseTooMany(source);
      const own = slices[slice] ?? new Set();
      const { stream, heartbeat, end } = createStream(source, now, () => {
        own.delete(heartbeat);
        ends.delete(end);
        byOrder.add(source.orderId, -1);
        byAddress.add(source.address, -1);
      });
      own.add(heartbeat);
      ends.add(end);
      byOrder.add(source.orderId, 1);
      byAddress.add(source.address, 1);
      return new Response(stream, {
        headers: {
          'Content-Type': 'text/event-stream; charset=utf-8',
          'Cache-Control': 'no-store, no-transform',
          'X-Accel-Buffering': 'no',
        },
      });
    },
    size: () => ends.size,
    close() {
      closed = true;
      clearInterval(timer);
      for (const end of ends) end();
    },
  };
}

/** Counts per key; undefined keys are not counted. */
function createTally() {
  const counts = new Map<string, number>();
  const of = (key: string | undefined): number => (key === undefined ? 0 : (counts.get(key) ?? 0));
  function add(key: string | undefined, change: 1 | -1): void {
    if (key === undefined) return;
    const count = of(key) + change;
    if (count === 0) counts.delete(key);
    else counts.set(key, count);
  }
  return { of, add };
}

function createStream({ view, watch, endsAt }: StreamSource, now: () => number, onEnd: () => void) {
  const encoder = new TextEncoder();
  let changed = true;
  let isHeartbeatDue = false;
  let ended = false;
  let sentVersion = -1;
  let resume = (): void => undefined;

  const wake = (): void => resume();
  const unwatch = watch(() => {
    changed = true;
    wake();
  });

  function end(): void {
    if (ended) return;
    ended = true;
    unwatch();
    onEnd();
    wake();
  }

  function heartbeat(): void {
    // The last comment was not taken, so the reader has stalled.
    if (isHeartbeatDue || now() >= endsAt) end();
    isHeartbeatDue = true;
    wake();
  }

  /** The next message when there is one; undefined at the end. */
  async function next(): Promise<string | undefined> {
    for (;;) {
      if (ended) return undefined;
      if (changed) {
        changed = false;
        const latest = await view();
        if (latest.version > sentVersion) {
          sentVersion = latest.version;
          if (latest.paid && !latest.otherOpen) end();
          return `event: order\nid: ${latest.version}\ndata: ${JSON.stringify(latest)}\n\n`;
        }
      } else if (isHeartbeatDue) {
        isHeartbeatDue = false;
        return ':\n\n';
      } else {
        await new Promise<void>((resolve) => {
          resume = resolve;
        });
      }
    }
  }

  const stream = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        // A thrown error would break the response; ending the stream makes the widget reconnect.
        const text = await next().catch(() => undefined);
        if (text !== undefined) controller.enqueue(encoder.encode(text));
        if (text === undefined || ended) {
          end();
          controller.close();
        }
      },
      cancel: end,
    },
    { highWaterMark: 0 },
  );
  return { stream, heartbeat, end };
}
