// An event stream on a socket: one message at a time, and the end of a connection that takes none.
import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { Agent, request as fetchBy } from 'undici';
import type { Problem } from '../../../backend-proxy/protocol/wire.ts';
import type { Sink, Streams } from '../../../backend-proxy/routes/events.ts';
import { HEARTBEAT_MS, bench, openOn, turn, type Opening } from './events-kit.ts';
import { SHOP, createWorld } from '../world.ts';

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

describe('an event stream over HTTP', () => {
  /** Without those that differ for each answer or each connection. */
  const lasting = (headers: Headers) =>
    Object.fromEntries(
      [...headers].filter(
        ([name]) => !['x-request-id', 'date', 'connection', 'keep-alive', 'transfer-encoding'].includes(name),
      ),
    );

  async function open(t: TestContext) {
    const world = await createWorld(t);
    const work = world.proxy.run();
    t.after(() => work.stop());
    const url = await world.listen();
    const token = world.token();
    const headers = { Authorization: `Bearer ${token}`, Origin: SHOP };
    return { world, token, headers, url: `${url}/order/events` };
  }

  it('an event stream has the same headers on a socket as in a web response, and one line in the log', async (t) => {
    const { world, headers, url } = await open(t);
    const inMemory = await world.request('GET', '/order/events', { headers });
    world.log.length = 0;
    const onSocket = await fetch(url, { headers });
    assert.deepEqual(lasting(onSocket.headers), lasting(inMemory.headers));
    assert.match(onSocket.headers.get('x-request-id') ?? '', /^[\w-]{36}$/);
    assert.deepEqual(
      world.log
        .filter(({ event }) => event === 'request')
        .map(({ route, status, requestId }) => [route, status, requestId]),
      [['/order/events', 200, onSocket.headers.get('x-request-id')]],
    );
    await Promise.all([inMemory.body?.cancel(), onSocket.body?.cancel()]);
  });

  it('an event stream on a socket sends each change, and its connection is used again after the end', async (t) => {
    const { world, token, headers, url } = await open(t);
    const agent = new Agent({ connections: 1 });
    t.after(() => agent.close());
    const response = await fetchBy(url, { headers, dispatcher: agent });
    let text = '';
    const ended = (async () => {
      for await (const chunk of response.body) text += String(chunk);
    })();
    await world.start(token, { method: 'QR' });
    await world.settleAfter('approve', 'A-1');
    await ended;
    const versions = [...text.matchAll(/^id: (\d+)$/gm)].map(([, id]) => Number(id));
    assert.ok(versions.length >= 2 && versions.every((version, at) => at === 0 || version > versions[at - 1]!), text);
    assert.match(text, /"paid":true/);
    const again = await fetchBy(url, { headers, dispatcher: agent });
    assert.match(await again.body.text(), /"paid":true/);
  });

  it('HEAD of an event stream is answered without opening one', async (t) => {
    const { world, headers, url } = await open(t);
    const response = await fetch(url, { method: 'HEAD', headers });
    assert.deepEqual(
      [response.status, response.headers.get('content-type')],
      [200, 'text/event-stream; charset=utf-8'],
    );
    assert.match(await world.metrics(), /open_streams 0\n/);
  });

  it('a refused event stream is answered with a problem', async (t) => {
    const { url } = await open(t);
    const response = await fetch(url);
    assert.deepEqual([response.status, ((await response.json()) as Problem).code], [401, 'invalid_token']);
  });
});
