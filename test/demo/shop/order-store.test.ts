// The orders of the shop: their amounts, their owners, and when they count as paid.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { linesOf } from '../../../demo/shop/catalog.ts';
import { OrderStore, stateOf } from '../../../demo/shop/order-store.ts';

const lines = linesOf({ 'dawn-chorus': '2', 'night-harbor': '1' });
const receipt = (orderId: string, amount: string, currency = 'EUR') => ({ orderId, amount, currency });

test('linesOf() ignores quantities other than 1 to 9, and unknown products', () => {
  assert.deepEqual(
    linesOf({ 'dawn-chorus': '-1', 'high-ridge': '1e1', 'night-harbor': '10', 'stone-dripper': '' }),
    [],
  );
  assert.deepEqual(linesOf({ gold: '1', 'dawn-chorus': ['1', '2'] }), []);
});

test('recordPaid() accepts any amount of a top-up between its limits, and no other', () => {
  const store = new OrderStore();
  const { orderId } = store.openTopUp('C-1');
  for (const amount of ['4.99', '200.01', '50', '-50.00', '1e2']) {
    assert.equal(store.recordPaid(receipt(orderId, amount)), 'refused', amount);
  }
  assert.equal(store.recordPaid(receipt(orderId, '50.05')), 'recorded');
  assert.equal(store.recordPaid(receipt(orderId, '60.00')), 'refused');
  assert.equal(store.balance('C-1'), '50.05');
});

test('the balance of a coffee card is the sum of its owner’s paid top-ups', () => {
  const store = new OrderStore();
  const first = store.openTopUp('C-1');
  const second = store.openTopUp('C-1');
  store.openTopUp('C-1');
  store.recordPaid(receipt(first.orderId, '5.10'));
  store.recordPaid(receipt(second.orderId, '20.00'));
  assert.equal(store.balance('C-1'), '25.10');
  assert.equal(store.balance('C-2'), '0.00');
});

test('an order counts as refunded once less than one unit is left, and some went back', () => {
  const order = new OrderStore().openGoods('C-1', lines);
  const stateWith = (amount: string, sentBack: string) =>
    stateOf({ ...order, amount, paidAt: order.createdAt, back: { sentBack, onItsWay: '0.00', inDoubt: '0.00' } });
  assert.deepEqual(
    [stateWith('43.75', '43.00'), stateWith('43.75', '41.00'), stateWith('0.50', '0.00')],
    ['refunded', 'paid', 'paid'],
  );
});

test('10,000 unpaid baskets replace each other, but no paid order', () => {
  const store = new OrderStore();
  const paid = store.openGoods('C-1', lines);
  const unpaid = store.openGoods('C-1', lines);
  store.recordPaid(receipt(paid.orderId, '43.75'));
  for (let n = 0; n < 10_000; n += 1) store.openTopUp('C-2');
  assert.equal(store.find(paid.orderId, 'C-1'), paid);
  assert.equal(store.recordPaid(receipt(paid.orderId, '43.75')), 'already');
  assert.equal(store.find(unpaid.orderId, 'C-1'), undefined, 'the oldest of those that nobody paid');
  assert.equal(store.newest().length, 10_001);
});
