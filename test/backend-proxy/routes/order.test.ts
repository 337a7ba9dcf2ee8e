// POST /order/payments against the sandbox: a start by each method, with exactly one call to the gateway; the wallet
// id, an open amount, and the order id at the gateway.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { H, NOON } from '../time.ts';
import { SHOP, createWorld, type World, startHeaders } from '../world.ts';
import { words } from '../in-words.ts';

it('a start by QR or JETGO returns a code, and a link for the same phone', async (t) => {
  const world = await createWorld(t);
  for (const [orderId, method] of [
    ['A-1', 'QR'],
    ['A-2', 'JETGO'],
  ] as const) {
    const createdAt = new Date(world.now()).toISOString();
    const { status, body } = await world.start(world.token({ orderId }), { method });
    assert.equal(status, 201);
    const { payment } = body;
    const withoutMeans = { ...payment, qr: null, appUrl: null };
    assert.deepEqual(withoutMeans, {
      method,
      asked: method,
      status: 'PROCESSING',
      reason: null,
      cause: null,
      answer: 'ARRIVED',
      checkoutUrl: null,
      qr: null,
      appUrl: null,
      walletLast4: null,
      expiresAt: null,
      createdAt,
      paidAt: null,
      late: false,
    });
    assert.ok(payment?.qr && 'text' in payment.qr);
    assert.match(payment.qr.text, /^http:\/\/127\.0\.0\.1:\d+\/wallet\/scan\?code=/);
    assert.match(payment.appUrl ?? '', /\/wallet\/open\?code=/);
    assert.ok(body.version > 0);
  }
  assert.deepEqual(await creates(world, 'A-1', 'A-2'), [1, 1]);
});

it('a start by CHECKOUT returns the URL and its expiry, counted from when it was sent', async (t) => {
  const world = await createWorld(t);
  const { body } = await world.start(world.token(), { method: 'CHECKOUT', customer: '12345678' });
  assert.match(body.payment?.checkoutUrl ?? '', /^http:\/\/127\.0\.0\.1:\d+\/pay\?token=/);
  assert.equal(body.payment?.expiresAt, new Date(NOON + 15 * 60_000).toISOString());
});

it('a start by DIRECT prompts the wallet and has nothing to show but its last digits, also on the receipt', async (t) => {
  const world = await createWorld(t);
  const { body } = await world.start(world.token(DIRECT), { method: 'DIRECT' });
  const { method, status, checkoutUrl, qr, appUrl, expiresAt, walletLast4 } = body.payment!;
  assert.deepEqual({ method, status, walletLast4 }, { method: 'DIRECT', status: 'PROCESSING', walletLast4: '5678' });
  assert.deepEqual([checkoutUrl, qr, appUrl, expiresAt], [null, null, null, null]);
  await world.settleAfter('approve', 'A-1');
  const { payment } = await world.view(world.token(DIRECT));
  assert.deepEqual([payment?.status, payment?.walletLast4], ['SUCCESS', '5678']);
});

it('the receipt of a code has the last digits of the wallet that paid', async (t) => {
  const world = await createWorld(t);
  const token = world.token();
  const { body } = await world.start(token, { method: 'QR' });
  assert.equal(body.payment?.walletLast4, null);
  await world.settleAfter('approve', 'A-1', '23456789');
  const { payment, received } = await world.view(token);
  assert.deepEqual([payment?.walletLast4, received[0]?.walletLast4], ['6789', '6789']);
});

it('a start by DIRECT follows an answer that falls back to the checkout', async (t) => {
  const world = await createWorld(t);
  const token = world.token({ customerReferenceNo: 'C-1' });
  const { body } = await world.start(token, { method: 'DIRECT', customer: '99999999' });
  assert.deepEqual([body.payment?.asked, body.payment?.method], ['DIRECT', 'CHECKOUT']);
  assert.ok(body.payment);
  assert.match(body.payment.checkoutUrl ?? '', /\/pay\?token=/);
  assert.ok(body.payment.expiresAt);
});

it('a start sends the terms of the token: the language, the return URL, the exact amount', async (t) => {
  const world = await createWorld(t);
  await world.start(world.token({ language: 'de', amount: '10', returnUrl: `${SHOP}/a?b=c` }), {
    method: 'CHECKOUT',
  });
  const { amount, language, returnUrl } = (await world.gatewayHas('A-1')) as unknown as Record<string, string>;
  assert.deepEqual({ amount, language, returnUrl }, { amount: '10', language: 'de', returnUrl: `${SHOP}/a?b=c` });
});

