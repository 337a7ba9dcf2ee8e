// What of a gateway's answer may reach a shopper: each hostile example, and each good one that must still pass.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { appUrlOf, checkoutUrlOf, isWebLink, qrContentOf } from '../../../backend-proxy/gateway/qr-content.ts';
import { animatedPng, gif, jpeg, png, webp } from './pictures.ts';

const ANY: string[] = [];
const base64 = (value: string | Uint8Array) => Buffer.from(value).toString('base64');

describe('a checkout URL', () => {
  it('is https, or http on loopback', () => {
    for (const url of [
      'https://checkout.example/pay?token=abc',
      'https://checkout.example:8443/',
      'https://[2001:db8::1]/pay',
      'http://localhost:8788/pay?token=a',
      'http://127.0.0.1:8788/pay',
      'http://[::1]:8788/pay',
    ]) {
      assert.equal(checkoutUrlOf(url, ANY), url);
    }
  });

  it('of any other kind is refused', () => {
    for (const url of [
      'http://checkout.example/pay',
      'http://127.0.0.2/pay',
      'http://localhost.evil.example/',
      'http://evil.example#localhost',
      'http://localhost@evil.example/',
      'https://checkout.example@evil.example/',
      'https://:checkout.example@evil.example/',
      'javascript:alert(1)',
      'JaVaScRiPt:alert(1)',
      '\tjavascript:alert(1)',
      'data:text/html,<script>alert(1)</script>',
      'vbscript:x',
      'file:///etc/passwd',
      'ftp://checkout.example/',
      'blob:https://checkout.example/1',
      'ws://checkout.example/',
      'ws://localhost/',
      'ftp://127.0.0.1/',
      'jetgo://pay',
      '//checkout.example/pay',
      '/pay',
      'checkout.example',
      '',
      ' ',
      'https://',
    ]) {
      assert.equal(checkoutUrlOf(url, ANY), undefined, url);
    }
  });

  it('has no user name and no password in it', () => {
    assert.equal(checkoutUrlOf('https://checkout.example@evil.example/', ANY), undefined);
    assert.equal(checkoutUrlOf('https://user:@evil.example/', ANY), undefined);
    assert.equal(checkoutUrlOf('https://:password@evil.example/', ANY), undefined);
    assert.equal(checkoutUrlOf('https://user:password@evil.example/', ANY), undefined);
    assert.equal(isWebLink(new URL('https://evil.example/?a=user:password@x')), true);
  });

  it('is on one of the allowed hosts, where there are some', () => {
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
      'https://evil.example/checkout.example',
      'https://checkout.example.evil.example/',
      'https://a.checkout.example/',
      'https://evilcheckout.example/',
      'https://checkout.example:9443/',
      'https://checkout.example.:443/',
      'https://evil.example#@checkout.example',
      'https://evil.example\\@checkout.example/',
      'http://localhost/',
    ]) {
      assert.equal(checkoutUrlOf(url, hosts), undefined, url);
    }
  });

  it('reaches the browser as our parser reads it, so that no other parser can read it otherwise', () => {
    assert.equal(checkoutUrlOf('https:\\\\checkout.example\\pay', ANY), 'https://checkout.example/pay');
    assert.equal(
      checkoutUrlOf('https://checkout.example\\@evil.example', ['checkout.example']),
      'https://checkout.example/@evil.example',
    );
    assert.equal(checkoutUrlOf(' https://checkout.example/a b"<>', ANY), 'https://checkout.example/a%20b%22%3C%3E');
    assert.equal(checkoutUrlOf('https://checkout.ex\tample/\n', ANY), 'https://checkout.example/');
  });

  it('has at most 2048 characters', () => {
    const long = (length: number) => 'https://checkout.example/'.padEnd(length, 'a');
    assert.equal(checkoutUrlOf(long(2048), ANY), long(2048));
    assert.equal(checkoutUrlOf(long(2049), ANY), undefined);
  });
});

const SCHEMES = ['jetgo', 'jeton'];

describe('a link to the wallet application', () => {
  it("has a wallet's scheme, or is a safe web URL", () => {
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

  it('has no scheme that is not listed, whether it would run in the page or on the device', () => {
    for (const url of [
      'javascript:alert(1)',
      'JAVASCRIPT:alert(1)',
      'java\nscript:alert(1)',
      ' javascript:alert(1)',
      'data:text/html,x',
      'vbscript:x',
      'blob:https://a.example/1',
      'file:///etc/passwd',
      'filesystem:https://a.example/temporary/x',
      'about:blank',
      'view-source:https://a.example/',
      'intent://pay#Intent;scheme=x;end',
      'itms-services://?action=download-manifest&url=https://evil.example/',
      'ms-msdt:/id',
      'tel:1',
      'jetgo2:pay',
      'jet:pay',
      'http://wallet.example/',
      'https://user@wallet.example/',
      'wallet',
      '',
    ]) {
      assert.equal(appUrlOf(url, ANY, SCHEMES), undefined, url);
    }
  });

  it('is on one of the allowed hosts where it is a web link and there are some', () => {
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

  it('has at most 2048 characters', () => {
    assert.equal(appUrlOf(`jetgo://${'a'.repeat(2040)}`, ANY, SCHEMES)?.length, 2048);
    assert.equal(appUrlOf(`jetgo://${'a'.repeat(2041)}`, ANY, SCHEMES), undefined);
  });
});

describe('a code', () => {
  const image = (type: string, bytes: Uint8Array | string) => `data:image/${type};base64,${base64(bytes)}`;

  it('is an image by its first bytes, whatever it may be called', () => {
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

  it('is an image of at most 2048 pixels a side, by its header: 31 KB can unpack to a gigabyte', () => {
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

  it('is a drawing of plain shapes only: ten groups of ten copies each are 2 KB and hang a page', () => {
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
    assert.equal(qrContentOf(base64(Buffer.from('<svg>\xff</svg>', 'latin1'))), undefined, 'and it is UTF-8');
  });

  it('is no image where the first bytes only resemble one', () => {
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
      assert.equal(qrContentOf(base64(text)), text.trim(), 'it is text then, and drawn as a code');
    }
  });

  it('is text where it is text: an URL to be drawn', () => {
    assert.equal(qrContentOf(base64('https://wallet.example/scan?code=1')), 'https://wallet.example/scan?code=1');
    assert.equal(qrContentOf(base64('  https://wallet.example/ä?x=漢字 \n')), 'https://wallet.example/ä?x=漢字');
  });

  it('is refused where it is neither image nor text', () => {
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

  it('is refused where it is not base64', () => {
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

  it('is an image of at most 64 KB, or a text of at most 1024 bytes', () => {
    const small = png(29, 29);
    const padded = (size: number) => Buffer.concat([small, Buffer.alloc(size - small.length)]);
    assert.ok(qrContentOf(base64(padded(64 * 1024)))?.startsWith('data:image/png'));
    assert.equal(qrContentOf(base64(padded(64 * 1024 + 1))), undefined);
    assert.equal(qrContentOf(base64('a'.repeat(1024)))?.length, 1024);
    assert.equal(qrContentOf(base64('a'.repeat(1025))), undefined);
    assert.equal(qrContentOf(base64('ä'.repeat(513))), undefined, 'bytes are counted, not characters');
  });

  it('costs its length and no more, also where it is 100,000 spaces', () => {
    const from = performance.now();
    assert.equal(qrContentOf(`A${' '.repeat(100_000)}!`), undefined);
    assert.ok(performance.now() - from < 1_000, `${performance.now() - from} ms`);
  });
});
