// The fake proxy beside the real one: its tokens, its choice of methods, and that a browser can load it as one file.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { it } from 'node:test';
import { z } from 'zod';
import { orderClaimsShape } from '../../backend-proxy/orders/order-token.ts';
import { methodsOf } from '../../backend-proxy/protocol/wire.ts';
import { claimsOf, FakeProxy, type ClaimsChange } from '../../widget/testing/fake-proxy.ts';

it('the claims of a fake order are claims that the proxy takes', () => {
  z.strictObject({ ...orderClaimsShape, exp: z.int() }).parse(claimsOf({ walletName: 'Jeton' }));
});

it('a fake order offers the methods that the proxy would', () => {
  const rows: ClaimsChange[] = [{}, { customerReferenceNo: undefined }, { methods: ['QR', 'DIRECT'] }];
  for (const change of rows) {
    const { claims, view } = new FakeProxy(change);
    assert.deepEqual(view.methods, methodsOf(claims));
  }
});

it('the fake proxy imports nothing at run time', () => {
  const source = readFileSync(new URL('../../widget/testing/fake-proxy.ts', import.meta.url), 'utf8');
  assert.doesNotMatch(source, /^import (?!type )|\bimport\(/m);
});
