// Each row of `npm run bench -- proxy` with a few requests, so that a benchmark that nobody runs for months still runs.
// The rows compare what the servers stored with what they answered; no time is compared with anything.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { Lab } from '../bench/proxy/lab.ts';
import { ROWS } from '../bench/proxy/rows.ts';
import { whyNoPostgres } from '../postgres/server.ts';

describe('npm run bench -- proxy', { skip: whyNoPostgres() }, () => {
  let lab: Lab;
  before(async () => (lab = await Lab.open({ rounds: 1, size: 'smoke', isLarge: false })));
  after(() => lab.close());

  for (const [name, { measure }] of Object.entries(ROWS)) {
    it(`the row ${name} of the benchmark runs, and its databases have what was answered`, async () => {
      const { text, findings } = await measure(lab);
      assert.match(text, /^(\| .* \|\n){3}|^Skipped: no C compiler/m);
      for (const { row, values } of findings) assert.ok(values.length > 0, row);
    });
  }
});
