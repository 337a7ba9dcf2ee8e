import assert from 'node:assert/strict';
import { it } from 'node:test';
import { appLink, checkoutLink, supportLink } from '../../widget/flow/checkout-window.ts';

/** Refused by all three. */
const NEVER = 'javascript:alert(1) JaVaScRiPt:alert(1) data:text/html,x http://shop.example/ relative'.split(' ');

for (const [name, link, accepts, refuses] of [
  [
    'checkoutLink() accepts https, and http on loopback',
    checkoutLink,
    'https://checkout.example/pay?token=1 http://localhost:8788/pay http://127.0.0.1:8788/pay http://[::1]:8788/',
    'http://localhost.evil.example/ http://127.0.0.1.evil.example/ http://127.0.0.2/ //checkout.example ' +
      'https://checkout.example@evil.example/',
  ],
  [
    'appLink() accepts schemes that a wallet may have, and web links that are safe',
    appLink,
    'jetgo://pay?reference=1234 https://wallet.example/app http://localhost:8788/wallet http://127.0.0.1:8788/wallet',
    'HTTP://wallet.example/ http://localhost.evil.example/',
  ],
  [
    'appLink() accepts no scheme that runs or reads something in the page, or installs or starts something',
    appLink,
    'jetgo://pay',
    'blob:https://x/y file:///etc/passwd filesystem:https://x/temporary/y about:blank view-source:https://x/ ' +
      'vbscript:x ftp://x/ ws://x/ wss://x/ intent://pay#Intent;scheme=x;package=y;end ms-msdt:/id ms-settings: ' +
      'itms-services://?action=download-manifest&url=https://x/ search-ms:query=x',
  ],
  [
    'supportLink() accepts only https',
    supportLink,
    'https://shop.example/help?order=1',
    'http://localhost/ mailto:a@b.example /help',
  ],
] as const) {
  it(`${name}, and refuses everything else`, () => {
    for (const url of accepts.split(' ')) assert.equal(link(url), url);
    const others = ['', null, ' javascript:alert(1)', 'java\nscript:alert(1)'];
    for (const url of [...NEVER, ...refuses.split(' '), ...others]) assert.equal(link(url), null, String(url));
  });
}
