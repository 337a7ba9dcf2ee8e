// Reads QR codes with a decoder that shares no code with the encoder. Its WebAssembly comes from the package, because
// by default it downloads that file.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Locator } from 'playwright-core';
import { prepareZXingModule, readBarcodes, type ReadResult } from 'zxing-wasm/reader';

const FILE = fileURLToPath(import.meta.resolve('zxing-wasm/reader/zxing_reader.wasm'));
prepareZXingModule({ overrides: { wasmBinary: Uint8Array.from(readFileSync(FILE)).buffer } });

/** `picture`: pixels, or the bytes of a PNG. */
export function readQrCodes(picture: ImageData | Uint8Array): Promise<ReadResult[]> {
  return readBarcodes(picture, { formats: ['QRCode'], tryHarder: true });
}

/** The text of the code that a screenshot of the element shows. The element can exist before the code is drawn. */
export async function scanCode(element: Locator, withinMs: number): Promise<string> {
  for (const end = performance.now() + withinMs; ;) {
    const [found, ...others] = await readQrCodes(await element.screenshot());
    if (found === undefined && performance.now() < end) continue;
    assert.ok(found?.isValid && others.length === 0, 'exactly one QR code can be read');
    return found.text;
  }
}
