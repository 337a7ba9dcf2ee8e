// Keeps the database files private: makes a new one for its own user alone, and removes the rights of other users on
// existing ones, which an older version, another program or a copy has left. SQLite gives the files beside the
// database the same rights.
import { chmodSync, closeSync, existsSync, mkdirSync, openSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { getSystemErrorMessage } from 'node:util';

const OTHERS = 0o077;
const REMEDIES: Record<string, string> = {
  EACCES: `the proxy's user (${process.getuid?.() ?? 'its account'}) needs the right to write there`,
  EPERM: `the proxy's user (${process.getuid?.() ?? 'its account'}) needs the right to write there`,
  EROFS: 'name a folder that the service may write to',
  ENOSPC: 'make room on the disk',
};

/**
 * Makes the file, and its folder, unless it exists.
 * @throws an Error for the operator with the absolute path and the reason
 */
export function createPrivately(path: string): void {
  const file = resolve(path);
  try {
    if (!existsSync(dirname(file))) mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    closeSync(openSync(file, 'a', 0o600));
  } catch (error) {
    const { code = '', errno } = error as NodeJS.ErrnoException;
    const reason = errno === undefined ? 'no such place' : getSystemErrorMessage(errno);
    const remedy = REMEDIES[code];
    throw new Error(`${file} cannot be written: ${reason}${remedy === undefined ? '' : `; ${remedy}`}`, {
      cause: error,
    });
  }
}

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
