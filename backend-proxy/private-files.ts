// Files that only this process's user may read. New ones are made so by the umask (main.ts); these are from before: books made by
// an older version, by another program, or copied back from a backup.
import { chmodSync, statSync } from 'node:fs';

const OTHERS = 0o077;

/** Takes from everybody else what they may do with these files; answers which were `open` to others and which still are. */
export function makePrivate(paths: readonly string[]): { open: string[]; stillOpen: string[] } {
  // Windows has no such rights: what it reports is made up.
  if (process.platform === 'win32') return { open: [], stillOpen: [] };
  const open = paths.filter(isOpen);
  for (const path of open) {
    try {
      chmodSync(path, modeOf(path) & 0o777 & ~OTHERS);
    } catch {
      // Another user's file, or a disk without rights: it is among those that are still open.
    }
  }
  return { open, stillOpen: open.filter(isOpen) };
}

function isOpen(path: string): boolean {
  return (modeOf(path) & OTHERS) !== 0;
}

/** 0 where there is none. */
function modeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.mode ?? 0;
}
