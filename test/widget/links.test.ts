import assert from 'node:assert/strict';
import { it } from 'node:test';
import { appLink, checkoutLink, supportLink } from '../../widget/flow/links.ts';

it('checkoutLink() accepts https, and http on loopback', () => {
  for (const url of [
    'https://checkout.example/pay?token=1',
    'http://localhost:8788/pay',
    'http://127.0.0.1:8788/pay',
    'http://[::1]:8788/',
  ]) {
    assert.equal(checkoutLink(url), url);
  }
});

it('checkoutLink() refuses everything else', () => {
  for (const url of [
    'http://checkout.example/',
    'http://localhost.evil.example/',
    'http://127.0.0.1.evil.example/',
    'http://127.0.0.2/',
    'https://checkout.example@evil.example/',
    'javascript:alert(1)',
    'data:text/html,x',
    '//checkout.example',
    'pay',
    '',
    null,
  ]) {
    assert.equal(checkoutLink(url), null, String(url));
  }
});

it('appLink() accepts schemes that a wallet may have, and web links that are safe', () => {
  for (const url of [
    'jetgo://pay?reference=1234',

    'https://wallet.example/app',
    'http://localhost:8788/wallet/open',
    'http://127.0.0.1:8788/wallet/open',
  ]) {
    assert.equal(appLink(url), url);
  }
});

it('appLink() refuses a page over plain http', () => {
  for (const url of ['http://wallet.example/', 'HTTP://wallet.example/', 'http://localhost.evil.example/']) {
    assert.equal(appLink(url), null, url);
  }
});

it('appLink() refuses schemes that run or read something in the page, or install or start something on the device', () => {
  for (const url of [
    'javascript:alert(1)',
    'JaVaScRiPt:alert(1)',
    ' javascript:alert(1)',
    'java\nscript:alert(1)',
    'data:text/html,x',
    'blob:https://x/y',
    'file:///etc/passwd',
    'filesystem:https://x/temporary/y',
    'about:blank',
    'view-source:https://x/',
    'vbscript:x',
    'ftp://x/',
    'ws://x/',
    'wss://x/',
    'intent://pay#Intent;scheme=x;package=y;end',
    'itms-services://?action=download-manifest&url=https://x/',
    'ms-msdt:/id',
    'ms-settings:',
    'search-ms:query=x',
    'relative',
    null,
  ]) {
    assert.equal(appLink(url), null, String(url));
  }
});

it('supportLink() accepts only https', () => {
  assert.equal(supportLink('https://shop.example/help?order=1'), 'https://shop.example/help?order=1');
  const others = [
    'http://shop.example/',
    'http://localhost/',
    'javascript:alert(1)',
    'mailto:a@b.example',
    '/help',
    '',
  ];
  for (const url of [...others, null, undefined]) assert.equal(supportLink(url), null, String(url));
});
