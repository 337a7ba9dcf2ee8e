// The sandbox as a process with real sockets: start, exit, and the faults that close a connection.
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { text as textOf } from 'node:stream/consumers';
import { after, before, describe, it } from 'node:test';
import { until } from '../faults/fault-test.ts';
import { listeningUrl } from '../listening.ts';
import { serveOnLoopback, type Served } from '../loopback.ts';
import { collection, type Json, KEY, parse } from '../demo/sandbox/sandbox-fixture.ts';

/** Only against a hang. */
const LIMIT_MS = 60_000;
const MAIN = new URL('../../demo/sandbox/main.ts', import.meta.url).pathname;

function spawnSandbox(env: Record<string, string>): ChildProcess {
  return spawn(process.execPath, [MAIN], { env: { ...process.env, ...env }, stdio: ['ignore', 'pipe', 'pipe'] });
}

async function post(url: string, body: Json): Promise<Response> {
  const headers = { 'x-api-key': KEY, 'content-type': 'application/json' };
  return fetch(url, { method: 'POST', headers, body: JSON.stringify(body), signal: AbortSignal.timeout(LIMIT_MS) });
}

describe('the sandbox process', () => {
  let child: ChildProcess;
  let url = '';
  const received: Json[] = [];
  let merchant: Served;

  before(async () => {
    merchant = await serveOnLoopback((request, response) => {
      void textOf(request).then((text) => response.end(void received.push(parse(text))));
    });
    child = spawnSandbox({ GATEWAY_API_KEY: KEY, PORT: '0', IPN_URL: `${merchant.url}/ipn` });
    assert.ok(child.stdout);
    const [line] = await once(child.stdout, 'data', { signal: AbortSignal.timeout(LIMIT_MS) });
    url = listeningUrl(String(line)) ?? '';
  });

  after(() => {
    child.kill('SIGKILL');
    return merchant.close();
  });

  const api = (operation: string, body: Json) =>
    post(`${url}/api/v3/integration/merchants/payments/${operation}`, body);
  const status = async (orderId: string) => parse(await (await api('status', { orderId, type: 'PAY' })).text());

  it('a second sandbox on the same port says how to choose another one', async () => {
    const second = spawnSandbox({ GATEWAY_API_KEY: KEY, PORT: new URL(url).port });
    assert.ok(second.stderr);
    assert.match(await textOf(second.stderr), /EADDRINUSE.*set PORT/);
  });

  it('the sandbox sends an IPN after an approval without a further request', async () => {
    await api('pay', collection('QR', { orderId: 'by-itself' }));
    await post(`${url}/_sandbox/transactions/by-itself/approve`, {});
    await until('the IPN arrives', () => received.length > 0);
    const reported = received.map(({ orderId, status: end }) => [orderId, end]);
    assert.deepEqual(reported, [['by-itself', 'SUCCESS']]);
  });

  it('the fault dropAnswer processes the request, then closes the connection without an answer', async () => {
    await post(`${url}/_sandbox/faults`, { pay: { dropAnswer: true }, times: 1 });
    await assert.rejects(api('pay', collection('QR', { orderId: 'dropped' })), TypeError);
    assert.equal((await status('dropped'))['status'], 'INITIALIZED');
  });

  it('the fault halfAnswer processes the request, sends half of the answer, then closes the connection', async () => {
    await post(`${url}/_sandbox/faults`, { pay: { halfAnswer: true }, times: 1 });
    const response = await api('pay', collection('QR', { orderId: 'halved' }));
    assert.equal(response.status, 200);
    await assert.rejects(response.text(), TypeError);
    assert.equal((await status('halved'))['status'], 'INITIALIZED');
  });

  it('the sandbox exits on SIGTERM during a request', async () => {
    await post(`${url}/_sandbox/faults`, { status: { delayMs: 10 * LIMIT_MS } });
    const hanging = assert.rejects(api('status', { orderId: 'first', type: 'PAY' }));
    await new Promise((resolve) => setTimeout(resolve, 50));
    child.kill('SIGTERM');
    const [code] = await once(child, 'exit', { signal: AbortSignal.timeout(LIMIT_MS) });
    assert.equal(code, 0);
    await hanging;
  });
});

describe('the sandbox start', () => {
  for (const [name, env, message] of [
    ['without a key', { GATEWAY_API_KEY: '' }, /GATEWAY_API_KEY is missing/],
    ['with a wrong port', { GATEWAY_API_KEY: KEY, PORT: '99999' }, /PORT must be/],
    ['with no secret in the IPN URL', { GATEWAY_API_KEY: KEY, IPN_URL: 'http://127.0.0.1:8787/ipn/' }, /IPN secret/],
    ['with a wrong IPN URL', { GATEWAY_API_KEY: KEY, IPN_URL: 'nowhere' }, /IPN_URL is not a URL/],
    [
      'with an IPN URL that is not http or https',
      { GATEWAY_API_KEY: KEY, IPN_URL: 'localhost:8787/ipn' },
      /IPN_URL is/,
    ],
    ['with a wrong public URL', { GATEWAY_API_KEY: KEY, PUBLIC_URL: 'here' }, /PUBLIC_URL is not a URL/],
  ] as const) {
    it(`the sandbox does not start ${name}, and prints the reason`, async () => {
      const child = spawnSandbox(env);
      let text = '';
      child.stderr?.on('data', (chunk: Buffer) => (text += chunk.toString()));
      const [code] = await once(child, 'close', { signal: AbortSignal.timeout(LIMIT_MS) });
      assert.equal(code, 1);
      assert.match(text, message);
    });
  }
});
