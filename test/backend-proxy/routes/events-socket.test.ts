// An event stream on a socket: one message at a time, and the end of a connection that takes none.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { Sink, Streams } from '../../../backend-proxy/routes/events.ts';
import { HEARTBEAT_MS, bench, openOn, turn, type Opening } from './events-kit.ts';

/** A connection that takes each message only when the test says so. */
function connectTo(streams: Streams, opening?: Opening) {
  const stream = openOn(streams, opening);
  const state = { texts: [] as string[], taken: [] as ((error?: Error) => void)[], end: '' };
  const sink: Sink = {
    write: (text, onTaken) => void (state.texts.push(text), state.taken.push(onTaken)),
    end: () => (state.end = 'ended'),
    destroy: () => (state.end = 'destroyed'),
  };
  streams.connect(stream, sink);
  return { state, stream, take: (error?: Error) => state.taken.shift()?.(error) };
}

it('a connection has at most one message to take, and then gets the latest view', async (t) => {
  const { streams, change } = bench(t);
  const { state, take } = connectTo(streams);
  await turn();
  for (let version = 2; version <= 9; version += 1) {
    change(version);
    await turn();
  }
  assert.equal(state.texts.length, 1);
  take();
  await turn();
  assert.equal(state.texts.length, 2);
  assert.match(state.texts[1]!, /^event: order\nid: 9\n/);
});

it('a connection that takes nothing between two heartbeats is destroyed, and its place is free', async (t) => {
  const { streams, pass } = bench(t);
  const { state } = connectTo(streams);
  await turn();
  pass(HEARTBEAT_MS);
  assert.deepEqual([state.end, streams.size()], ['', 1]);
  pass(HEARTBEAT_MS);
  assert.deepEqual([state.end, streams.size(), state.texts.length], ['destroyed', 0, 1]);
});

it('a connection that takes a message late gets heartbeats again', async (t) => {
  const { streams, pass } = bench(t);
  const { state, take } = connectTo(streams);
  await turn();
  pass(HEARTBEAT_MS);
  take();
  take();
  pass(HEARTBEAT_MS);
  assert.deepEqual(state.texts.slice(1), [':\n\n', ':\n\n']);
  assert.equal(streams.size(), 1);
});

it('a connection that breaks during a message frees its place', async (t) => {
  const { streams, state: order } = bench(t);
  const { take } = connectTo(streams);
  await turn();
  take(new Error('broken'));
  assert.deepEqual([streams.size(), order.watchers.size], [0, 0]);
});

it('a connection is ended after the last view, without waiting until it was taken', async (t) => {
  const { streams, state: order } = bench(t);
  order.paid = true;
  const { state } = connectTo(streams);
  await turn();
  assert.deepEqual([state.texts.length, state.end, streams.size()], [1, 'ended', 0]);
});

it('a connection that comes after close() is ended', async (t) => {
  const { streams } = bench(t);
  const stream = openOn(streams);
  streams.close();
  let ended = false;
  streams.connect(stream, { write: () => assert.fail(), end: () => (ended = true), destroy: () => undefined });
  assert.ok(ended);
});
