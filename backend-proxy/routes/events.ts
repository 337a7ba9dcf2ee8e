// GET /order/events: streams the order view after every commit; one read serves all streams of an order.
// A stream begins with the view, has a comment every 15 s, and ends when the order can no longer change. One message at
// a time is sent to a reader, and the next one when the connection has taken it, so a slow reader gets the latest view
// and never a queue. A reader that takes nothing between two heartbeats is disconnected; the widget reconnects.
import { Refusal } from '../errors.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { OrderAt } from '../ledger/model.ts';
import type { OrderTerms } from '../orders/order-token.ts';
import type { OrderView } from '../protocol/wire.ts';
import type { Payments } from '../use-cases/payments.ts';

const HEARTBEAT_MS = 15_000;
/** A comment. */
const HEARTBEAT = ':\n\n';
const ENCODER = new TextEncoder();
/** Heartbeats are spread over slices: all at once would block for 150 ms with ten thousand streams. */
const SLICE_MS = 100;
/**
 * Only these limits and the expiry of the token bound the streams. A stalled reader costs no more than an active one,
 * and looks the same while its kernel buffers the comments: 9 bytes per 15 s fit for days.
 */
export const MAX_STREAMS = { perOrder: 3, perAddress: 20, inAll: 10_000 };
const RETRY_AFTER_S = 10;

export const STREAM_HEADERS = {
  'Content-Type': 'text/event-stream; charset=utf-8',
  'Cache-Control': 'no-store, no-transform',
  'X-Accel-Buffering': 'no',
};

export interface Streams {
  /** Throws `too_many_streams`. A stream that nobody reads is dropped at its second heartbeat. */
  open(terms: OrderTerms, address: string | undefined): ReadableStream<Uint8Array>;
  /** Number of open streams. */
  size(): number;
  /** Ends all streams for a shutdown; the widgets reconnect. */
  close(): void;
}

/** A record without functions of its own: ten thousand of them are held in memory. */
interface Stream {
  readonly terms: OrderTerms;
  readonly address: string | undefined;
  /** `late`: the message was not taken before a heartbeat. */
  state: 'ready' | 'sending' | 'late' | 'ended';
  /** A change came while a message was being sent. */
  missedChange: boolean;
  sentVersion: number;
  controller: ReadableStreamDefaultController<Uint8Array> | undefined;
  readonly slice: Set<Stream>;
}

interface Ports {
  ledger: Pick<Ledger, 'orderAt' | 'watch'>;
  payments: Pick<Payments, 'show'>;
  now?: () => number;
}

export function createStreams({ ledger, payments, now = Date.now }: Ports): Streams {
  const byAddress = createTally();
  const sending = createSending({ payments, now, refresh: (orderId) => feeds.refresh(orderId), onEnd: forget });
  const rounds = createRounds(sending.heartbeat);
  let size = 0;
  let closed = false;

  const feeds = createFeeds<Stream, OrderAt>({
    read: (orderId) => ledger.orderAt(orderId),
    versionOf: ({ order }) => order?.version ?? 0,
    watch: (orderId, onChange) => ledger.watch(orderId, onChange),
    give: sending.show,
    // An error would break the response; the end makes the widget reconnect.
    fail: sending.end,
  });

  function refuseTooMany(orderId: string, address: string | undefined): void {
    const full =
      closed ||
      size >= MAX_STREAMS.inAll ||
      feeds.countOf(orderId) >= MAX_STREAMS.perOrder ||
      byAddress.of(address) >= MAX_STREAMS.perAddress;
    if (full)
      throw new Refusal('too_many_streams', 'Too many streams are open; use GET /order instead.', {
        retryAfterS: RETRY_AFTER_S,
      });
  }

  function forget(stream: Stream): void {
    stream.slice.delete(stream);
    feeds.leave(stream.terms.orderId, stream);
    byAddress.add(stream.address, -1);
    size -= 1;
  }

  return {
    open(terms, address) {
      refuseTooMany(terms.orderId, address);
      const stream = rounds.join(terms, address);
      feeds.join(terms.orderId, stream);
      byAddress.add(address, 1);
      size += 1;
      return new ReadableStream<Uint8Array>(
        {
          start: (controller) => void (stream.controller = controller),
          pull: () => sending.resume(stream),
          cancel: () => sending.leave(stream),
        },
        { highWaterMark: 0 },
      );
    },
    size: () => size,
    close() {
      closed = true;
      rounds.close();
      for (const stream of rounds.all()) sending.end(stream);
    },
  };
}

interface Sending {
  payments: Pick<Payments, 'show'>;
  now: () => number;
  /** Reads the order and gives it to its streams by `show`. */
  refresh(orderId: string): void;
  /** Called once for each stream. */
  onEnd(stream: Stream): void;
}

