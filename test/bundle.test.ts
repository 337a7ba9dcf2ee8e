// What reaches the shopper's browser: its size, and that nothing of a server is in it. Built into a folder of its own.
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { brotliCompressSync } from 'node:zlib';
import { build } from 'vite';

/** Brotli bytes before the first method can be chosen, English. */
const BUDGET_BYTES = 10_240;
const SECRETS = [
  'GATEWAY_API_KEY',
  'ORDER_SECRET',
  'MERCHANT_API_KEY',
  'IPN_SECRET',
  'WEBHOOK_SECRET',
  'X-API-KEY',
  'process.env',
];

describe('the built widget', () => {
  const folder = mkdtempSync(join(tmpdir(), 'widget-bundle-'));
  before(async () => {
    await build({ logLevel: 'error', build: { outDir: folder, emptyOutDir: true } });
  });
  after(() => rmSync(folder, { recursive: true }));

  const scripts = () => readdirSync(folder).filter((name) => name.endsWith('.js'));

  it('needs no more bytes than its budget before a method can be chosen', (t) => {
    const bytes = brotliCompressSync(readFileSync(join(folder, 'widget.js'))).byteLength;
    t.diagnostic(`widget.js: ${bytes} bytes (Brotli), budget ${BUDGET_BYTES}`);
    assert.ok(bytes <= BUDGET_BYTES, `${bytes} bytes`);
  });

  it('holds no word of the server’s secrets', () => {
    for (const name of scripts()) {
      const text = readFileSync(join(folder, name), 'utf8');
      assert.deepEqual(
        SECRETS.filter((word) => text.includes(word)),
        [],
        name,
      );
    }
  });

  it('comes with an integrity hash for every script', () => {
    const hashes = JSON.parse(readFileSync(join(folder, 'integrity.json'), 'utf8')) as Record<string, string>;
    assert.deepEqual(Object.keys(hashes).toSorted(), scripts().toSorted());
    for (const hash of Object.values(hashes)) assert.match(hash, /^sha384-[A-Za-z0-9+/]{64}$/);
  });

  it('runs no text as code and writes no HTML of its own', () => {
    const text = scripts()
      .map((name) => readFileSync(join(folder, name), 'utf8'))
      .join('\n');
    assert.doesNotMatch(text, /\beval\(|new Function\(/);
    assert.doesNotMatch(text, /document\.write\(/);
  });
});
