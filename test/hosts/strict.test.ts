// Pages with the strictest policy: only the proxy's scripts and connections, Trusted Types, and a hash for each script.
// Checks in a browser what docs/element.md promises about such pages.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { after, test } from 'node:test';
import { Host, type HostPage } from './host.ts';

const host = await Host.open();
after(() => host.close());

const STRICT = [
  `default-src 'none'`,
  `script-src ${host.proxy}`,
  `connect-src ${host.proxy}`,
  `require-trusted-types-for 'script'`,
  `trusted-types lit-html`,
].join('; ');

const widget = (token: string) => `<payment-widget order="${token}"></payment-widget>`;
const OTHER_HASH = `sha384-${createHash('sha384').update('another script').digest('base64')}`;
const hashes = (await (await fetch(`${host.proxy}/integrity.json`)).json()) as Record<string, string>;

test('a page that enforces Trusted Types and allows only the proxy’s scripts and connections takes a payment', async () => {
  const { orderId, token } = await host.order();
  const visit = await host.visit({
    policy: STRICT,
    head: `<script type="module" src="${host.proxy}/widget.js"></script>`,
    body: widget(token),
  });
  await visit.pay();
  assert.match(await visit.scannedCode(), /^http/);
  await host.approve(orderId);
  await visit.sees('paid');
  await visit.leave();
});

test('a page with a strict policy shows the widget in another language', async () => {
  const { token } = await host.order();
  const visit = await host.visit({
    policy: STRICT,
    head: `<script type="module" src="${host.proxy}/widget.js"></script>`,
    body: `<div lang="de">${widget(token)}</div>`,
  });
  await visit.page.getByRole('heading', { name: 'Wie möchten Sie bezahlen?' }).waitFor();
  await visit.pay();
  assert.match(await visit.scannedCode(), /^http/);
  await visit.leave();
});

test('a page with a strict policy opens the checkout in a new tab', async () => {
  const { token } = await host.order();
  const visit = await host.visit({
    policy: STRICT,
    head: `<script type="module" src="${host.proxy}/widget.js"></script>`,
    body: `<payment-widget order="${token}" method="CHECKOUT" checkout-target="_blank"></payment-widget>`,
  });
  const tab = visit.page.context().waitForEvent('page');
  await visit.widget.locator('[part~="pay"]').click();
  await (await tab).waitForURL(/\/pay\?token=/);
  await visit.sees('waiting');
  await visit.leave();
});

test('a page with a strict policy and two copies of Lit shows a code if the policy has allow-duplicates', async () => {
  const { token } = await host.order();
  const visit = await host.visit({
    policy: `${STRICT} 'allow-duplicates'`,
    head: ['widget.js', 'widget.js?copy']
      .map((file) => `<script type="module" src="${host.proxy}/${file}"></script>`)
      .join(''),
    body: widget(token),
  });
  await visit.pay();
  assert.match(await visit.scannedCode(), /^http/);
  await visit.leave();
});

test('the widget script runs with the integrity hash that the build wrote', async () => {
  const { token } = await host.order();
  const visit = await host.visit({
    policy: STRICT,
    head: `<script type="module" src="${host.proxy}/widget.js" integrity="${hashes['widget.js']}" crossorigin></script>`,
    body: widget(token),
  });
  await visit.pay();
  assert.match(await visit.scannedCode(), /^http/);
  await visit.leave();
});

test('the files that the widget script loads run with the build’s hashes in an import map', async () => {
  const { token } = await host.order();
  const visit = await host.visit(mappedPage(token, (file) => hashes[file] ?? ''));
  await visit.page.getByRole('heading', { name: 'Nasıl ödemek istersiniz?' }).waitFor();
  await visit.pay();
  assert.match(await visit.scannedCode(), /^http/);
  await visit.leave();
});

test('a widget script that does not match its integrity hash does not run', async () => {
  const { token } = await host.order();
  const visit = await host.visit({
    policy: STRICT,
    head: `<script type="module" src="${host.proxy}/widget.js" integrity="${OTHER_HASH}" crossorigin></script>`,
    body: widget(token),
  });
  assert.equal(await visit.page.evaluate(() => customElements.get('payment-widget')), undefined);
  await visit.logs(/integrity/);
  await visit.leave(/integrity/);
});

test('a dictionary that does not match its hash in the import map does not run', async () => {
  const { token } = await host.order();
  const isTurkish = (file: string) => file === 'locale-tr.js';
  const visit = await host.visit(mappedPage(token, (file) => (isTurkish(file) ? OTHER_HASH : (hashes[file] ?? ''))));
  await visit.page.getByRole('heading', { name: 'How would you like to pay?' }).waitFor();
  await visit.logs(/integrity/);
  await visit.leave(/integrity/);
});

/** A page whose import map has a hash for each file. It is in Turkish, so that the widget loads a dictionary. */
function mappedPage(token: string, hashOf: (file: string) => string): HostPage {
  const integrity = Object.fromEntries(Object.keys(hashes).map((file) => [`${host.proxy}/${file}`, hashOf(file)]));
  const map = JSON.stringify({ integrity });
  const mapHash = createHash('sha256').update(map).digest('base64');
  return {
    policy: STRICT.replace('script-src', `script-src 'sha256-${mapHash}'`),
    head: `<script type="importmap">${map}</script><script type="module" src="${host.proxy}/widget.js"></script>`,
    body: `<div lang="tr">${widget(token)}</div>`,
  };
}
