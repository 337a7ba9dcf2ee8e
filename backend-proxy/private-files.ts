// Removes the rights of other users on existing database files: written by an older version or another program, or
// copied from a backup. New files are private by the umask (main.ts).
import { chmodSync, statSync } from 'node:fs';

const OTHERS = 0o077;

/** Returns the files that were `open` to other users, and those that still are. */
export function makePrivate(paths: readonly string[]): { open: string[]; stillOpen: string[] } {
  // Windows has no such rights; its modes are invented by Node.
  if (process.platform === 'win32') return { open: [], stillOpen: [] };
  const open = paths.filter(isOpen);
  for (const path of open) {
    try {
      chmodSync(path, modeOf(path) & 0o777 & ~OTHERS);
    } catch {
      // Another user's file, or a disk without rights: reported in `stillOpen`.
    }
  }
  return { open, stillOpen: open.filter(isOpen) };
}

function isOpen(path: string): boolean {
  return (modeOf(path) & OTHERS) !== 0;
}

/** 0 if the file does not exist. */
function modeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.mode ?? 0;
}
