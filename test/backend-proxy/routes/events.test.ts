// GET /order/events through the app: the view at once and after every commit, until the order is paid.
import assert from 'node:assert/strict';
import { it, type TestContext } from 'node:test';
import { REFUNDS_QR, SHOP, createWorld } from '../world.ts';
import { open, reading } from './events-kit.ts';
import { inWords } from '../in-words.ts';
import { Agent, request as fetchBy } from 'undici';

it('the event stream starts with the whole view, and its headers keep proxies from buffering it', async (t) => {
  const world = await createWorld(t);
  const token = world.token();
  const response = await world.request('GET', '/order/events', {
    headers: { Authorization: `Bearer ${token}`, Origin: SHOP },
  });
  assert.deepEqual(
    ['content-type', 'cache-control', 'x-accel-buffering', 'access-control-allow-origin', 'content-length'].map(
      (name) => response.headers.get(name),
    ),
    ['text/event-stream; charset=utf-8', 'no-store, no-transform', 'no', SHOP, null],
  );
  const stream = reading(response);
  assert.deepEqual(await stream.view(), await world.view(token));
  await stream.cancel();
});

it('the event stream sends every commit, whatever caused it, and ends once the order is paid', async (t) => {
  const world = await createWorld(t);
  const token = world.token();
  const stream = await open(world, token);
  assert.equal((await stream.view()).payment, null);
  const { body } = await world.start(token, { method: 'QR' });
  let seen = await stream.view();
  while (seen.version < body.version) seen = await stream.view();
  assert.deepEqual(seen.payment, body.payment);
  await world.settleAfter('approve', 'A-1');
  const last = await stream.view();
  assert.deepEqual([last.paid, last.payment?.status], [true, 'SUCCESS']);
  assert.equal(await stream.next(), 'end');
});

it('the event stream shows the closing, and ends once nothing of the closed order is open', async (t) => {
  const world = await createWorld(t);
  const token = world.token();
  await world.start(token, { method: 'QR' });
  const stream = await open(world, token);
  assert.equal((await stream.view()).closed, false);
  await world.merchant('POST', '/orders/A-1/close', {});
  assert.equal((await stream.view()).closed, true);
  await world.settleAfter('decline', 'A-1');
  assert.equal((await stream.view()).payment?.status, 'FAILED');
  assert.equal(await stream.next(), 'end');
});

it('the event stream of a closed order that was paid after all continues until the money is on its way back and there', async (t) => {
  const world = await createWorld(t, {
    profile: REFUNDS_QR,
  });
  const token = world.token();
  await world.start(token, { method: 'QR' });
  await world.merchant('POST', '/orders/A-1/close', {});
  await world.settleAfter('approve', 'A-1', '23456789');
  const stream = await open(world, token);
  const { refunds, owedAmount } = await stream.view();
  assert.deepEqual([refunds, owedAmount], [[], '10.10']);
  await world.proxy.refunds.start({ orderId: 'A-1', amount: '10', idempotencyKey: 'refund' });
  await world.settle();
  for (let sent: string | undefined; sent !== 'SUCCESS';) {
    sent = (await stream.view()).refunds[0]?.status;
    if (sent === 'PROCESSING') await world.settleAfter('approve', 'A-1-r1');
  }
  assert.equal(await stream.next(), 'end');
});

