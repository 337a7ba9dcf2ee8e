// The gateway adapter against a scripted server: the exact bytes of each request, and the interpretation of each
// answer. An answer that is not as documented is lost, never refused, and nothing is sent twice.
import assert from 'node:assert/strict';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { describe, it, type TestContext } from 'node:test';
import { Agent } from 'undici';
import type { Collection, Gateway } from '../../../backend-proxy/gateway/gateway.ts';
import { createGateway, type GatewayOptions } from '../../../backend-proxy/gateway/http.ts';
import { DEFAULT_PROFILE, profileSchema } from '../../../backend-proxy/gateway/profile.ts';
import { CERTIFICATE, KEY } from './self-signed.ts';

const API = '/api/v3/integration/merchants/payments';
const COLLECTION: Collection = {
  transactionId: 'A-1',
  method: 'CHECKOUT',
  amountMinor: 1010,
  currency: 'EUR',
  returnUrl: 'https://shop.example/thanks',
  customer: '12345678',
  customerReference: 'C-1',
  language: 'en',
};
const PAYOUT = { transactionId: 'P-1', amountMinor: 5000, currency: 'EUR', customer: '12345678', note: 'Thank you' };
const CHECKOUT = { paymentId: 111328, orderId: 'A-1', method: 'CHECKOUT', checkout: 'https://checkout.example/pay?token=t', qr: null }; // prettier-ignore
const QR = { paymentId: 'b3f1', orderId: 'A-1', method: 'QR', qr: Buffer.from('https://wallet.example/q').toString('base64') }; // prettier-ignore
const REPORT = { paymentId: 111328, orderId: 'A-1', type: 'PAY', customer: '12345678', amount: 500, currency: 'EUR', status: 'SUCCESS', message: 'SUCCESS' }; // prettier-ignore

type Answer = ((response: ServerResponse, request: IncomingMessage) => void) | { status?: number; body: unknown };

interface Scripted {
  gateway: Gateway;
  /** The requests as received. */
  requests: { method: string; url: string; headers: IncomingMessage['headers']; body: string }[];
  server: Server;
  url: string;
}

