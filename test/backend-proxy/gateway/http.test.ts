// The HTTP adapter keeps the contract of the port, under the built-in profile and under one that changes every name.
import { DEFAULT_PROFILE, profileSchema } from '../../../backend-proxy/gateway/profile.ts';
import { gatewayContract } from './contract.ts';
import { openHttp, API, REPORT, scripted } from './scripted-gateway.ts';
import assert from 'node:assert/strict';
import { createServer as createTlsServer } from 'node:https';
import type { ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { it, type TestContext } from 'node:test';
import { Agent } from 'undici';
import { COLLECTION, PAYOUT, statusOf } from './gateway-kit.ts';
import { httpGateway } from './http-gateway.ts';
import { CERTIFICATE, KEY } from './self-signed.ts';
import { clockOffset } from '../../../backend-proxy/gateway/http.ts';

gatewayContract({ name: 'HTTP', open: openHttp(DEFAULT_PROFILE) });

gatewayContract({
  name: 'HTTP with another profile',
  open: openHttp(
    profileSchema.parse({
      paths: { pay: '/v9/collect', payout: '/v9/send', status: '/v9/ask' },
      request: { orderId: 'ref', amount: 'sum', currency: 'coin', method: 'via', customer: 'wallet', type: 'kind' },
      answer: { orderId: 'ref', paymentId: 'id', method: 'via', checkoutUrl: 'goto', qr: 'code', appUrl: 'app' },
      report: {
        orderId: 'ref',
        paymentId: 'id',
        type: 'kind',
        customer: 'wallet',
        amount: 'sum',
        currency: 'coin',
        status: 'state',
      },
      refusal: { code: 'reason', message: 'text' },
      duplicate: ['twice'],
      types: { PAY: 'IN', PAYOUT: 'OUT' },
      statuses: { DONE: 'succeeded', OPEN: 'pending', NO: 'failed' },
    }),
  ),
});

function payAt(t: TestContext, url: string) {
  const gateway = httpGateway(url);
  t.after(() => gateway.close());
  return gateway.pay(COLLECTION);
}

it('each operation has its own connections: 80 hanging starts delay no status check and no payout', async (t) => {
  const hanging: ServerResponse[] = [];
  const arrived = Promise.withResolvers<void>();
  let isOver = false;
  const { gateway } = await scripted(t, (response, request) => {
    if (request.url?.endsWith('/status')) response.writeHead(200).end(JSON.stringify(REPORT));
    else if (request.url?.endsWith('/payout')) response.writeHead(202).end('{"paymentId":1,"orderId":"P-1"}');
    else if (isOver) response.destroy();
    else if (hanging.push(response) === 64) arrived.resolve();
  });
  let ended = 0;
  const starts = Array.from({ length: 80 }, async () => {
    await gateway.pay(COLLECTION);
    ended += 1;
  });
  await arrived.promise;
  assert.equal((await statusOf(gateway)).kind, 'found');
  assert.equal((await gateway.payout(PAYOUT)).kind, 'accepted');
  assert.deepEqual([ended, hanging.length], [0, 64], 'both were answered while every start waited');
  isOver = true;
  for (const response of hanging) response.destroy();
  await Promise.all(starts);
});

it('all operations use the dispatcher that is passed in', async (t) => {
  const { url } = await scripted(t, { body: { ...REPORT, method: 'DIRECT' } });
  const paths: string[] = [];
  const dispatcher = new Agent().compose((dispatch) => (options, handler) => {
    paths.push(options.path);
    return dispatch(options, handler);
  });
  const gateway = httpGateway(url, { dispatcher });
  await gateway.pay({ ...COLLECTION, method: 'DIRECT' });
  await gateway.payout(PAYOUT);
  await statusOf(gateway);
  assert.deepEqual(paths, [`${API}/pay`, `${API}/payout`, `${API}/status`]);
  await gateway.close();
  await assert.rejects(dispatcher.request({ origin: url, path: '/', method: 'GET' }), {
    name: 'ClientDestroyedError',
  });
});

it('pay() is unreached if the port is closed or the host has no address', async (t) => {
  assert.deepEqual(await payAt(t, 'http://127.0.0.1:1'), { kind: 'unreached', detail: 'ECONNREFUSED' });
  const nameless = await payAt(t, 'https://nowhere.invalid');
  assert.ok(nameless.kind === 'unreached' && /^(ENOTFOUND|EAI_AGAIN)$/.test(nameless.detail));
});

it('pay() is lost if the certificate is not trusted, and sends nothing', async (t) => {
  let requests = 0;
  const server = createTlsServer({ key: KEY, cert: CERTIFICATE }, (_request, response) => {
    requests += 1;
    response.end('{}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => server.close());
  const sent = await payAt(t, `https://localhost:${(server.address() as AddressInfo).port}`);
  assert.deepEqual(sent, { kind: 'lost', detail: 'DEPTH_ZERO_SELF_SIGNED_CERT' });
  assert.equal(requests, 0);
});

it('only what the whole seconds of Date and the time of the call prove counts as a difference', () => {
  const at = Date.parse('2026-11-20T12:00:00.000Z');
  for (const [date, sentAt, answeredAt, expected] of [
    ['Fri, 20 Nov 2026 12:00:00 GMT', at + 999, at + 1_300, 0],
    ['Fri, 20 Nov 2026 12:00:00 GMT', at - 500, at + 20, 0],
    ['Fri, 20 Nov 2026 12:00:00 GMT', at - 2_100, at - 2_000, 2_000],
    ['Fri, 20 Nov 2026 12:00:00 GMT', at + 601_000, at + 601_200, -600_000],
    ['Fri, 20 Nov 2026 12:00:00 GMT', at + 1_500, at + 30_000, -500],
    ['yesterday', at, at, undefined],
    [undefined, at, at, undefined],
  ] as const) {
    assert.equal(clockOffset(date, sentAt, answeredAt), expected, String(date));
  }
});
