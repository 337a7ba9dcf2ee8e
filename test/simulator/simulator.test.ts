// Histories from the day's seeds, each with its own faults: no invariant breaks. With LONG=1 for half an hour from
// random ones. The seeds that once failed come first. A failure prints its seed and the shortest history found; `node
// test/simulator/main.ts --seed N` runs it again.
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { size } from '../faults/fault-test.ts';
import { Database } from './database.ts';
import { run, shorten, type Failure } from './history.ts';

const SECONDS = size(10, 1_800);
/** Each broke an invariant once. A change of the simulator makes other histories of them: add the newest, remove the oldest. */
const ONCE_FAILED: readonly number[] = [
  1625258217, 339170235, 701008130, 610406588, 1390468823, 947481390, 1488597537, 8497297, 1884065519, 1502185191,
  1345319055, 1861996668, 1915825809, 1917776523, 1406914956, 1325728013, 1625293585,
];

let database: Database;
before(async () => {
  database = await Database.open();
});

async function report(failure: Failure | undefined): Promise<void> {
  if (failure === undefined) return;
  const { seed, invariant, what, trace } = await shorten(database, failure);
  assert.fail(`seed ${seed}: ${invariant}: ${what}\n${trace.join('\n')}`);
}

test('the seeds that once failed', async () => {
  for (const seed of ONCE_FAILED) await report(await run(database, seed));
});

test(
  `${SECONDS} s of histories from ${SECONDS > 60 ? 'a random seed' : 'the seed of the day'}`,
  { timeout: (SECONDS + 120) * 1_000 },
  async () => {
    const ofDay = Math.floor(Date.now() / 86_400_000) * 10_000;
    const first = Number(process.env['SEED'] ?? (SECONDS > 60 ? Math.floor(Math.random() * 2 ** 31) : ofDay));
    const endsAt = performance.now() + SECONDS * 1_000;
    let count = 0;
    for (; performance.now() < endsAt; count += 1) {
      await report(await run(database, first + count));
    }
    console.log(`${count} histories from seed=${first}`);
  },
);

test('the same seed is the same history', async () => {
  const traces = [await traceOf(7), await traceOf(7)];
  assert.deepEqual(traces[0], traces[1]);
});

async function traceOf(seed: number): Promise<readonly string[]> {
  const trace: string[] = [];
  await run(database, seed, { onEnd: (world) => trace.push(...world.trace) });
  return trace;
}
