// Health, readiness and metrics.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Refusal } from '../../../backend-proxy/errors.ts';
import type { Problem } from '../../../backend-proxy/protocol/wire.ts';
import { SECRETS, createWorld } from '../world.ts';

describe('health', () => {
  it('/healthz is ok while the process lives, even if the database is unavailable', async (t) => {
    const world = await createWorld(t, {
      wrapLedger: (ledger) => ({ ...ledger, ping: () => Promise.reject(new Refusal('unavailable', 'away')) }),
    });
    const response = await world.request('GET', '/healthz');
    assert.deepEqual([response.status, await response.json()], [200, { status: 'ok' }]);
    assert.equal((await world.request('GET', '/readyz')).status, 503);
  });

  it('/readyz is ready if the database can be written and the widget is built', async (t) => {
    const ready = await createWorld(t);
    assert.deepEqual(await (await ready.request('GET', '/readyz')).json(), { status: 'ready' });
    const unbuilt = await createWorld(t, { config: { widgetFolder: '/nowhere' } });
    const response = await unbuilt.request('GET', '/readyz');
    assert.deepEqual(
      [response.status, ((await response.json()) as Problem).detail],
      [503, 'The widget is not built: run `npm run build` first.'],
    );
  });
});

describe('metrics', () => {
  it('metrics are Prometheus text: each family with help and type, each sample a number', async (t) => {
    const world = await createWorld(t, { webhooks: true });
    await world.start(world.token(), { method: 'QR' });
    await world.start(world.token({ orderId: 'A-2' }), { method: 'QR' });
    await world.customer('approve', 'A-2');
    await world.settle();
    await world.merchant('POST', '/payouts', { orderId: 'P-1', amount: 5, currency: 'EUR', customer: '12345678' });
    await world.ipn('{}', 'wrong');
    const response = await world.request('GET', '/metrics', {
      headers: { Authorization: `Bearer ${SECRETS.merchant}` },
    });
    assert.equal(response.headers.get('content-type'), 'text/plain; version=0.0.4; charset=utf-8');
    const text = await response.text();
    assert.ok(text.endsWith('\n'));
    const sample =
      /^payment_proxy_[a-z_]+(\{[a-z]+="([^"\\\n]|\\["\\n])*"(,[a-z]+="([^"\\\n]|\\["\\n])*")*\})? [0-9]+$/;
    for (const line of text.trimEnd().split('\n'))
      assert.ok(/^# (HELP|TYPE) payment_proxy_/.test(line) || sample.test(line), line);
    for (const line of [
      'payment_proxy_requests_total{method="POST",route="/order/payments",status="201"} 2',
      'payment_proxy_requests_total{method="POST",route="/ipn/:secret",status="200"} 1',
      'payment_proxy_requests_total{method="POST",route="/ipn/:secret",status="404"} 1',
      'payment_proxy_requests_total{method="POST",route="/payouts",status="202"} 1',
      'payment_proxy_gateway_calls_total{operation="pay",outcome="accepted"} 2',
      'payment_proxy_gateway_calls_total{operation="payout",outcome="accepted"} 1',
      'payment_proxy_open_streams 0',
      'payment_proxy_transactions{type="PAY",status="PROCESSING"} 1',
      'payment_proxy_transactions{type="PAY",status="SUCCESS"} 1',
      'payment_proxy_transactions{type="PAYOUT",status="PROCESSING"} 1',
      'payment_proxy_transactions_needing_review 0',
      'payment_proxy_checks{state="planned"} 2',
      'payment_proxy_checks{state="due"} 0',
      'payment_proxy_checks_per_second 20',
      'payment_proxy_webhooks{state="delivered"} 1',
      '# TYPE payment_proxy_requests_total counter',
      '# TYPE payment_proxy_webhooks gauge',
    ]) {
      assert.ok(text.split('\n').includes(line), `${line} in\n${text}`);
    }
  });

  it('metrics contain no order, wallet, path or secret', async (t) => {
    const world = await createWorld(t);
    const token = world.token({ orderId: 'canary-order', customer: '99887766', customerReferenceNo: 'C' });
    await world.start(token, { method: 'CHECKOUT' });
    await world.request('GET', '/orders/canary-order', { headers: { Authorization: 'Bearer canary' } });
    await world.request('BREW', '/canary');
    const text = await (
      await world.request('GET', '/metrics', { headers: { Authorization: `Bearer ${SECRETS.merchant}` } })
    ).text();
    assert.doesNotMatch(text, /canary|99887766/);
    assert.match(text, /method="other"/);
  });
});
