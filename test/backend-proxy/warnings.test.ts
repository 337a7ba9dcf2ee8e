// What the log says of what an operator should fix, while the proxy runs.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { Warning } from '../../backend-proxy/protocol/log.ts';
import { createWarnings } from '../../backend-proxy/readiness.ts';
import { M } from './time.ts';

it('a warning of the database that comes up later is logged, once an hour', async (t) => {
  t.mock.timers.enable({ apis: ['setInterval'] });
  let time = 0;
  let ofDatabase: Warning[] = [];
  const lines: unknown[] = [];
  const none = () => [];
  const warnings = createWarnings({
    ledger: { clockOffset: async () => 0, databaseWarnings: async () => ofDatabase, reportUnmatched: async () => 0 },
    gateway: { clockOffset: () => 0 },
    key: { warnings: none },
    proof: { wrongPaths: none },
    callers: { warnings: none },
    now: () => time,
    log: (level, event, fields) => void lines.push([level, event, fields]),
    onError: (error) => assert.fail(String(error)),
  });
  t.after(warnings.run());
  const pass = async (minutes: number) => {
    for (let n = 0; n < minutes; n += 1) {
      time += M;
      t.mock.timers.tick(M);
      await new Promise(setImmediate);
    }
  };
  await pass(2);
  const space = { warning: 'little space' };
  ofDatabase = [space];
  await pass(60);
  const rival = { warning: 'a rival', detail: 'db-2' };
  ofDatabase = [space, rival];
  await pass(1);
  const told = [space, space, rival].map((warning) => ['warn', 'database warning', warning]);
  assert.deepEqual(lines, told);
});
