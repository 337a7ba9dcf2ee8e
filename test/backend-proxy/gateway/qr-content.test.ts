// The QR content of an answer: unsafe content is refused, safe content passes.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { qrContentOf } from '../../../backend-proxy/gateway/answers.ts';

const latin1 = (text: string) => Buffer.from(text, 'latin1');
const PNG = latin1('\x89PNG\r\n\x1a\n....');

const base64 = (value: string | Uint8Array) => Buffer.from(value).toString('base64');

const image = (type: string, bytes: Uint8Array | string) => `data:image/${type};base64,${base64(bytes)}`;

it('qrContentOf() recognizes an image by its first bytes', () => {
  for (const [type, bytes] of [
    ['png', PNG],
    ['jpeg', latin1('\xff\xd8\xff\xe0....')],
    ['gif', latin1('GIF89a....')],
    ['webp', latin1('RIFF\x10\0\0\0WEBPVP8 ')],
    ['svg+xml', '<svg xmlns="http://www.w3.org/2000/svg"></svg>'],
    ['svg+xml', '<?xml version="1.0"?><!-- by hand --><svg ></svg>'],
    ['svg+xml', '<?xml version="1.0"?>\n\n<!-- by hand -->\n\n<svg\n></svg>'],
    ['svg+xml', '\uFEFF<?xml version="1.0"?>\n<!-- by hand -->\n<svg></svg>'],
  ] as const) {
    assert.equal(qrContentOf(base64(bytes)), image(type, bytes));
  }
});

it('qrContentOf() refuses an image whose first bytes only resemble one', () => {
  for (const bytes of [
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
  const padded = (size: number) => Buffer.concat([PNG, Buffer.alloc(size - PNG.length)]);
  assert.ok(qrContentOf(base64(padded(64 * 1024)))?.startsWith('data:image/png'));
  assert.equal(qrContentOf(base64(padded(64 * 1024 + 1))), undefined);
  assert.equal(qrContentOf(base64('a'.repeat(1024)))?.length, 1024);
  assert.equal(qrContentOf(base64('a'.repeat(1025))), undefined);
  assert.equal(qrContentOf(base64('ä'.repeat(513))), undefined, 'bytes are counted, not characters');
});