/** Sends one message at a time to each stream. */
function createSending({ payments, now, refresh, onEnd }: Sending) {
  function show(stream: Stream, read: OrderAt): void {
    if (stream.state !== 'ready') {
      stream.missedChange = true;
      return;
    }
    const view = payments.show(stream.terms, read);
    if (view.version === stream.sentVersion) return;
    // The database was restored to an earlier state: the first view of a new stream counts, whatever its version.
    if (view.version < stream.sentVersion) return end(stream);
    stream.sentVersion = view.version;
    send(stream, `event: order\nid: ${view.version}\ndata: ${JSON.stringify(view)}\n\n`);
    if (isFinal(view)) end(stream);
  }

  function send(stream: Stream, text: string): void {
    stream.state = 'sending';
    stream.controller?.enqueue(ENCODER.encode(text));
  }

  /** The connection can take the next message. */
  function resume(stream: Stream): void {
    const { state, missedChange } = stream;
    if (state === 'ended') return;
    stream.state = 'ready';
    stream.missedChange = false;
    if (missedChange) refresh(stream.terms.orderId);
    else if (state === 'late') send(stream, HEARTBEAT);
  }

  function heartbeat(stream: Stream): void {
    // The server closes the connection after its own limit.
    if (stream.state === 'late' || now() >= stream.terms.exp * 1000) end(stream);
    else if (stream.state === 'sending') stream.state = 'late';
    else send(stream, HEARTBEAT);
  }

  function end(stream: Stream): void {
    if (stream.state === 'ended') return;
    leave(stream);
    stream.controller?.close();
  }

  function leave(stream: Stream): void {
    if (stream.state === 'ended') return;
    stream.state = 'ended';
    onEnd(stream);
  }

  return { show, resume, heartbeat, end, leave };
}

/**
 * Nothing of the order is open, nothing starts any more, no refund is shown as under way, and none has to follow: what
 * was paid twice, or after the order was closed, goes back.
 */
function isFinal(order: OrderView): boolean {
  const { paid, checking, closed, surplus, otherOpen, payment, refunds, refundInDoubtAmount } = order;
  const isRefunding = refundInDoubtAmount !== null || refunds.some(({ status }) => status === 'PROCESSING');
  const isOpen = checking || otherOpen || isRefunding;
  const isOwed = (surplus || !paid) && payment?.status === 'SUCCESS' && refunds.length === 0;
  return (paid || (closed && !/INITIALIZED|PROCESSING/.test(payment?.status ?? ''))) && !isOwed && !isOpen;
}

/** Streams, each of which has a heartbeat in every round of HEARTBEAT_MS. */
function createRounds(heartbeat: (stream: Stream) => void) {
  const slices: Set<Stream>[] = Array.from({ length: HEARTBEAT_MS / SLICE_MS }, () => new Set());
  let current = 0;
  let timer: NodeJS.Timeout | undefined;

  function turn(): void {
    current = (current + 1) % slices.length;
    for (const stream of slices[current] ?? []) heartbeat(stream);
  }

  return {
    join(terms: OrderTerms, address: string | undefined): Stream {
      timer ??= setInterval(turn, SLICE_MS).unref();
      const slice = slices[current] ?? new Set();
      const stream: Stream = {
        terms,
        address,
        state: 'sending',
        missedChange: true,
        sentVersion: -1,
        controller: undefined,
        slice,
      };
      slice.add(stream);
      return stream;
    },
    all: () => slices.flatMap((slice) => [...slice]),
    close: () => clearInterval(timer),
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

// Reads an order once for each change, for all event streams of the order together. A change during a read causes one
// more read, unless the read has its version.

/** A record and shared functions, because ten thousand of them are held in memory. */
interface Feed<Member> {
  members: readonly Member[];
  readVersion: number | undefined;
  /** The version of the last change; undefined if it is not known. */
  toldVersion: number | undefined;
  isReading: boolean;
  /** Whether a change was reported since the read began. */
  isStale: boolean;
  unwatch: () => void;
}

interface Source<Member, State> {
  read(orderId: string): Promise<State>;
  versionOf(state: State): number;
  /** Calls back after each commit, with the new version if it is known. */
  watch(orderId: string, onChange: (version: number | undefined) => void): () => void;
  give(member: Member, state: State): void;
  /** The order could not be read or given. */
  fail(member: Member): void;
}

interface OrderFeeds<Member> {
  countOf(orderId: string): number;
  /** The member is given the order after each change, and at once by `refresh`. */
  join(orderId: string, member: Member): void;
  leave(orderId: string, member: Member): void;
  /** Reads the order and gives it to all its members, if it is not being read already. */
  refresh(orderId: string): void;
}

function createFeeds<Member, State>(source: Source<Member, State>): OrderFeeds<Member> {
  const feeds = new Map<string, Feed<Member>>();

  function open(orderId: string): Feed<Member> {
    const feed: Feed<Member> = {
      members: [],
      readVersion: undefined,
      toldVersion: undefined,
      isReading: false,
      isStale: false,
      unwatch: source.watch(orderId, (version) => {
        if (version !== undefined && version === feed.readVersion) return;
        feed.toldVersion = version;
        feed.isStale = true;
        void read(orderId, feed);
      }),
    };
    feeds.set(orderId, feed);
    return feed;
  }

  async function read(orderId: string, feed: Feed<Member>): Promise<void> {
    if (feed.isReading) return;
    feed.isReading = true;
    do {
      feed.isStale = false;
      try {
        const state = await source.read(orderId);
        feed.readVersion = source.versionOf(state);
        for (const member of feed.members) source.give(member, state);
      } catch {
        for (const member of feed.members) source.fail(member);
      }
    } while (feed.isStale && feed.toldVersion !== feed.readVersion && feed.members.length > 0);
    feed.isReading = false;
  }

  return {
    countOf: (orderId) => feeds.get(orderId)?.members.length ?? 0,
    join(orderId, member) {
      const feed = feeds.get(orderId) ?? open(orderId);
      feed.members = [...feed.members, member];
    },
    leave(orderId, member) {
      const feed = feeds.get(orderId);
      if (feed === undefined) return;
      feed.members = feed.members.filter((other) => other !== member);
      if (feed.members.length > 0) return;
      feeds.delete(orderId);
      feed.unwatch();
    },
    refresh(orderId) {
      const feed = feeds.get(orderId);
      if (feed !== undefined) void read(orderId, feed);
    },
  };
}
