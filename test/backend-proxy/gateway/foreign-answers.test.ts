// Answers of a firewall, a proxy or a framework in place of the gateway, before or after it took the request. None of
// them may end a payment or a payout, or prove that the gateway does not know an order.
import assert from 'node:assert/strict';
import { it, type TestContext } from 'node:test';
import { DEFAULT_PROFILE, profileSchema } from '../../../backend-proxy/gateway/profile.ts';
import { mentions } from '../../../backend-proxy/gateway/answers.ts';
import { COLLECTION, PAYOUT, statusOf } from './gateway-kit.ts';
import { scripted } from './scripted-gateway.ts';

const html = (title: string) => `<!DOCTYPE html><html><head><title>${title}</title></head><body>${title}</body></html>`;

const FOREIGN = { kind: 'foreign' } as const;
const UNPROVEN = { kind: 'unknown', isNoSuchOrder: false } as const;
const UNAVAILABLE = { kind: 'unavailable' } as const;

const PROGRAMS: [name: string, status: number, body: unknown, status: object][] = [
  ['Spring Boot', 404, { timestamp: '2026-11-20T12:00:00Z', status: 404, error: 'Not Found', path: '/pay' }, UNPROVEN],
  ['Kong', 404, { message: 'no Route matched with those values', request_id: 'a1b2' }, UNPROVEN],
  ['NestJS', 404, { statusCode: 404, message: 'Cannot POST /pay', error: 'Not Found' }, UNPROVEN],
  ['ASP.NET', 404, { type: 'https://tools.ietf.org/html/rfc9110#section-15.5.5', title: 'Not Found', status: 404, traceId: '00-1' }, UNPROVEN],
  ['Laravel', 404, { message: 'The route pay could not be found.' }, UNPROVEN],
  ['Django REST', 404, { detail: 'Not found.' }, UNPROVEN],
  ['Fastify', 404, { message: 'Route POST:/pay not found', error: 'Not Found', statusCode: 404 }, UNPROVEN],
  ['WordPress', 404, { code: 'rest_no_route', message: 'No route was found matching the URL.', data: { status: 404 } }, UNPROVEN],
  ['Go', 404, '404 page not found\n', UNAVAILABLE],
  ['nginx', 404, html('404 Not Found'), UNAVAILABLE],
  ['nginx', 403, html('403 Forbidden'), UNAVAILABLE],
  ['Cloudflare', 403, html('Attention Required! | Cloudflare'), UNAVAILABLE],
  ['ModSecurity', 403, html('403 Forbidden'), UNAVAILABLE],
  ['AWS API Gateway', 403, { message: 'Forbidden' }, UNAVAILABLE],
  ['AWS API Gateway', 403, { message: 'Missing Authentication Token' }, UNAVAILABLE],
  ['a login page', 401, html('Sign in'), UNAVAILABLE],
  ['a size limit', 413, html('413 Request Entity Too Large'), UNAVAILABLE],
]; // prettier-ignore

for (const [name, status, body, asStatus] of PROGRAMS) {
  it(`a foreign answer is neither a refusal nor an "unknown" of the gateway: ${name}, ${status}`, async (t) => {
    const { gateway } = await scripted(t, { status, body });
    assert.deepEqual(await gateway.pay(COLLECTION), { ...FOREIGN, detail: `HTTP ${status}` });
    assert.deepEqual(await gateway.payout(PAYOUT), { ...FOREIGN, detail: `HTTP ${status}` });
    const detail = asStatus === UNAVAILABLE && { detail: `HTTP ${status}` };
    assert.deepEqual(await statusOf(gateway, 'P-1', 'PAYOUT'), { ...asStatus, ...detail });
  });
}

const sent = async (t: TestContext, status: number, body: unknown, profile = DEFAULT_PROFILE) => {
  const { gateway } = await scripted(t, { status, body }, { profile });
  const pay = await gateway.pay(COLLECTION);
  assert.deepEqual(await gateway.payout(PAYOUT), pay);
  return pay;
};

it('any 409 reports a duplicate order id, whatever its body', async (t) => {
  for (const body of [html('409 Conflict'), '', '[]', {}, { code: 'WALLET_NOT_FOUND' }]) {
    const { kind } = await sent(t, 409, body);
    assert.equal(kind, 'duplicate', JSON.stringify(body));
  }
  assert.deepEqual(await sent(t, 409, { code: 'DUPLICATE_ORDER' }), {
    kind: 'duplicate',
    detail: 'HTTP 409 DUPLICATE_ORDER',
  });
});

