// Writes the log to standard output, and knows which request and order each line is about.
// A line is one JSON object. A failed write (disk full, reader gone) never stops the process: the lines are dropped and
// counted, and the count is logged after the next successful write. The lines of one turn of the event loop are one
// synchronous write at its end, because a write for each request costs as much as the rest of its log. No line is lost
// when the process exits; a kill -9 loses those of its last turn.
import { AsyncLocalStorage } from 'node:async_hooks';
import { writeSync } from 'node:fs';
import { pino, type DestinationStream, type Logger } from 'pino';

/** Writes a part of the bytes and returns its length; throws if nothing can be written. */
type Write = (bytes: Uint8Array) => number;

/** Calls back at the end of this turn of the event loop. */
type AtEndOfTurn = (flush: () => void) => void;

const MAX_CHARS = 65_536;

export function createLogger(
  level: string,
  write?: Write,
  atEndOfTurn: AtEndOfTurn = setImmediate,
): Logger & { lostLines(): number } {
  const destination = lossy(write ?? ((bytes) => writeSync(1, bytes)), atEndOfTurn);
  if (write === undefined) process.once('exit', destination.flushSync);
  const timestamp = createTimestamp();
  const formatters = { level: (label: string) => ({ level: label }) };
  const logger = pino({ level, base: null, timestamp, formatters }, destination);
  return Object.assign(logger, { lostLines: destination.lostLines });
}

/** The time in ISO 8601. The text of a second is kept, because Date takes longer for it than pino for a line. */
function createTimestamp(): () => string {
  let second = NaN;
  let text = '';
  return () => {
    const ms = Date.now();
    const rest = ms % 1000;
    if (ms - rest !== second) {
      second = ms - rest;
      text = `,"time":"${new Date(second).toISOString().slice(0, -'000Z'.length)}`;
    }
    return `${text}${String(rest).padStart(3, '0')}Z"`;
  };
}

interface Lossy extends DestinationStream {
  /** pino calls it for a fatal line. */
  flushSync(): void;
  /** Since the start. */
  lostLines(): number;
}

function lossy(write: Write, atEndOfTurn: AtEndOfTurn): Lossy {
  /** The lines of this turn, and their number. */
  let text = '';
  let lines = 0;
  /** Not yet reported, and all. */
  let lost = 0;
  let lostInAll = 0;
  /** The unwritten rest of the lines before. It is written first, otherwise the next line would be broken too. */
  let rest: Uint8Array = new Uint8Array();

  function writeAll(bytes: Uint8Array): number {
    let written = 0;
    try {
      while (written < bytes.length) written += write(bytes.subarray(written));
    } catch {
      // The log itself failed, so there is nowhere to report it.
    }
    return written;
  }

  function flush(): void {
    if (lines === 0) return;
    const added = Buffer.from(lost > 0 ? lossNotice(lost) + text : text);
    const bytes = rest.length > 0 ? Buffer.concat([rest, added]) : added;
    const written = writeAll(bytes);
    const isStarted = written > rest.length;
    if (!isStarted) lostInAll += lines;
    lost = isStarted ? 0 : lost + lines;
    rest = isStarted ? bytes.subarray(written) : rest.subarray(written);
    text = '';
    lines = 0;
  }

  return {
    write(line) {
      text += line;
      lines += 1;
      if (text.length >= MAX_CHARS) flush();
      else if (lines === 1) atEndOfTurn(flush);
    },
    flushSync: flush,
    lostLines: () => lostInAll,
  };
}

function lossNotice(lines: number): string {
  const line = { level: 'warn', time: new Date().toISOString(), event: 'log lines were lost', lines };
  return `${JSON.stringify(line)}\n`;
}

// What the running work is about and what caused it: the request, the order. Each log line of that work has these
// fields, and a `traceparent` that came with the request goes on to the gateway. They follow the work through every await
// (AsyncLocalStorage), so that no function passes them on; that costs a request half a microsecond.

interface Cause {
  requestId?: string;
  orderId?: string;
  transactionId?: string;
  /** The name of the merchant's key. */
  key?: string;
  /** The header of W3C, as it came. */
  traceparent?: string;
}

const storage = new AsyncLocalStorage<Cause>();
const NONE: Readonly<Cause> = {};

export function causeOf(): Readonly<Cause> {
  return storage.getStore() ?? NONE;
}

/** Runs work with these fields and those of the work that begins it. */
export function runAs<T>(cause: Cause, work: () => T): T {
  return storage.run({ ...storage.getStore(), ...cause }, work);
}

/** Adds what the running work has learned about itself, such as the order of a token. */
export function note(learned: Pick<Cause, 'orderId' | 'transactionId' | 'key'>): void {
  const cause = storage.getStore();
  if (cause !== undefined) Object.assign(cause, learned);
}

/** A log line's fields with those of the running work, which come first. */
export function withCause(fields: Record<string, unknown> = {}): Record<string, unknown> {
  const cause = storage.getStore();
  if (cause === undefined) return fields;
  // One assignment after the other, because conditional spreads cost a request a microsecond.
  const all: Record<string, unknown> = {};
  if (cause.requestId !== undefined) all['requestId'] = cause.requestId;
  if (cause.orderId !== undefined) all['orderId'] = cause.orderId;
  if (cause.transactionId !== undefined) all['transactionId'] = cause.transactionId;
  if (cause.key !== undefined) all['key'] = cause.key;
  return Object.assign(all, fields);
}
