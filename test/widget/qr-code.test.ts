import assert from 'node:assert/strict';
import { it } from 'node:test';
import QRCode from 'qrcode';
import { QUIET_ZONE, qrImage, qrPath } from '../../widget/flow/qr-code.ts';

function encode(text: string): { size: number; modules: string; dark: (x: number, y: number) => boolean } {
  const { size, data } = QRCode.create(text).modules;
  const bytes = new Uint8Array(Math.ceil((size * size) / 8));
  for (let i = 0; i < size * size; i++) if (data[i]) bytes[i >> 3] = (bytes[i >> 3] ?? 0) | (128 >> (i & 7));
  return { size, modules: Buffer.from(bytes).toString('base64url'), dark: (x, y) => data[y * size + x] === 1 };
}

/** Draws the path into a raster, as a browser would. */
function rasterize(path: string, side: number): boolean[][] {
  const raster = Array.from({ length: side }, () => Array.from({ length: side }, () => false));
  for (const [, x, y, run] of path.matchAll(/M(\d+) (\d+)h(\d+)v1H\1z/g)) {
    for (let i = 0; i < Number(run); i++) (raster[Number(y)] ?? [])[Number(x) + i] = true;
  }
  return raster;
}

for (const text of ['A', 'https://wallet.example/pay?reference=4711', 'x'.repeat(900)]) {
  it(`qrPath() draws each dark module and the quiet zone of a code for ${text.length} characters`, () => {
    const { size, modules, dark } = encode(text);
    const path = qrPath({ size, modules }) ?? '';
    assert.equal(path.replaceAll(/M(\d+) \d+h\d+v1H\1z/g, ''), '', 'only runs');
    const raster = rasterize(path, size + 2 * QUIET_ZONE);
    for (let y = 0; y < raster.length; y++) {
      for (let x = 0; x < raster.length; x++) {
        const [i, j] = [x - QUIET_ZONE, y - QUIET_ZONE];
        const expected = i >= 0 && j >= 0 && i < size && j < size && dark(i, j);
        assert.equal(raster[y]?.[x], expected, `${x}, ${y}`);
      }
    }
  });
}

it('qrPath() returns null for an incomplete or impossible matrix', () => {
  const { size, modules } = encode('A');
  assert.equal(qrPath({ size, modules: modules.slice(4) }), null);
  assert.equal(qrPath({ size: size + 4, modules }), null);
  assert.equal(qrPath({ size: 1, modules: 'gA' }), null);
  assert.equal(qrPath({ size: 100_000, modules }), null);
  assert.equal(qrPath({ size, modules: '%%%' }), null);
});

it('qrImage() accepts only base64 data URLs of images', () => {
  assert.equal(qrImage({ image: 'data:image/png;base64,AAAA' }), 'data:image/png;base64,AAAA');
  assert.equal(qrImage({ image: 'data:image/svg+xml;base64,AAAA' }), 'data:image/svg+xml;base64,AAAA');
  for (const image of [
    'https://example.com/a.png',
    'data:text/html;base64,AAAA',
    'data:image/svg+xml,<svg/>',
    'javascript:1',
  ]) {
    assert.equal(qrImage({ image }), null, image);
  }
});

it('qrImage() refuses an image of more than 64 KB', () => {
  const image = (bytes: number) => `data:image/svg+xml;base64,${Buffer.alloc(bytes).toString('base64')}`;
  assert.equal(qrImage({ image: image(64 * 1024) }), image(64 * 1024));
  assert.equal(qrImage({ image: image(67 * 1024) }), null);
});
