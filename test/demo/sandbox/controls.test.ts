// The sandbox's controls, which tests of other parts use: list transactions, act for the customer, advance the clock,
// set faults. The faults that close a connection are in test/processes/sandbox.test.ts.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  collection,
  DAY,
  fieldsOf,
  type Ipn,
  type Json,
  MINUTE,
  openSandbox,
  type Opened,
  payout,
} from './sandbox-fixture.ts';

async function start(opened: Opened, ...orderIds: string[]): Promise<void> {
  for (const orderId of orderIds) {
    assert.equal((await opened.send('pay', collection('QR', { orderId }))).status, 200);
  }
}

async function setFaults({ control }: Opened, faults: Json): Promise<void> {
  const { status, json } = await control('faults', faults);
  assert.equal(status, 200, JSON.stringify(json));
}

const orderIdsOf = (ipns: Ipn[]) => ipns.map(({ body }) => body['orderId']);

describe('the controls', () => {
  it('GET /transactions lists transactions, newest first, with their IPNs and the answers', async () => {
    const opened = openSandbox();
    await start(opened, 'one');
    await opened.send('payout', payout());
    await opened.pass(1_000);
    const response = await opened.request('/_sandbox/transactions');
    const { transactions } = Object(await response.json());
    const orderIds = transactions.map(({ orderId }: Json) => orderId);
    assert.deepEqual(orderIds, ['payout-1', 'one']);
    const [{ status, amount, ipns, createRequests, createdAt }] = transactions;
    assert.deepEqual([status, amount, createRequests, createdAt], ['SUCCESS', '25', 1, '2026-11-20T12:00:00.000Z']);
    assert.deepEqual(
      [ipns.length, ipns[0].state, ipns[0].attempts[0].answer, JSON.parse(ipns[0].attempts[0].body).orderId],
      [1, 'DELIVERED', 200, 'payout-1'],
    );
  });

  it('GET /transactions counts the create requests of an order and keeps the reasons of refusals', async () => {
    const opened = openSandbox();
    const body = collection('QR', { orderId: 'one' });
    await opened.send('pay', { ...body, amount: 'ten' });
    await opened.send('pay', body);
    await opened.send('pay', body);
    await opened.send('status', { orderId: 'one', type: 'PAY' });
    assert.equal((await opened.transaction('one'))['createRequests'], 3);
    const { refusals } = Object(await (await opened.request('/_sandbox/transactions')).json());
    const shown = refusals.map(({ operation, orderId, status, code }: Json) => [operation, orderId, status, code]);
    assert.deepEqual(shown, [
      ['pay', 'one', 409, 'DUPLICATE_ORDER'],
      ['pay', 'one', 400, 'INVALID_REQUEST'],
    ]);
  });

  it('approve and decline act for the customer; approve first tops up a balance that is too low', async () => {
    const opened = openSandbox();
    await opened.send('pay', collection('QR', { orderId: 'big', amount: 1_000_000 }));
    const approved = await opened.control('transactions/big/approve', { customer: '23456789' });
    assert.deepEqual(
      [approved.status, approved.json['status'], approved.json['customer']],
      [200, 'SUCCESS', '23456789'],
    );
    await start(opened, 'no');
    const declined = await opened.control('transactions/no/decline');
    assert.deepEqual([declined.json['status'], declined.json['message']], ['FAILED', 'DECLINED']);
  });

  it('approve confirms a DIRECT payment only for the customer in the request', async () => {
    const opened = openSandbox();
    await opened.send('pay', collection('DIRECT'));
    assert.equal((await opened.control('transactions/order-DIRECT/approve', { customer: '23456789' })).status, 403);
    const { processor } = opened.sandbox;
    const [payment, bruno] = [processor.transaction('order-DIRECT'), processor.customer('23456789')];
    assert.ok(payment?.type === 'PAY' && bruno);
    assert.throws(() => processor.approve(payment, bruno), { code: 'NOT_THEIRS' });
    assert.throws(() => processor.decline(payment, bruno), { code: 'NOT_THEIRS' });
    assert.equal((await opened.control('transactions/order-DIRECT/approve')).json['customer'], '12345678');
  });

  it('expire ends a CHECKOUT payment, and refuses one without a token', async () => {
    const opened = openSandbox();
    await opened.send('pay', collection('CHECKOUT'));
    await start(opened, 'qr');
    const { json } = await opened.control('transactions/order-CHECKOUT/expire');
    assert.deepEqual([json['status'], json['message']], ['FAILED', 'TOKEN_EXPIRED']);
    const refused = await opened.control('transactions/qr/expire');
    assert.deepEqual([refused.status, refused.json['code']], [409, 'NO_TOKEN']);
  });

  it('ipn sends the IPN of a final transaction again', async () => {
    const opened = openSandbox();
    await start(opened, 'one');
    assert.equal((await opened.control('transactions/one/ipn')).status, 409);
    await opened.control('transactions/one/approve');
    await opened.pass(0);
    await opened.control('transactions/one/ipn');
    await opened.pass(0);
    assert.equal(opened.merchant.ipns.length, 2);
    assert.equal(opened.merchant.ipns[0]?.text, opened.merchant.ipns[1]?.text);
  });

  it('POST /clock advances the clock and runs the work that is due', async () => {
    const opened = openSandbox();
    await opened.send('pay', collection('CHECKOUT'));
    const { json } = await opened.control('clock', { advanceMs: 15 * MINUTE });
    assert.equal(json['now'], '2026-11-20T12:15:00.000Z');
    assert.equal((await opened.transaction('order-CHECKOUT'))['status'], 'FAILED');
    assert.equal(opened.merchant.ipns.length, 1);
  });

  it('POST /ipn-url sets the IPN URL; attempts before that count as unanswered', async () => {
    const opened = openSandbox({ ipnUrl: null });
    await start(opened, 'one');
    await opened.control('transactions/one/approve');
    await opened.pass(0);
    assert.equal((await opened.control('ipn-url', { url: 'http://127.0.0.1:9/ipn/x' })).status, 200);
    await opened.pass(2_000);
    const urls = opened.merchant.ipns.map(({ url }) => url);
    assert.deepEqual(urls, ['http://127.0.0.1:9/ipn/x']);
    const [{ attempts }] = Object(await opened.transaction('one')).ipns;
    assert.deepEqual([attempts[0].error, attempts[1].answer], ['no IPN URL is set', 200]);
  });

  it('a control answers 404 for an unknown order or customer, and 400 for an invalid body', async () => {
    const opened = openSandbox();
    await start(opened, 'one');
    const statuses = [
      (await opened.control('transactions/none/approve')).status,
      (await opened.control('transactions/one/approve', { customer: '999' })).status,
      (await opened.control('transactions/one/approve', { customers: '12345678' })).status,
      (await opened.control('clock', { advanceMs: -1 })).status,
      (await opened.control('clock', {})).status,
      (await opened.control('ipn-url', { url: 'file:///etc' })).status,
      (await opened.request('/_sandbox/transactions/none')).status,
    ];
    assert.deepEqual(statuses, [404, 404, 400, 400, 400, 400, 404]);
  });

  it('a control refuses a request from a page of another origin', async () => {
    const opened = openSandbox();
    await start(opened, 'one');
    const headers = { origin: 'https://evil.example', 'content-type': 'text/plain' };
    const response = await opened.request('/_sandbox/transactions/one/approve', { method: 'POST', headers });
    assert.equal(response.status, 403);
    assert.equal((await opened.transaction('one'))['status'], 'INITIALIZED');
  });
});