it('a 4xx reports a duplicate order id by a listed word in a text that names the order, or by a listed code', async (t) => {
  const profile = profileSchema.parse({ request: { orderId: 'reference' }, duplicateCodes: ['E_1001'] });
  for (const [status, body, detail] of [
    [400, { code: 'ORDER_ALREADY_EXISTS' }, 'HTTP 400 ORDER_ALREADY_EXISTS'],
    [422, { message: 'The order id must be unique.' }, 'HTTP 422'],
    [418, { message: 'Order exists.' }, 'HTTP 418'],
    [400, { code: 'INVALID', message: 'orderId was used before.' }, 'HTTP 400 INVALID'],
    [400, { message: 'reference: already taken' }, 'HTTP 400'],
    [422, { code: 'E_1001' }, 'HTTP 422 E_1001'],
  ] as const) {
    assert.deepEqual(await sent(t, status, body, profile), { kind: 'duplicate', detail });
  }
});

it('a refusal of anything but the order id is no duplicate, whatever words it has', async (t) => {
  for (const [status, code, message] of [
    [400, 'CUSTOMER_REFERENCE_NOT_UNIQUE', 'customerReferenceNo must be unique per customer'],
    [400, 'INVALID_CUSTOMER_REFERENCE', 'The customerReferenceNo is already used by another customer.'],
    [422, 'DAILY_LIMIT_EXCEEDED', 'You have already used your daily limit.'],
    [400, 'CURRENCY_NOT_SUPPORTED', 'Currency used is not supported'],
    [400, 'INVALID_AMOUNT', 'Existing balance too low'],
    [400, 'WALLET_NOT_FOUND', 'Wallet not yet existing'],
    [400, 'ALREADY_EXISTS', 'It exists already.'],
    [401, 'INVALID_API_KEY', 'The key of this order is already used'],
    [403, 'ORDER_BLOCKED', 'This order is already blocked'],
  ] as const) {
    const refused = { kind: 'refused', detail: `HTTP ${status} ${code}` };
    assert.deepEqual(await sent(t, status, { code, message }), refused, code);
  }
});

it('a rate limit or a failing server reports no duplicate order id, whatever its text', async (t) => {
  for (const status of [429, 500, 503]) {
    const body = { code: 'ORDER_ALREADY_EXISTS' };
    assert.deepEqual(await sent(t, status, body), { kind: 'lost', detail: `HTTP ${status}` });
  }
});

it('only the words and fields of the profile report a duplicate order id', async (t) => {
  const profile = profileSchema.parse({ refusal: { code: 'reason', message: 'text' }, duplicate: ['twice'] });
  assert.equal((await sent(t, 400, { reason: 'ORDER_SENT_TWICE' }, profile)).kind, 'duplicate');
  assert.equal((await sent(t, 400, { text: 'Order sent twice' }, profile)).kind, 'duplicate');
  assert.equal((await sent(t, 400, { reason: 'ORDER_ALREADY_EXISTS' }, profile)).kind, 'refused');
  assert.equal((await sent(t, 400, { code: 'ORDER_SENT_TWICE' }, profile)).kind, 'foreign');
});

it('mentions() matches the prefix of a word, however words are joined, unless it is negated', () => {
  const { duplicate } = DEFAULT_PROFILE;
  for (const text of [
    'DUPLICATE_ORDER', 'DuplicateOrderId', 'orderIDAlreadyUsed', 'Order exists', 'exists', 'existing order', 'ORDER-EXISTS',
    'already processed', 'Order id must be unique', 'uniqueness', 'NOT_UNIQUE', 'order id is not unique', 'was used', 'E1001:used',
    'not found, but exists', 'Does it not matter? It exists.', 'no order, already used',
  ]) {
    assert.ok(mentions(text, duplicate), text);
  } // prettier-ignore
  for (const text of [
    'refused', 'unused', 'REUSED_TOKEN', 'coexist', 'does not exist', 'does_not_exist', 'doesNotExist', "doesn't exist",
    'doesn’t exist', 'DOESNT_EXIST', 'no existing order', 'non-existing wallet', 'never used', 'NOT_USED', 'cannot exist',
    'WALLET_NOT_FOUND', 'not already used', "hasn't already existed", 'nonexistent', '', 'user', 'unusual', '\u0130',
  ]) {
    assert.equal(mentions(text, duplicate), false, text);
  } // prettier-ignore
  for (const value of [null, undefined, 7, {}, ['used'], true]) assert.equal(mentions(value, duplicate), false);
});
