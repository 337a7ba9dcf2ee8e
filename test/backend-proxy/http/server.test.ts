// The limits of the server over real sockets: slow, oversized or stalled requests are cut, and healthy ones continue.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { it, type TestContext } from 'node:test';
import type { HttpBindings } from '@hono/node-server';
import { LIMITS, listen, type Listening } from '../../../backend-proxy/http/server.ts';
import { text as textOf } from 'node:stream/consumers';
import { SECRETS, createWorld } from '../world.ts';

// Real time, with a limit a hundredth of the one in use only where the test is about that limit: a machine that pauses
// for longer than a short limit would have the server close connections that are healthy.
const SHORT = { headersMs: 150, requestMs: 250, checkEveryMs: 20 };
const IDLE_MS = 400;
/** More than ten times the longest of these limits. */
const CUT_WITHIN_MS = 5_000;

async function start(t: TestContext, fetch: Parameters<typeof listen>[0], limits = LIMITS): Promise<Listening> {
  const server = await listen(fetch, { host: '127.0.0.1', port: 0 }, limits);
  t.after(() => server.close());
  return server;
}

async function dial(t: TestContext, { url }: Listening): Promise<Socket> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  socket.on('error', () => undefined);
  t.after(() => socket.destroy());
  await once(socket, 'connect');
  return socket;
}

/** Resolves when the server closes the socket; fails instead of waiting forever. */
function ended(socket: Socket): Promise<void> {
  return new Promise((resolve, reject) => {
    const limit = setTimeout(() => {
      reject(new Error(`not cut after ${CUT_WITHIN_MS} ms`));
      socket.destroy();
    }, CUT_WITHIN_MS);
    socket.once('close', () => {
      clearTimeout(limit);
      resolve();
    });
  });
}

/** All data until the server closes the socket. */
async function untilCut(socket: Socket): Promise<string> {
  let text = '';
  socket.on('data', (chunk: Buffer) => (text += chunk.toString('latin1')));
  await ended(socket);
  return text;
}

/** More than IDLE_MS in all. */
const BEATS = 30;

/** A byte every 20 ms. */
function beating(beats: number): (to: ReadableStreamDefaultController) => Promise<void> {
  let left = beats;
  return async (to) => {
    await new Promise((resolve) => setTimeout(resolve, 20));
    if ((left -= 1) < 0) to.close();
    else to.enqueue(new Uint8Array([58]));
  };
}

/** The longest time during this work in which no timer of this process fired. */
async function longestPause(work: Promise<unknown>): Promise<number> {
  let [last, longest] = [performance.now(), 0];
  const look = () => {
    const now = performance.now();
    longest = Math.max(longest, now - last);
    last = now;
  };
  const timer = setInterval(look, 5);
  await work;
  clearInterval(timer);
  look();
  return longest;
}

it('the server limits are the documented ones', () => {
  assert.deepEqual(LIMITS, {
    headersMs: 10_000,
    requestMs: 15_000,
    checkEveryMs: 2_000,
    idleMs: 60_000,
    keepAliveMs: 65_000,
    headerBytes: 16_384,
    connections: 20_000,
    pipelined: 8,
  });
});

it('a connection that sends its headers byte by byte is answered 408 and closed', async (t) => {
  const server = await start(t, () => new Response('ok'), { ...LIMITS, ...SHORT, requestMs: 600_000 });
  const socket = await dial(t, server);
  const drip = setInterval(() => socket.write('a'), 10);
  t.after(() => clearInterval(drip));
  socket.write('GET / HTTP/1.1\r\nX: ');
  assert.match(await untilCut(socket), /^HTTP\/1\.1 408 /);
});

it('a connection that sends its body byte by byte is closed', async (t) => {
  const server = await start(t, async (request) => new Response(await request.text()), { ...LIMITS, ...SHORT });
  const socket = await dial(t, server);
  const drip = setInterval(() => socket.write('a'), 10);
  t.after(() => clearInterval(drip));
  socket.write('POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 100000\r\n\r\n');
  assert.doesNotMatch(await untilCut(socket), /^HTTP\/1\.1 200 /);
});

