// The previews of the theme editor: what they answer must be what the proxy would, so that a state looks as it does in
// a shop. test/journeys/themes.test.ts shows them in a browser.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { z } from 'zod';
import { orderClaimsShape } from '../../../backend-proxy/orders/order-token.ts';
import type { OrderView } from '../../../backend-proxy/protocol/wire.ts';
import { STATES, answerTo, claimsOf } from '../../../demo/themes/preview.ts';
import { CODE, FakeProxy, paymentOf } from '../../widget/fake-proxy.ts';

const NOW = Date.parse('2026-11-20T12:00:00Z');

const answer = (state: string, path: string, init: RequestInit = {}) =>
  answerTo(new URL(`https://preview.invalid/${state}/${path}`), init, NOW);
const viewOf = async (state: string) => (await answer(state, 'order').json()) as OrderView;
const names = (value: object) => Object.keys(value).toSorted();

for (const state of Object.keys(STATES)) {
  it(`the preview "${state}" has every field of an order view, and of a payment`, async () => {
    const view = await viewOf(state);
    assert.deepEqual(names(view), names(new FakeProxy().view));
    if (view.payment) assert.deepEqual(names(view.payment), names(paymentOf('QR')));
  });
}

it('the token of a preview has only claims that the proxy knows, in their form', () => {
  const claims = z.strictObject({ ...orderClaimsShape, exp: z.int() });
  for (const state of Object.keys(STATES)) claims.parse(claimsOf(state, { walletName: 'Jeton' }, NOW));
});

it('the previews show a choice, a request, a code, a paid order and a failed one', async () => {
  const payments = await Promise.all(Object.keys(STATES).map(async (state) => (await viewOf(state)).payment));
  const shown = payments.map((payment) => payment && `${payment.method} ${payment.status}`);
  assert.deepEqual(shown, [null, 'DIRECT PROCESSING', 'QR PROCESSING', 'QR SUCCESS', 'DIRECT FAILED']);
  assert.equal((await viewOf('paid')).paid, true);
  assert.deepEqual((await viewOf('code')).payment?.qr, CODE);
});

it('the stream of a preview begins with the view and stays open', async () => {
  const { body, headers } = answer('wait', 'order/events');
  assert.equal(headers.get('content-type'), 'text/event-stream');
  const reader = body!.getReader();
  const { value } = await reader.read();
  const [, data = ''] = /^event: order\nid: 1\ndata: (.+)\n\n$/.exec(new TextDecoder().decode(value)) ?? [];
  assert.deepEqual(JSON.parse(data), await viewOf('wait'));
  const next = await Promise.race([reader.read(), new Promise((resolve) => setImmediate(resolve, 'open'))]);
  assert.equal(next, 'open');
});

it('a payment that is started in a preview shows its method’s next state', async () => {
  const started = answer('choose', 'order/payments', { method: 'POST', body: '{"method":"QR"}' });
  const view = (await started.json()) as OrderView;
  assert.deepEqual([view.version, view.payment?.qr], [2, CODE]);
});
