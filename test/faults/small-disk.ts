// A disk of a few kilobytes (a tmpfs) that a test can fill, so that "no space left" comes from the system.
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { FaultTest } from './fault-test.ts';

/** Why no tmpfs can be mounted on this machine; undefined if it can. */
export function whyNoMount(): string | undefined {
  const dir = mkdtempSync(join(tmpdir(), 'payment-mount-'));
  try {
    const { status, stderr, error } = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=64k', 'tmpfs', dir]);
    if (status === 0) spawnSync('umount', [dir]);
    return status === 0 ? undefined : `no tmpfs can be mounted here: ${error?.message ?? String(stderr).trim()}`;
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}

/** Mounts it in a new folder of `dir`, until the test ends. */
export function mountSmall({ defer }: FaultTest, dir: string, kilobytes: number): string {
  const disk = join(dir, 'disk');
  mkdirSync(disk);
  const { status, stderr } = spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${kilobytes}k`, 'tmpfs', disk]);
  if (status !== 0) throw new Error(`mount: ${String(stderr)}`);
  defer(() => spawnSync('umount', ['--lazy', disk]));
  return disk;
}

/** Fills the disk up to `roomBytes`. */
export function fill(disk: string, ballast: string, roomBytes: number): void {
  const { bavail, bsize } = statfsSync(disk);
  writeFileSync(ballast, Buffer.alloc(bavail * bsize - roomBytes));
}
