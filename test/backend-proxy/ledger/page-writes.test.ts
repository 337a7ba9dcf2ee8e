// How many pages a payment writes to the log of a large SQLite database: the main cost of a commit, besides its fsync.
// Each index that a row is in adds one.
import assert from 'node:assert/strict';
import { DatabaseSync } from 'node:sqlite';
import { existsSync, statSync } from 'node:fs';
import { it } from 'node:test';
import { connectDatabase } from '../../../backend-proxy/ledger/connect.ts';
import { createLedger } from '../../../backend-proxy/ledger/ledger.ts';
import { NOON, S } from '../time.ts';
import { writeEmptyDatabase } from './empty-database.ts';
import { fillings } from './large-database.ts';
import { endCheck } from './by-id.ts';
import { BARE_READING, LEASE_MS, LIMITS, MEANS, payment, verified } from './ledger-kit.ts';
import { temporaryFile } from './sqlite/sqlite-kit.ts';

const PAYMENTS = 50;
/** On average, with the pages that split. */
const MAX_PAGES = { 'a start and its answer': 21, 'an IPN until its webhook is delivered': 30 };
const HEADER_BYTES = 32;
const FRAME_BYTES = 4096 + 24;

it('a payment among 100,000 writes few pages, from its start and from its IPN', async (t) => {
  const file = temporaryFile(t);
  await writeEmptyDatabase(file);
  const beside = new DatabaseSync(file);
  t.after(() => beside.close());
  const numbers = (most: number) =>
    `(with recursive numbers(n) as (select 1 union all select n + 1 from numbers where n < ${most}) select n from numbers)`;
  beside.exec(`pragma synchronous = off; begin; ${fillings('usual', numbers).join(';')}; commit`);
  const store = await connectDatabase(`file:${file}`, (error) => assert.fail(String(error)));
  let now = NOON;
  const ledger = createLedger(store, { now: () => now });
  t.after(() => ledger.close());
  const written = { 'a start and its answer': 0, 'an IPN until its webhook is delivered': 0 };
  const count = async <T>(name: keyof typeof written, work: () => Promise<T>): Promise<T> => {
    beside.exec('pragma wal_checkpoint(truncate)');
    const result = await work();
    const log = existsSync(`${file}-wal`) ? statSync(`${file}-wal`).size : 0;
    written[name] += Math.max(0, log - HEADER_BYTES) / FRAME_BYTES;
    return result;
  };

  for (let n = 0; n < PAYMENTS; n += 1) {
    now += 7 * S;
    const id = `M-${(n * 7919) % 1000}`;
    await count('a start and its answer', async () => {
      const start = { by: 'host:8787', id: `start-${n}` };
      const opened = await ledger.openPayment({ ...payment({ orderId: id }), iat: 1, terms: 'terms', start }, LIMITS);
      await ledger.record(opened.payment, { stage: 'pending', ...MEANS });
    });
    now += 30 * S;
    // One check in five goes to the transaction that is due longest.
    if (n % 4 === 0 && n > 0) await ledger.claimChecks(1, LEASE_MS);
    const ipn = { id: `ipn-${(n * 7919) % 997}-${n}`, body: `{"orderId":"${id}"}` };
    await count('an IPN until its webhook is delivered', async () => {
      const reading = { ...BARE_READING, transactionId: id };
      const { claim } = await ledger.receiveIpn({ ...ipn, reading }, LEASE_MS);
      await endCheck(ledger, claim, verified('succeeded'));
      for (const webhook of await ledger.claimWebhooks(16, LEASE_MS)) {
        await ledger.recordDelivery(webhook, { state: 'delivered', answer: '200' });
      }
    });
  }
  for (const [name, most] of Object.entries(MAX_PAGES)) {
    const pages = written[name as keyof typeof written] / PAYMENTS;
    assert.ok(pages > 0 && pages <= most, `${name} writes ${pages} pages`);
  }
});
