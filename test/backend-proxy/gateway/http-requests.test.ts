// The exact bytes of the HTTP adapter's requests.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { Collection } from '../../../backend-proxy/gateway/gateway.ts';
import { profileSchema } from '../../../backend-proxy/gateway/profile.ts';
import { COLLECTION, PAYOUT, statusOf } from './gateway-kit.ts';
import { httpGateway } from './http-gateway.ts';
import { API, CHECKOUT, scripted } from './scripted-gateway.ts';

const PAYOUT_FIELDS = '"orderId":"P-1","amount":50,"currency":"EUR","customer":"12345678","type":"JETGO"';

it('each request is one POST with the key in a header and the amount as an exact JSON number', async (t) => {
  const { gateway, requests } = await scripted(t);
  await gateway.pay(COLLECTION);
  await gateway.payout(PAYOUT);
  await gateway.payout({ ...PAYOUT, note: null });
  await statusOf(gateway, 'A-1', 'PAY');
  await statusOf(gateway, 'P-1', 'PAYOUT');
  assert.deepEqual(
    requests.map(({ url, body }) => [url, body]),
    [
      [
        `${API}/pay`,
        '{"orderId":"A-1","amount":10.10,"currency":"EUR","method":"CHECKOUT","returnUrl":"https://shop.example/thanks",' +
          '"customer":"12345678","language":"en"}',
      ],
      [`${API}/payout`, `{${PAYOUT_FIELDS},"note":"Thank you"}`],
      [`${API}/payout`, `{${PAYOUT_FIELDS}}`],
      [`${API}/status`, '{"orderId":"A-1","type":"PAY"}'],
      [`${API}/status`, '{"orderId":"P-1","type":"PAYOUT"}'],
    ],
  );
  for (const { method, headers } of requests) {
    assert.deepEqual(
      [method, headers['x-api-key'], headers['content-type'], headers['authorization']],
      ['POST', 'the-key', 'application/json', undefined],
    );
  }
});

it('pay() sends the fields of its method and no others', async (t) => {
  const { gateway, requests } = await scripted(t);
  const common = { orderId: 'A-1', amount: 10.1, currency: 'EUR', returnUrl: 'https://shop.example/thanks' };
  const wallet = { customer: '12345678', customerReferenceNo: 'C-1' };
  const sent = async (collection: Partial<Collection>) => {
    await gateway.pay({ ...COLLECTION, ...collection });
    return JSON.parse(requests.at(-1)!.body) as object;
  };
  assert.deepEqual(await sent({ method: 'DIRECT' }), { ...common, ...wallet, language: 'en', method: 'DIRECT' });
  assert.deepEqual(await sent({ method: 'QR' }), { ...common, method: 'QR' });
  assert.deepEqual(await sent({ method: 'JETGO' }), { ...common, method: 'JETGO' });
  assert.deepEqual(await sent({ customer: null, language: null }), { ...common, method: 'CHECKOUT' });
  assert.deepEqual(await sent({ method: 'DIRECT', language: null }), { ...common, ...wallet, method: 'DIRECT' });
});

it('pay() writes whole amounts without decimals and keeps all digits of others', async (t) => {
  const { gateway, requests } = await scripted(t);
  for (const [amountMinor, currency, text] of [
    [5000, 'EUR', '50'],
    [1, 'EUR', '0.01'],
    [1010, 'JPY', '1010'],
    [1000, 'JPY', '1000'],
    [5, 'KWD', '0.005'],
    [10_000, 'CLF', '1'],
    [999_999_999_999_999, 'EUR', '9999999999999.99'],
  ] as const) {
    await gateway.pay({ ...COLLECTION, amountMinor, currency });
    assert.match(requests.at(-1)!.body, new RegExp(`"amount":${text.replace('.', '\\.')},`));
  }
});

it('a profile names the words of the requests, and the base URL may have a path', async (t) => {
  const profile = profileSchema.parse({
    request: { customerReference: 'reference', type: 'kind' },
    types: { payoutRequest: 'WALLET' },
    payoutDecimals: true,
  });
  const { url, requests } = await scripted(t, { body: CHECKOUT });
  const gateway = httpGateway(`${url}/base/`, { profile });
  t.after(() => gateway.close());
  await gateway.pay({ ...COLLECTION, method: 'DIRECT' });
  await gateway.payout(PAYOUT);
  assert.match(requests[0]!.body, /"reference":"C-1"/);
  assert.match(requests[1]!.body, /"kind":"WALLET"/);
  assert.deepEqual([requests[0]!.url, gateway.payoutDecimals], [`/base${API}/pay`, true]);
});

it('payout() leaves the type out if the profile has none', async (t) => {
  const { url, requests } = await scripted(t);
  const gateway = httpGateway(url, { profile: profileSchema.parse({ types: { payoutRequest: null } }) });
  t.after(() => gateway.close());
  await gateway.payout({ ...PAYOUT, note: null });
  assert.equal(requests[0]?.body, `{${PAYOUT_FIELDS.replace(',"type":"JETGO"', '')}}`);
});

it('a gateway is a test one on loopback, or as its profile says', async (t) => {
  for (const [url, sandbox, isTest] of [
    ['http://127.0.0.1:8788', null, true],
    ['http://localhost/api', null, true],
    ['https://gateway.example', null, false],
    ['https://127.0.0.1.gateway.example', null, false],
    ['https://gateway.example', true, true],
    ['http://127.0.0.1:8788', false, false],
  ] as const) {
    const gateway = httpGateway(url, { profile: profileSchema.parse({ sandbox }) });
    t.after(() => gateway.close());
    assert.equal(gateway.isTest, isTest, `${url} ${sandbox}`);
  }
});
