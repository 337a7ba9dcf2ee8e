// The sandbox's clock and its scheduled work, on a virtual clock and with real timers.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { Clock } from '../../../demo/sandbox/sandbox-clock.ts';

it('Clock.tick() runs due work by time, then by order of entry, and leaves later work', async () => {
  let now = 0;
  const clock = new Clock(() => now);
  const done: string[] = [];
  for (const [at, name] of [
    [20, 'c'],
    [10, 'a'],
    [10, 'b'],
    [30, 'd'],
  ] as const) {
    clock.at(at, () => void done.push(name));
  }
  await clock.tick();
  assert.deepEqual(done, []);
  now = 20;
  await clock.tick();
  assert.deepEqual(done, ['a', 'b', 'c']);
});

it('Clock.tick() also runs and awaits work that other work makes due', async () => {
  const clock = new Clock(() => 0);
  const done: string[] = [];
  clock.at(0, async () => {
    await Promise.resolve();
    done.push('first');
    clock.at(0, () => void done.push('second'));
  });
  await clock.tick();
  assert.deepEqual(done, ['first', 'second']);
});

it('Clock.run() runs due work by itself, after an advance and after failed work too', async (t) => {
  const logged = t.mock.method(console, 'error', () => {});
  const clock = new Clock(() => 0);
  const stop = clock.run();
  clock.at(0, () => {
    throw new Error('broken work');
  });
  const woken = new Promise<void>((resolve) => {
    clock.at(3_600_000, resolve);
  });
  clock.advance(3_600_000);
  await woken;
  await new Promise(setImmediate);
  stop();
  assert.equal(logged.mock.callCount(), 1);
});
