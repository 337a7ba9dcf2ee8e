// Writes the log to standard output, one JSON object per line. A failed write (disk full, reader gone) never stops
// the process: the line is dropped and counted, and the count is logged after the next successful write. Writes are
// synchronous and in order, so no line is lost when the process ends.
import { writeSync } from 'node:fs';
import { pino, type DestinationStream, type Logger } from 'pino';

/** Logs an event and fields that hold no secret. */
export type Log = (level: 'error' | 'warn' | 'info' | 'debug', event: string, fields?: Record<string, unknown>) => void;

/** Writes a part of the bytes and returns its length; throws if nothing can be written. */
type Write = (bytes: Uint8Array) => number;

export function createLogger(level: string, write?: Write): Logger {
  const timestamp = pino.stdTimeFunctions.isoTime;
  return pino({ level, base: null, timestamp, formatters: { level: (label) => ({ level: label }) } }, lossy(write));
}

function lossy(write: Write = (bytes) => writeSync(1, bytes)): DestinationStream {
  let lost = 0;
  /** The unwritten rest of a cut line. It is written first, otherwise the next line would be broken too. */
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

  return {
    write(line) {
      const bytes = Buffer.concat([rest, Buffer.from(lost > 0 ? lossNotice(lost) + line : line)]);
      const written = writeAll(bytes);
      const isStarted = written > rest.length;
      lost = isStarted ? 0 : lost + 1;
      rest = isStarted ? bytes.subarray(written) : rest.subarray(written);
    },
  };
}

function lossNotice(lines: number): string {
  const line = { level: 'warn', time: new Date().toISOString(), event: 'log lines were lost', lines };
  return `${JSON.stringify(line)}\n`;
}
