// Packs the proxy of a released version into one file, which the upgrade tests run beside the current one: a clone may
// be shallow, or a tarball without history. Run it once a release, on its tag or commit, with its packages installed:
//   node test/upgrade/bundle-version.ts v0.2.0
// The version and the file's name come from that commit's package.json.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { brotliCompressSync, constants } from 'node:zlib';
import { build } from 'esbuild';

const [commit] = process.argv.slice(2);
if (commit === undefined) throw new Error('Which commit? node test/upgrade/bundle-version.ts COMMIT');

const git = (...args: string[]) => execFileSync('git', args, { maxBuffer: 1e9 });
const { version } = JSON.parse(git('show', `${commit}:package.json`).toString()) as { version: string };
const folder = mkdtempSync(join(tmpdir(), 'payment-proxy-'));
try {
  const sources = git('archive', commit, 'backend-proxy', 'package.json');
  execFileSync('tar', ['-x', '-C', folder], { input: sources });
  symlinkSync(resolve('node_modules'), join(folder, 'node_modules'), 'junction');
  const { outputFiles } = await build({
    entryPoints: [join(folder, 'backend-proxy/main.ts')],
    bundle: true,
    minify: true,
    platform: 'node',
    format: 'esm',
    target: 'node24',
    write: false,
    external: ['pg-native'],
    // Packages in CommonJS ask for Node's own modules.
    banner: { js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);" },
  });
  const [{ contents } = { contents: new Uint8Array() }] = outputFiles;
  const packed = brotliCompressSync(contents, { params: { [constants.BROTLI_PARAM_LGWIN]: 24 } });
  const path = join(import.meta.dirname, `payment-proxy-${version}.mjs.br`);
  writeFileSync(path, packed);
  console.log(`${path}: ${packed.length} bytes of ${contents.length}`);
} finally {
  rmSync(folder, { recursive: true });
}
