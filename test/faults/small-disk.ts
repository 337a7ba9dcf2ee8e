// A disk of a few kilobytes (a tmpfs) that a test can fill: on it, "no space left" is the system's own answer.
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { FaultTest } from './fault-test.ts';

/** Why none can be had on this machine, where it cannot. */
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

/** In a new folder of `dir`, until the trial ends. */
export function mountSmall({ defer }: FaultTest, dir: string, kilobytes: number): string {
  const disk = join(dir, 'disk');
  mkdirSync(disk);
  const { status, stderr } = spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${kilobytes}k`, 'tmpfs', disk]);
  if (status !== 0) throw new Error(`mount: ${String(stderr)}`);
  defer(() => spawnSync('umount', ['--lazy', disk]));
  return disk;
}

/** All but the room. */
export function fill(disk: string, ballast: string, roomBytes: number): void {
  const { bavail, bsize } = statfsSync(disk);
  writeFileSync(ballast, Buffer.alloc(bavail * bsize - roomBytes));
}
