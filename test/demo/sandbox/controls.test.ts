// The sandbox's controls, which tests of other parts use: list transactions, act for the customer, advance the clock,
// set faults. The faults that close a connection are in test/processes/sandbox.test.ts.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  collection,
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
  it('GET /transactions counts the create requests of an order, also the refused ones', async () => {
    const opened = openSandbox();
    const body = collection('QR', { orderId: 'one' });
    await opened.send('pay', { ...body, amount: 'ten' });
    await opened.send('pay', body);
    await opened.send('pay', body);
    await opened.send('status', { orderId: 'one', type: 'PAY' });
    assert.equal((await opened.transaction('one'))['createRequests'], 3);
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
});
