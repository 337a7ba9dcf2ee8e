// An SQLite file after erasing: none of the erased bytes, and less space.
import assert from 'node:assert/strict';
import { readFileSync, statSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { it, type TestContext } from 'node:test';
import { createLedger } from '../../../../backend-proxy/ledger/ledger.ts';
import type { Ledger } from '../../../../backend-proxy/ledger/ledger.ts';
import { NOON } from '../../time.ts';
import { BARE_READING, LIMITS, payment, verified, byId, endCheck } from '../ledger-kit.ts';
import { openedStore, temporaryFile } from './sqlite-kit.ts';

const ORDERS = 120;

/** Payments that succeeded, each with a picture as its code, an IPN and a webhook that was delivered. */
async function fill(ledger: Ledger): Promise<void> {
  const port = byId(ledger, () => NOON);
  await Promise.all(
    Array.from({ length: ORDERS }, async (_, n) => {
      const id = `O-${n}`;
      const start = { by: 'host', id };
      const given = { ...payment({ orderId: id, customer: 'canary-1', start }), iat: null, terms: '' };
      const opened = await ledger.openPayment(given, LIMITS);
      const means = { paymentId: id, method: null, checkoutUrl: null, qr: { image: `canary${'x'.repeat(20_000)}` } };
      await ledger.record(opened.payment, { stage: 'pending', ...means, appUrl: null });
      const reading = { ...BARE_READING, transactionId: id };
      const { claim } = await ledger.receiveIpn({ id, body: `canary${'y'.repeat(8_000)}`, reading }, 45_000);
      await endCheck(
        ledger,
        claim ?? { transaction: opened.payment, beganAt: NOON, leaseUntil: NOON + 1, ipnsReceived: 1 },
        verified('succeeded', id, 'canary-2'),
      );
    }),
  );
  for (const webhook of (await port.webhooks('pending', 1000)).webhooks) {
    await port.recordDelivery(webhook, { state: 'delivered', answer: 'HTTP 200' });
  }
}

async function eraseAll(ledger: Ledger): Promise<number> {
  let erased = 0;
  for (let next: string | null = ''; next !== null;) {
    const page: Awaited<ReturnType<Ledger['erasePage']>> = await ledger.erasePage(
      { afterMs: -1, payersMs: -1, sendsWebhooks: true },
      next,
    );
    erased += page.erased;
    next = page.next;
  }
  return erased;
}

async function openLedger(t: TestContext, file: string): Promise<Ledger> {
  const store = await openedStore(t, file);
  return createLedger(store, { now: () => NOON });
}

it('an SQLite file has none of the erased bytes, and gets smaller by less than a megabyte a step', async (t) => {
  const file = temporaryFile(t);
  const ledger = await openLedger(t, file);
  await fill(ledger);
  const reader = new DatabaseSync(file);
  reader.exec('pragma wal_checkpoint(truncate)');
  const full = statSync(file).size;
  assert.match(readFileSync(file, 'latin1'), /canary/);
  assert.equal(await eraseAll(ledger), ORDERS);
  const sizes: number[] = [];
  do {
    reader.exec('pragma wal_checkpoint(truncate)');
    sizes.push(statSync(file).size);
  } while (await ledger.shrink());
  assert.doesNotMatch(readFileSync(file, 'latin1'), /canary/);
  assert.ok(sizes.length > 5, `${sizes.length} steps`);
  const steps = sizes.slice(1).map((size, at) => (sizes[at] ?? 0) - size);
  assert.ok(Math.max(...steps) < 1_000_000, `a step of ${Math.max(...steps)} bytes`);
  assert.ok((sizes.at(-1) ?? full) < full / 3, `${full} bytes, then ${sizes.at(-1)}`);
  reader.close();
});