it('a start refused by the gateway is FAILED with REJECTED, and can be retried', async (t) => {
  const world = await createWorld(t);
  await world.faults({ pay: { status: 422 }, times: 1 });
  const token = world.token();
  const { status, body } = await world.start(token, { method: 'QR' });
  assert.deepEqual([status, body.payment?.status, body.payment?.reason], [201, 'FAILED', 'REJECTED']);
  assert.equal((await world.start(token, { method: 'QR' })).body.payment?.status, 'PROCESSING');
});

it('a start that did not reach the gateway is FAILED with NOT_CREATED at once, and can be retried', async (t) => {
  let isAway = true;
  const world = await createWorld(t, {
    wrapGateway: (gateway) => ({
      ...gateway,
      pay: async (sent) => (isAway ? { kind: 'unreached', detail: 'ECONNREFUSED' } : gateway.pay(sent)),
    }),
  });
  const token = world.token();
  const { status, body } = await world.start(token, { method: 'QR' });
  assert.deepEqual([status, body.payment?.status, body.payment?.reason], [201, 'FAILED', 'NOT_CREATED']);
  isAway = false;
  assert.equal((await world.start(token, { method: 'QR' })).body.payment?.status, 'PROCESSING');
});

it('a declined payment tells the shopper why, if the gateway’s code does', async (t) => {
  for (const [message, cause] of [
    ['USER_CANCELLED', 'CANCELLED'],
    ['INSUFFICIENT_BALANCE', 'LOW_BALANCE'],
    ['DECLINED', null],
  ] as const) {
    const world = await createWorld(t);
    const token = world.token();
    await world.start(token, { method: 'QR' });
    await world.faults({ status: { tamper: { message } } });
    await world.settleAfter('decline', 'A-1');
    const { payment } = await world.view(token);
    assert.deepEqual([payment?.reason, payment?.cause], ['DECLINED', cause]);
  }
});

it('an expired payment tells the shopper whether the gateway itself has ended it', async (t) => {
  const ended = await createWorld(t);
  const token = ended.token();
  await ended.start(token, { method: 'CHECKOUT' });
  await ended.faults({ status: { tamper: { message: 'TOKEN_EXPIRED' } } });
  await ended.settleAfter('decline', 'A-1');
  const { payment } = await ended.view(token);
  assert.deepEqual([payment?.reason, payment?.cause], ['EXPIRED', 'TOKEN_EXPIRED']);
});

it('the wallet id is required for DIRECT, from the token or the shopper, and the token wins', async (t) => {
  const world = await createWorld(t);
  const token = world.token({ customerReferenceNo: 'C-1' });
  const missing = await world.refused(token, { method: 'DIRECT' });
  assert.deepEqual(
    [missing.status, missing.body.errors],
    [400, [{ field: 'customer', detail: 'the wallet id is required for DIRECT' }]],
  );
  const other = await world.refused(world.token(DIRECT), { method: 'DIRECT', customer: '23456789' });
  assert.deepEqual([other.status, other.body.errors?.[0]?.field], [400, 'customer']);
  assert.equal((await world.start(world.token(DIRECT), { method: 'DIRECT', customer: '12345678' })).status, 201);
});

it('the wallet id is refused for QR and JETGO', async (t) => {
  const world = await createWorld(t);
  for (const method of ['QR', 'JETGO']) {
    const { status, body } = await world.refused(world.token(), { method, customer: '12345678' });
    assert.deepEqual([status, body.code, body.errors?.[0]?.field], [400, 'invalid_request', 'customer']);
  }
  assert.equal((await world.start(world.token({ customer: '12345678' }), { method: 'QR' })).status, 201);
});

it("an open amount is the shopper's within the bounds of the token, to the minor unit", async (t) => {
  const world = await createWorld(t);
  for (const [orderId, amount, shown] of [
    ['A-1', '5', '5.00'],
    ['A-2', '50.00', '50.00'],
    ['A-3', '12.3', '12.30'],
  ] as const) {
    const token = world.token({ ...OPEN, orderId });
    assert.equal((await world.start(token, { method: 'QR', amount })).body.amount, shown);
    assert.equal((await world.view(token)).amount, shown);
  }
});

it('an open amount that is out of bounds, missing or not a plain decimal is refused with the bounds', async (t) => {
  const world = await createWorld(t);
  for (const amount of [undefined, '4.99', '50.01', '0', '-5', '1e1', '١٢', '10.001', ' 10', '10,00', '']) {
    const { status, body } = await world.refused(world.token(OPEN), { method: 'QR', amount });
    assert.equal(status, 400);
    assert.deepEqual(
      body.errors,
      [{ field: 'amount', detail: '5.00 to 50.00 EUR, with at most 2 decimals' }],
      String(amount),
    );
  }
  assert.equal(await world.gatewayHas('A-1'), undefined);
});

