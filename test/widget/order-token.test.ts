import assert from 'node:assert/strict';
import { it } from 'node:test';
import { claimedOrder, readClaims } from '../../widget/shell/state.ts';
import { claimsOf, tokenOf } from '../../widget/testing/fake-proxy.ts';

it('readClaims() returns the claims, in any script', () => {
  const claims = claimsOf({ description: 'Çay ☕ für zwei, ?>~' });
  assert.deepEqual(readClaims(tokenOf(claims)), claims);
});

for (const [name, text] of [
  ['empty text', ''],
  ['text without dots', 'abc'],
  ['a part that is not base64url', 'a.%%%.c'],
  ['a part that is not JSON', `a.${btoa('nonsense')}.c`],
  ['claims without an order id', tokenOf(claimsOf({ orderId: undefined }))],
  ['a currency that Intl refuses', tokenOf(claimsOf({ currency: 'euros' }))],
] as const) {
  it(`readClaims() returns null for ${name}`, () => assert.equal(readClaims(text), null));
}

it('claimedOrder() offers DIRECT only if the token has customerReferenceNo', () => {
  assert.deepEqual(claimedOrder(claimsOf({ customerReferenceNo: undefined })).methods, ['CHECKOUT', 'JETGO', 'QR']);
  assert.deepEqual(claimedOrder(claimsOf()).methods, ['DIRECT', 'CHECKOUT', 'JETGO', 'QR']);
  assert.deepEqual(claimedOrder(claimsOf({ methods: ['QR', 'DIRECT'] })).methods, ['QR', 'DIRECT']);
});

it('claimedOrder() has a lower version than any view of the proxy', () => {
  const order = claimedOrder(claimsOf());
  assert.deepEqual([order.version, order.paid, order.payment, order.amount], [-1, false, null, '10.10']);
});
