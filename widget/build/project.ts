// What all npm packages take from the project: fields of its package.json, its documents, and declarations of types.
import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const TSC = fileURLToPath(new URL('bin/tsc', import.meta.resolve('typescript/package.json')));
/** A relative specifier: `from './x.ts'`, or `import("./x.ts")`. */
const RELATIVE = /(from |import\()(['"])(\.[^'"]+)\.ts\2/g;

export interface Project {
  version: string;
  license: string;
  engines: object;
  dependencies: { lit: string };
  repository: { type: string; url: string };
}

/** Fields of a published package; all follow from `repository` of the project's package.json. */
export function publishing({ repository }: Project): object {
  const page = repository.url.replaceAll(/^git\+|\.git$/g, '');
  return {
    repository,
    homepage: `${page}#readme`,
    bugs: { url: `${page}/issues` },
    publishConfig: { access: 'public', provenance: true },
  };
}

/** Relative links lead to files of the project that are not in the package. */
export function withoutRelativeLinks(markdown: string): string {
  return markdown.replaceAll(/\[([^\]]+)\]\((?!https?:|#)[^)]+\)/g, '$1');
}

/** Has the package built in a temporary folder, which is then renamed: the folder `to` is never incomplete. */
export async function replaceFolder(to: string, build: (folder: string) => Promise<void>): Promise<void> {
  const folder = `${to}-${process.pid}`;
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  await build(folder);
  rmSync(to, { recursive: true, force: true });
  renameSync(folder, to);
}

/**
 * Writes the types of the entries into the folder `to`, with those of the files that they import. `config` is a
 * tsconfig.json with the project's folder as its `rootDir`; entries are relative to that. `tsc` is run as a process
 * (TypeScript 7 has no other interface). The folder is flat, so that the package does not show the project's folders.
 */
export async function writeDeclarations(config: string, entries: readonly string[], to: string): Promise<void> {
  const emitted = mkdtempSync(join(tmpdir(), 'types-'));
  try {
    await promisify(execFile)(process.execPath, [TSC, '-p', config, '--outDir', emitted]).catch(
      (error: Error & { stdout: string }) => {
        throw new Error(`tsc: ${error.stdout}`, { cause: error });
      },
    );
    mkdirSync(to, { recursive: true });
    const taken = new Map<string, string>();
    for (const entry of entries) gather(join(emitted, entry.replace(/\.ts$/, '.d.ts')), to, taken);
  } finally {
    rmSync(emitted, { recursive: true, force: true });
  }
}

/** `taken`: name in the new folder → the file it was copied from. */
function gather(file: string, to: string, taken: Map<string, string>): void {
  const name = basename(file);
  const from = taken.get(name);
  if (from === file) return;
  if (from !== undefined) throw new Error(`two type declaration files have the same name ${name}: ${from}, ${file}`);
  taken.set(name, file);
  const text = readFileSync(file, 'utf8');
  const flat = text.replaceAll(RELATIVE, (_, start, quote, path) => `${start}${quote}./${basename(path)}.js${quote}`);
  writeFileSync(join(to, name), flat);
  for (const [, , , path = ''] of text.matchAll(RELATIVE)) gather(`${join(dirname(file), path)}.d.ts`, to, taken);
}