async function scripted(t: TestContext, answer: Answer, options: Partial<GatewayOptions> = {}): Promise<Scripted> {
  const requests: Scripted['requests'] = [];
  const server = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (text: string) => (body += text));
    request.on('end', () => {
      requests.push({ method: request.method ?? '', url: request.url ?? '', headers: request.headers, body });
      if (typeof answer === 'function') return answer(response, request);
      const text = typeof answer.body === 'string' ? answer.body : JSON.stringify(answer.body);
      response.writeHead(answer.status ?? 200, { 'content-type': 'application/json' }).end(text);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const gateway = createGateway({ url, apiKey: 'the-key', profile: DEFAULT_PROFILE, checkoutHosts: [], ...options });
  t.after(async () => {
    server.closeAllConnections();
    await gateway.close();
    await new Promise((resolve) => server.close(resolve));
  });
  return { gateway, requests, server, url };
}

const status = (gateway: Gateway, id = 'A-1') => {
  assert.ok(gateway.status);
  return gateway.status(id, 'PAY');
};

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

describe('payout()', () => {
  it('payout() sends one POST with type JETGO and a whole amount', async (t) => {
    const { gateway, requests } = await scripted(t, { status: 202, body: { paymentId: 111328, orderId: 'P-1' } });
    assert.deepEqual(await gateway.payout(PAYOUT), { kind: 'accepted', answer: { paymentId: '111328' } });
    await gateway.payout({ ...PAYOUT, note: null });
    const body = '"orderId":"P-1","amount":50,"currency":"EUR","customer":"12345678","type":"JETGO"';
    assert.deepEqual(
      requests.map(({ url, body: sent }) => [url, sent]),
      [
        [`${API}/payout`, `{${body},"note":"Thank you"}`],
        [`${API}/payout`, `{${body}}`],
      ],
    );
  });

  it('payout() is lost if the answer names another order', async (t) => {
    const { gateway } = await scripted(t, { status: 202, body: { paymentId: 111328, orderId: 'P-2' } });
    assert.deepEqual(await gateway.payout(PAYOUT), { kind: 'lost', detail: 'undocumented answer' });
  });
});

describe('status()', () => {
  it('status() asks by order id and type', async (t) => {
    const { gateway, requests } = await scripted(t, { body: REPORT });
    await gateway.status?.('A-1', 'PAY');
    await gateway.status?.('P-1', 'PAYOUT');
    assert.deepEqual(
      requests.map(({ url, body }) => [url, body]),
      [
        [`${API}/status`, '{"orderId":"A-1","type":"PAY"}'],
        [`${API}/status`, '{"orderId":"P-1","type":"PAYOUT"}'],
      ],
    );
    assert.equal(requests[0]!.headers['x-api-key'], 'the-key');
  });

  it('status() reads the report, with amounts as they are written', async (t) => {
    const { gateway } = await scripted(t, { body: JSON.stringify(REPORT).replace('500', '500.10') });
    const report = {
      transactionId: 'A-1',
      type: 'PAY',
      paymentId: '111328',
      customer: '12345678',
      amount: '500.10',
      currency: 'EUR',
    };
    assert.deepEqual(await status(gateway), { kind: 'found', report: { ...report, outcome: 'succeeded' } });
  });

  it('status() maps each status by the profile, and an unknown one to pending', async (t) => {
    let word: unknown = '';
    const { gateway } = await scripted(t, (response) =>
      response.writeHead(200).end(JSON.stringify({ ...REPORT, status: word })),
    );
    for (const [name, outcome] of [
      ['INITIALIZED', 'pending'],
      ['PROCESSING', 'pending'],
      ['SUCCESS', 'succeeded'],
      ['FAILED', 'failed'],
      ['ERROR', 'failed'],
      ['success', 'pending'],
      ['PAYMENT_FINALIZED', 'pending'],
      ['constructor', 'pending'],
      ['__proto__', 'pending'],
      ['', 'pending'],
      [null, 'pending'],
      [undefined, 'pending'],
    ] as const) {
      word = name;
      const checked = await status(gateway);
      assert.equal(checked.kind === 'found' && checked.report.outcome, outcome, String(name));
    }
  });

  it('status() needs only the order id and the type in a report', async (t) => {
    const { gateway } = await scripted(t, { body: { orderId: 'A-1', type: 'PAYOUT' } });
    const report = {
      transactionId: 'A-1',
      type: 'PAYOUT',
      paymentId: null,
      customer: null,
      amount: null,
      currency: null,
      outcome: 'pending',
    };
    assert.deepEqual(await status(gateway), { kind: 'found', report });
  });

  it('status() reads a customer id, also as a number, and accepts a report without one', async (t) => {
    let customer: unknown = '';
    const { gateway } = await scripted(t, (response) =>
      response.writeHead(200).end(JSON.stringify({ ...REPORT, customer })),
    );
    for (const [said, read] of [
      ['12345678', '12345678'],
      [12_345_678, '12345678'],
      [null, null],
      ['', null],
      ['1\u00002', null],
      [{ id: '12345678' }, null],
      ['9'.repeat(101), null],
    ]) {
      customer = said;
      const checked = await status(gateway);
      assert.ok(checked.kind === 'found');
      assert.deepEqual([checked.report.customer, checked.report.outcome], [read, 'succeeded'], JSON.stringify(said));
    }
  });

  it('status() takes only FAILED as the failure of a payout: ERROR leaves it open', async (t) => {
    let word = '';
    const { gateway } = await scripted(t, (response) =>
      response.writeHead(200).end(JSON.stringify({ ...REPORT, type: 'PAYOUT', status: word })),
    );
    for (const [name, outcome] of [
      ['FAILED', 'failed'],
      ['ERROR', 'pending'],
      ['SUCCESS', 'succeeded'],
    ] as const) {
      word = name;
      const checked = await status(gateway);
      assert.equal(checked.kind === 'found' && checked.report.outcome, outcome, name);
      const ipn = gateway.readIpn(JSON.stringify({ ...REPORT, type: 'PAYOUT', status: name }));
      assert.equal(ipn.kind === 'read' && ipn.reading.outcome, outcome, name);
    }
  });

  it('status() reports whether the gateway let the payment expire', async (t) => {
    let said: object = {};
    const { gateway } = await scripted(t, (response) =>
      response.writeHead(200).end(JSON.stringify({ ...REPORT, status: 'FAILED', ...said })),
    );
    for (const [fields, isExpired] of [
      [{ message: 'TOKEN_EXPIRED' }, true],
      [{ message: 'CARD_EXPIRED' }, undefined],
      [{ message: 'token expired' }, undefined],
      [{ message: 'TOKEN_EXPIRED', status: 'SUCCESS' }, undefined],
      [{ message: 'TOKEN_EXPIRED', status: 'PROCESSING' }, undefined],
    ] as const) {
      said = fields;
      const checked = await status(gateway);
      assert.ok(checked.kind === 'found');
      assert.equal(checked.report.isExpired, isExpired, JSON.stringify(fields));
    }
  });

  it('status() is unknown only by a 404 in JSON, because a 404 page comes from elsewhere', async (t) => {
    const answers = [JSON.stringify({ code: 'UNKNOWN_ORDER' }), '<h1>Not Found</h1>', '', '[]'];
    const { gateway } = await scripted(t, (response) => response.writeHead(404).end(answers.shift()));
    assert.deepEqual(await status(gateway), { kind: 'unknown', isNoSuchOrder: false });
    for (let n = 0; n < 3; n += 1) assert.deepEqual(await status(gateway), { kind: 'unavailable', detail: 'HTTP 404' });
  });

  it('status() sets isNoSuchOrder only for the field and value of the profile', async (t) => {
    const profile = profileSchema.parse({ noSuchOrder: { field: 'code', value: 'UNKNOWN_ORDER' } });
    const bodies: [object, boolean][] = [
      [{ code: 'UNKNOWN_ORDER', message: 'Text.' }, true],
      [{ code: 'unknown_order' }, false],
      [{ code: 'NOT_FOUND' }, false],
      [{ error: 'UNKNOWN_ORDER' }, false],
      [{}, false],
    ];
    const left = bodies.map(([body]) => JSON.stringify(body));
    const { gateway } = await scripted(t, (response) => response.writeHead(404).end(left.shift()), { profile });
    for (const [body, isNoSuchOrder] of bodies) {
      assert.deepEqual(await status(gateway), { kind: 'unknown', isNoSuchOrder }, JSON.stringify(body));
    }
  });

  it('status() is unavailable if the report is about another order id', async (t) => {
    const { gateway } = await scripted(t, { body: { ...REPORT, orderId: 'A-2' } });
    assert.deepEqual(await status(gateway), { kind: 'unavailable', detail: 'undocumented answer' });
  });

  it('status() is unavailable for any other status, a lost answer, or an answer that is no report', async (t) => {
    let code = 200;
    let body: unknown = '';
    const { gateway } = await scripted(t, (response) =>
      response.writeHead(code).end(typeof body === 'string' ? body : JSON.stringify(body)),
    );
    for (code of [201, 202, 301, 400, 401, 409, 429, 500, 503]) {
      assert.deepEqual(await status(gateway), { kind: 'unavailable', detail: `HTTP ${code}` });
    }
    code = 200;
    for (body of [
      '',
      '{}',
      '[]',
      'It works!',
      { orderId: 'A-1' },
      { ...REPORT, type: 'REFUND' },
      { ...REPORT, amount: true },
      { ...REPORT, orderId: 'a\nb' },
      { ...REPORT, currency: 'x'.repeat(11) },
      { ...REPORT, amount: '1'.repeat(41) },
    ]) {
      assert.deepEqual(
        await status(gateway),
        { kind: 'unavailable', detail: 'undocumented answer' },
        JSON.stringify(body),
      );
    }
  });

  it('status() is undefined if the profile has no status check', () => {
    const gateway = createGateway({
      url: 'https://gateway.example',
      apiKey: 'k',
      profile: profileSchema.parse({ paths: { status: null } }),
      checkoutHosts: [],
    });
    assert.equal(gateway.status, undefined);
    assert.equal(Object.hasOwn(gateway, 'status'), false);
  });
});

describe('readIpn()', () => {
  const gateway = createGateway({
    url: 'https://gateway.example',
    apiKey: 'k',
    profile: DEFAULT_PROFILE,
    checkoutHosts: [],
  });

  it('readIpn() reads an IPN like a report; its outcome may be missing', () => {
    const reading = {
      transactionId: 'A-1',
      type: 'PAY',
      paymentId: '111328',
      customer: '12345678',
      amount: '500',
      currency: 'EUR',
    };
    assert.deepEqual(gateway.readIpn(JSON.stringify(REPORT)), {
      kind: 'read',
      reading: { ...reading, outcome: 'succeeded' },
    });
    const { status: _, ...bare } = REPORT;
    assert.deepEqual(gateway.readIpn(JSON.stringify(bare)), { kind: 'read', reading: { ...reading, outcome: null } });
  });

  it('readIpn() is unreadable for anything but a JSON object with an order id and a type', () => {
    for (const text of [
      '',
      'x',
      '[]',
      'null',
      '1',
      '{}',
      '{"orderId":"A"}',
      '{"type":"PAY"}',
      '{"orderId":"","type":"PAY"}',
      '{"orderId":"A","type":"pay"}',
    ]) {
      assert.deepEqual(gateway.readIpn(text), { kind: 'unreadable' }, text);
    }
  });

  it('readIpn() refuses an IPN nested deeper than 8', () => {
    const deep = (depth: number) => `{"orderId":"A","type":"PAY","x":${'['.repeat(depth - 1)}${']'.repeat(depth - 1)}}`;
    assert.equal(gateway.readIpn(deep(8)).kind, 'read');
    assert.deepEqual(gateway.readIpn(deep(9)), { kind: 'refused' });
  });
});

describe('connections to the gateway', () => {
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
    assert.equal((await status(gateway)).kind, 'found');
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
    const gateway = createGateway({ url, apiKey: 'k', profile: DEFAULT_PROFILE, checkoutHosts: [], dispatcher });
    await gateway.pay({ ...COLLECTION, method: 'DIRECT' });
    await gateway.payout(PAYOUT);
    await status(gateway);
    assert.deepEqual(paths, [`${API}/pay`, `${API}/payout`, `${API}/status`]);
    await gateway.close();
    await assert.rejects(dispatcher.request({ origin: url, path: '/', method: 'GET' }), {
      name: 'ClientDestroyedError',
    });
  });
});

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
