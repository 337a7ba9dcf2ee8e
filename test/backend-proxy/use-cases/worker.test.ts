// The worker: concurrency, rate, polling, failing items and stop.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { createWorker } from '../../../backend-proxy/use-cases/worker.ts';
import { until } from '../until.ts';

/** A rate that allows `open` items until the test changes it. */
function rateOf(open: number, availableInMs: number) {
  const limit = { open, availableInMs };
  return {
    limit,
    rate: {
      available: () => limit.open,
      take: (count: number) => void (limit.open -= count),
      availableInMs: () => limit.availableInMs,
    },
  };
}
type CheckRate = ReturnType<typeof rateOf>['rate'];

/** A queue to claim from, and a gate that holds items in flight until it is released. */
function setUp(items: number[], options: { atOnce?: number; rate?: CheckRate } = {}) {
  const state = {
    claimed: [] as number[],
    handled: [] as number[],
    prolonged: [] as number[],
    inFlight: 0,
    mostInFlight: 0,
  };
  const errors: unknown[] = [];
  const waiting: (() => void)[] = [];
  let held = false;
  const worker = createWorker<number>({
    idOf: String,
    claim: async (most) => {
      state.claimed.push(most);
      return items.splice(0, most);
    },
    handle: async (item) => {
      state.inFlight += 1;
      state.mostInFlight = Math.max(state.mostInFlight, state.inFlight);
      if (held) await new Promise<void>((resolve) => waiting.push(resolve));
      state.inFlight -= 1;
      if (item < 0) throw new Error(`item ${item}`);
      state.handled.push(item);
    },
    prolong: async (long) => void state.prolonged.push(...long),
    atOnce: options.atOnce ?? 3,
    ...(options.rate && { rate: options.rate }),
    onError: (error) => void errors.push(error),
  });
  return {
    worker,
    state,
    errors,
    hold: () => void (held = true),
    release: () => {
      held = false;
      waiting.splice(0).forEach((resume) => resume());
    },
  };
}

/** Lets pending promises run. */
const turns = async (): Promise<void> => {
  for (let turn = 0; turn < 10; turn += 1) await new Promise((resolve) => setImmediate(resolve));
};

it('tick() handles everything due in rounds of the concurrency limit, and returns the number', async () => {
  const { worker, state } = setUp([1, 2, 3, 4, 5, 6, 7]);
  assert.equal(await worker.tick(), 7);
  assert.deepEqual(state.handled, [1, 2, 3, 4, 5, 6, 7]);
  assert.deepEqual(state.claimed, [3, 3, 3, 3]);
  assert.equal(await worker.tick(), 0);
});

it('tick() continues after a failed item and reports the error', async () => {
  const { worker, state, errors } = setUp([1, -2, 3]);
  assert.equal(await worker.tick(), 3);
  assert.deepEqual(state.handled, [1, 3]);
  assert.deepEqual(errors.map(String), ['Error: item -2']);
});

it('begin() claims as many items as the rate and the concurrency allow', async () => {
  const { rate, limit } = rateOf(2, 0);
  const { worker, state } = setUp([1, 2, 3, 4, 5, 6], { atOnce: 3, rate });
  await worker.begin();
  await turns();
  assert.deepEqual(state.handled, [1, 2]);
  await worker.begin();
  limit.open = 5;
  await worker.begin();
  await turns();
  assert.deepEqual(state.claimed, [2, 3], 'with no room nothing is asked for');
  assert.deepEqual([state.handled, limit.open], [[1, 2, 3, 4, 5], 2]);
});

it('begin() asks for the next poll after a second if it claimed everything due, and sooner if not', async () => {
  const again = async (items: number[], open: number, availableInMs: number) =>
    setUp(items, { atOnce: 3, rate: rateOf(open, availableInMs).rate }).worker.begin();
  assert.equal(await again([], 3, 0), 1000);
  assert.equal(await again([1, 2], 3, 0), 1000);
  assert.equal(await again([1, 2, 3], 3, 0), 10);
  assert.equal(await again([1, 2, 3], 2, 40), 40);
  assert.equal(await again([1], 0, 40), 40);
  assert.equal(await again([1], 0, 600_000), 1000);
});

it('run() handles items as they come, never more at once than allowed', async () => {
  const items = [1, 2, 3, 4, 5];
  const { worker, state, hold, release } = setUp(items);
  hold();
  const stop = worker.run();
  await until(() => state.inFlight === 3);
  worker.wake();
  await new Promise((resolve) => setTimeout(resolve, 20));
  assert.equal(state.inFlight, 3);
  assert.deepEqual(items, [4, 5]);
  release();
  worker.wake();
  await until(() => state.handled.length === 5);
  await stop();
  assert.equal(state.mostInFlight, 3);
});

