// Reads a file whose path an operator has set, and no more of it than it can need: it may name a device that never
// ends.
import { closeSync, openSync, readSync } from 'node:fs';

/** @throws a RangeError if the file is larger, with words for the operator */
export function readLimited(path: string, maxBytes: number): string {
  const file = openSync(path, 'r');
  try {
    const bytes = Buffer.alloc(maxBytes + 1);
    let length = 0;
    for (;;) {
      const added = readSync(file, bytes, length, bytes.length - length, null);
      length += added;
      if (length > maxBytes) throw new RangeError(`it is larger than ${maxBytes} bytes`);
      if (added === 0) return bytes.toString('utf8', 0, length);
    }
  } finally {
    closeSync(file);
  }
}