describe('the faults', () => {
  it('POST /faults refuses invalid faults and names the field', async () => {
    const opened = openSandbox();
    for (const [faults, field] of [
      [{ pay: { late: true } }, 'pay'],
      [{ pay: { delayMs: -1 } }, 'pay.delayMs'],
      [{ status: { status: 99 } }, 'status.status'],
      [{ ipn: { status: 500 } }, 'ipn'],
      [{ payout: { dropAnswer: true, garbage: true } }, 'payout'],
      [{ times: 0 }, 'times'],
      [{ everything: {} }, 'body'],
    ] as const) {
      const { status, json } = await opened.control('faults', faults);
      assert.deepEqual([status, json['code'], fieldsOf(json)], [400, 'INVALID_FAULTS', [field]]);
    }
  });

  it('the fault status answers that status without processing, `times` times, for one operation', async () => {
    const opened = openSandbox();
    await setFaults(opened, { pay: { status: 503 }, times: 2 });
    const statuses = [
      (await opened.send('pay', collection('QR'))).status,
      (await opened.send('payout', payout())).status,
      (await opened.send('pay', collection('QR'))).status,
      (await opened.send('pay', collection('QR'))).status,
    ];
    assert.deepEqual(statuses, [503, 202, 503, 200]);
    assert.equal((await opened.transaction('order-QR'))['createRequests'], 3);
  });

  it('GET /faults shows how often each fault still applies, and POST {} ends all', async () => {
    const opened = openSandbox();
    await setFaults(opened, { pay: { status: 500 }, ipn: { never: true }, times: 2 });
    await opened.send('pay', collection('QR'));
    const shown = await (await opened.request('/_sandbox/faults')).json();
    assert.deepEqual(shown, {
      faults: [
        { target: 'pay', fault: { status: 500 }, left: 1 },
        { target: 'ipn', fault: { never: true }, left: 2 },
      ],
    });
    await setFaults(opened, {});
    assert.equal((await opened.send('pay', collection('QR'))).status, 200);
  });

  it('the fault delayMs delays the answer but not the work, so that an IPN can arrive first', async () => {
    const opened = openSandbox();
    await setFaults(opened, { pay: { delayMs: 5_000 } });
    let isAnswered = false;
    const answer = opened.send('pay', collection('QR')).then((result) => {
      isAnswered = true;
      return result;
    });
    await new Promise(setImmediate);
    await opened.control('transactions/order-QR/approve');
    await opened.pass(4_999);
    assert.deepEqual([opened.merchant.ipns.length, isAnswered], [1, false]);
    await opened.pass(1);
    assert.equal((await answer).status, 200);
  });

  it('the fault garbage processes the request and answers 200 without JSON', async () => {
    const opened = openSandbox();
    await setFaults(opened, { pay: { garbage: true } });
    const response = await opened.request('/api/v3/integration/merchants/payments/pay', {
      method: 'POST',
      headers: { 'x-api-key': 'the-merchants-key', 'content-type': 'application/json' },
      body: JSON.stringify(collection('QR')),
    });
    assert.equal(response.status, 200);
    await assert.rejects(response.json());
    assert.equal((await opened.transaction('order-QR'))['status'], 'INITIALIZED');
  });

  it('the fault tamper replaces or removes fields of an answer', async () => {
    const opened = openSandbox();
    await setFaults(opened, {
      pay: { tamper: { paymentId: 'a-uuid', checkout: null } },
      status: { tamper: { amount: 1 } },
    });
    const { json } = await opened.send('pay', collection('QR'));
    assert.deepEqual([json['paymentId'], 'checkout' in json, json['orderId']], ['a-uuid', false, 'order-QR']);
    assert.equal((await opened.send('status', { orderId: 'order-QR', type: 'PAY' })).json['amount'], 1);
  });

  it('the fault refusalStatus changes the status of refusals only', async () => {
    const opened = openSandbox();
    await setFaults(opened, { payout: { refusalStatus: 400 } });
    assert.equal((await opened.send('payout', payout())).status, 202);
    const { status, json } = await opened.send('payout', payout());
    assert.deepEqual([status, json['code']], [400, 'DUPLICATE_ORDER']);
  });

  it('the fault lagMs makes a status check answer with the state of that long ago', async () => {
    const opened = openSandbox();
    await start(opened, 'one');
    await setFaults(opened, { status: { lagMs: MINUTE } });
    const check = () => opened.send('status', { orderId: 'one', type: 'PAY' });
    assert.equal((await check()).status, 404);
    await opened.pass(30_000);
    await opened.control('transactions/one/approve');
    await opened.pass(30_000);
    assert.equal((await check()).json['status'], 'INITIALIZED');
    await opened.pass(30_000);
    assert.equal((await check()).json['status'], 'SUCCESS');
  });

  for (const [format, isRight] of [
    ['png', (bytes: Buffer) => bytes.subarray(1, 4).toString() === 'PNG'],
    ['svg', (bytes: Buffer) => bytes.toString().startsWith('<svg')],
  ] as const) {
    it(`the fault qr encodes the code as ${format} instead of text`, async () => {
      const opened = openSandbox();
      await setFaults(opened, { pay: { qr: format } });
      const { json } = await opened.send('pay', collection('JETGO'));
      assert.ok(isRight(Buffer.from(String(json['qr']), 'base64')));
    });
  }

  it('the fault hold keeps a payout PROCESSING until it is settled by hand', async () => {
    const opened = openSandbox();
    await setFaults(opened, { payout: { hold: true }, times: 2 });
    await opened.send('payout', payout({ orderId: 'a' }));
    await opened.send('payout', payout({ orderId: 'b' }));
    await opened.pass(DAY);
    assert.equal((await opened.transaction('a'))['status'], 'PROCESSING');
    assert.equal((await opened.control('transactions/a/approve')).json['status'], 'SUCCESS');
    assert.equal((await opened.control('transactions/b/decline')).json['status'], 'FAILED');
  });

  it('the fault ipn.never sends no IPN, while the status check answers the final status', async () => {
    const opened = openSandbox();
    await setFaults(opened, { ipn: { never: true } });
    await start(opened, 'one');
    await opened.control('transactions/one/approve');
    await opened.pass(DAY);
    assert.equal(opened.merchant.ipns.length, 0);
    assert.equal(Object(await opened.transaction('one')).ipns[0].state, 'WITHHELD');
    assert.equal((await opened.send('status', { orderId: 'one', type: 'PAY' })).json['status'], 'SUCCESS');
  });

  it('the fault ipn.repeat sends each IPN that many times', async () => {
    const opened = openSandbox();
    await setFaults(opened, { ipn: { repeat: 3 }, times: 1 });
    await start(opened, 'one', 'two');
    for (const orderId of ['one', 'two']) await opened.control(`transactions/${orderId}/approve`);
    await opened.pass(0);
    assert.deepEqual(orderIdsOf(opened.merchant.ipns), ['one', 'one', 'one', 'two']);
  });

  it('the fault ipn.delayMs delays an IPN', async () => {
    const opened = openSandbox();
    await setFaults(opened, { ipn: { delayMs: MINUTE } });
    await start(opened, 'one');
    await opened.control('transactions/one/approve');
    await opened.pass(59_999);
    assert.equal(opened.merchant.ipns.length, 0);
    await opened.pass(1);
    assert.equal(opened.merchant.ipns.length, 1);
  });

  it('the fault ipn.reverse collects IPNs and sends the last one first', async () => {
    const opened = openSandbox();
    await setFaults(opened, { ipn: { reverse: true, delayMs: 5_000 } });
    await start(opened, 'one', 'two', 'three');
    for (const orderId of ['one', 'two', 'three']) await opened.control(`transactions/${orderId}/approve`);
    await opened.pass(4_999);
    assert.equal(opened.merchant.ipns.length, 0);
    await opened.pass(1);
    assert.deepEqual(orderIdsOf(opened.merchant.ipns), ['three', 'two', 'one']);
  });

  it('the fault ipn.tamper changes the IPN but not the status check', async () => {
    const opened = openSandbox();
    await setFaults(opened, { ipn: { tamper: { status: 'SUCCESS', amount: 1, customer: null } } });
    await start(opened, 'one');
    await opened.control('transactions/one/decline');
    await opened.pass(0);
    const [ipn] = opened.merchant.ipns;
    assert.deepEqual(
      [ipn?.body['status'], ipn?.body['amount'], 'customer' in (ipn?.body ?? {})],
      ['SUCCESS', 1, false],
    );
    const { json } = await opened.send('status', { orderId: 'one', type: 'PAY' });
    assert.deepEqual([json['status'], json['amount']], ['FAILED', 10.5]);
  });
});