it('the event stream of a paid order continues while another payment can be paid, and until that one is sent back', async (t) => {
  const world = await createWorld(t, { profile: REFUNDS_QR });
  const token = world.token();
  await world.start(token, { method: 'QR' });
  await world.start(token, { method: 'JETGO' });
  await world.settleAfter('approve', 'A-1-2');
  const stream = await open(world, token);
  const { paid, surplus, otherOpen } = await stream.view();
  assert.deepEqual([paid, surplus, otherOpen], [true, false, true]);
  await world.settleAfter('approve', 'A-1');
  const last = await stream.view();
  assert.deepEqual([last.surplus, last.surplusAmount, last.otherOpen], [true, '10.10', false]);
  assert.equal(last.owedAmount, '10.10');
  assert.deepEqual(
    last.received.map(({ method, amount }) => `${method} ${amount}`),
    ['JETGO 10.10', 'QR 10.10'],
  );
  const refund = { orderId: 'A-1', gatewayOrderId: 'A-1', amount: '10', idempotencyKey: 'refund' };
  await world.proxy.refunds.start(refund);
  await world.settle();
  for (let sent: string | undefined; sent !== 'SUCCESS';) {
    sent = (await stream.view()).refunds[0]?.status;
    if (sent === 'PROCESSING') await world.settleAfter('approve', 'A-1-r1');
  }
  assert.equal(await stream.next(), 'end');
  assert.equal((await world.view(token)).owedAmount, '0.10', 'the gateway sends whole amounts only');
  await world.merchant('POST', '/transactions/A-1/resolve', { status: 'SETTLED', by: 'ada', note: 'in cash' });
  assert.equal((await world.view(token)).owedAmount, null);
});

it('the event stream of a paid order continues while a refund is in doubt', async (t) => {
  const world = await createWorld(t, { profile: REFUNDS_QR });
  const token = await world.paid({});
  await world.proxy.refunds.start({ orderId: 'A-1', amount: '10', idempotencyKey: 'refund' });
  await world.settleAfter('decline', 'A-1-r1');
  const stream = await open(world, token);
  assert.equal((await stream.view()).refundInDoubtAmount, '10.00');
  await world.pass(60_000);
  assert.equal((await stream.view()).refundInDoubtAmount, null);
  assert.equal(await stream.next(), 'end');
});

it('the event stream continues after a failed payment, because another may follow', async (t) => {
  const world = await createWorld(t);
  const token = world.token();
  const { body } = await world.start(token, { method: 'QR' });
  const stream = await open(world, token);
  assert.equal((await stream.view()).version, body.version);
  await world.settleAfter('decline', 'A-1');
  assert.equal((await stream.view()).payment?.reason, 'DECLINED');
  await world.start(token, { method: 'CHECKOUT' });
  assert.equal((await stream.view()).payment?.method, 'CHECKOUT');
  await stream.cancel();
});

/** Without those that differ for each answer or each connection. */
const lasting = (headers: Headers) =>
  [...headers].filter(([name]) => !/^(x-request-id|date|connection|keep-alive|transfer-encoding)$/.test(name));

async function served(t: TestContext) {
  const world = await createWorld(t);
  const work = world.proxy.run();
  t.after(() => work.stop());
  const url = await world.listen();
  const token = world.token();
  const headers = { Authorization: `Bearer ${token}`, Origin: SHOP };
  return { world, token, headers, url: `${url}/order/events` };
}

it('an event stream has the same headers on a socket as in a web response, and one line in the log', async (t) => {
  const { world, headers, url } = await served(t);
  const inMemory = await world.request('GET', '/order/events', { headers });
  world.log.length = 0;
  const onSocket = await fetch(url, { headers });
  assert.deepEqual(lasting(onSocket.headers), lasting(inMemory.headers));
  assert.match(onSocket.headers.get('x-request-id') ?? '', /^[\w-]{36}$/);
  const requests = world.log.filter(({ event }) => event === 'request');
  const line = `/order/events 200 ${onSocket.headers.get('x-request-id')}`;
  assert.deepEqual(inWords(requests, 'route', 'status', 'requestId'), [line]);
  await Promise.all([inMemory.body?.cancel(), onSocket.body?.cancel()]);
});

it('an event stream on a socket sends each change, and its connection is used again after the end', async (t) => {
  const { world, token, headers, url } = await served(t);
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
  const { world, headers, url } = await served(t);
  const response = await fetch(url, { method: 'HEAD', headers });
  assert.deepEqual([response.status, response.headers.get('content-type')], [200, 'text/event-stream; charset=utf-8']);
  assert.match(await world.metrics(), /open_streams 0\n/);
});
