// The disk of the database file: its free space, and what an interrupted restore has left beside the file.
import { existsSync, readdirSync, statfsSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { Warning } from '../../protocol/log.ts';

const MB = 1024 ** 2;
/** A payment keeps about 3 kB. */
export const LITTLE_SPACE = 1024 * MB;
/** A full disk refuses payments. */
export const TOO_LITTLE_SPACE = 100 * MB;
const LITTLE_LEFT = "The database's disk is almost full: make room, on a full disk no payment starts.";
const COPY_LEFT = 'An interrupted restore has left a copy of the database, which has wallet ids: delete it.';

export function freeBytes(folder: string): number {
  const { bavail, bsize } = statfsSync(folder);
  return bavail * bsize;
}

/** `72892 MB free in /var/lib/payment-proxy` */
export function describeFree(bytes: number, folder: string): string {
  return `${Math.floor(bytes / MB)} MB free in ${folder}`;
}

/** The name of a copy before a restore puts it in the database's place. */
export function restoringName(path: string, suffix: string): string {
  return `${path}.restoring-${suffix}`;
}

/** Says what an operator should do about the file at `path`, which is absolute. */
export function watchDisk(path: string): () => Warning[] {
  const folder = dirname(path);
  const isCopy = (name: string) => name.startsWith(restoringName(basename(path), ''));
  const left = namesIn(folder).filter(isCopy);
  return () => {
    const free = freeBytes(folder);
    return [
      ...(free < TOO_LITTLE_SPACE ? [{ warning: LITTLE_LEFT, detail: describeFree(free, folder) }] : []),
      ...left
        .map((name) => join(folder, name))
        .filter((copy) => existsSync(copy))
        .map((copy) => ({ warning: COPY_LEFT, detail: copy })),
    ];
  };
}

/** None in a folder that cannot be listed. */
function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