it('run() polls again when the rate allows it, and not before', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const { rate, limit } = rateOf(4, 40);
  const { worker, state } = setUp([1, 2, 3, 4, 5, 6], { atOnce: 10, rate });
  const stop = worker.run();
  await turns();
  assert.equal(state.handled.length, 4);
  limit.open = 10;
  t.mock.timers.tick(39);
  await turns();
  assert.equal(state.handled.length, 4);
  t.mock.timers.tick(1);
  await turns();
  assert.equal(state.handled.length, 6);
  await stop();
});

it('run() prolongs what takes long, and looks by a claim of nothing while there is no room', async (t) => {
  const clock = t.mock.method(performance, 'now', () => 0);
  t.mock.timers.enable({ apis: ['setTimeout', 'setInterval'] });
  const { worker, state, hold, release } = setUp([1, 2], { atOnce: 2 });
  hold();
  const stop = worker.run();
  for (let ms = 0; ms <= 3_000; ms += 250) {
    clock.mock.mockImplementation(() => ms);
    t.mock.timers.tick(250);
    await turns();
  }
  assert.deepEqual(state.prolonged.slice(0, 2), [1, 2]);
  assert.deepEqual([state.claimed[0], ...new Set(state.claimed.slice(1))], [2, 0]);
  release();
  await stop();
});

it('an item that is claimed again while it is in flight does not begin once more', async () => {
  const { worker, state, hold, release } = setUp([1, 2, 1]);
  hold();
  await worker.begin();
  assert.deepEqual([state.claimed, state.inFlight], [[3], 2]);
  release();
  await turns();
  assert.deepEqual(state.handled, [1, 2]);
});

it('run() polls again for a wake() during a claim', async () => {
  const items: number[] = [];
  const claims: number[] = [];
  const worker = createWorker<number>({
    idOf: String,
    claim: async () => {
      claims.push(claims.length);
      const found = items.splice(0);
      if (claims.length === 1) {
        items.push(1);
        worker.wake();
      }
      return found;
    },
    handle: async () => undefined,
    atOnce: 1,
    onError: assert.fail,
  });
  const stop = worker.run();
  await until(() => claims.length >= 2 && items.length === 0);
  await stop();
});

it('run() survives a failing claim', async () => {
  let fails = 1;
  const errors: unknown[] = [];
  const handled: number[] = [];
  const worker = createWorker<number>({
    idOf: String,
    claim: async () => {
      if (fails-- > 0) throw new Error('away');
      return handled.length === 0 ? [1] : [];
    },
    handle: async (item) => void handled.push(item),
    atOnce: 1,
    onError: (error) => void errors.push(error),
  });
  const stop = worker.run();
  await until(() => handled.length === 1);
  await stop();
  assert.deepEqual(errors.map(String), ['Error: away']);
});

it('the stop of run() waits for the items in flight, and no longer', async () => {
  const items = [1];
  const { worker, state, hold, release } = setUp(items);
  hold();
  const stop = worker.run();
  await until(() => state.inFlight === 1);
  let stopped = false;
  const stopping = stop().then(() => (stopped = true));
  items.push(2);
  worker.wake();
  await new Promise((resolve) => setTimeout(resolve, 20));
  assert.equal(stopped, false);
  release();
  await stopping;
  assert.deepEqual(state.handled, [1], 'and it began nothing new');
});

it('reserve() is refused unless the worker runs, and beyond its rate and its concurrency', async () => {
  const { rate, limit } = rateOf(3, 40);
  const { worker, state, hold, release } = setUp([], { atOnce: 2, rate });
  assert.equal(worker.reserve(), false, 'not running');
  const stop = worker.run();
  hold();
  assert.deepEqual([worker.reserve(), worker.reserve(), worker.reserve()], [true, true, false]);
  assert.equal(limit.open, 1);
  worker.handle(1);
  assert.equal(state.inFlight, 1);
  assert.equal(worker.reserve(), false, 'one in flight and one reserved');
  worker.release();
  assert.equal(limit.open, 2, 'what was released can be used');
  assert.equal(worker.reserve(), true);
  worker.release();
  limit.open = 0;
  assert.equal(worker.reserve(), false, 'the rate is used up');
  release();
  await stop();
  assert.deepEqual(state.handled, [1]);
  assert.equal(worker.reserve(), false, 'stopped');
});

it('the stop of run() waits for what was reserved, and for its handling', async () => {
  const { worker, state } = setUp([]);
  const stop = worker.run();
  assert.equal(worker.reserve(), true);
  let stopped = false;
  const stopping = stop().then(() => (stopped = true));
  await turns();
  assert.equal(stopped, false);
  worker.handle(1);
  await stopping;
  assert.deepEqual(state.handled, [1]);
});
