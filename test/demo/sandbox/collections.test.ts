// Collections by the four methods: the fields that each takes, the answer, the refusals. The tables repeat the
// service's description and its wire format, independently of the sandbox's code.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { collection, fieldsOf, type Json, type Method, METHODS, openSandbox, payout } from './sandbox-fixture.ts';

type Cell = 'required' | 'optional' | 'not part of request';
const [R, O, N] = ['required', 'optional', 'not part of request'] as const;

const FIELDS: Record<string, { value: unknown; cells: [Cell, Cell, Cell, Cell] }> = {
  orderId: { value: 'order-1', cells: [R, R, R, R] },
  amount: { value: 10.5, cells: [R, R, R, R] },
  currency: { value: 'EUR', cells: [R, R, R, R] },
  method: { value: null, cells: [R, R, R, R] },
  returnUrl: { value: 'https://shop.example/', cells: [R, R, R, R] },
  customer: { value: '12345678', cells: [R, O, N, N] },
  customerReferenceNo: { value: 'user-1', cells: [R, N, N, N] },
  language: { value: 'en', cells: [O, O, N, N] },
};

function full(method: Method): Json {
  const body: Json = {};
  for (const [field, { value, cells }] of Object.entries(FIELDS)) {
    if (cells[METHODS.indexOf(method)] === N) continue;
    body[field] = field === 'method' ? method : value;
  }
  return body;
}

describe('the fields of a collection', () => {
  for (const [index, method] of METHODS.entries()) {
    for (const [field, { value, cells }] of Object.entries(FIELDS)) {
      const cell = cells[index];
      it(`a ${method} collection: ${field} is ${cell}`, async () => {
        const { send } = openSandbox();
        const { [field]: _, ...without } = full(method);
        const missing = await send('pay', without);
        const present = await send('pay', {
          ...full(method),
          orderId: 'order-2',
          ...(cell === N && { [field]: value }),
        });
        assert.equal(missing.status < 300, cell !== R, missing.text);
        assert.equal(present.status < 300, cell !== N, present.text);
        if (cell === R) assert.deepEqual(fieldsOf(missing.json), [field]);
        if (cell === N) assert.deepEqual(fieldsOf(present.json), [field]);
      });
    }
  }

  const WRONG: [string, unknown[]][] = [
    ['orderId', ['', 7, 'x'.repeat(256), 'a\nb']],
    ['amount', ['10.50', 0, -1, 10.505, true]],
    ['currency', ['eur', 'EURO', 978]],
    ['method', ['CARD', 'qr', 1]],
    ['returnUrl', ['/back', 'javascript:alert(1)', 'ftp://shop.example/', 7]],
    ['customer', ['ada', 12345678, '']],
    ['language', ['english', 'e', 1]],
  ];
  for (const [field, values] of WRONG) {
    for (const value of values) {
      it(`a collection with ${field} ${JSON.stringify(value).slice(0, 20)} is refused, and the field is named`, async () => {
        const { send } = openSandbox();
        const { status, json } = await send('pay', collection('CHECKOUT', { [field]: value }));
        assert.deepEqual([status, json['code'], fieldsOf(json)], [400, 'INVALID_REQUEST', [field]]);
      });
    }
  }

  it('the amount of a collection is read as digits, never as a float', async () => {
    const { send, transaction } = openSandbox();
    const bodyWith = (amount: string, currency: string) =>
      JSON.stringify(collection('QR', { orderId: `o-${amount}`, currency, amount: 0 })).replace(
        '"amount":0',
        `"amount":${amount}`,
      );
    for (const [amount, currency] of [
      ['10.10', 'EUR'],
      ['90071992547409.93', 'EUR'],
      ['5', 'JPY'],
      ['0.001', 'KWD'],
    ] as const) {
      assert.equal((await send('pay', bodyWith(amount, currency))).status, 200);
      assert.equal((await transaction(`o-${amount}`))['amount'], amount);
      const { text } = await send('status', { orderId: `o-${amount}`, type: 'PAY' });
      assert.match(text, new RegExp(`"amount":${amount.replace('.', '\\.')},`));
    }
    for (const [amount, currency] of [
      ['1e3', 'EUR'],
      ['1.5', 'JPY'],
      ['0.0', 'EUR'],
    ] as const) {
      const { status, json } = await send('pay', bodyWith(amount, currency));
      assert.deepEqual([status, fieldsOf(json)], [400, ['amount']], amount);
    }
  });
});

describe('the answer to a collection', () => {
  it('a DIRECT collection for a customer without a wallet is answered as a CHECKOUT', async () => {
    const { send } = openSandbox();
    const { status, json } = await send('pay', collection('DIRECT', { customer: '99999999' }));
    assert.equal(status, 200);
    assert.equal(json['method'], 'CHECKOUT');
    assert.ok(URL.canParse(String(json['checkout'])));
  });
});

describe('unique ids', () => {
  it('a second payment or payout with the same orderId is refused as DUPLICATE_ORDER and changes nothing', async () => {
    const { send, transaction } = openSandbox();
    await send('pay', collection('QR', { orderId: 'same' }));
    const before = await transaction('same');
    const again = await send('pay', collection('CHECKOUT', { orderId: 'same' }));
    const asPayout = await send('payout', payout({ orderId: 'same' }));
    assert.deepEqual([again.status, again.json['code'], asPayout.status], [409, 'DUPLICATE_ORDER', 409]);
    assert.deepEqual(await transaction('same'), { ...before, createRequests: 3 });
  });

  it('a customerReferenceNo is refused for another customer than the first who paid with it', async () => {
    const { send, control } = openSandbox();
    const direct = (orderId: string, customer: string) => send('pay', collection('DIRECT', { orderId, customer }));
    assert.equal((await direct('declined', '23456789')).status, 202);
    await control('transactions/declined/decline');
    assert.equal((await direct('a', '12345678')).status, 202);
    await control('transactions/a/approve');
    assert.equal((await direct('b', '12345678')).status, 202);
    const { status, json } = await direct('c', '23456789');
    assert.deepEqual([status, fieldsOf(json)], [400, ['customerReferenceNo']]);
  });
});

describe('every request', () => {
  for (const operation of ['pay', 'payout', 'status']) {
    it(`${operation} needs the key, the content type, a JSON object and POST`, async () => {
      const { send, request } = openSandbox();
      const statuses = [
        (await send(operation, {}, { 'x-api-key': 'wrong' })).status,
        (await send(operation, {}, { 'x-api-key': '' })).status,
        (await send(operation, {}, { 'content-type': 'text/plain' })).status,
        (await send(operation, 'not json')).status,
        (await send(operation, '[]')).status,
        (await send(operation, '7')).status,
        (await send(operation, `{"orderId":"${'x'.repeat(70_000)}"}`)).status,
        (await request(`/api/v3/integration/merchants/payments/${operation}`)).status,
      ];
      assert.deepEqual(statuses, [401, 401, 415, 400, 400, 400, 413, 405]);
    });
  }
});
