// The QR content of an answer: unsafe content is refused, safe content passes.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { qrContentOf } from '../../../backend-proxy/gateway/qr-content.ts';
import { animatedPng, gif, jpeg, png, webp } from './pictures.ts';

const base64 = (value: string | Uint8Array) => Buffer.from(value).toString('base64');

const image = (type: string, bytes: Uint8Array | string) => `data:image/${type};base64,${base64(bytes)}`;

it('qrContentOf() recognizes an image by its first bytes', () => {
  for (const [type, bytes] of [
    ['png', png(29, 29)],
    ['jpeg', jpeg(29, 29)],
    ['gif', gif({ screen: [29, 29] })],
    ['webp', webp('VP8 ', 29, 29)],
    ['svg+xml', '<svg xmlns="http://www.w3.org/2000/svg"></svg>'],
    ['svg+xml', '<?xml version="1.0"?><!-- by hand --><svg ></svg>'],
    ['svg+xml', '<?xml version="1.0"?>\n\n<!-- by hand -->\n\n<svg\n></svg>'],
    ['svg+xml', '\uFEFF<?xml version="1.0"?>\n<!-- by hand -->\n<svg></svg>'],
  ] as const) {
    assert.equal(qrContentOf(base64(bytes)), image(type, bytes));
  }
});

it('qrContentOf() refuses an image of more than 2048 pixels per side: 31 KB can unpack to a gigabyte', () => {
  for (const [most, more] of [
    [png(2048, 2048), png(2049, 1)],
    [jpeg(2048, 2048), jpeg(1, 2049)],
    [gif({ screen: [2048, 2048] }), gif({ screen: [1, 1], frame: [2049, 1] })],
    [webp('VP8X', 2048, 2048), webp('VP8X', 2049, 1)],
  ] as const) {
    assert.ok(qrContentOf(base64(most))?.startsWith('data:image/'));
    assert.equal(qrContentOf(base64(more)), undefined);
  }
  const bomb = png(16_000, 16_000);
  assert.ok(bomb.length < 64 * 1024, `${bomb.length} bytes`);
  assert.equal(qrContentOf(base64(bomb)), undefined);
  for (const empty of [png(0, 10), jpeg(10, 0), animatedPng(10, 10)])
    assert.equal(qrContentOf(base64(empty)), undefined);
});

it('qrContentOf() accepts an SVG of plain shapes only: ten groups of ten copies are 2 KB and hang a page', () => {
  const level = (n: number) => `<g id="a${n + 1}">${`<use href="#a${n}"/>`.repeat(10)}</g>`;
  const levels = Array.from({ length: 10 }, (_, n) => level(n)).join('');
  const bomb = `<svg xmlns="http://www.w3.org/2000/svg"><rect id="a0" width="1" height="1"/>${levels}</svg>`;
  for (const text of [
    bomb,
    '<svg onload="alert(1)"></svg>',
    '<svg><script>1</script></svg>',
    '<SVG></SVG>',
    '<svg>&x;</svg>',
  ]) {
    assert.equal(qrContentOf(base64(text)), undefined, text.slice(0, 40));
  }
  assert.equal(qrContentOf(base64(Buffer.from('<svg>\xff</svg>', 'latin1'))), undefined, 'invalid UTF-8');
});

it('qrContentOf() refuses an image whose first bytes only resemble one', () => {
  for (const bytes of [
    Buffer.from('\x89PNG\r\n\x1a0000', 'latin1'),
    Buffer.from('\x89PNX\r\n\x1a\n0000', 'latin1'),
    Buffer.from('\xff\xd8\xfe', 'latin1'),
    Buffer.from('RIFX\x10\0\0\0WEBP', 'latin1'),
    Buffer.from('RIFF\x10\0\0\0WAVE', 'latin1'),
    Buffer.from('RIFF\0WEBP', 'latin1'),
    Buffer.from('BM\x10\0\0\0', 'latin1'),
    Buffer.from('\0\0\x01\0', 'latin1'),
    Buffer.from('%PDF-1.7\0', 'latin1'),
    Buffer.from('PK\x03\x04', 'latin1'),
  ]) {
    assert.equal(qrContentOf(base64(bytes)), undefined, bytes.toString('latin1'));
  }
  for (const text of ['GIF88a....', ' GIF89a', '<svgx>', '<html><svg></svg></html>', '<script>alert(1)</script>']) {
    assert.equal(qrContentOf(base64(text)), text.trim(), 'the content is text and drawn as a code');
  }
});

it('qrContentOf() accepts text: a URL to be drawn as a code', () => {
  assert.equal(qrContentOf(base64('https://wallet.example/scan?code=1')), 'https://wallet.example/scan?code=1');
  assert.equal(qrContentOf(base64('  https://wallet.example/ä?x=漢字 \n')), 'https://wallet.example/ä?x=漢字');
});

it('qrContentOf() refuses anything that is neither image nor text', () => {
  for (const bytes of ['', ' ', '\n', 'a\0b', 'a\x1bb', 'a\x7fb', 'a\u0085b', 'a\nb', '\ue000', '\u{10ffff}']) {
    assert.equal(qrContentOf(base64(bytes)), undefined, JSON.stringify(bytes));
  }
  for (const bytes of [
    [0xff, 0xfe, 0x41],
    [0xc3, 0x28],
    [0xed, 0xa0, 0x80],
  ]) {
    assert.equal(qrContentOf(base64(Uint8Array.from(bytes))), undefined, bytes.join());
  }
});

it('qrContentOf() refuses invalid base64', () => {
  for (const text of [
    '',
    '=',
    '==',
    'a b!',
    'aGVsbG8*',
    'aGVsbG8=x',
    'aGVsbG8===',
    'https://wallet.example/',
    'data:image/png;base64,iVBORw0KGgo=',
  ]) {
    assert.equal(qrContentOf(text), undefined, text);
  }
  assert.equal(qrContentOf('aGVs\r\nbG8=\n'), 'hello', 'white space between the lines is none of it');
  assert.equal(qrContentOf('aGVsbG8'), 'hello', 'padding may be left out');
});

it('qrContentOf() refuses an image over 64 KB and a text over 1024 bytes', () => {
  const small = png(29, 29);
  const padded = (size: number) => Buffer.concat([small, Buffer.alloc(size - small.length)]);
  assert.ok(qrContentOf(base64(padded(64 * 1024)))?.startsWith('data:image/png'));
  assert.equal(qrContentOf(base64(padded(64 * 1024 + 1))), undefined);
  assert.equal(qrContentOf(base64('a'.repeat(1024)))?.length, 1024);
  assert.equal(qrContentOf(base64('a'.repeat(1025))), undefined);
  assert.equal(qrContentOf(base64('ä'.repeat(513))), undefined, 'bytes are counted, not characters');
});

it('qrContentOf() takes linear time, even for 100,000 spaces', () => {
  const from = performance.now();
  assert.equal(qrContentOf(`A${' '.repeat(100_000)}!`), undefined);
  assert.ok(performance.now() - from < 1_000, `${performance.now() - from} ms`);
});
