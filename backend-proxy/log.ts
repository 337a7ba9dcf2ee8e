// The log: one JSON object a line on standard output, and nothing else there.
// It is never a reason to stop: what cannot be written, because the disk is full or the reader is gone, is dropped and counted,
// and the count is told once there is room again. Written at once and in order, so that nothing waits for the process's end.
import { writeSync } from 'node:fs';
import { pino, type DestinationStream, type Logger } from 'pino';

/** One line of the log: an event's name and fields that are safe to keep. */
export type Log = (level: 'error' | 'warn' | 'info' | 'debug', event: string, fields?: Record<string, unknown>) => void;

/** Writes some of it and says how much; throws where it can write nothing. */
type Write = (bytes: Uint8Array) => number;

export function createLogger(level: string, write?: Write): Logger {
  const timestamp = pino.stdTimeFunctions.isoTime;
  return pino({ level, base: null, timestamp, formatters: { level: (label) => ({ level: label }) } }, lossy(write));
}

function lossy(write: Write = (bytes) => writeSync(1, bytes)): DestinationStream {
  let lost = 0;
  /** What is left of a line that was cut short: first of all it is finished, or the next would be broken as well. */
  let rest: Uint8Array = new Uint8Array();

  function writeAll(bytes: Uint8Array): number {
    let written = 0;
    try {
      while (written < bytes.length) written += write(bytes.subarray(written));
    } catch {
      // Whatever it is: there is no other place to tell it.
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
  const line = { level: 'warn', time: new Date().toISOString(), event: 'lines of the log were lost', lines };
  return `${JSON.stringify(line)}\n`;
}
