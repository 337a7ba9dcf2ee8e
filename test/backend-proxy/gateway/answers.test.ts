// Links to the checkout and the wallet app: unsafe ones are refused, safe ones pass.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { appUrlOf, checkoutUrlOf, qrContentOf } from '../../../backend-proxy/gateway/answers.ts';
import { isSafeWebUrl } from '../../../backend-proxy/protocol/links.ts';
import { words } from '../in-words.ts';

const ANY: string[] = [];

it('a checkout URL is https, or http on loopback', () => {
  for (const url of words`
    https://checkout.example/pay?token=abc https://checkout.example:8443/ https://[2001:db8::1]/pay
    http://localhost:8788/pay?token=a http://127.0.0.1:8788/pay http://[::1]:8788/pay
  `) {
    assert.equal(checkoutUrlOf(url, ANY), url);
  }
});

it('a checkout URL with any other scheme is refused', () => {
  for (const url of [
    ...words`
    http://checkout.example/pay http://127.0.0.2/pay http://localhost.evil.example/ http://evil.example#localhost
    http://localhost@evil.example/ https://checkout.example@evil.example/ javascript:alert(1) JaVaScRiPt:alert(1)
    data:text/html,<script>alert(1)</script> vbscript:x file:///etc/passwd ftp://checkout.example/
    blob:https://checkout.example/1 ws://checkout.example/ ws://localhost/ ftp://127.0.0.1/ jetgo://pay
    //checkout.example/pay /pay checkout.example https://
  `,
    '\tjavascript:alert(1)',
    '',
    ' ',
  ]) {
    assert.equal(checkoutUrlOf(url, ANY), undefined, url);
  }
});

it('a checkout URL with a user name or password is refused', () => {
  assert.equal(checkoutUrlOf('https://checkout.example@evil.example/', ANY), undefined);
  assert.equal(checkoutUrlOf('https://user:@evil.example/', ANY), undefined);
  assert.equal(checkoutUrlOf('https://:checkout.example@evil.example/', ANY), undefined);
  assert.equal(checkoutUrlOf('https://user:password@evil.example/', ANY), undefined);
  assert.equal(isSafeWebUrl(new URL('https://evil.example/?a=user:password@x')), true);
});

it('a checkout URL must be on an allowed host, if there are any', () => {
  const hosts = ['checkout.example', 'checkout.example:8443'];
  for (const url of [
    'https://checkout.example/a',
    'https://checkout.example:443/a',
    'https://checkout.example:8443/a',
    'https://CHECKOUT.example/a',
  ]) {
    assert.ok(checkoutUrlOf(url, hosts), url);
  }
  for (const url of [
    ...words`
    https://evil.example/checkout.example https://checkout.example.evil.example/ https://a.checkout.example/
    https://evilcheckout.example/ https://checkout.example:9443/ https://checkout.example.:443/
    https://evil.example#@checkout.example http://localhost/
  `,
    'https://evil.example\\@checkout.example/',
  ]) {
    assert.equal(checkoutUrlOf(url, hosts), undefined, url);
  }
});

it('a checkout URL is normalized by our parser, so that no other parser reads it differently', () => {
  assert.equal(checkoutUrlOf('https:\\\\checkout.example\\pay', ANY), 'https://checkout.example/pay');
  assert.equal(
    checkoutUrlOf('https://checkout.example\\@evil.example', ['checkout.example']),
    'https://checkout.example/@evil.example',
  );
  assert.equal(checkoutUrlOf(' https://checkout.example/a b"<>', ANY), 'https://checkout.example/a%20b%22%3C%3E');
  assert.equal(checkoutUrlOf('https://checkout.ex\tample/\n', ANY), 'https://checkout.example/');
});

it('a checkout URL has at most 2048 characters', () => {
  const long = (length: number) => 'https://checkout.example/'.padEnd(length, 'a');
  assert.equal(checkoutUrlOf(long(2048), ANY), long(2048));
  assert.equal(checkoutUrlOf(long(2049), ANY), undefined);
});

const SCHEMES = ['jetgo', 'jeton'];

it('a link to the wallet app has a scheme of the wallet or is a safe web URL', () => {
  for (const url of [
    'jetgo://pay?reference=1234',
    'jeton:pay',
    'https://wallet.example/open?code=1',
    'http://localhost:8788/wallet/open',
  ]) {
    assert.equal(appUrlOf(url, ANY, SCHEMES), url);
  }
  assert.equal(appUrlOf('JetGo://pay', ANY, SCHEMES), 'jetgo://pay');
  assert.equal(appUrlOf('ownwallet:pay', ANY, ['ownwallet']), 'ownwallet:pay');
});

it('a link to the wallet app with an unlisted scheme is refused, whether it would run in the page or on the device', () => {
  for (const url of [
    ...words`
    javascript:alert(1) JAVASCRIPT:alert(1) data:text/html,x vbscript:x blob:https://a.example/1 file:///etc/passwd
    filesystem:https://a.example/temporary/x about:blank view-source:https://a.example/
    intent://pay#Intent;scheme=x;end itms-services://?action=download-manifest&url=https://evil.example/ ms-msdt:/id
    tel:1 jetgo2:pay jet:pay http://wallet.example/ https://user@wallet.example/ wallet
  `,
    'java\nscript:alert(1)',
    ' javascript:alert(1)',
    '',
  ]) {
    assert.equal(appUrlOf(url, ANY, SCHEMES), undefined, url);
  }
});

it('a web link to the wallet app must be on an allowed host, if there are any', () => {
  const hosts = ['checkout.example'];
  assert.equal(appUrlOf('https://checkout.example/open', hosts, SCHEMES), 'https://checkout.example/open');
  assert.equal(appUrlOf('jetgo://pay', hosts, SCHEMES), 'jetgo://pay');
  for (const url of [
    'https://evil.example/login',
    'http://localhost:8788/',
    'https://checkout.example@evil.example/',
  ]) {
    assert.equal(appUrlOf(url, hosts, SCHEMES), undefined, url);
  }
});

it('a link to the wallet app has at most 2048 characters', () => {
  assert.equal(appUrlOf(`jetgo://${'a'.repeat(2040)}`, ANY, SCHEMES)?.length, 2048);
  assert.equal(appUrlOf(`jetgo://${'a'.repeat(2041)}`, ANY, SCHEMES), undefined);
});

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
    ...words`
    = == aGVsbG8* aGVsbG8=x aGVsbG8=== https://wallet.example/ data:image/png;base64,iVBORw0KGgo=
  `,
    '',
    'a b!',
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
