// An independent decoder reads the modules back: what the widget draws is what a phone scans.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { toQrCode } from '../../../backend-proxy/orders/order-view.ts';
import type { QrCode } from '../../../backend-proxy/protocol/wire.ts';
import { readQrCodes } from '../../qr-reader.ts';

const PIXELS_A_MODULE = 4;
const QUIET_MODULES = 4;

/**
 * Draws the modules as the widget would, with the quiet zone that decoders need, and in the middle a white mark: its
 * side is this share of the picture's.
 */
function draw({ size, modules }: Extract<QrCode, { text: string }>, mark = 0): ImageData {
  const bits = Buffer.from(modules, 'base64url');
  const isDark = (row: number, column: number): boolean => {
    const at = row * size + column;
    const isInside = row >= 0 && row < size && column >= 0 && column < size;
    return isInside && ((bits[at >> 3] ?? 0) & (0x80 >> (at & 7))) !== 0;
  };
  const width = (size + 2 * QUIET_MODULES) * PIXELS_A_MODULE;
  const data = new Uint8ClampedArray(width * width * 4).fill(255);
  for (let y = 0; y < width; y += 1) {
    for (let x = 0; x < width; x += 1) {
      const row = Math.floor(y / PIXELS_A_MODULE) - QUIET_MODULES;
      const column = Math.floor(x / PIXELS_A_MODULE) - QUIET_MODULES;
      const isMarked = [x, y].every((at) => Math.abs(at + 0.5 - width / 2) < (mark * width) / 2);
      if (isDark(row, column) && !isMarked) data.fill(0, (y * width + x) * 4, (y * width + x) * 4 + 3);
    }
  }
  return { data, width, height: width, colorSpace: 'srgb' };
}

it('an independent decoder reads the exact text of a QR code, whatever its length and letters', async () => {
  for (const text of [
    'https://wallet.example/scan?code=1',
    '1',
    'jetgo://pay?reference=1234',
    'https://wallet.example/ä?x=漢字',
    `https://wallet.example/${'a'.repeat(1000)}`,
  ]) {
    const code = toQrCode(text);
    assert.ok('text' in code);
    assert.equal(code.text, text);
    const [found] = await readQrCodes(draw(code));
    assert.equal(found?.text, text);
  }
});

it('a code of any size is still read with a mark as large as the widget draws it', async () => {
  for (const length of [1, 14, 15, 26, 27, 42, 43, 62, 63, 84, 106, 152]) {
    const code = toQrCode('a'.repeat(length));
    assert.ok('text' in code);
    const [found] = await readQrCodes(draw(code, 0.18));
    assert.equal(found?.text, code.text, `${code.size} modules`);
  }
});

it('the modules of a QR code are packed one bit each, row by row, highest bit first', () => {
  const code = toQrCode('https://wallet.example/scan?code=1');
  assert.ok('text' in code);
  const bits = Buffer.from(code.modules, 'base64url');
  assert.equal(code.size, 29);
  assert.equal(bits.length, Math.ceil((29 * 29) / 8));
  // The finder pattern of the first row: seven dark, one light.
  assert.equal(bits[0], 0b1111_1110);
  assert.match(code.modules, /^[A-Za-z0-9_-]+$/);
});

it('a code that came as an image stays that image', () => {
  const image = 'data:image/png;base64,iVBORw0KGgo=';
  assert.deepEqual(toQrCode(image), { image });
  assert.ok('text' in toQrCode('data:text/plain,x'));
});
