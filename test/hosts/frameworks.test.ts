// The npm package in three frameworks, each page compiled by its framework's compiler, under a policy that allows only
// the page's own scripts. Each page (in pages/) has the same checkout: properties, events, unmounting.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { after, afterEach, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { bundleForServer, bundlePage } from './bundle.ts';
import { installPackage } from './consumer.ts';
import { until } from '../faults/fault-test.ts';
import { Host, type Order } from './host.ts';
import type { Visit } from './visit.ts';

const [host, project] = await Promise.all([
  Host.open(),
  installPackage(fileURLToPath(new URL('pages', import.meta.url))),
]);
afterEach(() => host.leave());
after(() => host.close());

/** The gateway's answer waits until the test advances the sandbox's clock. Shorter than the proxy's timeout. */
const GATEWAY_DELAY_MS = 25_000;
const POLICY = `default-src 'none'; script-src 'self'; connect-src ${host.proxy}; require-trusted-types-for 'script'`;

for (const [framework, source] of Object.entries({
  'React 19': 'react.jsx',
  'Vue 3': 'vue.js',
  'Svelte 5': 'svelte.js',
})) {
  describe(framework, async () => {
    const { entry, files, packages } = await bundlePage(`${project.folder}/${source}`);
    for (const [name, text] of files) host.serve(`/${name}`, text);

    test(`a page in ${framework} has one copy of each package`, () => {
      const names = packages.map((each) => each.split(' ')[0] ?? '');
      for (const name of ['payment-widget', 'lit', 'lit-html', source.split('.')[0]])
        assert.ok(names.includes(name ?? ''), name);
      assert.deepEqual(names.toSorted(), [...new Set(names)].toSorted(), packages.join('\n'));
    });

    const visit = ({ token }: Order): Promise<Visit> =>
      host.visit({
        policy: POLICY,
        head: `<script type="module" src="/${entry}"></script>`,
        body: `<main data-order="${token}" data-proxy="${host.proxy}"></main>`,
      });

    test(`a page in ${framework} sets the widget’s properties, receives its events and updates it`, async () => {
      const order = await host.order();
      const shop = await visit(order);
      await shop.page.getByRole('heading', { name: 'Your turn' }).waitFor();
      await shop.page.getByRole('button', { name: 'Rename' }).click();
      await shop.page.getByRole('heading', { name: 'Renamed' }).waitFor();
      const methods = shop.widget.locator('input[type=radio]');
      assert.deepEqual(await methods.evaluateAll((all) => all.map((each) => each.getAttribute('value'))), [
        'QR',
        'CHECKOUT',
      ]);
      assert.equal(
        await shop.widget.evaluate((element) => (element as unknown as { checkoutTarget: string }).checkoutTarget),
        '_blank',
      );
      assert.equal(
        await shop.widget.locator('svg[slot=icon-QR]').evaluate((icon) => icon.assignedSlot?.name),
        'icon-QR',
      );
      await shop.showsCode();
      assert.equal(await shop.page.getByText('On its way').isVisible(), false);
      await host.approve(order.orderId);
      await shop.sees('paid');
      await shop.page.getByText('On its way').waitFor();
      const output = shop.page.locator('output');
      await until(
        'the page received both events, each with the widget’s value at that time',
        async () => (await output.textContent()) === `payment-submit  payment-success ${order.orderId}`,
      );
    });

    test(`a page in ${framework} that remounts the widget during a request starts one payment and shows its code`, async () => {
      const order = await host.order();
      const shop = await visit(order);
      const toggle = shop.page.getByRole('button', { name: 'Toggle' });
      await host.control('/faults', { pay: { delayMs: GATEWAY_DELAY_MS }, times: 1 });
      await shop.pay();
      await until(
        'the proxy has stored the payment',
        async () => (await host.paymentStatuses(order.orderId)).length === 1,
      );
      await toggle.click();
      assert.equal(await shop.widget.count(), 0);
      assert.deepEqual(await host.paymentStatuses(order.orderId), ['INITIALIZED']);
      await until('no stream is open', () => shop.openStreams === 0);
      await host.control('/clock', { advanceMs: GATEWAY_DELAY_MS });
      await toggle.click();
      assert.match(await shop.scannedCode(), /^http/);
      assert.equal((await host.payments(order.orderId)).length, 1);
    });
  });
}

test('React renders a page with the widget on a server and hydrates it in the browser', async () => {
  const { orderId, token } = await host.order();
  const program = `${project.folder}/server.js`;
  await bundleForServer(`${project.folder}/server.jsx`, program);
  const { stdout, stderr } = await promisify(execFile)(process.execPath, [program, token, host.proxy]);
  assert.equal(stderr, '');
  assert.match(stdout, /<button>Toggle<\/button>/);

  const { entry, files } = await bundlePage(`${project.folder}/react.jsx`);
  for (const [name, text] of files) host.serve(`/${name}`, text);
  const shop = await host.visit({
    policy: POLICY,
    head: `<script type="module" src="/${entry}"></script>`,
    body: `<main data-order="${token}" data-proxy="${host.proxy}">${stdout}</main>`,
  });
  await shop.showsCode();
  await host.approve(orderId);
  await shop.sees('paid');
  await until(
    'the page received both events, each with the widget’s value at that time',
    async () => (await shop.page.locator('output').textContent()) === `payment-submit  payment-success ${orderId}`,
  );
});
