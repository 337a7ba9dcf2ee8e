// The shop's few lines against an independent library: what they sign, any proxy must be able to verify.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { jwtVerify } from 'jose';
import { signOrder, type OrderClaims } from '../../../demo/shop/order-token.ts';

const SECRET = 'an order secret of more than 32 bytes';
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

test('an independent library verifies the token and reads the same claims', async () => {
  const token = signOrder(CLAIMS, SECRET);
  const { payload, protectedHeader } = await jwtVerify(token, keyOf(SECRET), { algorithms: ['HS256'], currentDate });
  assert.deepEqual(payload, CLAIMS);
  assert.equal(protectedHeader.alg, 'HS256');
});

test('the token does not verify under another secret', async () => {
  const token = signOrder(CLAIMS, SECRET);
  await assert.rejects(jwtVerify(token, keyOf(`${SECRET}!`), { currentDate }), {
    code: 'ERR_JWS_SIGNATURE_VERIFICATION_FAILED',
  });
});
