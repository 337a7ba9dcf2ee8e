// systemd's own check of unit files, and its lists of system calls.
import { execFile } from 'node:child_process';
import { globSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { debianPackage } from '../debian-package.ts';

const run = promisify(execFile);
const PACKAGES = ['systemd', 'libsystemd-shared', 'libseccomp2', 'libip4tc2', 'libkmod2', 'libapparmor1'];

/** Rejects with what it says if it fails. */
export async function systemdAnalyze(...args: string[]): Promise<{ stdout: string; stderr: string }> {
  const root = await debianPackage(PACKAGES);
  // Libraries that are not installed are found by this alone.
  const folders = root === '/' ? [] : globSync('{lib,usr/lib}/*-linux-gnu{,/systemd}', { cwd: root });
  const LD_LIBRARY_PATH = folders.map((folder) => join(root, folder)).join(':');
  const env = { PATH: process.env['PATH'], SYSTEMD_COLORS: '0', ...(folders.length > 0 && { LD_LIBRARY_PATH }) };
  return run(join(root, 'usr/bin/systemd-analyze'), args, { env });
}

/** The names of a set like `@system-service`, with those of the sets that it contains. */
export async function systemCallsOf(set: string): Promise<Set<string>> {
  const { stdout } = await systemdAnalyze('syscall-filter', '--no-pager', set);
  const words = stdout
    .split('\n')
    .slice(1)
    .map((line) => line.trim());
  const names = words.filter((word) => /^\w+$/.test(word));
  const nested = await Promise.all(words.filter((word) => word.startsWith('@')).map(systemCallsOf));
  return new Set([...names, ...nested.flatMap((each) => [...each])]);
}
