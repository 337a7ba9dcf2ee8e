// The README's picture of the operator's page, of a proxy as its tests start it. Two of its payments are to be decided.
import type { TestContext } from 'node:test';
import type { Browser } from 'playwright-core';
import { STYLE } from '../../backend-proxy/admin/style.ts';
import { serverClock } from '../../backend-proxy/admin/values.ts';
import { createMismatch, signedIn } from '../backend-proxy/admin/admin-kit.ts';
import { M } from '../backend-proxy/time.ts';
import { REFUNDS_QR } from '../backend-proxy/world.ts';

const WIDTH = 870;

/** The page as PNG, with its width. */
export async function drawOperator(
  browser: Browser,
  colorScheme: 'light' | 'dark',
  deviceScaleFactor: number,
): Promise<[Buffer, number][]> {
  const ends: (() => unknown)[] = [];
  const test = { after: (end: () => unknown) => void ends.push(end) };
  const { world, open } = await signedIn(test as unknown as TestContext, { profile: REFUNDS_QR });
  await createMismatch(world, 'ABC-121', 'succeeded', '30.00');
  world.skip(12 * M);
  const twice = world.token({ orderId: 'ABC-122', amount: '38.00' });
  for (const key of ['once', 'again']) await world.start(twice, { method: 'QR' }, key);
  for (const id of ['ABC-122', 'ABC-122-2']) await world.settleAfter('approve', id, '23456789');
  world.skip(M);
  await world.start(world.token({ orderId: 'ABC-123', amount: '15.00' }), { method: 'JETGO' });
  await world.settleAfter('approve', 'ABC-123', '12345678');
  world.skip(2 * M);
  const html = (await open('/admin'))
    .replace(/<link rel="stylesheet"[^>]*>/, `<style>${STYLE}</style>`)
    .replace(serverClock.words(world.now()), '20\u00A0Nov\u00A02026, 12:15:00\u00A0UTC'); // in every time zone
  const page = await browser.newPage({ viewport: { width: WIDTH, height: 850 }, deviceScaleFactor, colorScheme });
  await page.setContent(html);
  const picture = await page.screenshot();
  await page.close();
  for (const end of ends) await end();
  return [[picture, WIDTH]];
}
