// pay() of the gateway adapter: the exact bytes of each request, and the interpretation of each answer. An answer that
// is not as documented is lost, never refused, and nothing is sent twice.
import assert from 'node:assert/strict';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { describe, it } from 'node:test';
import type { Collection } from '../../../backend-proxy/gateway/gateway.ts';
import { createGateway, type GatewayOptions } from '../../../backend-proxy/gateway/http.ts';
import { DEFAULT_PROFILE } from '../../../backend-proxy/gateway/profile.ts';
import { API, CHECKOUT, COLLECTION, PAYOUT, QR, scripted, status, type Answer } from './scripted-gateway.ts';
import { CERTIFICATE, KEY } from './self-signed.ts';

describe('pay()', () => {
  it('pay() sends one POST with the key in a header and the amount as an exact JSON number', async (t) => {
    const { gateway, requests } = await scripted(t, { body: CHECKOUT });
    await gateway.pay(COLLECTION);
    assert.equal(requests.length, 1);
    const { method, url, headers, body } = requests[0]!;
    assert.deepEqual([method, url], ['POST', `${API}/pay`]);
    assert.equal(headers['x-api-key'], 'the-key');
    assert.equal(headers['content-type'], 'application/json');
    assert.equal(headers['authorization'], undefined);
    assert.equal(
      body,
      '{"orderId":"A-1","amount":10.10,"currency":"EUR","method":"CHECKOUT","returnUrl":"https://shop.example/thanks",' +
        '"customer":"12345678","language":"en"}',
    );
  });

  it('pay() sends the fields of its method and no others', async (t) => {
    const { gateway, requests } = await scripted(t, { body: CHECKOUT });
    const common = { orderId: 'A-1', amount: 10.1, currency: 'EUR', returnUrl: 'https://shop.example/thanks' };
    const sent = async (collection: Partial<Collection>) => {
      await gateway.pay({ ...COLLECTION, ...collection });
      return JSON.parse(requests.at(-1)!.body) as object;
    };
    const full = { customer: '12345678', customerReferenceNo: 'C-1', language: 'en' };
    assert.deepEqual(await sent({ method: 'DIRECT' }), { ...common, ...full, method: 'DIRECT' });
    assert.deepEqual(await sent({ method: 'QR' }), { ...common, method: 'QR' });
    assert.deepEqual(await sent({ method: 'JETGO' }), { ...common, method: 'JETGO' });
    assert.deepEqual(await sent({ customer: null, language: null }), { ...common, method: 'CHECKOUT' });
    assert.deepEqual(await sent({ method: 'DIRECT', language: null }), {
      ...common,
      customer: '12345678',
      customerReferenceNo: 'C-1',
      method: 'DIRECT',
    });
  });

  it('pay() writes whole amounts without decimals and keeps all digits of others', async (t) => {
    const { gateway, requests } = await scripted(t, { body: CHECKOUT });
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

  it('pay() is accepted with what its method promises', async (t) => {
    const answers: unknown[] = [
      CHECKOUT,
      { ...QR, appPaymentLink: 'jetgo://pay?reference=1' },
      { ...QR, method: 'JETGO', checkout: null },
      { paymentId: 1, orderId: 'A-1', method: 'DIRECT' },
      { ...CHECKOUT, paymentId: null, unknownField: { a: 1 } },
    ];
    const { gateway } = await scripted(t, (response) => {
      response.writeHead(answers.length % 2 ? 200 : 202).end(JSON.stringify(answers.shift()));
    });
    const none = { checkoutUrl: null, qr: null, appUrl: null };
    const accepted = (answer: object) => ({ kind: 'accepted', answer: { ...none, ...answer } });
    const checkoutUrl = 'https://checkout.example/pay?token=t';
    const qr = 'https://wallet.example/q';
    assert.deepEqual(await gateway.pay(COLLECTION), accepted({ paymentId: '111328', method: 'CHECKOUT', checkoutUrl }));
    assert.deepEqual(
      await gateway.pay(COLLECTION),
      accepted({ paymentId: 'b3f1', method: 'QR', qr, appUrl: 'jetgo://pay?reference=1' }),
    );
    assert.deepEqual(await gateway.pay(COLLECTION), accepted({ paymentId: 'b3f1', method: 'JETGO', qr }));
    assert.deepEqual(await gateway.pay(COLLECTION), accepted({ paymentId: '1', method: 'DIRECT' }));
    assert.deepEqual(await gateway.pay(COLLECTION), accepted({ paymentId: null, method: 'CHECKOUT', checkoutUrl }));
  });

  it('pay() keeps every digit of a payment id', async (t) => {
    const { gateway } = await scripted(t, {
      body: '{"paymentId": 9007199254740993, "orderId": "A-1", "method": "DIRECT"}',
    });
    const sent = await gateway.pay(COLLECTION);
    assert.equal(sent.kind === 'accepted' && sent.answer.paymentId, '9007199254740993');
  });

  it('pay() is lost if the answer is not as documented', async (t) => {
    const wrong: unknown[] = [
      '',
      'It works!',
      '<html></html>',
      '[]',
      'null',
      '"A-1"',
      '{}',
      JSON.stringify(CHECKOUT).slice(0, -5),
      { ...CHECKOUT, orderId: 'A-2' },
      { ...CHECKOUT, orderId: null },
      { ...CHECKOUT, method: 'CASH' },
      { ...CHECKOUT, method: null },
      { ...CHECKOUT, method: 'checkout' },
      { ...CHECKOUT, checkout: null },
      { ...CHECKOUT, checkout: 'http://evil.example/pay' },
      { ...CHECKOUT, checkout: 'javascript:alert(1)' },
      { ...CHECKOUT, checkout: '/pay' },
      { ...CHECKOUT, checkout: { url: 'https://checkout.example' } },
      { ...CHECKOUT, paymentId: {} },
      { ...CHECKOUT, paymentId: '' },
      { ...CHECKOUT, paymentId: 'x'.repeat(101) },
      { ...CHECKOUT, paymentId: 'a\0b' },
      { ...CHECKOUT, paymentId: true },
      { ...QR, qr: null },
      { ...QR, qr: 'not base64!' },
      { ...QR, qr: Buffer.from('\0\0\0').toString('base64') },
      { ...QR, qr: 'A'.repeat(100_001) },
      { ...QR, appPaymentLink: 7.5, qr: {} },
      `{"a":${'['.repeat(9)}${']'.repeat(9)},${JSON.stringify(CHECKOUT).slice(1)}`,
    ];
    const left = [...wrong];
    const { gateway, requests } = await scripted(t, (response) => {
      const body = left.shift();
      response.writeHead(200).end(typeof body === 'string' ? body : JSON.stringify(body));
    });
    for (const body of wrong) {
      assert.deepEqual(
        await gateway.pay(COLLECTION),
        { kind: 'lost', detail: 'undocumented answer' },
        JSON.stringify(body),
      );
    }
    assert.equal(requests.length, wrong.length);
  });

  it('pay() drops an unsafe link, because the code alone is enough', async (t) => {
    for (const appPaymentLink of ['javascript:alert(1)', 'http://evil.example/', '']) {
      const { gateway } = await scripted(t, { body: { ...QR, appPaymentLink: appPaymentLink || null } });
      const sent = await gateway.pay(COLLECTION);
      assert.ok(sent.kind === 'accepted');
      assert.deepEqual([sent.answer.qr, sent.answer.appUrl], ['https://wallet.example/q', null]);
    }
  });

  it('pay() accepts a checkout URL only on an allowed host', async (t) => {
    const elsewhere = await scripted(t, { body: CHECKOUT }, { checkoutHosts: ['pay.example'] });
    assert.equal((await elsewhere.gateway.pay(COLLECTION)).kind, 'lost');
    const here = await scripted(t, { body: CHECKOUT }, { checkoutHosts: ['pay.example', 'checkout.example'] });
    assert.equal((await here.gateway.pay(COLLECTION)).kind, 'accepted');
  });

  it('pay() is refused only by a documented 4xx with a code of the gateway', async (t) => {
    let code = 0;
    const { gateway, requests } = await scripted(t, (response) => {
      response
        .writeHead(code, { location: `${API}/elsewhere` })
        .end(code === 304 ? undefined : JSON.stringify({ ...CHECKOUT, code: 'WALLET_NOT_FOUND' }));
    });
    for (code of [400, 401, 403, 404, 405, 406, 410, 411, 413, 414, 415, 422]) {
      const refused = { kind: 'refused', detail: `HTTP ${code} WALLET_NOT_FOUND` };
      assert.deepEqual(await gateway.pay(COLLECTION), refused);
      assert.deepEqual(await gateway.payout(PAYOUT), refused);
    }
    for (code of [
      201, 204, 206, 300, 301, 302, 303, 304, 307, 308, 402, 408, 418, 425, 429, 451, 500, 501, 502, 503, 504, 599,
    ]) {
      assert.deepEqual(await gateway.pay(COLLECTION), { kind: 'lost', detail: `HTTP ${code}` });
      assert.deepEqual(await gateway.payout(PAYOUT), { kind: 'lost', detail: `HTTP ${code}` });
    }
    assert.equal(requests.length, 2 * (12 + 22), 'each request was sent once, and no redirect was followed');
  });

  it('pay() is foreign if the refusal has no code of the gateway', async (t) => {
    let body: unknown;
    const { gateway } = await scripted(t, (response) => response.writeHead(400).end(JSON.stringify(body)));
    for (const code of ['The key is sk_live_1', 'A'.repeat(65), 'not_found', 42, { a: 1 }, null, undefined]) {
      body = { code, message: 'Text.' };
      assert.deepEqual(await gateway.pay(COLLECTION), { kind: 'foreign', detail: 'HTTP 400' });
    }
  });

  it('pay() that is lost reports the wait of a Retry-After, in seconds or as a date, up to ten minutes', async (t) => {
    const now = () => Date.UTC(2026, 10, 20, 12);
    let header: string | string[] = '';
    const answer: Answer = (response) => response.setHeader('retry-after', header).writeHead(503).end();
    const { gateway } = await scripted(t, answer, { now });
    for (const [said, retryAfterMs] of [
      ['30', 30_000],
      ['0', 0],
      ['86400', 600_000],
      ['9'.repeat(300), 600_000],
      ['Fri, 20 Nov 2026 12:01:00 GMT', 60_000],
      ['Fri, 20 Nov 2026 11:00:00 GMT', 0],
      ['Sat, 21 Nov 2026 12:00:00 GMT', 600_000],
    ] as const) {
      header = said;
      assert.deepEqual(await gateway.pay(COLLECTION), { kind: 'lost', detail: 'HTTP 503', retryAfterMs }, said);
      assert.deepEqual(await gateway.payout(PAYOUT), { kind: 'lost', detail: 'HTTP 503', retryAfterMs }, said);
      assert.deepEqual(await status(gateway), { kind: 'unavailable', detail: 'HTTP 503', retryAfterMs }, said);
    }
    for (header of ['-1', '1.5', 'soon', '1e3', '2026-11-20', 'Fri, 99 Nov 2026 12:01:00 GMT', ['1', '2']]) {
      assert.deepEqual(await gateway.pay(COLLECTION), { kind: 'lost', detail: 'HTTP 503' }, String(header));
    }
  });

  it('pay() is lost if its answer is cut, halved, missing, too slow or too long', async (t) => {
    const why = async (answer: Answer, options: Partial<GatewayOptions> = {}) => {
      const { gateway, requests } = await scripted(t, answer, options);
      const sent = await gateway.pay(COLLECTION);
      assert.equal(requests.length, 1);
      assert.ok(sent.kind === 'lost');
      return sent.detail;
    };
    assert.equal(await why((response) => response.destroy()), 'UND_ERR_SOCKET');
    const half = JSON.stringify(CHECKOUT);
    assert.match(
      await why((response) => {
        response.writeHead(200, { 'content-length': half.length }).write(half.slice(0, 40), () => response.destroy());
      }),
      /UND_ERR_SOCKET|ECONNRESET|UND_ERR_RES_CONTENT_LENGTH_MISMATCH/,
    );
    assert.equal(await why(() => undefined, { totalTimeoutMs: 50 }), 'TimeoutError');
    assert.equal(
      await why(
        (response) => {
          response.writeHead(200);
          const drip = setInterval(() => response.write(' '), 10);
          response.on('close', () => clearInterval(drip));
        },
        { totalTimeoutMs: 100 },
      ),
      'TimeoutError',
    );
    assert.equal(await why((response) => response.writeHead(200).end(' '.repeat(256 * 1024 + 1))), 'Error');
  });

  it('pay() is unreached if no connection could be made, and only then is it known that nothing was sent', async (t) => {
    const at = (url: string) => {
      const gateway = createGateway({ url, apiKey: 'k', profile: DEFAULT_PROFILE, checkoutHosts: [] });
      t.after(() => gateway.close());
      return gateway.pay(COLLECTION);
    };
    assert.deepEqual(await at('http://127.0.0.1:1'), { kind: 'unreached', detail: 'ECONNREFUSED' });
    const nameless = await at('https://nowhere.invalid');
    assert.ok(nameless.kind === 'unreached' && /^(ENOTFOUND|EAI_AGAIN)$/.test(nameless.detail));
  });

  it('pay() is lost if an open connection breaks and the next is refused', async (t) => {
    const { gateway, requests, server } = await scripted(t, (response) => {
      if (requests.length === 1) response.writeHead(200).end(JSON.stringify(QR));
      else response.destroy();
    });
    assert.equal((await gateway.pay(COLLECTION)).kind, 'accepted');
    assert.deepEqual(await gateway.pay(COLLECTION), { kind: 'lost', detail: 'UND_ERR_SOCKET' });
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
    assert.equal((await gateway.pay(COLLECTION)).kind, 'unreached');
  });

  it('pay() is lost if the certificate is not trusted, and sends nothing', async (t) => {
    let requests = 0;
    const server = createTlsServer({ key: KEY, cert: CERTIFICATE }, (_request, response) => {
      requests += 1;
      response.end(JSON.stringify(CHECKOUT));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    t.after(() => server.close());
    const url = `https://localhost:${(server.address() as AddressInfo).port}`;
    const gateway = createGateway({ url, apiKey: 'the-key', profile: DEFAULT_PROFILE, checkoutHosts: [] });
    t.after(() => gateway.close());
    assert.deepEqual(await gateway.pay(COLLECTION), { kind: 'lost', detail: 'DEPTH_ZERO_SELF_SIGNED_CERT' });
    assert.equal(requests, 0);
  });

  it('pay() reads an answer of 256 KB', async (t) => {
    const { gateway } = await scripted(t, { body: JSON.stringify(CHECKOUT).padEnd(256 * 1024) });
    assert.equal((await gateway.pay(COLLECTION)).kind, 'accepted');
  });
});
