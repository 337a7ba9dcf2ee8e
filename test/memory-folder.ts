// Where the tests keep their files. In memory a commit waits for no disk, which is half the time of a test with a
// payment database. No test needs its files to outlive the power.
import { statfsSync } from 'node:fs';
import { freemem, tmpdir } from 'node:os';

const MEMORY_FOLDER = '/dev/shm';
/** The two databases of 100,000 payments take a third of it at once; a container often has 64 MiB. */
const NEEDED_BYTES = 1024 ** 3;

/** A folder in memory if there is room, or the system's temporary folder. */
export function testFolder(): string {
  if (process.env.TMPDIR !== undefined || freemem() < 2 * NEEDED_BYTES) return tmpdir();
  try {
    const { bavail, bsize } = statfsSync(MEMORY_FOLDER);
    return bavail * bsize < NEEDED_BYTES ? tmpdir() : MEMORY_FOLDER;
  } catch {
    return tmpdir();
  }
}
