// The benchmarks at their smallest, so that one that nobody runs for months still runs: each row of the proxy with a
// few requests, and one visit to a few pages. The rows compare what the servers stored with what they answered; no time
// is compared with anything. The peer's page needs packages of its own, and is visited by the weekly workflow.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { after, before, describe, it } from 'node:test';
import { tablesOfBytes } from '../bench/bytes.ts';
import { PAGES } from '../bench/pages.ts';
import { Lab } from '../bench/proxy/lab.ts';
import { ROWS } from '../bench/proxy/rows.ts';
import { PLAIN } from '../bench/visit.ts';
import { benchWidget } from '../bench/widget.ts';
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

it('the benchmark of the widget visits a page, pays there and reads the code', async () => {
  const printed: string[] = [];
  const pages = PAGES.filter(({ name }) => ['bare', 'widget'].includes(name));
  await benchWidget({ rounds: 1, pages, conditions: [PLAIN], print: (text) => printed.push(text) });
  for (const label of ['bare custom element, same styles', 'our widget'])
    assert.match(printed.join(''), new RegExp(`^\\| ${label} +\\|( +[\\d,]+ \\|){2}`, 'm'));
});

it('the benchmark of bytes names the sources of a script', async () => {
  assert.match(await tablesOfBytes(/^widget\.js$/), /^\| widget\/shell\/\S+ +\|( +[\d,]+ \|){2}/m);
});

it('npm run bench without a known name prints its usage', async () => {
  const { promise, resolve } = Promise.withResolvers<{ code: unknown; stderr: string }>();
  execFile(process.execPath, ['test/bench/main.ts', 'gadget'], (error, _stdout, stderr) =>
    resolve({ code: error?.code, stderr }),
  );
  const { code, stderr } = await promise;
  assert.equal(code, 2);
  assert.match(stderr, /^Usage: npm run bench -- \[widget\|proxy\|bytes\]/);
});
