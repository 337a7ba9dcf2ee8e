// Debian's packages for tests: the installed ones, or their files in a cache folder, where nothing is installed and no
// script of theirs runs.
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, globSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const run = promisify(execFile);
const CACHE = fileURLToPath(new URL('../node_modules/.cache/debian', import.meta.url));
const DOWNLOAD_WITHIN_MS = 120_000;

/** Why these packages cannot be used on this machine, or undefined. */
export function whyNoDebian(): string | undefined {
  return existsSync('/usr/bin/dpkg') ? undefined : 'not Debian: there is no dpkg';
}

/**
 * The root folder of the packages' files. Libraries that these need and that not every Debian has must be named too.
 * Throws if they are neither installed nor can be downloaded.
 */
export async function debianPackage(names: readonly string[]): Promise<string> {
  if (await areInstalled(names)) return '/';
  const folder = join(CACHE, createHash('sha256').update(names.join()).digest('hex').slice(0, 16));
  if (existsSync(folder)) return folder;
  await mkdir(CACHE, { recursive: true });
  const unfinished = await mkdtemp(`${folder}-`);
  try {
    await download(names, unfinished);
    // Another test may have been faster: its files are the same.
    await rename(join(unfinished, 'root'), folder).catch((error: unknown) => {
      if (!existsSync(folder)) throw error;
    });
  } finally {
    await rm(unfinished, { recursive: true, force: true });
  }
  return folder;
}

export interface Program {
  command: string;
  /** Debian 12's, unpacked; without it the program is only used where it is installed. */
  debian?: { packages: readonly string[]; binary: string };
}

export const PHP: Program = {
  command: 'php',
  debian: { packages: ['php8.2-cli', 'libargon2-1', 'libsodium23'], binary: 'usr/bin/php8.2' },
};

/** The command and its environment, or why there is none. */
export async function findProgram({ command, debian }: Program): Promise<{ path: string; env: object } | string> {
  const isInstalled = await run('which', [command]).then(
    () => true,
    () => false,
  );
  if (isInstalled) return { path: command, env: {} };
  const why = debian === undefined ? `${command} is not installed` : whyNoDebian();
  if (why !== undefined || debian === undefined) return why ?? '';
  try {
    const root = await debianPackage(debian.packages);
    const libraries = globSync(join(root, 'usr/lib/{*-linux-gnu,ruby/3.1.0,*-linux-gnu/ruby/3.1.0}'));
    const env = { LD_LIBRARY_PATH: libraries.join(':'), RUBYLIB: libraries.join(':'), RUBYOPT: '--disable-gems' };
    return { path: join(root, debian.binary), env };
  } catch (error) {
    return `Debian's packages of ${command}: ${(error as Error).message}`;
  }
}

async function areInstalled(names: readonly string[]): Promise<boolean> {
  try {
    const { stdout } = await run('dpkg-query', ['-W', '-f', '${db:Status-Status}\n', ...names]);
    return stdout
      .trim()
      .split('\n')
      .every((status) => status === 'installed');
  } catch {
    return false;
  }
}

async function download(names: readonly string[], cwd: string): Promise<void> {
  const options = { cwd, timeout: DOWNLOAD_WITHIN_MS };
  const get = () => run('apt-get', ['download', ...names], options);
  // A machine's lists of packages may be missing or too old; only root can renew them.
  await get().catch(async () => {
    await run('apt-get', ['update'], options);
    await get();
  });
  for (const file of await readdir(cwd)) {
    if (file.endsWith('.deb')) await run('dpkg', ['-x', file, 'root'], options);
  }
}
