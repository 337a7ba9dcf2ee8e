// How transactions end and how the merchant learns of it: payouts, the status check, the expiry of a CHECKOUT, and IPNs
// with their retries.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  collection,
  fieldsOf,
  type Json,
  METHODS,
  MINUTE,
  openSandbox,
  type Opened,
  payout,
} from './sandbox-fixture.ts';

async function statusOf({ send }: Opened, orderId: string, type = 'PAY'): Promise<unknown> {
  return (await send('status', { orderId, type })).json['status'];
}

function attemptsOf(transaction: Json): Json[] {
  const [ipn] = Object(transaction).ipns as Json[];
  return Object(ipn).attempts as Json[];
}

describe('a payout', () => {
  it('a payout needs an integer amount and the type JETGO', async () => {
    const { send } = openSandbox();
    for (const amount of ['10.10', '10.0', '1e1', '"10"', '0', '-5']) {
      const body = JSON.stringify(payout({ amount: 0 })).replace('"amount":0', `"amount":${amount}`);
      const { status, json } = await send('payout', body);
      assert.deepEqual([status, fieldsOf(json)], [400, ['amount']], amount);
    }
    const { status, json } = await send('payout', payout({ type: 'PAY' }));
    assert.deepEqual([status, fieldsOf(json)], [400, ['type']]);
  });

  it('a payout goes from INITIALIZED through PROCESSING to SUCCESS, credits the wallet and sends an IPN', async () => {
    const opened = openSandbox();
    const ada = opened.sandbox.processor.customer('12345678');
    const before = ada?.balance('EUR') ?? 0n;
    await opened.send('payout', payout());
    const seen = [await statusOf(opened, 'payout-1', 'PAYOUT')];
    await opened.pass(500);
    seen.push(await statusOf(opened, 'payout-1', 'PAYOUT'));
    assert.equal(opened.merchant.ipns.length, 0);
    await opened.pass(500);
    seen.push(await statusOf(opened, 'payout-1', 'PAYOUT'));
    assert.deepEqual(seen, ['INITIALIZED', 'PROCESSING', 'SUCCESS']);
    assert.equal(ada?.balance('EUR'), before + 2500n);
    const sent = opened.merchant.ipns.map(({ body }) => [body['type'], body['status'], body['amount']]);
    assert.deepEqual(sent, [['PAYOUT', 'SUCCESS', 25]]);
  });

  it('a payout to an unknown wallet is accepted, then FAILED by IPN', async () => {
    const opened = openSandbox();
    assert.equal((await opened.send('payout', payout({ customer: '99999999' }))).status, 202);
    await opened.pass(1_000);
    const sent = opened.merchant.ipns.map(({ body }) => [body['status'], body['message']]);
    assert.deepEqual(sent, [['FAILED', 'UNKNOWN_CUSTOMER']]);
  });
});

describe('the token of a CHECKOUT', () => {
  it('a checkout token expires after 15 minutes: the transaction is FAILED and an IPN is sent', async () => {
    const opened = openSandbox();
    await opened.send('pay', collection('CHECKOUT'));
    await opened.pass(15 * MINUTE - 1);
    assert.equal(await statusOf(opened, 'order-CHECKOUT'), 'INITIALIZED');
    await opened.pass(1);
    assert.equal(await statusOf(opened, 'order-CHECKOUT'), 'FAILED');
    const sent = opened.merchant.ipns.map(({ body }) => [body['orderId'], body['status'], body['message']]);
    assert.deepEqual(sent, [['order-CHECKOUT', 'FAILED', 'TOKEN_EXPIRED']]);
  });

  it('a checkout token does not end a payment that was paid in time, and no other method expires', async () => {
    const opened = openSandbox();
    for (const method of METHODS) await opened.send('pay', collection(method));
    await opened.control('transactions/order-CHECKOUT/approve');
    await opened.pass(60 * MINUTE);
    assert.equal(await statusOf(opened, 'order-CHECKOUT'), 'SUCCESS');
    for (const method of ['DIRECT', 'JETGO', 'QR']) {
      assert.equal(await statusOf(opened, `order-${method}`), 'INITIALIZED');
    }
    assert.equal(opened.merchant.ipns.length, 1);
  });
});

