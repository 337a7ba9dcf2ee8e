// Pages with the strictest policy: only the proxy's scripts and connections, Trusted Types, and a hash for each script.
// Checks in a browser what docs/element.md promises about such pages.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { after, afterEach, test } from 'node:test';
import { Host, type ShopPage } from './host.ts';

const host = await Host.open();
afterEach(() => host.leave());
after(() => host.close());

const STRICT = [
  `default-src 'none'`,
  `script-src ${host.proxy}`,
  `connect-src ${host.proxy}`,
  `require-trusted-types-for 'script'`,
  `trusted-types lit-html`,
].join('; ');

const OTHER_HASH = `sha384-${createHash('sha384').update('another script').digest('base64')}`;
const hashes = (await (await fetch(`${host.proxy}/integrity.json`)).json()) as Record<string, string>;

const pinned = (hash: string) =>
  `<script type="module" src="${host.proxy}/widget.js" integrity="${hash}" crossorigin></script>`;

test('a page that enforces Trusted Types and allows only the proxy’s scripts and connections takes a payment', async () => {
  const { orderId, visit } = await host.shop({ policy: STRICT });
  await visit.showsCode();
  await host.approve(orderId);
  await visit.sees('paid');
});

test('a page with a strict policy shows the widget in another language', async () => {
  const { visit } = await host.shop({ policy: STRICT, around: (widget) => `<div lang="de">${widget}</div>` });
  await visit.page.getByRole('heading', { name: 'Wie möchten Sie bezahlen?' }).waitFor();
  await visit.showsCode();
});

test('a page with a strict policy opens the checkout in a new tab', async () => {
  const attributes = 'method="CHECKOUT" checkout-target="_blank"';
  const { visit } = await host.shop({ policy: STRICT, attributes });
  const tab = visit.page.context().waitForEvent('page');
  await visit.widget.locator('[part~="pay"]').click();
  await (await tab).waitForURL(/\/pay\?token=/);
  await visit.sees('waiting');
});

test('a page with a strict policy and two copies of Lit shows a code if the policy has allow-duplicates', async () => {
  const head = `${host.script}${host.script.replace('.js', '.js?copy')}`;
  const { visit } = await host.shop({ policy: `${STRICT} 'allow-duplicates'`, head });
  await visit.showsCode();
});

test('the widget script runs with the integrity hash that the build wrote', async () => {
  const { visit } = await host.shop({ policy: STRICT, head: pinned(hashes['widget.js'] ?? '') });
  await visit.showsCode();
});

test('the files that the widget script loads run with the build’s hashes in an import map', async () => {
  const { visit } = await host.shop(mappedPage((file) => hashes[file] ?? ''));
  await visit.page.getByRole('heading', { name: 'Nasıl ödemek istersiniz?' }).waitFor();
  await visit.showsCode();
});

test('a widget script that does not match its integrity hash does not run', async () => {
  const { visit } = await host.shop({ policy: STRICT, head: pinned(OTHER_HASH) });
  assert.equal(await visit.page.evaluate(() => customElements.get('payment-widget')), undefined);
  await visit.logs(/integrity/);
  visit.allowed = /integrity/;
});

test('a dictionary that does not match its hash in the import map does not run', async () => {
  const isTurkish = (file: string) => file === 'locale-tr.js';
  const { visit } = await host.shop(mappedPage((file) => (isTurkish(file) ? OTHER_HASH : (hashes[file] ?? ''))));
  await visit.page.getByRole('heading', { name: 'How would you like to pay?' }).waitFor();
  await visit.logs(/integrity/);
  visit.allowed = /integrity/;
});

test('a second bundle that does not match its hash in the import map does not run, however often the shopper presses', async () => {
  const isFlow = (file: string) => file.startsWith('flow-');
  const { visit } = await host.shop(mappedPage((file) => (isFlow(file) ? OTHER_HASH : (hashes[file] ?? ''))));
  visit.allowed = /integrity/;
  const requested: string[] = [];
  visit.page.on('request', (request) => requested.push(request.url()));
  for (let presses = 0; presses < 3; presses += 1) {
    await visit.widget.locator('[part~="pay"]').click();
    await visit.widget.locator('[part~="error"]').waitFor();
  }
  await visit.logs(/integrity/);
  assert.deepEqual(
    requested.filter((url) => url.endsWith('?1')),
    [],
  );
});

/** A page whose import map has a hash for each file. It is in Turkish, so that the widget loads a dictionary. */
function mappedPage(hashOf: (file: string) => string): ShopPage {
  const integrity = Object.fromEntries(Object.keys(hashes).map((file) => [`${host.proxy}/${file}`, hashOf(file)]));
  const map = JSON.stringify({ integrity });
  const mapHash = createHash('sha256').update(map).digest('base64');
  return {
    policy: STRICT.replace('script-src', `script-src 'sha256-${mapHash}'`),
    head: `<script type="importmap">${map}</script>${host.script}`,
    around: (widget) => `<div lang="tr">${widget}</div>`,
  };
}
