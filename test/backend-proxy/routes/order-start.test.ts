// POST /order/payments against the sandbox: a start by each method, with exactly one call to the gateway; the wallet
// id, an open amount, and the order id at the gateway.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { NOON } from '../time.ts';
import { SHOP, createWorld } from '../world.ts';
import { DIRECT, OPEN, creates } from './order-kit.ts';

describe('starting a payment', () => {
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
    await world.settleAfter('decline', 'A-1');
    const { status, reason, checkoutUrl } = (await world.view(token)).payment!;
    assert.deepEqual([status, reason, checkoutUrl], ['FAILED', 'DECLINED', null]);
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
