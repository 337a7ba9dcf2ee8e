// The gateway adapter with another profile: the paths, fields and words of the requests and answers.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createGateway } from '../../../backend-proxy/gateway/http.ts';
import { profileSchema } from '../../../backend-proxy/gateway/profile.ts';
import { COLLECTION, PAYOUT, scripted, status } from './scripted-gateway.ts';

describe('another profile', () => {
  it('a profile changes every path, field and word of the requests, and nothing else', async (t) => {
    const profile = profileSchema.parse({
      paths: { pay: '/v9/collect', payout: '/v9/send', status: '/v9/ask' },
      request: { orderId: 'ref', amount: 'sum', method: 'via', type: 'kind' },
      answer: { orderId: 'ref', paymentId: 'id', checkoutUrl: 'goto', method: 'via' },
      report: { orderId: 'ref', status: 'state', type: 'kind', amount: 'sum' },
      types: { PAY: 'IN', PAYOUT: 'OUT', payoutRequest: 'WALLET' },
      refusal: { code: 'reason', message: 'text' },
      duplicate: ['twice'],
      statuses: { DONE: 'succeeded' },
      httpStatuses: { rejected: [402], unknown: [410] },
      payoutDecimals: true,
    });
    const bodies: unknown[] = [
      { ref: 'A-1', id: 7, via: 'CHECKOUT', goto: 'https://checkout.example/' },
      { ref: 'P-1', id: 8 },
      { ref: 'A-1', kind: 'IN', sum: 1, state: 'DONE' },
    ];
    const { gateway, requests, url } = await scripted(
      t,
      (response) => response.writeHead(200).end(JSON.stringify(bodies.shift())),
      { profile },
    );
    const paid = await gateway.pay(COLLECTION);
    assert.equal(paid.kind === 'accepted' && paid.answer.checkoutUrl, 'https://checkout.example/');
    assert.equal((await gateway.payout(PAYOUT)).kind, 'accepted');
    const checked = await status(gateway);
    assert.equal(checked.kind === 'found' && checked.report.outcome, 'succeeded');
    assert.deepEqual(
      requests.map((request) => request.url),
      ['/v9/collect', '/v9/send', '/v9/ask'],
    );
    assert.match(requests[0]!.body, /^\{"ref":"A-1","sum":10\.10,/);
    assert.match(requests[1]!.body, /"kind":"WALLET"/);
    assert.equal(requests[2]!.body, '{"ref":"A-1","kind":"IN"}');
    assert.equal(gateway.payoutDecimals, true);
    const trailing = createGateway({ url: `${url}/base/`, apiKey: 'k', profile, checkoutHosts: [] });
    t.after(() => trailing.close());
    await trailing.pay(COLLECTION);
    assert.equal(requests.at(-1)?.url, '/base/v9/collect');
  });
});
