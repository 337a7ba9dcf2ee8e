// The HTTP adapter's interpretation of status codes, headers and bodies. An answer that is not as documented is lost
// or unavailable, never refused or unknown.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { profileSchema } from '../../../backend-proxy/gateway/profile.ts';
import { COLLECTION, PAYOUT, statusOf } from './gateway-kit.ts';
import { httpGateway } from './http-gateway.ts';
import { CHECKOUT, QR, REPORT, scripted, type Answer } from './scripted-gateway.ts';
import { words } from '../in-words.ts';

it('pay() is lost if the answer is not as documented', async (t) => {
  const { gateway, answers, requests } = await scripted(t);
  const wrong: unknown[] = [
    ...words`<html></html> [] null "A-1" {}`,
    '',
    'It works!',
    JSON.stringify(CHECKOUT).slice(0, -5),
    { ...CHECKOUT, orderId: null },
    { ...CHECKOUT, method: 'CASH' },
    { ...CHECKOUT, method: null },
    { ...CHECKOUT, method: 'checkout' },
    { ...CHECKOUT, checkout: null },
    { ...CHECKOUT, checkout: { url: 'https://checkout.example' } },
    { ...CHECKOUT, paymentId: {} },
    { ...CHECKOUT, paymentId: '' },
    { ...CHECKOUT, paymentId: 'x'.repeat(101) },
    { ...CHECKOUT, paymentId: 'a\0b' },
    { ...CHECKOUT, paymentId: true },
    { ...QR, qr: null },
    { ...QR, qr: 'not base64!' },
    { ...QR, qr: 'A'.repeat(100_001) },
    { ...QR, appPaymentLink: 7.5, qr: {} },
    `{"a":${'['.repeat(9)}${']'.repeat(9)},${JSON.stringify(CHECKOUT).slice(1)}`,
  ];
  for (const body of wrong) {
    answers({ body });
    assert.deepEqual(
      await gateway.pay(COLLECTION),
      { kind: 'lost', detail: 'undocumented answer' },
      JSON.stringify(body),
    );
  }
  assert.equal(requests.length, wrong.length);
});

it('pay() accepts 200 and 202, up to 256 KB, with unknown fields and null', async (t) => {
  const { gateway, answers } = await scripted(t);
  for (const status of [200, 202]) {
    for (const body of [{ ...CHECKOUT, unknown: { a: 1 } }, JSON.stringify(CHECKOUT).padEnd(256 * 1024)]) {
      answers({ status, body });
      assert.equal((await gateway.pay(COLLECTION)).kind, 'accepted');
    }
  }
  answers({ body: JSON.stringify(CHECKOUT).padEnd(256 * 1024 + 1) });
  assert.equal((await gateway.pay(COLLECTION)).kind, 'lost');
});

it('pay() keeps the link to the wallet app, by the schemes of the built-in profile', async (t) => {
  const { gateway, answers } = await scripted(t);
  for (const link of ['jetgo://pay?reference=1', 'jeton:pay', 'ownwallet:pay']) {
    answers({ body: { ...QR, appPaymentLink: link } });
    const sent = await gateway.pay(COLLECTION);
    assert.equal(sent.kind === 'accepted' && sent.answer.appUrl, link === 'ownwallet:pay' ? null : link);
  }
  assert.equal(gateway.payoutDecimals, false);
});

it('pay() is refused only by a documented 4xx with a code of the gateway', async (t) => {
  const { gateway, answers, requests } = await scripted(t);
  const body = { ...CHECKOUT, code: 'WALLET_NOT_FOUND' };
  for (const status of [400, 401, 403, 404, 405, 406, 410, 411, 413, 414, 415, 422]) {
    answers({ status, body });
    const refused = { kind: 'refused', detail: `HTTP ${status} WALLET_NOT_FOUND` };
    assert.deepEqual(await gateway.pay(COLLECTION), refused);
    assert.deepEqual(await gateway.payout(PAYOUT), refused);
  }
  for (const status of [
    201, 204, 206, 300, 301, 302, 303, 304, 307, 308, 402, 408, 418, 425, 429, 451, 500, 501, 502, 503, 504, 599,
  ]) {
    answers({ status, headers: { location: '/elsewhere' }, body: status === 304 ? '' : body });
    assert.deepEqual(await gateway.pay(COLLECTION), { kind: 'lost', detail: `HTTP ${status}` });
    assert.deepEqual(await gateway.payout(PAYOUT), { kind: 'lost', detail: `HTTP ${status}` });
  }
  assert.equal(requests.length, 2 * (12 + 22), 'each request was sent once, and no redirect was followed');
});

