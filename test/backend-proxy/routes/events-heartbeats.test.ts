// The heartbeats of event streams, with mocked timers, and the end of a stream when its token expires.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { NOON } from '../time.ts';
import { HEARTBEAT_MS, bench, turn } from './events-kit.ts';

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

it('an idle event stream sends its first comment within 15 seconds, whenever it was opened', async (t) => {
  const { open: connect, pass } = bench(t);
  pass(4_242);
  const stream = connect();
  await stream.view();
  const next = stream.next();
  pass(HEARTBEAT_MS);
  assert.equal(await next, ':\n\n');
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
