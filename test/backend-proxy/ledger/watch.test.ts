// The watch over a store that the test controls: what it reports, once, and what a poll looks for.
import assert from 'node:assert/strict';
import { it, type TestContext } from 'node:test';
import type { Store } from '../../../backend-proxy/ledger/store.ts';
import { createWatch } from '../../../backend-proxy/ledger/access.ts';
import { createLedger } from '../../../backend-proxy/ledger/ledger.ts';
import { readVersions } from '../../../backend-proxy/ledger/queries/reading.ts';
import { NOON } from '../time.ts';
import { LIMITS, payment } from './ledger-kit.ts';
import { openedStore } from './sqlite/sqlite-kit.ts';

const POLL_MS = 1_000;
const LOOK_BACK_MS = 25_000;

function bench(t: TestContext) {
  t.mock.timers.enable({ apis: ['setInterval'] });
  const state = {
    now: NOON,
    isAway: false,
    changed: new Map<string, number>(),
    versions: new Map<string, number>(),
    askedSince: [] as number[],
  };
  const store: Pick<Store, 'changedSince'> = {
    changedSince: async (since) => {
      if (state.isAway) throw new Error('away');
      state.askedSince.push(since);
      return state.changed;
    },
  };
  const watch = createWatch(
    store,
    async () => state.now,
    async (orderIds) => new Map([...state.versions].filter(([orderId]) => orderIds.includes(orderId))),
  );
  t.after(watch.close);
  const reported: [string, number][] = [];
  return {
    state,
    watch,
    reported,
    add: (orderId: string) => watch.add(orderId, (version) => void reported.push([orderId, version])),
    async poll(): Promise<void> {
      state.now += POLL_MS;
      t.mock.timers.tick(POLL_MS);
      await new Promise((resolve) => setImmediate(resolve));
    },
  };
}

it('a commit of this process is reported at once with its version', (t) => {
  const { watch, add, reported } = bench(t);
  add('A');
  watch.changed(
    new Map([
      ['A', 3],
      ['B', 1],
    ]),
  );
  assert.deepEqual(reported, [['A', 3]]);
});

it('a reported version is not reported again, however it is found', async (t) => {
  const { watch, add, reported, state, poll } = bench(t);
  add('A');
  watch.changed(new Map([['A', 3]]));
  state.changed = new Map([['A', 3]]);
  await poll();
  await poll();
  assert.deepEqual(reported, [['A', 3]]);
  state.changed = new Map([['A', 4]]);
  await poll();
  await poll();
  assert.deepEqual(reported, [
    ['A', 3],
    ['A', 4],
  ]);
});

it('a poll looks back as long as a commit can take, and after an outage to the last poll before it', async (t) => {
  const { add, state, poll } = bench(t);
  await poll();
  assert.deepEqual(state.askedSince, [], 'nothing is watched');
  add('A');
  await poll();
  const lastPollAt = state.now;
  state.askedSince.length = 0;
  state.isAway = true;
  for (let n = 0; n < 100; n += 1) await poll();
  state.isAway = false;
  await poll();
  await poll();
  assert.deepEqual(
    state.askedSince,
    [lastPollAt, state.now - POLL_MS].map((at) => at - LOOK_BACK_MS),
  );
});

it('a commit that waited longer than a poll looks back is reported within 30 s, once', async (t) => {
  const { add, state, poll, reported } = bench(t);
  add('A');
  state.versions.set('A', 2).set('B', 1);
  for (let n = 0; n < 90; n += 1) await poll();
  assert.deepEqual(reported, [['A', 2]]);
});

it('the versions of all watched orders are read, however many they are', async (t) => {
  const store = await openedStore(t);
  const { order } = await createLedger(store).openPayment({ ...payment(), iat: null, terms: '' }, LIMITS);
  const others = Array.from({ length: 1_000 }, (_, n) => `B-${n}`);
  assert.deepEqual(await readVersions(store.db, [...others, 'A']), new Map([['A', order.version]]));
});

it('a poll looks back from the clock if it was set back', async (t) => {
  const { add, state, poll } = bench(t);
  add('A');
  await poll();
  state.now -= 3_600_000;
  await poll();
  assert.equal(state.askedSince.at(-1), state.now - LOOK_BACK_MS);
});

it('an order that nobody watches any more is forgotten', (t) => {
  const { watch, add, reported } = bench(t);
  const unwatch = add('A');
  watch.changed(new Map([['A', 1]]));
  unwatch();
  unwatch();
  watch.changed(new Map([['A', 2]]));
  add('A');
  watch.changed(new Map([['A', 2]]));
  assert.deepEqual(reported, [
    ['A', 1],
    ['A', 2],
  ]);
});
