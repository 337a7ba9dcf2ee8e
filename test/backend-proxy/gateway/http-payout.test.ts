// payout() of the gateway adapter: the exact bytes of its request, and the interpretation of its answer.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { API, PAYOUT, scripted } from './scripted-gateway.ts';

describe('payout()', () => {
  it('payout() sends one POST with type JETGO and a whole amount', async (t) => {
    const { gateway, requests } = await scripted(t, { status: 202, body: { paymentId: 111328, orderId: 'P-1' } });
    assert.deepEqual(await gateway.payout(PAYOUT), { kind: 'accepted', answer: { paymentId: '111328' } });
    await gateway.payout({ ...PAYOUT, note: null });
    const body = '"orderId":"P-1","amount":50,"currency":"EUR","customer":"12345678","type":"JETGO"';
    assert.deepEqual(
      requests.map(({ url, body: sent }) => [url, sent]),
      [
        [`${API}/payout`, `{${body},"note":"Thank you"}`],
        [`${API}/payout`, `{${body}}`],
      ],
    );
  });

  it('payout() is lost if the answer names another order', async (t) => {
    const { gateway } = await scripted(t, { status: 202, body: { paymentId: 111328, orderId: 'P-2' } });
    assert.deepEqual(await gateway.payout(PAYOUT), { kind: 'lost', detail: 'undocumented answer' });
  });
});
