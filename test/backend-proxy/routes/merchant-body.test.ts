// The body of a merchant request: its type, size and keys, and which characters its texts may have.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { Problem } from '../../../backend-proxy/protocol/wire.ts';
import { SECRETS, createWorld } from '../world.ts';
import { ORDER, PAYOUT } from './merchant-kit.ts';

it('a body must be declared as JSON, be valid, have known keys only, and take at most 16 KB', async (t) => {
  const world = await createWorld(t);
  const auth = { Authorization: `Bearer ${SECRETS.merchant}` };
  for (const path of ['/orders', '/payouts']) {
    for (const type of [
      undefined,
      'text/plain',
      'application/x-www-form-urlencoded',
      'application/jsonp',
      'multipart/form-data',
    ]) {
      const response = await world.request('POST', path, {
        headers: { ...auth, ...(type && { 'Content-Type': type }) },
        body: JSON.stringify(PAYOUT),
      });
      assert.equal(response.status, 415, `${path} ${type}`);
    }
    for (const body of ['', '{', 'null', '[]', '"x"', '{"a":1,}', '\uFEFF{}']) {
      const { status } = await world.merchant<Problem>('POST', path, body);
      assert.equal(status, 400, `${path} ${body}`);
    }
    const large = await world.merchant<Problem>('POST', path, `{"a":"${'x'.repeat(16 * 1024)}"}`);
    assert.deepEqual([large.status, large.body.code], [413, 'payload_too_large']);
  }
  assert.deepEqual(world.rows('select * from transactions'), []);
});

it('a body may declare its character set', async (t) => {
  const world = await createWorld(t);
  for (const type of ['application/json; charset=utf-8', 'APPLICATION/JSON']) {
    const headers = { Authorization: `Bearer ${SECRETS.merchant}`, 'Content-Type': type };
    const response = await world.request('POST', '/orders', { headers, body: JSON.stringify(ORDER) });
    assert.equal(response.status, 201, type);
  }
});

const NO_TEXT = ['\0', 'a\nb', 'a\u001bb', 'a\u007fb', 'a\u0085b', 'a\u009fb', 'a\u202eb', '\u202a', 'a\u2066b\u2069'];
const TEXT = ['ünïcode – 日本語 🙂', 'שלום', 'a\u00a0b', '\u200fשלום', 'it\'s "fine" <b>'];

it('a note, description or reference with control characters or bidirectional marks is refused', async (t) => {
  const world = await createWorld(t);
  const texts = [
    ['/payouts', PAYOUT, 'note', 200],
    ['/orders', ORDER, 'description', 200],
    ['/orders', ORDER, 'customerReferenceNo', 64],
  ] as const;
  for (const [path, body, field, most] of texts) {
    const detail = `a string of 1 to ${most} characters, without control characters or bidirectional marks`;
    for (const text of NO_TEXT) {
      const refused = await world.merchant<Problem>('POST', path, { ...body, [field]: text });
      assert.deepEqual([refused.status, refused.body.errors], [400, [{ field, detail }]], JSON.stringify(text));
    }
  }
  for (const [n, note] of TEXT.entries()) {
    const payout = await world.merchant<{ note: string }>('POST', '/payouts', { ...PAYOUT, orderId: `T-${n}`, note });
    assert.deepEqual([payout.status, payout.body.note], [202, note]);
  }
});
