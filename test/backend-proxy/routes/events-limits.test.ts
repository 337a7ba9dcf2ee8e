// How many event streams may be open: of an order, of an address, and in all; and the end of all of them.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { createWorld } from '../world.ts';
import { bench, open, openOn, reading, type Reading } from './events-kit.ts';

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
