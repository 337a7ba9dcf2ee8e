// The widget's routes against the sandbox: the view, a start by each method, each refusal with its code, and exactly
// one call to the gateway per started payment.
import assert from 'node:assert/strict';
import { DatabaseSync } from 'node:sqlite';
import { describe, it } from 'node:test';
import type { OrderView } from '../../../backend-proxy/protocol/wire.ts';
import { STARTS_PER_MINUTE } from '../../../backend-proxy/routes/rate-limit.ts';
import { SECRETS, SHOP, createWorld, type World } from '../world.ts';
import { NOON } from '../time.ts';
import { H } from '../time.ts';

const OPEN = { amount: undefined, minAmount: '5', maxAmount: '50.00' };
const DIRECT = { customerReferenceNo: 'C-1', customer: '12345678' };

async function creates(world: World, ...ids: string[]): Promise<(number | undefined)[]> {
  return Promise.all(ids.map(async (id) => (await world.gatewayHas(id))?.createRequests));
}

describe('the order view', () => {
  it('the order view of an order that was never started shows the terms of the token', async (t) => {
    const world = await createWorld(t);
    const view = await world.view(world.token({ description: 'Two teapots', methods: ['QR', 'CHECKOUT'] }));
    assert.deepEqual(view, {
      orderId: 'A-1',
      amount: '10.10',
      currency: 'EUR',
      description: 'Two teapots',
      supportUrl: null,
      methods: ['QR', 'CHECKOUT'],
      paid: false,
      surplus: false,
      otherOpen: false,
      version: 0,
      serverTime: '2026-11-20T12:00:00.000Z',
      payment: null,
    });
    assert.equal((await world.view(world.token(OPEN))).amount, null);
  });

  it('the order view is not cached and has a request id', async (t) => {
    const world = await createWorld(t);
    const headers = { Authorization: `Bearer ${world.token()}` };
    const response = await world.request('GET', '/order', { headers });
    assert.equal(response.headers.get('cache-control'), 'no-store');
    assert.match(response.headers.get('x-request-id') ?? '', /^[\w-]{36}$/);
  });

  it('the order view accepts a newer token of the same order', async (t) => {
    const world = await createWorld(t);
    await world.start(world.token(), { method: 'QR' });
    world.skip(2 * H);
    const view = await world.view(world.token());
    assert.equal(view.payment?.method, 'QR');
  });

  it('the order view is shown while the database is read-only, and its terms are stored afterwards', async (t) => {
    const world = await createWorld(t);
    const issued = Math.floor(NOON / 1000);
    const other = new DatabaseSync(world.file);
    other.exec('begin immediate');
    assert.equal((await world.view(world.token({ iat: issued, amount: '9.00' }))).amount, '9.00');
    other.exec('rollback');
    other.close();
    const { body } = await world.refused(world.token({ iat: issued - 60 }), { method: 'QR' });
    assert.equal(body.code, 'order_changed');
  });

  it('the order view shows the stored amount and currency, whatever a newer token says', async (t) => {
    const world = await createWorld(t);
    await world.start(world.token(), { method: 'QR' });
    const other = world.token({ amount: '9999', currency: 'JPY' });
    const { amount, currency } = await world.view(other);
    assert.deepEqual([amount, currency], ['10.10', 'EUR']);
    const { status, body } = await world.refused(other, { method: 'QR' });
    assert.deepEqual([status, body.code, body.retryable], [409, 'order_changed', false]);
    for (const changed of [{ amount: '10.11' }, { currency: 'USD' }]) {
      assert.equal((await world.refused(world.token(changed), { method: 'QR' })).body.code, 'order_changed');
    }
    const open = await world.refused(world.token(OPEN), { method: 'QR', amount: '10.10' });
    assert.equal(open.body.code, 'order_changed');
    assert.equal(await world.gatewayHas('A-1-2'), undefined);
  });
});

