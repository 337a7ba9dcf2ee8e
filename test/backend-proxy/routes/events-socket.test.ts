// An event stream over HTTP: its headers, its changes, its end, and its refusal.
import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { Agent, request as fetchBy } from 'undici';
import type { Problem } from '../../../backend-proxy/protocol/wire.ts';
import { SHOP, createWorld } from '../world.ts';

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