it('a request with more than 16 KB of headers is answered 431', async (t) => {
  const server = await start(t, () => new Response('ok'));
  const socket = await dial(t, server);
  const cut = untilCut(socket);
  socket.write(`GET / HTTP/1.1\r\nHost: a\r\nX: ${'x'.repeat(17_000)}\r\n\r\n`);
  assert.match(await cut, /^HTTP\/1\.1 431 /);
});

it('a connection that pipelines beyond the limit is closed, and no more of its requests are handled', async (t) => {
  let asked = 0;
  const server = await start(t, async () => {
    asked += 1;
    return new Promise<Response>(() => undefined);
  });
  const socket = await dial(t, server);
  const cut = untilCut(socket);
  socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(LIMITS.pipelined + 100));
  assert.equal(await cut, '');
  assert.equal(asked, LIMITS.pipelined);
});

it('pipelined requests within the limit are all answered in order, again and again', async (t) => {
  let asked = 0;
  const server = await start(t, () => new Response(`number ${(asked += 1)}`));
  const socket = await dial(t, server);
  let text = '';
  socket.on('data', (chunk: Buffer) => (text += chunk.toString('latin1')));
  for (let round = 1; round <= 3; round += 1) {
    socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(LIMITS.pipelined));
    while (!text.includes(`number ${round * LIMITS.pipelined}`)) await once(socket, 'data');
  }
  const numbers = [...text.matchAll(/number (\d+)/g)].map(([, number]) => Number(number));
  assert.deepEqual(
    numbers,
    Array.from({ length: 3 * LIMITS.pipelined }, (_, n) => n + 1),
  );
});

it('a connection above the limit is dropped, and existing ones continue', async (t) => {
  const server = await start(t, () => new Response('ok'), { ...LIMITS, connections: 2 });
  const first = await dial(t, server);
  const second = await dial(t, server);
  await untilCut(await dial(t, server));
  for (const socket of [first, second]) {
    socket.write('GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n');
    assert.match(await untilCut(socket), /^HTTP\/1\.1 200 /);
  }
});

it('a connection whose reader stalls is closed, and a quiet one that reads is not', async (t) => {
  const chunk = new Uint8Array(64 * 1024);
  const cut = Promise.withResolvers<void>();
  function answer(request: Request, { incoming }: HttpBindings): Response {
    if (request.url.endsWith('/beats')) return new Response(new ReadableStream({ pull: beating(BEATS) }));
    incoming.socket.once('close', cut.resolve);
    return new Response(new ReadableStream({ pull: (to) => to.enqueue(chunk) }));
  }
  const server = await start(t, answer, { ...LIMITS, idleMs: IDLE_MS });
  const stuck = await dial(t, server);
  stuck.pause();
  stuck.write('GET /flood HTTP/1.1\r\nHost: a\r\n\r\n');
  let read = '';
  let pausedMs: number;
  do {
    const beats = fetch(`${server.url}/beats`).then((response) => response.text());
    pausedMs = await longestPause(beats.then((text) => (read = text)).catch(() => undefined));
    // A pause of this whole process is silence for the server too, so a failure then proves nothing.
  } while (read.length !== BEATS && pausedMs > IDLE_MS / 4);
  assert.equal(read.length, BEATS);
  await cut.promise;
});

it('a draining server accepts connections, and each answer closes its own', async (t) => {
  const server = await start(t, () => new Response('ok'));
  const kept = await dial(t, server);
  kept.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
  const [first] = (await once(kept, 'data')) as [Buffer];
  assert.match(first.toString(), /^HTTP\/1\.1 200 .*^Connection: keep-alive\r\nKeep-Alive: timeout=65\r$/ims);
  server.drain();
  for (const socket of [kept, await dial(t, server)]) {
    socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
    assert.match(await untilCut(socket), /^HTTP\/1\.1 200 .*^Connection: close\r$/ims);
  }
});