it('an amount from the browser is refused if the token has one, even the same', async (t) => {
  const world = await createWorld(t);
  for (const amount of ['0.01', '10.10']) {
    const { status, body } = await world.refused(world.token(), { method: 'QR', amount });
    assert.deepEqual([status, body.errors?.[0]?.field], [400, 'amount']);
  }
});

const OPEN = { amount: undefined, minAmount: '5', maxAmount: '50.00' };
const DIRECT = { customerReferenceNo: 'C-1', customer: '12345678' };

export async function creates(world: World, ...ids: string[]): Promise<(number | undefined)[]> {
  return Promise.all(ids.map(async (id) => (await world.gatewayHas(id))?.createRequests));
}

it('a start after the order is paid is refused with 409, and nothing is sent', async (t) => {
  const world = await createWorld(t);
  const token = await world.paid();
  const { status, body } = await world.refused(token, { method: 'QR' });
  assert.deepEqual([status, body.code, body.retryable], [409, 'already_paid', false]);
  assert.equal(await world.gatewayHas('A-1-2'), undefined);
});

it('while a SUCCESS waits for a person, the view has nothing to pay with, and a start is refused with 409', async (t) => {
  const world = await createWorld(t, {
    wrapGateway: (gateway) => ({
      ...gateway,
      async pay(collection) {
        const sent = await gateway.pay(collection);
        return collection.transactionId === 'A-1' ? { kind: 'duplicate', detail: 'HTTP 409' } : sent;
      },
    }),
  });
  const token = world.token();
  await world.start(token, { method: 'QR' });
  assert.notEqual((await world.start(token, { method: 'QR' })).body.payment?.qr, null);
  await world.settleAfter('approve', 'A-1');
  const { paid, checking, payment } = await world.view(token);
  assert.deepEqual([paid, checking, payment?.status, payment?.qr], [false, true, 'PROCESSING', null]);
  const { status, body } = await world.refused(token, { method: 'QR' });
  assert.deepEqual([status, body.code, body.retryable], [409, 'payment_under_review', false]);
  await world.merchant('POST', '/transactions/A-1/resolve', { status: 'SUCCESS', by: 'ada', note: 'ours' });
  const after = await world.view(token);
  assert.deepEqual([after.paid, after.checking], [true, false]);
});

it('a start whose body sets the order, amount or currency of the token is refused', async (t) => {
  const world = await createWorld(t);
  for (const key of ['orderId', 'currency', 'amountMinor', 'returnUrl', 'exp', 'status', 'paid', 'constructor']) {
    const { status, body } = await world.refused(world.token(), { method: 'QR', [key]: 'A-2' });
    assert.deepEqual([status, body.errors], [400, [{ field: key, detail: 'unknown field' }]]);
  }
  const raw = '{"method":"QR","__proto__":{"amount":"0.01"}}';
  const headers = startHeaders(world.token());
  assert.equal((await world.request('POST', '/order/payments', { headers, body: raw })).status, 400);
  for (const body of [
    {},
    { method: 'qr' },
    { method: ['QR'] },
    { method: 'QR', amount: 10 },
    { method: 'QR', amount: '0.01' },
    { method: 'CHECKOUT', customer: 12345678 },
    [],
  ]) {
    assert.equal((await world.refused(world.token(), body)).status, 400, JSON.stringify(body));
  }
  assert.equal(await world.gatewayHas('A-1'), undefined);
});

it('a query, which could hold a token, is refused on every order route', async (t) => {
  const world = await createWorld(t);
  const headers = startHeaders(world.token());
  for (const [method, path] of [
    ['GET', '/order'],
    ['POST', '/order/payments'],
    ['GET', '/order/events'],
  ] as const) {
    const response = await world.request(method, `${path}?token=x`, {
      headers,
      ...(method === 'POST' && { body: '{"method":"QR"}' }),
    });
    assert.equal(response.status, 400, path);
  }
});

it('a start by a method that the token does not offer is refused with 422', async (t) => {
  const world = await createWorld(t);
  for (const [claims, method, says] of [
    [{ methods: ['QR'] }, 'CHECKOUT', /^method: one of QR\.$/],
    [{}, 'DIRECT', /^method: one of CHECKOUT, JETGO, QR; DIRECT needs customerReferenceNo in the token\.$/],
  ] as const) {
    const { status, body } = await world.refused(world.token(claims), { method, customer: '12345678' });
    assert.deepEqual([status, body.code, body.errors?.[0]?.field], [422, 'method_unavailable', 'method']);
    assert.match(body.detail, says);
  }
});

