// status() of the gateway adapter: its request, and the interpretation of each report. An answer that is not as
// documented is unavailable, never unknown.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createGateway } from '../../../backend-proxy/gateway/http.ts';
import { profileSchema } from '../../../backend-proxy/gateway/profile.ts';
import { API, REPORT, scripted, status } from './scripted-gateway.ts';

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
