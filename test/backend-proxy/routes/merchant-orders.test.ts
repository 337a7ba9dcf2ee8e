// POST /orders and GET /orders/{orderId}: the token for an order, and the payments of an order.
import assert from 'node:assert/strict';
import { it, type TestContext } from 'node:test';
import type { Problem } from '../../../backend-proxy/protocol/wire.ts';
import { NOON, M, S, D } from '../time.ts';
import { createWorld, type World } from '../world.ts';
import { ORDER } from './merchant-kit.ts';
import type { Checked } from '../../../backend-proxy/gateway/gateway.ts';
import { DEFAULT_PROFILE } from '../../../backend-proxy/gateway/profile.ts';
import { until } from '../until.ts';

it('POST /orders answers 201 with a token that can pay the order, and its expiry', async (t) => {
  const world = await createWorld(t);
  const { status, body } = await world.merchant<{ token: string }>('POST', '/orders', { ...ORDER, expiresIn: 600 });
  assert.equal(status, 201);
  assert.deepEqual(
    { ...body, token: '' },
    { orderId: 'A-1', token: '', expiresAt: new Date(NOON + 600_000).toISOString(), url: null },
  );
  assert.equal((await world.start(body.token, { method: 'QR' })).status, 201);
  world.skip(600_000);
  assert.equal((await world.refused(body.token, { method: 'QR' })).body.code, 'token_expired');
});

it('POST /orders issues a token for an hour by default, and for a minute to a day on request', async (t) => {
  const world = await createWorld(t);
  const expires = async (expiresIn?: unknown) =>
    (
      await world.merchant<{ expiresAt?: string }>('POST', '/orders', {
        ...ORDER,
        ...(expiresIn !== undefined && { expiresIn }),
      })
    ).body.expiresAt;
  assert.equal(await expires(), new Date(NOON + 3_600_000).toISOString());
  assert.equal(await expires(60), new Date(NOON + 60_000).toISOString());
  assert.equal(await expires(86_400), new Date(NOON + 86_400_000).toISOString());
  for (const wrong of [59, 86_401, 600.5, '600', null]) assert.equal(await expires(wrong), undefined, String(wrong));
});

it('POST /orders names every invalid field and unknown key', async (t) => {
  const world = await createWorld(t);
  const wrong = {
    ...ORDER,
    orderId: '',
    currency: 'eur',
    customer: 'x',
    language: 'EN',
    exp: 1,
    status: 'paid',
    amuont: '1',
    expiresIn: 86_401,
    methods: ['QR', 'qr'],
  };
  const { status, body } = await world.merchant<Problem>('POST', '/orders', wrong);
  assert.deepEqual([status, body.code], [400, 'invalid_request']);
  assert.deepEqual(Object.fromEntries(body.errors?.map(({ field, detail }) => [field, detail]) ?? []), {
    orderId: '1 to 57 printable ASCII characters, no spaces, not . or ..',
    currency: 'an ISO 4217 code in upper case',
    customer: 'a string of 4 to 20 digits',
    language: 'an ISO 639-1 code in lower case',
    expiresIn: 'a whole number of seconds, 60 to 86400',
    'methods.1': 'one of DIRECT, CHECKOUT, JETGO, QR',
    exp: 'unknown field',
    status: 'unknown field',
    amuont: 'unknown field, most likely amount',
  });
  const terms = await world.merchant<Problem>('POST', '/orders', {
    ...ORDER,
    amount: '1e3',
    returnUrl: 'https://evil.example/',
    methods: ['DIRECT'],
  });
  const fields = terms.body.errors?.map(({ field }) => field);
  assert.deepEqual(fields, ['amount', 'returnUrl', 'customerReferenceNo']);
});