it('pay() is foreign if the refusal has no code of the gateway', async (t) => {
  const { gateway, answers } = await scripted(t);
  for (const code of ['The key is sk_live_1', 'A'.repeat(65), 'not_found', 42, { a: 1 }, null, undefined]) {
    answers({ status: 400, body: { code, message: 'Text.' } });
    assert.deepEqual(await gateway.pay(COLLECTION), { kind: 'foreign', detail: 'HTTP 400' });
  }
});

it('a lost answer names the code or name of the error, never its text, which may quote the other side', async (t) => {
  for (const [answer, detail] of [
    [(response) => response.destroy(), 'UND_ERR_SOCKET'],
    [() => undefined, 'TimeoutError'],
    [{ body: ' '.repeat(256 * 1024 + 1) }, 'Error'],
  ] as const satisfies [Answer, string][]) {
    // The others are to end by themselves, however busy the machine is.
    const { gateway, answers } = await scripted(t, undefined, detail === 'TimeoutError' ? { totalTimeoutMs: 50 } : {});
    answers(answer);
    assert.deepEqual(await gateway.pay(COLLECTION), { kind: 'lost', detail });
  }
});

it('the wait of a Retry-After is in seconds or a date, and anything else is ignored', async (t) => {
  const now = () => Date.UTC(2026, 10, 20, 12);
  const { gateway, answers } = await scripted(t, undefined, { now });
  for (const [header, retryAfterMs] of [
    ['30', 30_000],
    ['0', 0],
    ['9'.repeat(300), 60_000],
    ['Fri, 20 Nov 2026 12:01:00 GMT', 60_000],
    ['Fri, 20 Nov 2026 11:00:00 GMT', 0],
    ['Sat, 21 Nov 2026 12:00:00 GMT', 60_000],
  ] as const) {
    answers({ status: 503, headers: { 'retry-after': header }, body: '' });
    const answer = { kind: 'unavailable', detail: 'HTTP 503', retryAfterMs };
    assert.deepEqual(await gateway.status?.('A-1', 'PAY'), answer, header);
  }
  for (const header of ['-1', '1.5', 'soon', '1e3', '2026-11-20', 'Fri, 99 Nov 2026 12:01:00 GMT', ['1', '2']]) {
    answers({ status: 503, headers: { 'retry-after': header }, body: '' });
    const answer = { kind: 'unavailable', detail: 'HTTP 503' };
    assert.deepEqual(await gateway.status?.('A-1', 'PAY'), answer, String(header));
  }
});

it('status() maps each status by the profile, and an unknown one to pending', async (t) => {
  const { gateway, answers } = await scripted(t);
  for (const [status, outcome] of [
    ['INITIALIZED', 'pending'],
    ['PROCESSING', 'pending'],
    ['SUCCESS', 'succeeded'],
    ['FAILED', 'failed'],
    ['ERROR', 'failed'],
    ['success', 'pending'],
    ['constructor', 'pending'],
    ['__proto__', 'pending'],
    ['', 'pending'],
    [null, 'pending'],
  ] as const) {
    answers({ body: { ...REPORT, status } });
    const checked = await statusOf(gateway);
    assert.equal(checked.kind === 'found' && checked.report.outcome, outcome, String(status));
  }
});

it('status() takes only FAILED as the failure of a payout: ERROR leaves it open', async (t) => {
  const { gateway, answers } = await scripted(t);
  for (const [status, outcome] of [
    ['FAILED', 'failed'],
    ['ERROR', 'pending'],
    ['SUCCESS', 'succeeded'],
  ] as const) {
    const body = { ...REPORT, type: 'PAYOUT', status };
    answers({ body });
    const checked = await statusOf(gateway);
    assert.equal(checked.kind === 'found' && checked.report.outcome, outcome, status);
    const ipn = gateway.readIpn(JSON.stringify(body));
    assert.equal(ipn.kind === 'read' && ipn.reading.outcome, outcome, status);
  }
});

