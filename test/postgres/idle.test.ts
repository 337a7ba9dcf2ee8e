// An idle proxy leaves PostgreSQL almost alone, and a server that cannot be written is said to be so within seconds.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { request } from 'undici';
import { createEnvironment, createPostgresDatabase, serveProxy } from '../faults/environment.ts';
import { startPostgresRelay } from './relay.ts';
import { whyNoPostgres } from './server.ts';

const COUNTED_MS = 10_000;
const MOST_A_SECOND = 2;
const READY_LIMIT_MS = 3_000;

describe('PostgreSQL: a proxy', { skip: whyNoPostgres() ?? false }, () => {
  it('asks at most 2 statements a second while it is idle, and is not ready while a table is locked', async (t) => {
    const test = {
      defer(end: () => unknown): void {
        t.after(async () => {
          await end();
        });
      },
    };
    const { databaseUrl } = await createPostgresDatabase(test);
    const relay = await startPostgresRelay(databaseUrl);
    t.after(relay.close);
    const { proxy } = await serveProxy(test, await createEnvironment(test), { databaseUrl: relay.url });
    const admin = new Client({ connectionString: databaseUrl });
    // The server ends first.
    admin.on('error', () => undefined);
    await admin.connect();
    await sleep(3_000);
    let asked = 0;
    relay.loseAnswer('applied', () => {
      asked += 1;
      return false;
    });
    await sleep(COUNTED_MS);
    t.diagnostic(`${asked} statements in ${COUNTED_MS} ms`);
    assert.ok(asked > 0 && asked <= (MOST_A_SECOND * COUNTED_MS) / 1_000, `${asked} in ${COUNTED_MS} ms`);

    await admin.query('begin; lock table transactions in access exclusive mode');
    const from = performance.now();
    const answer = await request(`${proxy.url}/readyz`);
    await answer.body.dump();
    assert.equal(answer.statusCode, 503);
    assert.ok(performance.now() - from < READY_LIMIT_MS + 1_000);
    await admin.query('rollback');
    await admin.end();
    await sleep(1_100);
    const again = await request(`${proxy.url}/readyz`);
    await again.body.dump();
    assert.equal(again.statusCode, 200);
  });
});