it('GET /orders lists all payments of an order, oldest first, with their history', async (t) => {
  const world = await createWorld(t);
  const token = world.token({ customer: '12345678' });
  await world.start(token, { method: 'CHECKOUT' });
  world.skip(1000);
  await world.start(token, { method: 'QR' });
  interface Body {
    payments: { gatewayOrderId: string; history: { event: string; source: string }[]; customer: string | null }[];
  }
  const { body } = await world.merchant<Body>('GET', '/orders/A-1');
  const { payments, ...order } = body;
  assert.deepEqual(order, {
    orderId: 'A-1',
    amount: '10.10',
    currency: 'EUR',
    paid: false,
    closed: false,
    closedAt: null,
    closeReason: null,
    metadata: null,
    refunds: [],
    refundable: [],
  });
  assert.deepEqual(
    payments.map(({ gatewayOrderId, customer, history }) => [
      gatewayOrderId,
      customer,
      history.map(({ event, source }) => `${event} by ${source}`),
    ]),
    [
      ['A-1', '12345678', ['created by shopper', 'sending by shopper', 'pending by answer', 'replaced by shopper']],
      ['A-1-2', null, ['created by shopper', 'sending by shopper', 'pending by answer']],
    ],
  );
});

it('GET /orders is 404 for an order that was never started, and 400 for an invalid id', async (t) => {
  const world = await createWorld(t);
  assert.equal((await world.merchant('GET', '/orders/nothing')).status, 404);
  for (const id of ['a%20b', '%00', 'x'.repeat(65), '%D9%A1'])
    assert.equal((await world.merchant('GET', `/orders/${id}`)).status, 400, id);
});

const iso = (ms: number) => new Date(ms).toISOString();
const close = (world: World, body: object = {}, orderId = 'A-1') =>
  world.merchant<Problem & Record<string, unknown>>('POST', `/orders/${orderId}/close`, body);
const kindOf = ({ status, body }: Awaited<ReturnType<typeof close>>) => [status, body.code];

it('an order that nobody has started can be closed: the view says so, a start is 409, and again changes nothing', async (t) => {
  const world = await createWorld(t);
  const closed = { orderId: 'A-1', closed: true, closedAt: iso(NOON), mayStillBePaid: [] };
  const { status, body } = await close(world, { reason: 'out of stock' });
  assert.deepEqual([status, body], [200, closed]);
  world.skip(S);
  assert.deepEqual((await close(world, { ifUnpaid: true })).body, closed);
  const { body: order } = await world.merchant('GET', '/orders/A-1');
  const none = {
    amount: null,
    currency: 'XXX',
    paid: false,
    metadata: null,
    payments: [],
    refunds: [],
    refundable: [],
  };
  assert.deepEqual(order, { ...none, orderId: 'A-1', closed: true, closedAt: iso(NOON), closeReason: 'out of stock' });
  const view = await world.view(world.token());
  assert.deepEqual([view.closed, view.paid, view.payment, view.amount], [true, false, null, '10.10']);
  const newer = world.token({ iat: Math.floor(world.now() / 1000), amount: '9.00' });
  const refused = await world.refused(newer, { method: 'QR' });
  assert.deepEqual([refused.status, refused.body.code, refused.body.retryable], [409, 'order_closed', false]);
  assert.equal(await world.gatewayHas('A-1'), undefined);
});

it('what may still be paid is listed, with the end of a checkout; the shopper sees no code any more', async (t) => {
  const world = await createWorld(t);
  const token = world.token();
  await world.start(token, { method: 'CHECKOUT' });
  await world.start(token, { method: 'JETGO' });
  await world.settleAfter('decline', 'A-1-2');
  world.skip(S);
  assert.ok((await world.start(token, { method: 'QR' })).body.payment?.qr);
  const { body } = await close(world);
  assert.deepEqual(body['mayStillBePaid'], [
    { gatewayOrderId: 'A-1', method: 'CHECKOUT', until: iso(NOON + 15 * M) },
    { gatewayOrderId: 'A-1-3', method: 'QR', until: null },
  ]);
  const { closed, payment } = await world.view(token);
  assert.deepEqual([closed, payment?.status, payment?.qr], [true, 'PROCESSING', null]);
});