it('a start is refused after 30 from one address in a minute, with the time to wait', async (t) => {
  const world = await createWorld(t, { config: { trustedProxies: 1 } });
  const start = (address: string, n: number) =>
    world.request('POST', '/order/payments', {
      headers: {
        'X-Forwarded-For': address,
        'Content-Type': 'application/json',
        'Idempotency-Key': `k${n}`,
        Authorization: 'Bearer x',
      },
      body: '{"method":"QR"}',
    });
  for (let n = 0; n < 30; n += 1) assert.equal((await start('8.8.8.8', n)).status, 401);
  world.skip(20_000);
  const refused = await start('8.8.8.8', 31);
  assert.equal(refused.status, 429);
  assert.equal(refused.headers.get('retry-after'), '40');
  assert.equal(((await refused.json()) as { code: string }).code, 'too_many_requests');
  assert.equal((await start('8.8.4.4', 1)).status, 401, 'another address is free');
  world.skip(40_000);
  for (let n = 0; n < 30; n += 1) assert.equal((await start('8.8.8.8', n)).status, 401);
  assert.equal((await start('8.8.8.8', 31)).status, 429);
  world.skip(-H);
  assert.equal((await start('8.8.8.8', 32)).status, 401, 'the clock was set back');
});

it('an idempotency key sent many times at once creates one payment', async (t) => {
  const world = await createWorld(t);
  const token = world.token();
  const answers = await Promise.all(Array.from({ length: 8 }, () => world.start(token, { method: 'QR' }, 'key-1')));
  assert.deepEqual(answers.filter(({ status }) => status === 201).length, 1);
  assert.equal(answers.filter(({ status }) => status === 200).length, 7);
  assert.deepEqual(await creates(world, 'A-1', 'A-1-2'), [1, undefined]);
});

it('an idempotency key with another body is refused with 422', async (t) => {
  const world = await createWorld(t);
  const token = world.token({ ...OPEN, ...DIRECT });
  await world.start(token, { method: 'QR', amount: '10' }, 'key-1');
  for (const body of [
    { method: 'JETGO', amount: '10' },
    { method: 'QR', amount: '11' },
    { method: 'DIRECT', amount: '10' },
  ]) {
    const refused = await world.refused(token, body, 'key-1');
    assert.deepEqual([refused.status, refused.body.code], [422, 'idempotency_key_reused']);
  }
  assert.equal((await world.start(token, { method: 'QR', amount: '10.00' }, 'key-1')).status, 200, 'the same amount');
});

it('an idempotency key is required, with 1 to 255 printable characters', async (t) => {
  const world = await createWorld(t);
  for (const key of ['x', '~'.repeat(255)]) {
    assert.equal((await world.start(world.token({ orderId: `O${key.length}` }), { method: 'QR' }, key)).status, 201);
  }
  for (const key of ['', 'x'.repeat(256), 'a b']) {
    const { status, body } = await world.refused(world.token(), { method: 'QR' }, key);
    assert.deepEqual([status, body.errors?.[0]?.field], [400, 'idempotency-key']);
    assert.match(body.detail, /^Not valid: idempotency-key: send the header Idempotency-Key, 1 to 255 /);
  }
  const headers = { Authorization: `Bearer ${world.token()}`, 'Content-Type': 'application/json' };
  const response = await world.request('POST', '/order/payments', { headers, body: '{"method":"QR"}' });
  assert.equal(response.status, 400);
  assert.equal(await world.gatewayHas('A-1'), undefined);
});

it('a cross-origin request of any other origin is refused without any effect', async (t) => {
  const world = await createWorld(t);
  const auth = startHeaders(world.token());
  for (const origin of [
    ...words`
    https://evil.example null http://shop.example https://shop.example.evil.example https://a.shop.example
    https://SHOP.example
  `,
    `${SHOP}/`,
    '',
  ]) {
    for (const [method, path] of [
      ['GET', '/order'],
      ['POST', '/order/payments'],
      ['GET', '/order/events'],
      ['OPTIONS', '/order/payments'],
    ] as const) {
      const response = await world.request(method, path, {
        headers: { ...auth, Origin: origin },
        ...(method === 'POST' && { body: '{"method":"QR"}' }),
      });
      assert.equal(response.status, 403, `${method} ${path} ${origin}`);
      assert.equal(response.headers.get('access-control-allow-origin'), null);
    }
  }
  assert.deepEqual(world.rows('select * from transactions'), []);
});
