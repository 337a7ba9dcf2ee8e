// The README's picture of the operator's page: of a proxy as its tests start it, with two payments to decide about.
import type { TestContext } from 'node:test';
import type { Browser } from 'playwright-core';
import { STYLE } from '../../backend-proxy/admin/style.ts';
import { serverClock } from '../../backend-proxy/admin/values.ts';
import { createMismatch, signedIn } from '../backend-proxy/admin/admin-kit.ts';
import { M } from '../backend-proxy/time.ts';
import { REFUNDS_QR } from '../backend-proxy/world.ts';

export async function drawOperator(browser: Browser, colorScheme: 'light' | 'dark'): Promise<Buffer> {
  const ends: (() => unknown)[] = [];
  const test = { after: (end: () => unknown) => void ends.push(end) };
  const { world, open } = await signedIn(test as unknown as TestContext, { profile: REFUNDS_QR });
  await createMismatch(world, 'ST-1042', 'succeeded');
  world.skip(12 * M);
  const token = world.token({ orderId: 'ST-1044', amount: '76.00' });
  for (const key of ['once', 'again']) await world.start(token, { method: 'QR' }, key);
  for (const id of ['ST-1044', 'ST-1044-2']) await world.settleAfter('approve', id, '23456789');
  world.skip(3 * M);
  const html = (await open('/admin'))
    .replace(/<link rel="stylesheet"[^>]*>/, `<style>${STYLE}</style>`)
    .replace(serverClock.words(world.now()), '20\u00A0Nov\u00A02026, 12:15:00\u00A0UTC'); // in every time zone
  const page = await browser.newPage({ viewport: { width: 870, height: 366 }, deviceScaleFactor: 1.25, colorScheme });
  await page.setContent(html);
  const picture = await page.screenshot();
  await page.close();
  for (const end of ends) await end();
  return picture;
}
