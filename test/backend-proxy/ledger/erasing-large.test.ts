// 100,000 ended payments, with bodies of a usual size, are erased while the process answers. With LONG=1 only: it takes
// a minute and prints how long the event loop stood still and how the file shrank, which depend on the machine.
import assert from 'node:assert/strict';
import { statSync } from 'node:fs';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { DatabaseSync } from 'node:sqlite';
import { it } from 'node:test';
import { createLedger } from '../../../backend-proxy/ledger/ledger.ts';
import { createRetention } from '../../../backend-proxy/use-cases/retention.ts';
import { D, NOON } from '../time.ts';
import { writeEmptyDatabase } from './empty-database.ts';
import { openedStore, temporaryFile } from './sqlite/sqlite-kit.ts';

const SIZE = 100_000;
const isLong = process.env['LONG'] === '1';

function fill(file: string): void {
  const database = new DatabaseSync(file);
  const at = `${NOON - 90 * D} + n * 1000`;
  const from = `(with recursive numbers(n) as (select 1 union all select n + 1 from numbers where n < ${SIZE})
    select n from numbers)`;
  database.exec(`pragma synchronous = off; begin;
    insert into transactions (id, type, order_id, attempt, amount_minor, currency, customer, qr, idempotency_key,
        fingerprint, rank, answer, created_at, updated_at)
      select 'T' || n, 'PAY', 'T' || n, 1, 1010, 'EUR', '12345678', '${'q'.repeat(400)}', 'key', hex(randomblob(16)), 9,
        'identified', ${at}, ${at} from ${from};
    insert into history (transaction_id, event, at, source) select 'T' || n, 'succeeded', ${at}, 'check' from ${from};
    insert into webhooks (id, transaction_id, order_id, type, body, state, attempts, next_at, lease_until, created_at)
      select 'msg_' || n, 'T' || n, 'T' || n, 'payment.succeeded', '${'w'.repeat(800)}', 'delivered', 1, 0, 0, ${at} from ${from};
    insert into ipns (id, transaction_id, reading, body, matched, seen, first_at, last_at)
      select hex(randomblob(32)), 'T' || n, '${'r'.repeat(150)}', '${'i'.repeat(300)}', 1, 1, ${at}, ${at} from ${from};
    commit; pragma wal_checkpoint(truncate)`);
  database.close();
}

it(
  `${SIZE} payments are erased page by page, and the file shrinks`,
  { skip: !isLong && 'only with LONG=1' },
  async (t) => {
    const file = temporaryFile(t);
    await writeEmptyDatabase(file);
    fill(file);
    const before = statSync(file).size;
    const ledger = createLedger(await openedStore(t, file), { now: () => NOON });
    let pages = 0;
    let most = 0;
    const counted = {
      ...ledger,
      async erasePage(...query: Parameters<typeof ledger.erasePage>) {
        const page = await ledger.erasePage(...query);
        pages += 1;
        most = Math.max(most, page.erased);
        return page;
      },
    };
    const wait = () => new Promise(setImmediate);
    const retention = createRetention({
      ledger: counted,
      days: 30,
      refundDays: 0,
      sendsWebhooks: true,
      log: () => undefined,
      wait,
    });
    const delay = monitorEventLoopDelay({ resolution: 1 });
    delay.enable();
    const from = performance.now();
    const erased = await retention.pass();
    const seconds = (performance.now() - from) / 1000;
    delay.disable();
    await ledger.close();
    const after = statSync(file).size;
    const ms = (ns: number) => (ns / 1e6).toFixed(0);
    t.diagnostic(
      `${pages} pages in ${seconds.toFixed(0)} s without pauses; the event loop stood still for at most ${ms(delay.max)} ms, ` +
        `in 99 of 100 cases for ${ms(delay.percentile(99))} ms; the file had ${before} bytes, then ${after}`,
    );
    assert.deepEqual([erased, most], [SIZE, 50]);
    assert.ok(after < before / 2, `${before} bytes, then ${after}`);
  },
);
