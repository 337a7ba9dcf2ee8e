// What a slow, a stalled or a gone reader of an event stream gets, and how seldom the order is read for all readers.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { Order, OrderAt } from '../../../backend-proxy/ledger/model.ts';
import { NOON } from '../time.ts';
import { HEARTBEAT_MS, bench, openOn, turn, open, reading, type Reading } from './events-kit.ts';
import { createWorld } from '../world.ts';

it('a slow reader gets the latest view and no queue', async (t) => {
  const { open: connect, change, state } = bench(t);
  const stream = connect();
  assert.equal((await stream.view()).version, 1);
  for (let version = 2; version <= 50; version += 1) change(version);
  await turn();
  // The second was being read when the others came.
  assert.equal((await stream.view()).version, 2);
  assert.equal((await stream.view()).version, 50);
  assert.ok(state.reads <= 4, `the order was read ${state.reads} times`);
});

it('a reader gets no version twice', async (t) => {
  const { open: connect, change, pass } = bench(t);
  const stream = connect();
  await stream.view();
  const next = stream.next();
  change(1);
  await turn();
  pass(HEARTBEAT_MS);
  assert.equal(await next, ':\n\n');
});

it('a reader gets the end of the stream if the order is older than it was, because the database was restored', async (t) => {
  const { open: connect, change } = bench(t);
  const stream = connect();
  await stream.view();
  change(0);
  assert.equal(await stream.next(), 'end');
});

it('a stalled reader is disconnected at the second heartbeat, and frees its place', async (t) => {
  const { streams, state, pass } = bench(t);
  assert.ok(openOn(streams, { address: '8.8.8.8' }));
  pass(HEARTBEAT_MS);
  assert.deepEqual([streams.size(), state.watchers.size], [1, 1]);
  pass(HEARTBEAT_MS);
  assert.deepEqual([streams.size(), state.watchers.size], [0, 0]);
});

it('a reader that takes a message late gets heartbeats again', async (t) => {
  const { open: connect, streams, pass } = bench(t);
  const stream = connect();
  await stream.view();
  pass(HEARTBEAT_MS);
  assert.equal(await stream.next(), ':\n\n');
  const next = stream.next();
  pass(HEARTBEAT_MS);
  assert.equal(await next, ':\n\n');
  assert.equal(streams.size(), 1);
});

it('a reader gets the end of the stream and no error text if the database cannot be read', async (t) => {
  const { open: connect, streams } = bench(t, () => Promise.reject(new Error('canary of the database')));
  assert.equal(await connect().next(), 'end');
  assert.equal(streams.size(), 0);
});

it('a reader that disconnects stops the watching', async (t) => {
  const { open: connect, state, streams } = bench(t);
  const stream = connect();
  await stream.view();
  assert.equal(state.watchers.size, 1);
  await stream.cancel();
  assert.deepEqual([state.watchers.size, streams.size()], [0, 0]);
});

it('a change is read once for all event streams of the order', async (t) => {
  const { open: connect, change, state } = bench(t);
  const streams = [connect(), connect(), connect()];
  await Promise.all(streams.map((stream) => stream.view()));
  assert.equal(state.watchers.size, 1);
  state.reads = 0;
  const views = Promise.all(streams.map((stream) => stream.view()));
  await turn();
  change(2);
  const versions = (await views).map(({ version }) => version);
  assert.deepEqual(versions, [2, 2, 2]);
  assert.equal(state.reads, 1);
});

it('a version that was read already is not read again, and a change without its version is', async (t) => {
  const { open: connect, change, state } = bench(t);
  const stream = connect();
  await stream.view();
  const reads = state.reads;
  change(1);
  await turn();
  assert.equal(state.reads, reads);
  change(2, undefined);
  await turn();
  assert.equal(state.reads, reads + 1);
  assert.equal((await stream.view()).version, 2);
});

it('a change during a read causes one more read, unless the read has its version', async (t) => {
  const held: PromiseWithResolvers<OrderAt>[] = [];
  const { open: connect, state } = bench(t, () => {
    const read = Promise.withResolvers<OrderAt>();
    held.push(read);
    return read.promise;
  });
  const answer = (version: number) => held.at(-1)!.resolve({ order: { version } as Order, now: NOON });
  const tell = (version: number) => state.watchers.forEach((watcher) => watcher(version));
  const stream = connect();
  const first = stream.view();
  await turn();
  for (const version of [2, 3, 4]) tell(version);
  answer(1);
  assert.equal((await first).version, 1);
  assert.equal(held.length, 2);
  tell(5);
  answer(5);
  assert.equal((await stream.view()).version, 5);
  await turn();
  assert.equal(held.length, 2);
});

