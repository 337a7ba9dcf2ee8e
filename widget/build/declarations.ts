// Makes a package's .d.ts files: runs `tsc` (TypeScript 7 has no other interface), then copies the files that the
// entry needs into one flat folder, so that the package does not show the project's folders.
import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const TSC = fileURLToPath(new URL('bin/tsc', import.meta.resolve('typescript/package.json')));
/** A relative specifier: `from './x.ts'`, or `import("./x.ts")`. */
const RELATIVE = /(from |import\()(['"])(\.[^'"]+)\.ts\2/g;

/**
 * Writes the types of the entries into the folder `to`, with those of the files that they import. `config` is a
 * tsconfig.json with the project's folder as its `rootDir`; entries are relative to that.
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