it('status() reads a customer id, also as a number, and accepts a report without one', async (t) => {
  const { gateway, answers } = await scripted(t);
  for (const [customer, read] of [
    ['12345678', '12345678'],
    [12_345_678, '12345678'],
    [null, null],
    ['', null],
    ['1\u00002', null],
    [{ id: '12345678' }, null],
    ['9'.repeat(101), null],
  ]) {
    answers({ body: { ...REPORT, customer } });
    const checked = await statusOf(gateway);
    assert.ok(checked.kind === 'found');
    assert.deepEqual([checked.report.customer, checked.report.outcome], [read, 'succeeded'], JSON.stringify(customer));
  }
});

it('status() reports whether the gateway let the payment expire', async (t) => {
  const { gateway, answers } = await scripted(t);
  for (const [fields, isExpired] of [
    [{ message: 'TOKEN_EXPIRED' }, true],
    [{ message: 'CARD_EXPIRED' }, undefined],
    [{ message: 'token expired' }, undefined],
    [{ message: 'TOKEN_EXPIRED', status: 'SUCCESS' }, undefined],
    [{ message: 'TOKEN_EXPIRED', status: 'PROCESSING' }, undefined],
  ] as const) {
    answers({ body: { ...REPORT, status: 'FAILED', ...fields } });
    const checked = await statusOf(gateway);
    assert.ok(checked.kind === 'found');
    assert.equal(checked.report.isExpired, isExpired, JSON.stringify(fields));
  }
});

it('status() is unknown only by a 404 in JSON, because a 404 page comes from elsewhere', async (t) => {
  const { gateway, answers } = await scripted(t);
  answers({ status: 404, body: { code: 'UNKNOWN_ORDER' } });
  assert.deepEqual(await statusOf(gateway), { kind: 'unknown', isNoSuchOrder: false });
  for (const body of ['<h1>Not Found</h1>', '', '[]']) {
    answers({ status: 404, body });
    assert.deepEqual(await statusOf(gateway), { kind: 'unavailable', detail: 'HTTP 404' });
  }
});

it('status() sets isNoSuchOrder only for the field and value of the profile', async (t) => {
  const profile = profileSchema.parse({
    noSuchOrder: { field: 'code', value: 'UNKNOWN_ORDER' },
    httpStatuses: { unknown: [410] },
  });
  const { gateway, answers } = await scripted(t, undefined, { profile });
  for (const [body, isNoSuchOrder] of [
    [{ code: 'UNKNOWN_ORDER', message: 'Text.' }, true],
    [{ code: 'unknown_order' }, false],
    [{ code: 'NOT_FOUND' }, false],
    [{ error: 'UNKNOWN_ORDER' }, false],
    [{}, false],
  ] as const) {
    answers({ status: 410, body });
    assert.deepEqual(await statusOf(gateway), { kind: 'unknown', isNoSuchOrder }, JSON.stringify(body));
  }
});

it('status() is unavailable for any other status, and for an answer that is not a report', async (t) => {
  const { gateway, answers } = await scripted(t);
  for (const status of [201, 202, 301, 400, 401, 409, 429, 500, 503]) {
    answers({ status, body: REPORT });
    assert.deepEqual(await statusOf(gateway), { kind: 'unavailable', detail: `HTTP ${status}` });
  }
  for (const body of [
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
    answers({ body });
    const unavailable = { kind: 'unavailable', detail: 'undocumented answer' };
    assert.deepEqual(await statusOf(gateway), unavailable, JSON.stringify(body));
  }
});

describe('the body of an IPN', () => {
  const gateway = httpGateway('https://gateway.example');

  it('an IPN is a JSON object with an order id and a type', () => {
    for (const text of words`
      [] null 1 {} {"orderId":"A"} {"type":"PAY"} {"orderId":"","type":"PAY"} {"orderId":"A","type":"pay"}
    `) {
      assert.deepEqual(gateway.readIpn(text), { kind: 'unreadable' }, text);
    }
  });
});
