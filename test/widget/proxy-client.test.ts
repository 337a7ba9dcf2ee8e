import assert from 'node:assert/strict';
import { it } from 'node:test';
import { createProxyClient, ProxyError } from '../../widget/flow/proxy-client.ts';
import { FakeProxy, problemOf } from '../../widget/testing/fake-proxy.ts';

const signal = new AbortController().signal;
const clientOf = (fetch: typeof globalThis.fetch) => createProxyClient('https://pay.test/', 'token', fetch);
const answering = (body: BodyInit, init?: ResponseInit) => clientOf(async () => new Response(body, init));

async function refusalOf(promise: Promise<unknown>): Promise<ProxyError['problem']> {
  try {
    await promise;
  } catch (error) {
    assert.ok(error instanceof ProxyError, String(error));
    return error.problem;
  }
  return assert.fail('No refusal');
}

function streaming(...chunks: Uint8Array[]): Response {
  return new Response(
    new ReadableStream({
      start(controller) {
        for (const chunk of chunks) controller.enqueue(chunk);
        controller.close();
      },
    }),
  );
}

it('the proxy client sends the token as bearer, no cookies, and the key with a start', async () => {
  const proxy = new FakeProxy();
  const inits: RequestInit[] = [];
  const client = clientOf((input, init = {}) => {
    inits.push(init);
    return proxy.fetch(input, init);
  });
  await client.order(signal);
  await client.start({ method: 'QR' }, 'key-1', signal);
  assert.deepEqual(
    proxy.seen.map(({ method, path, authorization, key, body }) => ({ method, path, authorization, key, body })),
    [
      { method: 'GET', path: '/order', authorization: 'Bearer token', key: null, body: null },
      {
        method: 'POST',
        path: '/order/payments',
        authorization: 'Bearer token',
        key: 'key-1',
        body: { method: 'QR' },
      },
    ],
  );
  for (const { credentials, cache, redirect } of inits) {
    assert.deepEqual([credentials, cache, redirect], ['omit', undefined, 'error']);
  }
});

it('the proxy client throws the proxy’s problem unchanged', async () => {
  const problem = problemOf('too_many_requests', { status: 429, retryable: true });
  const refusal = await refusalOf(answering(JSON.stringify(problem), { status: 429 }).order(signal));
  assert.deepEqual(refusal, problem);
});

it('the proxy client treats an answer that is not the proxy’s as lost', async () => {
  const answers: [string, number][] = [
    ['<html>Log in to the hotel’s network</html>', 200],
    ['{}', 200],
    ['null', 200],
    ['{"version":', 200],
    ['<h1>502</h1>', 502],
    ['{"error": "no route"}', 404],
    ['{"code": 1020, "message": "Forbidden"}', 403],
    ['{"code": "VALIDATION", "errors": {"amount": ["wrong"]}}', 400],
    ['{"code": "VALIDATION", "requestId": 4711}', 400],
  ];
  for (const [body, status] of answers) {
    const { code, retryable } = await refusalOf(answering(body, { status }).order(signal));
    assert.deepEqual([code, retryable], ['network', true], body);
  }
});

it('the proxy client treats a failed connection as a lost answer', async () => {
  const client = clientOf(() => Promise.reject(new TypeError('Failed to fetch')));
  for (const call of [client.order(signal), client.start({ method: 'QR' }, 'k', signal), client.events(signal).next()])
    assert.equal((await refusalOf(call)).code, 'network');
});

const view = { ...new FakeProxy({ description: 'Çay ☕' }).view, version: 7 };
const bytes = new TextEncoder().encode(`:\n\nevent: order\nid: 7\ndata: ${JSON.stringify(view)}\n\n:\n\n`);

async function viewsOf(response: Response): Promise<unknown[]> {
  const views = [];
  for await (const each of clientOf(async () => response).events(signal)) if (each) views.push(each);
  return views;
}

it('events() yields the same view wherever the network splits the stream', async () => {
  for (let cut = 0; cut <= bytes.length; cut++) {
    assert.deepEqual(await viewsOf(streaming(bytes.slice(0, cut), bytes.slice(cut))), [view], `cut at ${cut}`);
  }
  assert.deepEqual(await viewsOf(streaming(...[...bytes].map((byte) => Uint8Array.of(byte)))), [view]);
});

it('events() yields null for a comment', async () => {
  const signs = [];
  for await (const each of clientOf(async () => streaming(new TextEncoder().encode(':\n\n'))).events(signal))
    signs.push(each);
  assert.deepEqual(signs, [null]);
});

it('events() ignores an event that is incomplete when the stream ends', async () => {
  assert.deepEqual(await viewsOf(streaming(bytes.slice(0, -10))), []);
});

it('events() throws for an event of more than a million characters', async () => {
  const megabyte = new Uint8Array(1_000_001).fill(97);
  assert.equal((await refusalOf(viewsOf(streaming(megabyte)))).code, 'network');
});

it('events() closes the connection when its reader stops', async () => {
  let canceled = false;
  const endless = new ReadableStream<Uint8Array>({
    pull: (controller) => controller.enqueue(bytes),
    cancel: () => {
      canceled = true;
    },
  });
  for await (const each of clientOf(async () => new Response(endless)).events(signal)) if (each) break;
  await new Promise(setImmediate);
  assert.ok(canceled);
});
