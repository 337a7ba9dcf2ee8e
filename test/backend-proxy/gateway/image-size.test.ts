// The image size from the header: real files of each format, files with false headers, and files that two readers
// could read differently.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import fc from 'fast-check';
import { imageSizeOf } from '../../../backend-proxy/gateway/image-size.ts';
import { animatedPng, gif, jpeg, png, segment, webp } from './pictures.ts';

const WEBPS = {
  lossy: 'UklGRiIAAABXRUJQVlA4IBYAAAAwAQCdASoBAAEADsD+JaQAA3AAAAAA',
  lossless: 'UklGRhoAAABXRUJQVlA4TA0AAAAvAAAAEAcQERGIiP4HAA==',
  alpha:
    'UklGRkoAAABXRUJQVlA4WAoAAAAQAAAAAAAAAAAAQUxQSAwAAAARBxAR/Q9ERP8DAABWUDggGAAAABQBAJ0BKgEAAQAAAP4AAA3AAP7mtQAAAA==',
  animated:
    'UklGRlIAAABXRUJQVlA4WAoAAAASAAAAAAAAAAAAQU5JTQYAAAD/////AABBTk1GJgAAAAAAAAAAAAAAAAAAAGQAAABWUDhMDQAAAC8AAAAQBxAREYiI/gcA',
};
const sizeOf = (bytes: Buffer) => {
  const size = imageSizeOf(bytes)?.size;
  return size && `${size.width}x${size.height}`;
};

it('imageSizeOf() reads the header of a PNG, a JPEG, a GIF and a WebP', () => {
  assert.deepEqual(imageSizeOf(png(300, 200)), { type: 'image/png', size: { width: 300, height: 200 } });
  assert.deepEqual(imageSizeOf(gif({ screen: [300, 200] })), {
    type: 'image/gif',
    size: { width: 300, height: 200 },
  });
  for (const frame of [0xc0, 0xc1, 0xc2, 0xcf]) {
    assert.deepEqual(imageSizeOf(jpeg(300, 200, { frame })), {
      type: 'image/jpeg',
      size: { width: 300, height: 200 },
    });
  }
  for (const kind of ['VP8 ', 'VP8L', 'VP8X'] as const) {
    assert.deepEqual(imageSizeOf(webp(kind, 300, 200)), { type: 'image/webp', size: { width: 300, height: 200 } });
  }
  for (const kind of ['lossy', 'lossless', 'alpha'] as const) {
    assert.equal(sizeOf(Buffer.from(WEBPS[kind], 'base64')), '1x1', kind);
  }
});

it('imageSizeOf() returns the size as drawn, however large', () => {
  assert.equal(sizeOf(png(20_000, 16_000)), '20000x16000');
  assert.equal(sizeOf(jpeg(65_535, 1)), '65535x1');
  assert.equal(sizeOf(webp('VP8X', 16_777_216, 2)), '16777216x2');
  assert.equal(sizeOf(webp('VP8L', 16_384, 16_384)), '16384x16384');
  assert.equal(sizeOf(gif({ screen: [1, 1], frame: [60_000, 2] })), '60000x2', 'a frame larger than its screen');
  assert.equal(sizeOf(gif({ screen: [1, 1], frame: [10, 10], offset: [65_000, 0] })), '65010x10');
});

it('imageSizeOf() gives no size for an animation, because each frame costs as much again', () => {
  for (const bytes of [
    animatedPng(10, 10),
    gif({ screen: [10, 10], frames: 2 }),
    Buffer.from(WEBPS.animated, 'base64'),
  ]) {
    assert.ok(imageSizeOf(bytes));
    assert.equal(sizeOf(bytes), undefined);
  }
});

it('imageSizeOf() gives no size for a JPEG with too many scans, each a pass over all pixels', () => {
  assert.equal(sizeOf(jpeg(10, 10, { scans: 10 })), '10x10');
  assert.equal(sizeOf(jpeg(10, 10, { scans: 33 })), undefined);
});

it('imageSizeOf() gives no size if another reader could find another header', () => {
  const [head, rest] = [Buffer.from([0xff, 0xd8]), jpeg(10, 10).subarray(2)];
  const hidden = (bytes: number[]) => Buffer.concat([head, Buffer.from(bytes), rest]);
  assert.equal(sizeOf(hidden([])), '10x10');
  for (const bytes of [
    [0xff],
    [0xff, 0x00],
    [0xff, 0xe0, 0, 0],
    [0xff, 0xe0, 0, 1],
    [0xff, 0x01],
    [0xff, 0xd8],
    [0xff, 0xda, 0, 4, 0, 0],
    [0],
  ]) {
    assert.equal(sizeOf(hidden(bytes)), undefined, bytes.join());
  }
  const control = (length: number) => [0x21, 0xf9, length, ...Array.from({ length }, () => 0), 0];
  assert.equal(sizeOf(gif({ screen: [10, 10], before: control(4) })), '10x10');
  assert.equal(sizeOf(gif({ screen: [10, 10], before: control(2) })), undefined);
  assert.equal(sizeOf(gif({ screen: [10, 10], before: [0x21, 0x01, 0] })), undefined);
  assert.equal(sizeOf(gif({ screen: [10, 10], before: [0x00] })), undefined);
});

it('imageSizeOf() gives no size for a truncated header', () => {
  for (const [bytes, header] of [
    [png(10, 10), 41],
    [jpeg(10, 10), 29],
    [webp('VP8 ', 10, 10), 30],
    [webp('VP8L', 10, 10), 25],
    [webp('VP8X', 10, 10), 30],
    [gif({ screen: [10, 10] }), Infinity],
  ] as const) {
    assert.equal(sizeOf(bytes), '10x10');
    for (let length = 12; length < Math.min(header, bytes.length); length += 1) {
      assert.equal(sizeOf(bytes.subarray(0, length)), undefined, `${length} of ${bytes.length}`);
    }
  }
});

it('imageSizeOf() reads any bytes without an error and in linear time', () => {
  const heads = [png(9, 9), jpeg(9, 9), gif({ screen: [9, 9] }), webp('VP8X', 9, 9)];
  fc.assert(
    fc.property(fc.constantFrom(...heads), fc.nat(40), fc.uint8Array({ maxLength: 200 }), (whole, keep, noise) => {
      imageSizeOf(Buffer.concat([whole.subarray(0, 12 + keep), noise]));
    }),
  );
  const from = performance.now();
  const blocks = Buffer.concat(Array.from({ length: 16_000 }, () => segment(0xe1, Buffer.alloc(0))));
  assert.equal(sizeOf(Buffer.concat([Buffer.from([0xff, 0xd8]), blocks])), undefined);
  assert.ok(performance.now() - from < 1_000);
});