describe('an IPN', () => {
  it('an IPN with the documented fields is sent once a DIRECT, JETGO or QR payment is final', async () => {
    for (const method of ['DIRECT', 'JETGO', 'QR'] as const) {
      const opened = openSandbox();
      const { json: created } = await opened.send('pay', collection(method));
      await opened.control(`transactions/order-${method}/approve`);
      await opened.pass(0);
      const [ipn, ...more] = opened.merchant.ipns;
      assert.equal(more.length, 0);
      assert.equal(ipn?.url, 'http://merchant.example/ipn/secret');
      assert.equal(ipn?.contentType, 'application/json');
      assert.deepEqual(ipn?.body, {
        paymentId: created['paymentId'],
        orderId: `order-${method}`,
        type: 'PAY',
        customer: '12345678',
        amount: 10.5,
        currency: 'EUR',
        status: 'SUCCESS',
        message: 'SUCCESS',
      });
    }
  });

  it('an IPN is sent at most five times, with growing pauses, and each answer is recorded', async () => {
    const opened = openSandbox();
    opened.merchant.answer = () => new Response('no', { status: 503 });
    await opened.send('pay', collection('QR'));
    await opened.control('transactions/order-QR/approve');
    const sentAt: number[] = [];
    const start = opened.now();
    for (let second = 0; second < 3_600; second += 1) {
      const before = opened.merchant.ipns.length;
      await opened.pass(second === 0 ? 0 : 1_000);
      if (opened.merchant.ipns.length > before) sentAt.push(opened.now() - start);
    }
    const pauses = sentAt.slice(1).map((at, index) => at - (sentAt[index] ?? 0));
    assert.equal(sentAt.length, 5);
    assert.deepEqual(
      pauses,
      pauses.toSorted((a, b) => a - b),
    );
    assert.equal(new Set(pauses).size, 4);
    const transaction = await opened.transaction('order-QR');
    assert.deepEqual(
      attemptsOf(transaction).map(({ answer }) => answer),
      [503, 503, 503, 503, 503],
    );
    assert.equal(Object(transaction).ipns[0].state, 'GIVEN_UP');
  });

  for (const [status, attempts] of [
    [200, 1],
    [201, 5],
    [204, 5],
    [302, 5],
    [404, 5],
  ] as const) {
    it(`an IPN that is answered ${status} is sent ${attempts === 1 ? 'once' : 'again'}`, async () => {
      const opened = openSandbox();
      opened.merchant.answer = () => new Response(null, { status, headers: { location: 'http://elsewhere.example/' } });
      await opened.send('pay', collection('QR'));
      await opened.control('transactions/order-QR/decline');
      for (let step = 0; step < 10; step += 1) await opened.pass(10 * MINUTE);
      assert.equal(opened.merchant.ipns.length, attempts);
      assert.ok(
        opened.merchant.ipns.every(({ redirect }) => redirect === 'manual'),
        'a redirect is not followed',
      );
    });
  }

  it('an IPN that hangs does not delay the IPN of another transaction', async () => {
    let release = () => {};
    const opened = openSandbox();
    opened.merchant.answer = () =>
      opened.merchant.ipns.length === 1
        ? new Promise((resolve) => {
            release = () => resolve(new Response(null, { status: 200 }));
          })
        : new Response(null, { status: 200 });
    for (const orderId of ['first', 'second']) {
      await opened.send('pay', collection('QR', { orderId }));
      await opened.control(`transactions/${orderId}/approve`);
    }
    const ticking = opened.pass(0);
    const deadline = Date.now() + 2_000;
    while (opened.merchant.ipns.length < 2 && Date.now() < deadline) await new Promise(setImmediate);
    const orderIds = opened.merchant.ipns.map(({ body }) => body['orderId']);
    assert.deepEqual(orderIds, ['first', 'second']);
    release();
    await ticking;
  });
});
