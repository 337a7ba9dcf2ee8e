// Runs a program as a container or systemd runs a service: its own read-only tree with the folders it is given, another
// user, no capabilities, no environment but its own, a limit of open files. Needs root on Linux.
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { mkdtempSync, rmdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Where the tree has Node. */
export const NODE = '/usr/local/bin/node';

export interface Isolation {
  /** Folders or files of this machine by their path in the tree. */
  readOnly: Readonly<Record<string, string>>;
  writable: Readonly<Record<string, string>>;
  uid: number;
  env: Readonly<Record<string, string>>;
  cwd: string;
  openFiles: number;
  /** Only processes are in /proc, as systemd's ProcSubset=pid has it. */
  isProcHidden?: boolean;
}

/** Why this machine cannot do it, or undefined. */
export function whyNotIsolated(): string | undefined {
  const { status, stderr, error } = spawnSync('unshare', ['--mount', '--propagation', 'private', 'mount', '-t', 'tmpfs', 'tmpfs', '/mnt']); // prettier-ignore
  return status === 0 ? undefined : `no namespaces or mounts here: ${error?.message ?? String(stderr).trim()}`;
}

/** A call on the process; `remove` removes what is left of the tree when the process has ended. */
export function runIsolated(isolation: Isolation, command: readonly string[]): { child: ChildProcess; remove(): void } {
  const root = mkdtempSync(join(tmpdir(), 'payment-tree-'));
  const child = spawn(
    'unshare',
    ['--mount', '--propagation', 'private', 'sh', '-c', scriptOf(isolation, root), 'sh', ...command],
    // With an environment of its own; programs of the script are found by this PATH.
    { env: { PATH: '/usr/sbin:/usr/bin:/sbin:/bin' }, stdio: ['ignore', 'pipe', 'pipe'] },
  );
  return { child, remove: () => rmdirSync(root) };
}

function scriptOf(isolation: Isolation, root: string): string {
  const { readOnly, writable, uid, env, cwd, openFiles, isProcHidden = false } = isolation;
  const proc = isProcHidden ? '-o subset=pid,hidepid=invisible' : '';
  const variables = Object.entries(env).map(([name, value]) => quoted(`${name}=${value}`));
  return `set -e; umask 022; root=${quoted(root)}
add() { # FROM TO MODE
  if [ -d "$1" ]; then mkdir -p "$root$2"; else mkdir -p "$(dirname "$root$2")"; : >"$root$2"; fi
  mount --bind "$1" "$root$2"; mount -o "remount,bind,$3" "$root$2"
}
mount -t tmpfs -o mode=755 tmpfs "$root"
for name in usr bin sbin lib lib64 etc; do
  if [ -L "/$name" ]; then cp -P "/$name" "$root/$name"; elif [ -d "/$name" ]; then add "/$name" "/$name" ro; fi
done
mount -t tmpfs -o mode=755 tmpfs "$root/usr/local"
add ${quoted(process.execPath)} ${NODE} ro
mkdir "$root/dev" "$root/proc" "$root/tmp"
for name in null zero random urandom; do add "/dev/$name" "/dev/$name" rw; done
mount -t proc ${proc} proc "$root/proc"
mount -t tmpfs -o mode=1777 tmpfs "$root/tmp"
${mounts(readOnly, 'ro')}
${mounts(writable, 'rw')}
mount -o remount,ro "$root/usr/local"; mount -o remount,ro "$root"
most=$(ulimit -Hn) # which may be less, and cannot be raised everywhere
if [ "$most" != unlimited ] && [ "$most" -lt ${openFiles} ]; then files=$most; else files=${openFiles}; fi
exec prlimit --nofile="$files:$files" chroot "$root" \\
  setpriv --reuid=${uid} --regid=${uid} --clear-groups --inh-caps=-all --bounding-set=-all --no-new-privs \\
  --pdeathsig=KILL env -i --chdir=${quoted(cwd)} ${variables.join(' ')} "$@"`;
}

function mounts(paths: Readonly<Record<string, string>>, mode: 'ro' | 'rw'): string {
  return Object.entries(paths)
    .map(([to, from]) => `add ${quoted(from)} ${quoted(to)} ${mode}`)
    .join('\n');
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