it('a code or page whose answer was lost may not still be paid, because nobody was shown it, but a request may be', async (t) => {
  const world = await createWorld(t);
  await world.faults({ pay: { dropAnswer: true } });
  const token = world.token({ customerReferenceNo: 'C-1' });
  await world.start(token, { method: 'QR' });
  await world.start(token, { method: 'DIRECT', customer: '12345678' });
  const { body } = await close(world);
  assert.deepEqual(body['mayStillBePaid'], [{ gatewayOrderId: 'A-1-2', method: 'DIRECT', until: null }]);
});

it('with ifUnpaid, the gateway is asked first: an open payment is 409, and a SUCCESS that came meanwhile pays', async (t) => {
  const world = await createWorld(t, { webhooks: true });
  await world.proxy.begin();
  await world.start(world.token(), { method: 'QR' });
  assert.deepEqual(kindOf(await close(world, { ifUnpaid: true })), [409, 'payment_open']);
  await world.customer('approve', 'A-1');
  assert.deepEqual(kindOf(await close(world, { ifUnpaid: true })), [409, 'already_paid']);
  await world.settle();
  assert.deepEqual(world.webhooks(), ['payment.succeeded']);
});

it('with ifUnpaid, a gateway that does not answer closes nothing: 503, and later again', async (t) => {
  const world = await createWorld(t);
  await world.proxy.begin();
  await world.start(world.token(), { method: 'JETGO' });
  await world.start(world.token(), { method: 'QR' });
  await world.customer('decline', 'A-1-2');
  await world.settle();
  world.skip(M);
  await world.faults({ status: { status: 500 } });
  const refused = await close(world, { ifUnpaid: true });
  assert.deepEqual([...kindOf(refused), refused.headers.get('Retry-After')], [503, 'unavailable', '10']);
  await world.faults({});
  world.skip(M);
  assert.deepEqual(kindOf(await close(world, { ifUnpaid: true })), [200, undefined]);
});

it('with ifUnpaid, the gateway is asked about all payments at once, so a slow one is waited for once', async (t) => {
  const answers: (() => void)[] = [];
  const held = (): Promise<Checked> =>
    new Promise((answer) => answers.push(() => answer({ kind: 'unavailable', detail: '' })));
  const world = await createWorld(t, { wrapGateway: (gateway) => ({ ...gateway, status: held }) });
  await world.proxy.begin();
  await world.start(world.token(), { method: 'JETGO' });
  await world.start(world.token(), { method: 'QR' });
  const closing = close(world, { ifUnpaid: true });
  await until(() => answers.length === 2);
  for (const answer of answers) answer();
  assert.deepEqual(kindOf(await closing), [503, 'unavailable']);
});

it('without a status check, ifUnpaid goes by the IPNs', async (t) => {
  const world = await createWorld(t, { profile: { paths: { ...DEFAULT_PROFILE.paths, status: null } } });
  await world.proxy.begin();
  await world.start(world.token(), { method: 'QR' });
  assert.deepEqual(kindOf(await close(world, { ifUnpaid: true })), [409, 'payment_open']);
  await world.start(world.token({ orderId: 'B-1' }), { method: 'QR' });
  await world.settleAfter('decline', 'B-1');
  assert.deepEqual(kindOf(await close(world, { ifUnpaid: true }, 'B-1')), [200, undefined]);
});

it('a closing is refused with unknown fields, a long reason, or a reason that is no single line', async (t) => {
  const world = await createWorld(t);
  for (const wrong of [{ force: true }, { reason: 'x'.repeat(201) }, { reason: 'a\nb' }, { ifUnpaid: 'yes' }])
    assert.deepEqual(kindOf(await close(world, wrong)), [400, 'invalid_request'], JSON.stringify(wrong));
  assert.equal((await world.view(world.token())).closed, false);
});

interface View {
  gatewayOrderId: string;
  customer: string | null;
  payer?: string | null;
  note?: string | null;
  status: string;
  needsReview: boolean;
  erasedAt: string | null;
  version: number;
  history: { event: string; source: string; detail: string | null }[];
}
interface Erased {
  orderId: string;
  transactions: View[];
}

