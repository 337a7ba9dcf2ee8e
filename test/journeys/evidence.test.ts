// Tests the search that every World makes for secrets when it closes: values sent on the usual ways are found in each
// kind of evidence.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, test } from 'node:test';
import { until } from '../backend-proxy/until.ts';
import { createSearch } from '../secret-search.ts';
import { findIn } from './evidence.ts';
import { BRUNO, World } from './shopper.ts';

const world = await World.open();
after(() => world.close());

test('planted values are found in every kind of evidence', async () => {
  const planted = { note: `note-${randomUUID()}`, requestId: `request-${randomUUID()}` };
  const staff = await world.staff();
  await staff.page.getByRole('link', { name: 'Send a payout' }).click();
  await staff.page.getByLabel('Amount').fill('7');
  await staff.page.getByLabel('Wallet ID').fill(BRUNO);
  await staff.page.getByLabel('Note').fill(planted.note);
  await staff.page.getByRole('button', { name: 'Continue' }).click();
  await staff.page.getByRole('button', { name: /^Send €/ }).click();
  const row = staff.page.getByRole('listitem').filter({ hasText: planted.note });
  await row.and(staff.page.locator('[data-status="SUCCESS"]')).waitFor();
  await staff.leave();
  await fetch(`${world.stack.proxy}/order`, { headers: { 'X-Request-Id': planted.requestId } });
  // The answer may come before the line of the log, which goes through a pipe.
  await until(() => world.stack.logs.proxy.some((line) => line.includes(planted.requestId)));

  const evidence = await world.evidence();
  assert.deepEqual(findIn(evidence, createSearch(planted)), [
    'note in HAR',
    'note in database',
    'note in pages',
    'note in webhooks',
    'requestId in logs',
  ]);
});
