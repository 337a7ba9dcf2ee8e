// The benchmarks at their smallest, so that one that nobody runs for months still runs: the proxy with a few requests,
// and one visit to a few pages. They compare what the servers stored with what they answered; no time is compared with
// anything. The peer's page needs packages of its own, and is visited by the weekly workflow.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { it } from 'node:test';
import { PAGES } from '../bench/pages.ts';
import { benchProxy } from '../bench/proxy/bench.ts';
import { benchWidget } from '../bench/widget.ts';

it('the benchmark of the proxy runs, and both databases have what was answered', async () => {
  assert.match(await benchProxy(1, 10), /^\| memory of a stream, kB \|( \S+ \|){2}/m);
});

it('the benchmark of the widget visits a page, pays there and reads the code', async () => {
  const pages = PAGES.filter(({ name }) => ['blank', 'widget'].includes(name));
  assert.match(
    await benchWidget({ rounds: 1, pages }),
    /^\| Brotli bytes until a method can be chosen \| 0 \| 1\d,\d{3} \|/m,
  );
});

it('npm run bench without a known name prints its usage', async () => {
  const { promise, resolve } = Promise.withResolvers<{ code: unknown; stderr: string }>();
  execFile(process.execPath, ['test/bench/main.ts', 'gadget'], (error, _stdout, stderr) =>
    resolve({ code: error?.code, stderr }),
  );
  const { code, stderr } = await promise;
  assert.equal(code, 2);
  assert.match(stderr, /^Usage: npm run bench -- \[widget\|proxy\]/);
});