const WALLET = '12345678';
const ERASE_ORDER = '/orders/A-1/personal-data';

/** An order that was paid from a wallet, and reported. */
async function paid(t: TestContext): Promise<World> {
  const world = await createWorld(t, { webhooks: true });
  await world.start(
    world.token({ customerReferenceNo: 'c-1' }),
    { method: 'DIRECT', customer: WALLET },
    'key-of-the-shopper-abcdef',
  );
  await world.customer('approve', 'A-1');
  await world.pass(M);
  return world;
}

it('DELETE /orders/:orderId/personal-data erases a paid order, and the views say since when', async (t) => {
  const world = await paid(t);
  const before = (await world.merchant<{ payments: View[] }>('GET', '/orders/A-1')).body.payments[0];
  assert.deepEqual([before?.customer, before?.payer, before?.erasedAt], [WALLET, WALLET, null]);
  const { status, body } = await world.merchant<Erased>('DELETE', ERASE_ORDER);
  assert.equal(status, 200);
  const [payment] = body.transactions;
  const erasedAt = new Date(world.now()).toISOString();
  const kept = { status: 'SUCCESS', erasedAt, version: before?.version };
  assert.partialDeepStrictEqual(payment, { ...kept, customer: null, payer: null });
  assert.deepEqual(payment?.history.at(-1), { at: erasedAt, event: 'erased', source: 'merchant', detail: null });
  assert.deepEqual((await world.merchant<{ payments: View[] }>('GET', '/orders/A-1')).body.payments, [payment]);
  assert.equal((await world.view(world.token())).paid, true);
  for (const table of ['transactions', 'history', 'webhooks', 'ipns']) {
    assert.doesNotMatch(JSON.stringify(world.rows(`select * from ${table}`)), /"(12345678|c-1)\\?"/, table);
  }
  world.skip(M);
  assert.deepEqual((await world.merchant('DELETE', ERASE_ORDER)).body, body, 'again it changes nothing');
});

it('DELETE /orders/:orderId/personal-data is 409 with the reason while a payment is open or checked', async (t) => {
  const world = await createWorld(t, { webhooks: true });
  await world.start(world.token(), { method: 'QR' });
  const open = await world.merchant<Problem>('DELETE', ERASE_ORDER);
  assert.deepEqual([open.status, open.body.code, open.body.retryable], [409, 'not_ended', true]);
  assert.match(open.body.detail ?? '', /A-1 is open/);
  await world.start(world.token(), { method: 'QR' });
  await world.customer('approve', 'A-1-2');
  await world.pass(M);
  const swept = await world.merchant<Problem>('DELETE', ERASE_ORDER);
  assert.match(swept.body.detail ?? '', /A-1 is checked until 2026-11-27T12:00:00.000Z/);
  await world.pass(7 * D);
  assert.equal((await world.merchant('DELETE', ERASE_ORDER)).status, 200);
});

it('DELETE /orders/:orderId/personal-data of an order that is not known, or was never started, is 404', async (t) => {
  const world = await createWorld(t);
  await world.view(world.token());
  assert.equal((await world.merchant('DELETE', ERASE_ORDER)).status, 404);
  assert.equal((await world.merchant('DELETE', '/orders/%00/personal-data')).status, 400);
});

it('a webhook is not sent again once its body is erased: 410', async (t) => {
  const world = await paid(t);
  await world.merchant('DELETE', ERASE_ORDER);
  const { body } = await world.merchant<{ webhooks: { id: string; erased: boolean }[] }>('GET', '/webhooks');
  const [webhook] = body.webhooks;
  assert.equal(webhook?.erased, true);
  const sent = world.receiver.received.length;
  const again = await world.merchant<Problem>('POST', `/webhooks/${webhook.id}/redeliver`);
  assert.deepEqual([again.status, again.body.code], [410, 'erased']);
  await world.pass(M);
  assert.equal(world.receiver.received.length, sent);
});

