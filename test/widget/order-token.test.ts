import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { claimedOrder, readClaims } from '../../widget/shell/order-token.ts';
import { claimsOf, tokenOf } from './fake-proxy.ts';

describe('the order token, read', () => {
  it('gives the claims, in any script', () => {
    const claims = claimsOf({ description: 'Çay ☕ für zwei, ?>~' });
    assert.deepEqual(readClaims(tokenOf(claims)), claims);
  });

  for (const [name, text] of [
    ['empty text', ''],
    ['text without dots', 'abc'],
    ['a part that is no base64url', 'a.%%%.c'],
    ['a part that is no JSON', `a.${btoa('nonsense')}.c`],
    ['claims without an order id', tokenOf(claimsOf({ orderId: undefined }))],
    ['a currency that Intl would refuse', tokenOf(claimsOf({ currency: 'euros' }))],
  ] as const) {
    it(`takes ${name} for no token of ours`, () => assert.equal(readClaims(text), null));
  }

  it('shows DIRECT only where the customer is known to the merchant', () => {
    assert.deepEqual(claimedOrder(claimsOf({ customerReferenceNo: undefined })).methods, ['CHECKOUT', 'JETGO', 'QR']);
    assert.deepEqual(claimedOrder(claimsOf()).methods, ['DIRECT', 'CHECKOUT', 'JETGO', 'QR']);
    assert.deepEqual(claimedOrder(claimsOf({ methods: ['QR', 'DIRECT'] })).methods, ['QR', 'DIRECT']);
  });

  it('claims an order older than any that the proxy has', () => {
    const order = claimedOrder(claimsOf());
    assert.deepEqual([order.version, order.paid, order.payment, order.amount], [-1, false, null, '10.10']);
  });
});
