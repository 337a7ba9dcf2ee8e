// The proxy of a released version, as packed by bundle-version.ts.
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { brotliDecompressSync } from 'node:zlib';

/** Unpacks it into a temporary folder; returns the URL of its program, and how to remove the folder. */
export function unpackProxy(version: string): { program: string; remove: () => void } {
  const folder = mkdtempSync(join(tmpdir(), 'released-proxy-'));
  const packed = readFileSync(join(import.meta.dirname, `payment-proxy-${version}.mjs.br`));
  const write = (path: string, content: string | Uint8Array) => {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), content);
  };
  write('backend-proxy/main.mjs', brotliDecompressSync(packed));
  // It starts only beside a built widget.
  write('dist/widget/widget.js', '');
  const program = pathToFileURL(join(folder, 'backend-proxy/main.mjs')).href;
  return { program, remove: () => rmSync(folder, { recursive: true, force: true }) };
}
