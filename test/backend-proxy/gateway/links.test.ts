// Links to the checkout and the wallet app: unsafe ones are refused, safe ones pass.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { appUrlOf, checkoutUrlOf } from '../../../backend-proxy/gateway/answers.ts';
import { isSafeWebUrl } from '../../../backend-proxy/protocol/links.ts';

const ANY: string[] = [];

it('a checkout URL is https, or http on loopback', () => {
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

it('a checkout URL with any other scheme is refused', () => {
  for (const url of [
    'http://checkout.example/pay',
    'http://127.0.0.2/pay',
    'http://localhost.evil.example/',
    'http://evil.example#localhost',
    'http://localhost@evil.example/',
    'https://checkout.example@evil.example/',
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