const WORD = { status: 'SUCCESS', by: 'Mia', note: 'seen at the gateway’s desk' };

/** A payment with a different reported amount. */
async function disputed(t: TestContext): Promise<World> {
  const world = await createWorld(t);
  await world.start(world.token(), { method: 'QR' });
  await world.faults({ status: { tamper: { amount: 1 } } });
  world.skip(1);
  await world.settleAfter('approve', 'A-1');
  return world;
}

it('a person resolves what needs review once, and the history has the name and the note', async (t) => {
  const world = await disputed(t);
  const { body: listed } = await world.merchant<{ transactions: { gatewayOrderId: string }[] }>(
    'GET',
    '/transactions?needsReview=true',
  );
  const gatewayOrderIds = listed.transactions.map(({ gatewayOrderId }) => gatewayOrderId);
  assert.deepEqual(gatewayOrderIds, ['A-1']);
  const { status, body } = await world.merchant('POST', '/transactions/A-1/resolve', WORD);
  const { history, ...payment } = body as { history: { event: string; source: string; detail: string }[] } & object;
  assert.equal(status, 200);
  assert.partialDeepStrictEqual(payment, { type: 'PAY', status: 'SUCCESS', reason: null, needsReview: false });
  const said = history.find(({ event }) => event === 'resolved');
  assert.deepEqual([said?.source, said?.detail], ['merchant', 'SUCCESS by Mia: seen at the gateway’s desk']);
  assert.equal((await world.view(world.token())).paid, true);
  const again = await world.merchant('POST', '/transactions/A-1/resolve', WORD);
  assert.deepEqual([again.status, again.body], [200, body], 'a reverse proxy may repeat the request');
  const other = await world.merchant<Problem>('POST', '/transactions/A-1/resolve', { ...WORD, by: 'Bo' });
  assert.deepEqual([other.status, other.body.code], [409, 'no_review_needed']);
});

it('a resolution against what the gateway reports, or of another version, is 409 unless the request says so', async (t) => {
  const world = await createWorld(t);
  await world.paid();
  await world.faults({ status: { tamper: { status: 'FAILED' } } });
  world.skip(1);
  await world.settleAfter('ipn', 'A-1');
  const answerTo = async (given: object) => {
    const { status, body } = await world.merchant('POST', '/transactions/A-1/resolve', { ...WORD, ...given });
    return [status, body['code'], /The gateway reports FAILED/.test(String(body['detail']))];
  };
  assert.deepEqual(await answerTo({}), [409, 'gateway_contradicts', true]);
  assert.deepEqual(await answerTo({ gatewayReports: 'SUCCESS' }), [409, 'gateway_contradicts', true]);
  const known = { gatewayReports: 'FAILED' };
  assert.deepEqual(await answerTo({ ...known, version: 1 }), [409, 'version_changed', false]);
  const { body } = await world.merchant<{ payments: { version: number }[] }>('GET', '/orders/A-1');
  assert.deepEqual(await answerTo({ ...known, version: body.payments[0]?.version }), [200, undefined, false]);
});

it('a resolution is 409 if no review is needed, 404 for an unknown id, and 400 if it is invalid', async (t) => {
  const world = await disputed(t);
  await world.start(world.token({ orderId: 'B-1' }), { method: 'QR' });
  assert.equal((await world.merchant('POST', '/transactions/B-1/resolve', WORD)).status, 409);
  assert.equal((await world.merchant('POST', '/transactions/C-1/resolve', WORD)).status, 404);
  for (const wrong of [
    { ...WORD, status: 'PROCESSING' },
    { ...WORD, by: '' },
    { ...WORD, note: 'two\nlines' },
    { ...WORD, amount: 5 },
    { status: 'SUCCESS' },
  ]) {
    const { status, body } = await world.merchant<Problem>('POST', '/transactions/A-1/resolve', wrong);
    assert.deepEqual([status, body.code], [400, 'invalid_request'], JSON.stringify(wrong));
  }
  assert.equal((await world.view(world.token())).paid, false);
});