describe('starting a payment', () => {
  it('a start by QR or JETGO returns a code, and a link for the same phone', async (t) => {
    const world = await createWorld(t);
    for (const [orderId, method] of [
      ['A-1', 'QR'],
      ['A-2', 'JETGO'],
    ] as const) {
      const { status, body } = await world.start(world.token({ orderId }), { method });
      assert.equal(status, 201);
      const { payment } = body;
      assert.deepEqual(
        { ...payment, qr: null, appUrl: null },
        {
          method,
          asked: method,
          status: 'PROCESSING',
          reason: null,
          answer: 'ARRIVED',
          checkoutUrl: null,
          qr: null,
          appUrl: null,
          walletLast4: null,
          expiresAt: null,
          createdAt: new Date(NOON).toISOString(),
          paidAt: null,
          late: false,
        },
      );
      assert.ok(payment?.qr && 'text' in payment.qr);
      assert.match(payment.qr.text, /^http:\/\/127\.0\.0\.1:\d+\/wallet\/scan\?code=/);
      assert.match(payment.appUrl ?? '', /\/wallet\/open\?code=/);
      assert.ok(body.version > 0);
    }
    assert.deepEqual(await creates(world, 'A-1', 'A-2'), [1, 1]);
  });

  it('a start by QR returns an image if the gateway sent one', async (t) => {
    const world = await createWorld(t);
    await world.faults({ pay: { qr: 'png' } });
    const { body } = await world.start(world.token(), { method: 'QR' });
    assert.ok(body.payment?.qr && 'image' in body.payment.qr);
    assert.match(body.payment.qr.image, /^data:image\/png;base64,/);
  });

  it('a start by CHECKOUT returns the URL and its expiry, counted from when it was sent', async (t) => {
    const world = await createWorld(t);
    const { body } = await world.start(world.token(), { method: 'CHECKOUT', customer: '12345678' });
    assert.match(body.payment?.checkoutUrl ?? '', /^http:\/\/127\.0\.0\.1:\d+\/pay\?token=/);
    assert.equal(body.payment?.expiresAt, new Date(NOON + 15 * 60_000).toISOString());
  });

  it('a start by DIRECT prompts the wallet and has nothing to show', async (t) => {
    const world = await createWorld(t);
    const { body } = await world.start(world.token(DIRECT), { method: 'DIRECT' });
    const { method, status, checkoutUrl, qr, appUrl, expiresAt, walletLast4 } = body.payment!;
    assert.deepEqual({ method, status, walletLast4 }, { method: 'DIRECT', status: 'PROCESSING', walletLast4: '5678' });
    assert.deepEqual([checkoutUrl, qr, appUrl, expiresAt], [null, null, null, null]);
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

  it('an ended payment shows nothing to pay with', async (t) => {
    const world = await createWorld(t);
    const token = world.token();
    await world.start(token, { method: 'CHECKOUT' });
    await world.customer('decline', 'A-1');
    await world.settle();
    const { status, reason, checkoutUrl } = (await world.view(token)).payment!;
    assert.deepEqual([status, reason, checkoutUrl], ['FAILED', 'DECLINED', null]);
  });
});

describe('the wallet id', () => {
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
});

describe('an open amount', () => {
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

  it('an open amount may differ at a later attempt', async (t) => {
    const world = await createWorld(t);
    const token = world.token(OPEN);
    await world.start(token, { method: 'QR', amount: '10' });
    assert.equal((await world.start(token, { method: 'QR', amount: '20' })).body.amount, '20.00');
    assert.deepEqual(await creates(world, 'A-1', 'A-1-2'), [1, 1]);
  });
});

describe('an idempotency key', () => {
  it('a repeated idempotency key answers 200 with the view, and nothing is sent', async (t) => {
    const world = await createWorld(t);
    const token = world.token();
    assert.equal((await world.start(token, { method: 'QR' }, 'key-1')).status, 201);
    const { status, body } = await world.start(token, { method: 'QR' }, 'key-1');
    assert.deepEqual([status, body.payment?.status], [200, 'PROCESSING']);
    assert.deepEqual(await creates(world, 'A-1', 'A-1-2'), [1, undefined]);
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

  it('a repeated idempotency key returns the stored payment even after the order is paid', async (t) => {
    const world = await createWorld(t);
    const token = world.token();
    await world.start(token, { method: 'QR' }, 'key-1');
    await world.customer('approve', 'A-1');
    await world.settle();
    const { status, body } = await world.start(token, { method: 'QR' }, 'key-1');
    assert.deepEqual([status, body.paid], [200, true]);
  });

  it('an idempotency key belongs to one order', async (t) => {
    const world = await createWorld(t);
    await world.start(world.token(), { method: 'QR' }, 'key-1');
    assert.equal((await world.start(world.token({ orderId: 'A-2' }), { method: 'QR' }, 'key-1')).status, 201);
  });

  it('an idempotency key is required, with 1 to 255 printable characters', async (t) => {
    const world = await createWorld(t);
    for (const key of ['x', '~'.repeat(255)]) {
      assert.equal((await world.start(world.token({ orderId: `O${key.length}` }), { method: 'QR' }, key)).status, 201);
    }
    for (const key of ['', 'x'.repeat(256), 'a b']) {
      const { status, body } = await world.refused(world.token(), { method: 'QR' }, key);
      assert.deepEqual([status, body.errors?.[0]?.field], [400, 'idempotency-key']);
    }
    const headers = { Authorization: `Bearer ${world.token()}`, 'Content-Type': 'application/json' };
    const response = await world.request('POST', '/order/payments', { headers, body: '{"method":"QR"}' });
    assert.equal(response.status, 400);
    assert.equal(await world.gatewayHas('A-1'), undefined);
  });
});

describe('another method while waiting', () => {
  it('another method replaces the first payment, which is still checked: its late success pays the order', async (t) => {
    const world = await createWorld(t, { webhooks: true });
    const token = world.token();
    await world.start(token, { method: 'QR' });
    const { body } = await world.start(token, { method: 'CHECKOUT' });
    assert.equal(body.payment?.method, 'CHECKOUT');
    assert.deepEqual(await creates(world, 'A-1', 'A-1-2'), [1, 1]);
    await world.faults({ ipn: { never: true } });
    await world.customer('approve', 'A-1');
    await world.pass(60_000);
    const view = await world.view(token);
    assert.deepEqual(
      [view.paid, view.payment?.method, view.payment?.status, view.payment?.late],
      [true, 'QR', 'SUCCESS', true],
    );
    const { body: order } = await world.merchant<{
      payments: { status: string; reason: string; late: boolean; history: { event: string }[] }[];
    }>('GET', '/orders/A-1');
    assert.deepEqual(
      order.payments.map(({ status, reason, late }) => [status, reason, late]),
      [
        ['SUCCESS', null, true],
        ['PROCESSING', null, false],
      ],
    );
    assert.deepEqual(
      order.payments[0]?.history.map(({ event }) => event),
      ['created', 'sending', 'pending', 'replaced', 'succeeded'],
    );
    assert.deepEqual(
      world.receiver.received.map(({ payload }) => payload.type),
      ['payment.failed', 'payment.succeeded'],
    );
  });

  it('a second payment of an order is reported as surplus once, and the order stays paid by the first', async (t) => {
    const world = await createWorld(t, { webhooks: true });
    const token = world.token();
    await world.start(token, { method: 'QR' });
    await world.start(token, { method: 'CHECKOUT' });
    await world.customer('approve', 'A-1-2');
    await world.settle();
    await world.customer('approve', 'A-1');
    await world.customer('ipn', 'A-1');
    await world.settle();
    const view = await world.view(token);
    assert.deepEqual([view.paid, view.payment?.method, view.payment?.status], [true, 'CHECKOUT', 'SUCCESS']);
    assert.equal(view.surplus, true);
    assert.deepEqual(
      world.receiver.received.map(({ payload }) => [payload.type, payload.data['gatewayOrderId']]),
      [
        ['payment.failed', 'A-1'],
        ['payment.succeeded', 'A-1-2'],
        ['payment.surplus', 'A-1'],
      ],
    );
  });
});

describe('a refused start', () => {
  it('a start after the order is paid is refused with 409, and nothing is sent', async (t) => {
    const world = await createWorld(t);
    const token = world.token();
    await world.start(token, { method: 'QR' });
    await world.customer('approve', 'A-1');
    await world.settle();
    const { status, body } = await world.refused(token, { method: 'QR' });
    assert.deepEqual([status, body.code, body.retryable], [409, 'already_paid', false]);
    assert.equal(await world.gatewayHas('A-1-2'), undefined);
  });

  it('a start whose body sets the order, amount or currency of the token is refused', async (t) => {
    const world = await createWorld(t);
    for (const key of ['orderId', 'currency', 'amountMinor', 'returnUrl', 'exp', 'status', 'paid', 'constructor']) {
      const { status, body } = await world.refused(world.token(), { method: 'QR', [key]: 'A-2' });
      assert.deepEqual([status, body.errors], [400, [{ field: key, detail: 'unknown field' }]]);
    }
    const raw = '{"method":"QR","__proto__":{"amount":"0.01"}}';
    const headers = {
      Authorization: `Bearer ${world.token()}`,
      'Content-Type': 'application/json',
      'Idempotency-Key': 'k',
    };
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
    const headers = {
      Authorization: `Bearer ${world.token()}`,
      'Content-Type': 'application/json',
      'Idempotency-Key': 'k',
    };
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
    for (const [claims, method] of [
      [{ methods: ['QR'] }, 'CHECKOUT'],
      [{}, 'DIRECT'],
    ] as const) {
      const { status, body } = await world.refused(world.token(claims), { method, customer: '12345678' });
      assert.deepEqual([status, body.code, body.errors?.[0]?.field], [422, 'method_unavailable', 'method']);
    }
  });

  it('a start is refused after 5 payments of an order, 3 of them DIRECT', async (t) => {
    const world = await createWorld(t);
    const token = world.token(DIRECT);
    for (let n = 0; n < 3; n += 1) await world.start(token, { method: 'DIRECT' });
    const direct = await world.refused(token, { method: 'DIRECT' });
    assert.deepEqual([direct.status, direct.body.code, direct.body.retryable], [422, 'method_unavailable', false]);
    for (let n = 0; n < 2; n += 1) await world.start(token, { method: 'QR' });
    const any = await world.refused(token, { method: 'QR' });
    assert.deepEqual([any.status, any.body.code], [429, 'too_many_payments']);
    assert.deepEqual(await creates(world, 'A-1', 'A-1-5', 'A-1-6'), [1, 1, undefined]);
  });

  it('a start is refused after 3 prompts on a wallet within an hour by one customer, and 10 by all, over all orders', async (t) => {
    const world = await createWorld(t);
    let orders = 0;
    const tokenOf = (customerReferenceNo: string, customer = '12345678') =>
      world.token({ orderId: `A-${(orders += 1)}`, customerReferenceNo, customer });
    for (let n = 1; n <= 3; n += 1) {
      await world.start(tokenOf('C-1'), { method: 'DIRECT' });
      world.skip(60_000);
    }
    const { status, body, headers } = await world.refused(tokenOf('C-1'), { method: 'DIRECT' });
    assert.deepEqual([status, body.code, body.retryable], [429, 'too_many_requests', true]);
    assert.equal(headers.get('retry-after'), '3600', 'when the wallet was last asked is nobody else’s to know');
    assert.equal((await world.start(tokenOf('C-1'), { method: 'CHECKOUT' })).status, 201, 'another method is free');
    assert.equal((await world.start(tokenOf('C-1', '23456789'), { method: 'DIRECT' })).status, 201, 'another wallet');
    for (let n = 2; n <= 8; n += 1) await world.start(tokenOf(`C-${n}`), { method: 'DIRECT' });
    assert.equal(
      (await world.refused(tokenOf('C-9'), { method: 'DIRECT' })).status,
      429,
      'the eleventh prompt of all customers',
    );
    world.skip(57 * 60_000 - 1);
    assert.equal((await world.refused(tokenOf('C-9'), { method: 'DIRECT' })).status, 429);
    world.skip(1);
    assert.equal((await world.start(tokenOf('C-9'), { method: 'DIRECT' })).status, 201);
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
    assert.equal(STARTS_PER_MINUTE, 30);
    for (let n = 0; n < 30; n += 1) assert.equal((await start('8.8.8.8', n)).status, 401);
    world.skip(20_000);
    const refused = await start('8.8.8.8', 31);
    assert.equal(refused.status, 429);
    assert.equal(refused.headers.get('retry-after'), '40');
    assert.equal(((await refused.json()) as { code: string }).code, 'too_many_requests');
    assert.equal((await start('8.8.4.4', 1)).status, 401, 'another address is free');
    world.skip(40_000);
    assert.equal((await start('8.8.8.8', 32)).status, 401);
  });
});

describe('the order id at the gateway', () => {
  it("the order id at the gateway is the order's own, then counted up, past ids that another order or a payout took", async (t) => {
    const world = await createWorld(t);
    await world.start(world.token({ orderId: 'A-2' }), { method: 'QR' });
    const payout = { orderId: 'A-3', amount: 5, currency: 'EUR', customer: '12345678' };
    assert.equal((await world.merchant('POST', '/payouts', payout)).status, 202);
    await world.start(world.token({ orderId: 'A' }), { method: 'QR' });
    await world.start(world.token({ orderId: 'A' }), { method: 'QR' });
    await world.start(world.token({ orderId: 'A-3' }), { method: 'QR' });
    const { body } = await world.merchant<{
      transactions: { type: string; orderId: string; gatewayOrderId?: string }[];
    }>('GET', '/transactions');
    assert.deepEqual(
      body.transactions
        .map(({ type, orderId, gatewayOrderId }) => `${type} ${orderId} ${gatewayOrderId ?? ''}`.trim())
        .toSorted(),
      ['PAY A A', 'PAY A A-4', 'PAY A-2 A-2', 'PAY A-3 A-3-2', 'PAYOUT A-3 A-3'],
    );
  });
});

describe('cross-origin requests', () => {
  const preflight = {
    'Access-Control-Request-Method': 'POST',
    'Access-Control-Request-Headers': 'authorization,content-type,idempotency-key',
  };

  it('a cross-origin request of an allowed origin is answered with exactly that origin, also for errors', async (t) => {
    const world = await createWorld(t, { config: { allowedOrigins: [SHOP, 'https://other.example'] } });
    for (const origin of [SHOP, 'https://other.example']) {
      for (const [method, path, status] of [
        ['GET', '/order', 401],
        ['POST', '/order/payments', 415],
        ['GET', '/order/events', 401],
        ['OPTIONS', '/order/payments', 204],
        ['OPTIONS', '/order', 204],
      ] as const) {
        const response = await world.request(method, path, {
          headers: { Origin: origin, ...(method === 'OPTIONS' && preflight) },
        });
        assert.equal(response.status, status, `${method} ${path}`);
        assert.equal(response.headers.get('access-control-allow-origin'), origin);
        assert.equal(response.headers.get('access-control-allow-credentials'), null);
        assert.match(response.headers.get('vary') ?? '', /^Origin(, Access-Control-Request-Headers)?$/);
      }
    }
    const answer = await world.request('OPTIONS', '/order/payments', { headers: { Origin: SHOP, ...preflight } });
    assert.equal(answer.headers.get('access-control-allow-methods'), 'GET,POST,OPTIONS');
    assert.equal(answer.headers.get('access-control-allow-headers'), 'Authorization,Content-Type,Idempotency-Key');
    const view = await world.request('GET', '/order', {
      headers: { Origin: SHOP, Authorization: `Bearer ${world.token()}` },
    });
    assert.deepEqual([view.status, view.headers.get('access-control-allow-origin')], [200, SHOP]);
    assert.equal(view.headers.get('access-control-expose-headers'), 'X-Request-Id,Retry-After');
  });

  it('a cross-origin request of any other origin is refused without any effect', async (t) => {
    const world = await createWorld(t);
    const auth = {
      Authorization: `Bearer ${world.token()}`,
      'Content-Type': 'application/json',
      'Idempotency-Key': 'k',
    };
    for (const origin of [
      'https://evil.example',
      'null',
      'http://shop.example',
      'https://shop.example.evil.example',
      'https://a.shop.example',
      `${SHOP}/`,
      'https://SHOP.example',
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

  it('cross-origin headers are sent on no other route', async (t) => {
    const world = await createWorld(t);
    for (const [method, path] of [
      ['OPTIONS', '/orders'],
      ['GET', '/healthz'],
      ['GET', '/openapi.json'],
      ['OPTIONS', `/ipn/${SECRETS.ipn}`],
    ] as const) {
      const response = await world.request(method, path, { headers: { Origin: SHOP } });
      assert.equal(response.headers.get('access-control-allow-origin'), null, path);
    }
  });
});

describe('versions of the order view', () => {
  it('the order view never goes back: each later one has a version at least as high', async (t) => {
    const world = await createWorld(t);
    const token = world.token();
    const seen: OrderView[] = [await world.view(token)];
    for (const method of ['QR', 'CHECKOUT', 'JETGO'] as const) {
      seen.push((await world.start(token, { method })).body, await world.view(token));
    }
    await world.customer('approve', 'A-1-3');
    await world.settle();
    seen.push(await world.view(token));
    const versions = seen.map(({ version }) => version);
    assert.deepEqual(
      versions,
      versions.toSorted((a, b) => a - b),
    );
    assert.equal(new Set(versions).size, 5);
  });
});
