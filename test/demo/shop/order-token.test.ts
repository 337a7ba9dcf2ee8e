// The shop's order tokens, verified by an independent library.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { jwtVerify } from 'jose';
import { signOrder, type OrderClaims } from '../../../demo/shop/order-token.ts';
import { ORDER_SECRET } from './shop-fixture.ts';

const CLAIMS: OrderClaims = {
  orderId: 'ST-1',
  currency: 'EUR',
  amount: '14.50',
  returnUrl: 'https://stillwater.example/orders/ST-1',
  customerReferenceNo: 'C-1',
  language: 'en',
  description: 'Café, 250 g – “Dawn”',
  iat: 1_800_000_000,
  exp: 1_800_003_600,
};
const currentDate = new Date((CLAIMS.iat + 60) * 1000);
const keyOf = (secret: string) => new TextEncoder().encode(secret);

test('signOrder() makes a token that an independent library verifies, with the same claims', async () => {
  const token = signOrder(CLAIMS, ORDER_SECRET);
  const { payload, protectedHeader } = await jwtVerify(token, keyOf(ORDER_SECRET), {
    algorithms: ['HS256'],
    currentDate,
  });
  assert.deepEqual(payload, CLAIMS);
  assert.equal(protectedHeader.alg, 'HS256');
});

test('a token of signOrder() does not verify with another secret', async () => {
  const token = signOrder(CLAIMS, ORDER_SECRET);
  await assert.rejects(jwtVerify(token, keyOf(`${ORDER_SECRET}!`), { currentDate }), {
    code: 'ERR_JWS_SIGNATURE_VERIFICATION_FAILED',
  });
});