it('an idle event stream sends a comment every 15 seconds', async (t) => {
  const { open: connect, pass } = bench(t);
  const stream = connect();
  await stream.view();
  for (let n = 0; n < 4; n += 1) {
    const next = stream.next();
    pass(HEARTBEAT_MS);
    assert.equal(await next, ':\n\n');
  }
});

it('heartbeats are spread over slices of 100 ms, so that ten thousand are not sent at once', async (t) => {
  const { open: connect, pass } = bench(t);
  const beats: string[] = [];
  for (const orderId of ['A', 'B', 'C']) {
    const stream = connect({ orderId });
    await stream.view();
    void stream.next().then(() => beats.push(orderId));
    pass(100);
  }
  pass(HEARTBEAT_MS - 300);
  await turn();
  assert.deepEqual(beats, ['A']);
  pass(100);
  await turn();
  assert.deepEqual(beats, ['A', 'B']);
  pass(100);
  await turn();
  assert.deepEqual(beats, ['A', 'B', 'C']);
});

it('an event stream ends when its order token expires', async (t) => {
  const { open: connect, pass, streams } = bench(t);
  const stream = connect({ endsAt: NOON + 20_000 });
  await stream.view();
  const beat = stream.next();
  pass(HEARTBEAT_MS);
  assert.equal(await beat, ':\n\n');
  const end = stream.next();
  pass(HEARTBEAT_MS);
  assert.equal(await end, 'end');
  assert.equal(streams.size(), 0);
});

it('a fourth event stream of an order is refused with a hint to GET /order, until one of the three ends', async (t) => {
  const world = await createWorld(t);
  const token = world.token();
  const streams = await Promise.all([1, 2, 3].map(() => open(world, token)));
  await Promise.all(streams.map((stream) => stream.view()));
  const refused = await world.request('GET', '/order/events', { headers: { Authorization: `Bearer ${token}` } });
  assert.deepEqual([refused.status, refused.headers.get('retry-after')], [503, '10']);
  const problem = (await refused.json()) as { code: string; retryable: boolean };
  assert.deepEqual([problem.code, problem.retryable], ['too_many_streams', true]);
  await (await open(world, world.token({ orderId: 'B' }))).cancel();
  await streams[0]!.cancel();
  streams[0] = await open(world, token);
  await Promise.all(streams.map((stream) => stream.cancel()));
});

it('an address may have at most 20 event streams', async (t) => {
  const world = await createWorld(t, { config: { trustedProxies: 1 } });
  const streams: Reading[] = [];
  const at = (address: string, n: number) =>
    world.request('GET', '/order/events', {
      headers: { Authorization: `Bearer ${world.token({ orderId: `A-${n}` })}`, 'X-Forwarded-For': address },
    });
  for (let n = 0; n < 20; n += 1) streams.push(reading(await at('8.8.8.8', n)));
  assert.equal((await at('8.8.8.8', 21)).status, 503);
  streams.push(reading(await at('8.8.4.4', 21)));
  await streams[7]!.cancel();
  streams.push(reading(await at('8.8.8.8', 21)));
  await Promise.all(streams.map((stream) => stream.cancel()));
});

it('the metrics show the number of open event streams', async (t) => {
  const world = await createWorld(t);
  const stream = await open(world, world.token());
  const shown = async () => /open_streams (\d+)/.exec(await world.metrics())?.[1];
  assert.equal(await shown(), '1');
  await stream.cancel();
  assert.equal(await shown(), '0');
});

it('close() ends all event streams and refuses new ones', async (t) => {
  const { open: connect, streams } = bench(t);
  const waiting = [connect({ orderId: 'A' }), connect({ orderId: 'B' })];
  await Promise.all(waiting.map((stream) => stream.view()));
  const ends = waiting.map((stream) => stream.next());
  streams.close();
  assert.deepEqual(await Promise.all(ends), ['end', 'end']);
  assert.equal(streams.size(), 0);
  assert.throws(() => connect(), { kind: 'too_many_streams' });
});

it('the ten thousand and first event stream is refused', async (t) => {
  const { streams } = bench(t);
  for (let n = 0; n < 10_000; n += 1) openOn(streams, { orderId: String(n) });
  assert.throws(() => openOn(streams, { orderId: 'one more' }), { kind: 'too_many_streams' });
});
