// The worker: how many at once, at what pace, when it looks again, what happens to those that fail, and how it stops.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createWorker } from '../../backend-proxy/worker.ts';

/** Lets so many begin, and more only when it is told. */
function doorOf(open: number, dueInMs: number) {
  const door = { open, dueInMs };
  return {
    door,
    pace: { room: () => door.open, began: (count: number) => void (door.open -= count), dueInMs: () => door.dueInMs },
  };
}
type CheckRate = ReturnType<typeof doorOf>['pace'];

/** A queue that is claimed from, and a gate that holds whatever is handled until it is opened. */
function room(items: number[], options: { atOnce?: number; pace?: CheckRate } = {}) {
  const state = { claimed: [] as number[], handled: [] as number[], inHand: 0, mostInHand: 0 };
  const errors: unknown[] = [];
  const waiting: (() => void)[] = [];
  let held = false;
  const worker = createWorker<number>({
    claim: async (most) => {
      state.claimed.push(most);
      return items.splice(0, most);
    },
    handle: async (item) => {
      state.inHand += 1;
      state.mostInHand = Math.max(state.mostInHand, state.inHand);
      if (held) await new Promise<void>((resolve) => waiting.push(resolve));
      state.inHand -= 1;
      if (item < 0) throw new Error(`item ${item}`);
      state.handled.push(item);
    },
    atOnce: options.atOnce ?? 3,
    ...(options.pace && { pace: options.pace }),
    onError: (error) => void errors.push(error),
  });
  return {
    worker,
    state,
    errors,
    hold: () => void (held = true),
    release: () => {
      held = false;
      waiting.splice(0).forEach((go) => go());
    },
  };
}

/** Lets all that can go on go on. */
const turns = async (): Promise<void> => {
  for (let turn = 0; turn < 10; turn += 1) await new Promise((resolve) => setImmediate(resolve));
};

const until = async (isTrue: () => boolean): Promise<void> => {
  const deadline = Date.now() + 5_000;
  while (!isTrue()) {
    assert.ok(Date.now() < deadline, 'it never came');
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
};

describe('a tick', () => {
  it('handles all that is due, in rounds of what may be at once, and says how many', async () => {
    const { worker, state } = room([1, 2, 3, 4, 5, 6, 7]);
    assert.equal(await worker.tick(), 7);
    assert.deepEqual(state.handled, [1, 2, 3, 4, 5, 6, 7]);
    assert.deepEqual(state.claimed, [3, 3, 3, 3]);
    assert.equal(await worker.tick(), 0);
  });

  it('goes on when one fails, and tells', async () => {
    const { worker, state, errors } = room([1, -2, 3]);
    assert.equal(await worker.tick(), 3);
    assert.deepEqual(state.handled, [1, 3]);
    assert.deepEqual(errors.map(String), ['Error: item -2']);
  });
});

describe('a look', () => {
  it('takes as many as the pace has room for and as may be at once', async () => {
    const { pace, door } = doorOf(2, 0);
    const { worker, state } = room([1, 2, 3, 4, 5, 6], { atOnce: 3, pace });
    await worker.begin();
    await turns();
    assert.deepEqual(state.handled, [1, 2]);
    await worker.begin();
    door.open = 5;
    await worker.begin();
    await turns();
    assert.deepEqual(state.claimed, [2, 3], 'with no room nothing is asked for');
    assert.deepEqual([state.handled, door.open], [[1, 2, 3, 4, 5], 2]);
  });

  it('is followed by the next after 250 ms where all that was due was taken, and sooner where it was not', async () => {
    const again = async (items: number[], open: number, dueInMs: number) =>
      room(items, { atOnce: 3, pace: doorOf(open, dueInMs).pace }).worker.begin();
    assert.equal(await again([], 3, 0), 250);
    assert.equal(await again([1, 2], 3, 0), 250);
    assert.equal(await again([1, 2, 3], 3, 0), 10);
    assert.equal(await again([1, 2, 3], 2, 40), 40);
    assert.equal(await again([1], 0, 40), 40);
    assert.equal(await again([1], 0, 600_000), 250);
  });
});

describe('running', () => {
  it('handles what comes, never more at once than it may', async () => {
    const items = [1, 2, 3, 4, 5];
    const { worker, state, hold, release } = room(items);
    hold();
    const stop = worker.run();
    await until(() => state.inHand === 3);
    worker.wake();
    await new Promise((resolve) => setTimeout(resolve, 20));
    assert.equal(state.inHand, 3);
    assert.deepEqual(items, [4, 5]);
    release();
    worker.wake();
    await until(() => state.handled.length === 5);
    await stop();
    assert.equal(state.mostInHand, 3);
  });

  it('looks again by itself when the pace has room again, and not before', async (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] });
    const { pace, door } = doorOf(4, 40);
    const { worker, state } = room([1, 2, 3, 4, 5, 6], { atOnce: 10, pace });
    const stop = worker.run();
    await turns();
    assert.equal(state.handled.length, 4);
    door.open = 10;
    t.mock.timers.tick(39);
    await turns();
    assert.equal(state.handled.length, 4);
    t.mock.timers.tick(1);
    await turns();
    assert.equal(state.handled.length, 6);
    await stop();
  });

  it('looks again for a ring that came while it looked', async () => {
    const items: number[] = [];
    const looks: number[] = [];
    const worker = createWorker<number>({
      claim: async () => {
        looks.push(looks.length);
        const found = items.splice(0);
        if (looks.length === 1) {
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
    await until(() => looks.length >= 2 && items.length === 0);
    await stop();
  });

  it('lives on when the look itself fails', async () => {
    let fails = 1;
    const errors: unknown[] = [];
    const handled: number[] = [];
    const worker = createWorker<number>({
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

  it('stops when what is in hand has ended, and not before', async () => {
    const items = [1];
    const { worker, state, hold, release } = room(items);
    hold();
    const stop = worker.run();
    await until(() => state.inHand === 1);
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
});
