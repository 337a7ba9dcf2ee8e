// `npm run bench -- server`: puts the same load on the proxy and the floors, one at a time in each round, over loopback
// and the local disk, and prints medians and ratios. No time makes it fail, but a wrong answer does, and so does a
// database that lacks an IPN or a transaction answered with success.
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { openGateway, type InstantGateway } from './gateway.ts';
import { eventDelays, ipnRate, startRate, type Rate } from './load.ts';
import { startSubjects, type Subject } from './subject.ts';
import { median, number, quantile, spread, table } from './table.ts';

export async function benchServer(rounds: number): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'bench-server-'));
  const gateway = await openGateway();
  try {
    const subjects = await startSubjects(gateway.url, folder);
    try {
      console.log(`Node ${process.version}, ${rounds} rounds, medians (least–most)`);
      await compare(subjects, gateway, rounds);
    } finally {
      await Promise.all(subjects.map((subject) => subject.end()));
    }
    subjects.forEach(assertKept);
  } finally {
    gateway.close();
    await rm(folder, { recursive: true });
  }
}

async function compare(subjects: Subject[], gateway: InstantGateway, rounds: number): Promise<void> {
  const ipns = await inTurns(subjects, rounds, ipnRate);
  console.log(`\nIPN → stored and answered 200\n${rates(ipns)}`);
  // Before the starts: status checks of their open payments share one rate limit with the checks that IPNs request.
  const delays = await inTurns(subjects, rounds, (subject) => eventDelays(subject, gateway));
  console.log(`\nIPN → status check at the gateway → event on the stream\n${latencies(delays)}`);
  const before = gateway.collections();
  const starts = await inTurns(subjects, rounds, startRate);
  assert.ok(gateway.collections() > before, 'the gateway received collections');
  console.log(`\npayment started → answered with the code\n${rates(starts)}\n\n${NOTES}`);
}

async function inTurns<T>(subjects: Subject[], rounds: number, measure: (subject: Subject) => Promise<T>) {
  const measured = new Map<string, T[]>(subjects.map(({ name }) => [name, []]));
  for (let round = 0; round < rounds; round++) {
    for (let index = 0; index < subjects.length; index++) {
      const subject = subjects[(index + round) % subjects.length];
      if (subject) measured.get(subject.name)?.push(await measure(subject));
    }
  }
  return measured;
}

function rates(measured: Map<string, Rate[]>): string {
  const middles = [...measured.values()].map((all) => median(all.map(({ perSecond }) => perSecond)));
  const processors = [...measured.values()].map((all) => median(all.map(({ cpuMicroseconds }) => cpuMicroseconds)));
  const rows = [...measured].map(([name, all], index) => [
    name,
    spread(all.map(({ perSecond }) => perSecond)),
    ...ratios(middles, index),
    spread(all.map(({ cpuMicroseconds }) => cpuMicroseconds)),
    ...ratios(processors, index).slice(0, 1),
  ]);
  return table(['', 'per second', 'to raw', 'to a commit each', 'CPU µs per request', 'CPU to raw'], rows);
}

function latencies(measured: Map<string, number[][]>): string {
  const all = [...measured.values()].map((rounds) => rounds.flat());
  const middles = all.map((delays) => median(delays));
  const rows = [...measured.keys()].map((name, index) => [
    name,
    number(middles[index] ?? NaN, 2),
    number(quantile(all[index] ?? [], 0.99), 2),
    ...ratios(middles, index),
  ]);
  return table([`${all[0]?.length} IPNs, 15 per second`, 'p50 ms', 'p99 ms', 'p50 to raw', 'to a commit each'], rows);
}

function ratios(middles: number[], index: number): string[] {
  return [0, 1].map((floor) => `${number((middles[index] ?? NaN) / (middles[floor] ?? NaN), 2)} ×`);
}

/** Both databases have tables with these names. Each request adds one row, because every order and IPN is new. */
function assertKept({ name, database: path, done }: Subject): void {
  if (path === undefined) return;
  const database = new DatabaseSync(path, { readOnly: true });
  for (const [rows, count] of Object.entries(done)) {
    const { kept } = database.prepare(`SELECT count(*) AS kept FROM ${rows}`).get() as { kept: number };
    assert.equal(kept, count, `${name} stored every row of ${rows} that it answered with success`);
  }
  database.close();
}

const NOTES = `Raw: the same answers from node:http, without any checks. A commit each: raw with one durable SQLite commit per request.
64 requests at a time; the gateway runs in the benchmark's process and answers at once. Compare only the ratios.`;