it('close() waits for open answers, accepts no new connections, and closes those without a request', async (t) => {
  const held = Promise.withResolvers<void>();
  const reached = Promise.withResolvers<void>();
  const fetched = async () => {
    reached.resolve();
    await held.promise;
    return new Response('done');
  };
  const server = await start(t, fetched);
  const silent = untilCut(await dial(t, server));
  const answer = fetch(server.url).then((response) => response.text());
  await reached.promise;
  let closed = false;
  const closing = server.close().then(() => (closed = true));
  await assert.rejects(fetch(server.url));
  assert.equal(closed, false);
  held.resolve();
  assert.equal(await answer, 'done');
  await Promise.all([closing, silent]);
});

it('listen() rejects at once if the port is taken', async (t) => {
  const server = await start(t, () => new Response('ok'));
  const port = Number(new URL(server.url).port);
  await assert.rejects(
    listen(() => new Response('ok'), { host: '127.0.0.1', port }),
    { code: 'EADDRINUSE' },
  );
});

const LIMIT = 16 * 1024;
const chunk = (bytes: number) => `${bytes.toString(16)}\r\n${'x'.repeat(bytes)}\r\n`;

it('a body over a socket may have 16 KB, by its length or in chunks, also where nothing reads it', async (t) => {
  const world = await createWorld(t);
  const url = await world.listen();
  const statusOf = async (line: string, header: string, body: string) => {
    const socket = connect(Number(new URL(url).port), '127.0.0.1');
    socket.write(`${line} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n${header}\r\n${body}`);
    return Number((await textOf(socket)).split(' ')[1]);
  };
  const ipn = `POST /ipn/${SECRETS.ipn}`;
  const chunked = 'Transfer-Encoding: chunked\r\n';
  for (const [line, header, body, status] of [
    [ipn, `Content-Length: ${LIMIT}\r\n`, 'x'.repeat(LIMIT), 200],
    [ipn, `Content-Length: ${LIMIT + 1}\r\n`, 'x'.repeat(LIMIT + 1), 413],
    // The rest is not waited for.
    [ipn, `Content-Length: ${LIMIT + 1}\r\n`, '', 413],
    [ipn, chunked, `${chunk(LIMIT - 5)}${chunk(5)}0\r\n\r\n`, 200],
    [ipn, chunked, `${chunk(LIMIT)}${chunk(1)}`, 413],
    [ipn, '', '', 200],
    ['POST /nowhere', `Content-Length: ${LIMIT + 1}\r\n`, '', 413],
    ['PUT /healthz', chunked, chunk(LIMIT + 1), 413],
    ['OPTIONS /order', `Content-Length: ${LIMIT + 1}\r\n`, '', 413],
    ['OPTIONS /order', chunked, chunk(LIMIT + 1), 413],
    ['OPTIONS /order', '', '', 204],
    ['GET /healthz', `Content-Length: ${LIMIT + 1}\r\n`, 'x'.repeat(LIMIT + 1), 200],
  ] as const) {
    assert.equal(await statusOf(line, header, body), status, `${line} ${header}`);
  }
  assert.deepEqual(world.rows<{ length: number }>('select length(body) as length from ipns order by length'), [
    { length: 0 },
    { length: LIMIT },
  ]);
});

it('a connection ends with the refusal of a body that is too large, whatever the client still sends', async (t) => {
  const world = await createWorld(t);
  const url = await world.listen();
  for (const header of [`Content-Length: ${LIMIT + 1}`, 'Transfer-Encoding: chunked']) {
    const socket = connect(Number(new URL(url).port), '127.0.0.1');
    const body = header.startsWith('T') ? chunk(LIMIT + 1) : 'x';
    socket.write(`POST /ipn/${SECRETS.ipn} HTTP/1.1\r\nHost: a\r\n${header}\r\n\r\n${body}`);
    assert.match(await textOf(socket), /^HTTP\/1\.1 413 [^]*\r\nconnection: close\r\n/i);
  }
});
