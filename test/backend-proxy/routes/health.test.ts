// For operators and pages: health, readiness, metrics, the widget's files, the OpenAPI document.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { brotliDecompressSync } from 'node:zlib';
import { Refusal, REFUSALS } from '../../../backend-proxy/errors.ts';
import type { Problem } from '../../../backend-proxy/protocol/wire.ts';
import { readWidgetFiles } from '../../../backend-proxy/routes/widget-files.ts';
import { SECRETS, SHOP, createWorld, readDocument } from '../world.ts';

const BUILT = [
  'LICENSES.txt',
  'integrity.json',
  'later-Ab12_-xY.js',
  'later-Ab12_-xY.js.map',
  'locale-de.js',
  'locale-longword.js',
  'locale-zh-Hant.js',
  'locale-zh-Hant.js.map',
  'widget.js',
  'widget.js.map',
];
const WIDGET = 'export const widget = "ä";\n'.repeat(20);

function widgetFolder(t: TestContext, names: string[] = [...BUILT, 'notes.txt', '.env']): string {
  const around = mkdtempSync(join(tmpdir(), 'widget-'));
  t.after(() => rmSync(around, { recursive: true }));
  writeFileSync(join(around, 'package.json'), '{}');
  const folder = join(around, 'widget');
  mkdirSync(folder);
  for (const name of names) writeFileSync(join(folder, name), WIDGET);
  return folder;
}

describe('health', () => {
  it('is ok while the process lives, also where the books are away', async (t) => {
    const world = await createWorld(t, {
      wrapLedger: (ledger) => ({ ...ledger, ping: () => Promise.reject(new Refusal('unavailable', 'away')) }),
    });
    const response = await world.request('GET', '/healthz');
    assert.deepEqual([response.status, await response.json()], [200, { status: 'ok' }]);
    assert.equal((await world.request('GET', '/readyz')).status, 503);
  });

  it('is ready when the books can be written and the widget is built', async (t) => {
    const ready = await createWorld(t);
    assert.deepEqual(await (await ready.request('GET', '/readyz')).json(), { status: 'ready' });
    const unbuilt = await createWorld(t, { config: { widgetFolder: '/nowhere' } });
    const response = await unbuilt.request('GET', '/readyz');
    assert.deepEqual(
      [response.status, ((await response.json()) as Problem).detail],
      [503, 'The widget is not built: run npm run build.'],
    );
  });
});

describe('metrics', () => {
  it('are Prometheus text: each family with its help and type, each sample a number', async (t) => {
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

  it('tell of nobody: no order, wallet, path or secret is in them', async (t) => {
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

describe("the widget's files", () => {
  it('are for pages of any origin, with integrity, and cached by what their names promise', async (t) => {
    const world = await createWorld(t, { config: { widgetFolder: widgetFolder(t) } });
    const named = 'public, max-age=60';
    const hashed = 'public, max-age=31536000, immutable';
    for (const [name, type, cache] of [
      ['widget.js', 'text/javascript; charset=utf-8', named],
      ['widget.js.map', 'application/json', named],
      ['integrity.json', 'application/json', named],
      ['LICENSES.txt', 'text/plain; charset=utf-8', named],
      ['locale-de.js', 'text/javascript; charset=utf-8', named],
      ['locale-longword.js', 'text/javascript; charset=utf-8', named],
      ['locale-zh-Hant.js', 'text/javascript; charset=utf-8', named],
      ['locale-zh-Hant.js.map', 'application/json', named],
      ['later-Ab12_-xY.js', 'text/javascript; charset=utf-8', hashed],
      ['later-Ab12_-xY.js.map', 'application/json', hashed],
    ] as const) {
      for (const origin of [SHOP, 'https://anyone.example']) {
        const response = await world.request('GET', `/${name}?v=1`, { headers: { Origin: origin } });
        assert.equal(response.status, 200, name);
        assert.equal(await response.text(), WIDGET);
        const header = (key: string) => response.headers.get(key);
        assert.deepEqual(
          [
            header('content-type'),
            header('cache-control'),
            header('access-control-allow-origin'),
            header('cross-origin-resource-policy'),
            header('x-content-type-options'),
            header('vary'),
          ],
          [type, cache, '*', 'cross-origin', 'nosniff', 'Accept-Encoding'],
        );
      }
    }
  });

  it('come as Brotli where it is taken, and as nothing where the browser has them', async (t) => {
    const world = await createWorld(t, { config: { widgetFolder: widgetFolder(t) } });
    const compressed = await world.request('GET', '/widget.js', {
      headers: { 'Accept-Encoding': 'gzip, deflate, br' },
    });
    assert.equal(compressed.headers.get('content-encoding'), 'br');
    assert.equal(brotliDecompressSync(Buffer.from(await compressed.arrayBuffer())).toString(), WIDGET);
    const etag = compressed.headers.get('etag') ?? '';
    assert.equal(etag, `"${createHash('sha256').update(WIDGET).digest('base64url').slice(0, 22)}"`);
    const again = await world.request('GET', '/widget.js', { headers: { 'If-None-Match': etag } });
    assert.deepEqual(
      [again.status, await again.text(), again.headers.get('access-control-allow-origin')],
      [304, '', '*'],
    );
    assert.equal((await world.request('GET', '/widget.js', { headers: { 'If-None-Match': '"other"' } })).status, 200);
    assert.equal((await world.request('HEAD', '/widget.js')).status, 200);
  });

  it('are the built ones only: nothing else of the folder or outside of it', async (t) => {
    const world = await createWorld(t, { config: { widgetFolder: widgetFolder(t) } });
    for (const path of [
      '/notes.txt',
      '/.env',
      '/nothing.js',
      '/../package.json',
      '/%2e%2e%2fpackage.json',
      '/..%5cpackage.json',
      '/widget.js%00',
      '/widget.js/',
      '/constructor',
      '/__proto__.js',
      '/later-Ab12_-xY.js/x',
    ]) {
      assert.equal((await world.request('GET', path)).status, 404, path);
    }
    assert.deepEqual([...readWidgetFiles(widgetFolder(t)).keys()].toSorted(), BUILT);
    assert.equal(readWidgetFiles('/nowhere').size, 0);
  });
});

describe('what is nowhere', () => {
  it('is a problem document of 404', async (t) => {
    const world = await createWorld(t);
    for (const [method, path] of [
      ['GET', '/'],
      ['GET', '/nowhere'],
      ['PUT', '/order'],
      ['DELETE', '/orders/A'],
      ['GET', '/order/payments'],
      ['GET', '/wp-login.php'],
      ['POST', '/webhooks'],
    ] as const) {
      const headers = { Authorization: `Bearer ${SECRETS.merchant}` };
      const response = await world.request(method, path, { headers });
      assert.equal(response.status, 404, `${method} ${path}`);
      assert.equal(response.headers.get('content-type'), 'application/problem+json');
    }
  });
});

describe('a problem', () => {
  it('has the promised fields, its request id in the header and in the log, and is not cached', async (t) => {
    const world = await createWorld(t);
    const response = await world.request('GET', '/order', { headers: { Authorization: 'Bearer x' } });
    const problem = (await response.json()) as Problem;
    assert.deepEqual(
      { ...problem, detail: '', requestId: '' },
      {
        type: 'about:blank',
        title: 'The order token is not valid',
        status: 401,
        detail: '',
        code: 'invalid_token',
        retryable: false,
        requestId: '',
      },
    );
    assert.equal(response.headers.get('x-request-id'), problem.requestId);
    assert.equal(response.headers.get('cache-control'), 'no-store');
    assert.ok(world.log.some(({ event, requestId }) => event === 'request' && requestId === problem.requestId));
  });

  it('of our own making says nothing of it to the caller, and where it was to the log', async (t) => {
    const world = await createWorld(t, {
      wrapLedger: (ledger) => ({
        ...ledger,
        order: () => Promise.reject(Object.assign(new TypeError('canary of a secret'), { code: 'E_CODE' })),
      }),
    });
    const response = await world.request('GET', '/order', { headers: { Authorization: `Bearer ${world.token()}` } });
    const problem = (await response.json()) as Problem;
    assert.deepEqual([response.status, problem.code, problem.retryable], [500, 'internal', true]);
    assert.doesNotMatch(JSON.stringify([problem, world.log]), /canary/);
    const line = world.log.find(({ event }) => event === 'request failed');
    assert.equal(line?.['requestId'], problem.requestId);
    assert.match(String(line?.['error']), /^TypeError E_CODE .*at /);
    assert.ok(world.log.some(({ event, level }) => event === 'request' && level === 'warn'));
  });

  it('has one status, title and answer to "may I try again?" for each code', () => {
    const retryable = Object.entries(REFUSALS).flatMap(([code, kind]) => (kind.retryable ? [code] : []));
    assert.deepEqual(retryable, ['too_many_requests', 'internal', 'unavailable', 'too_many_streams']);
    const statuses = Object.fromEntries(Object.entries(REFUSALS).map(([code, { status }]) => [code, status]));
    assert.deepEqual(statuses, {
      invalid_request: 400,
      invalid_token: 401,
      token_expired: 401,
      unauthorized: 401,
      forbidden_origin: 403,
      not_found: 404,
      already_paid: 409,
      order_changed: 409,
      no_review_needed: 409,
      order_id_taken: 409,
      payload_too_large: 413,
      unsupported_media_type: 415,
      method_unavailable: 422,
      idempotency_key_reused: 422,
      too_many_payments: 429,
      too_many_requests: 429,
      internal: 500,
      unavailable: 503,
      too_many_streams: 503,
    });
  });
});

describe('/openapi.json', () => {
  it('is OpenAPI 3.1 in which every reference leads somewhere and every path parameter is described', async (t) => {
    const world = await createWorld(t);
    const document = await readDocument(world.proxy);
    assert.equal(document.openapi, '3.1.0');
    const references = [...JSON.stringify(document).matchAll(/"#\/components\/schemas\/([^"]+)"/g)].map(
      ([, name = '']) => name,
    );
    assert.ok(references.length > 20);
    for (const name of references) assert.ok(document.components.schemas[name], name);
    for (const [path, operations] of Object.entries(document.paths)) {
      for (const [method, operation] of Object.entries(operations)) {
        const name = `${method} ${path}`;
        assert.ok(operation.summary, name);
        const inPath = (operation.parameters ?? []).filter((parameter) => parameter.in === 'path');
        assert.deepEqual(
          inPath.map((parameter) => `{${parameter.name}}`),
          path.match(/\{[^}]+\}/g) ?? [],
          name,
        );
        assert.ok(
          inPath.every(({ required }) => required),
          name,
        );
        for (const scheme of operation.security ?? []) {
          for (const used of Object.keys(scheme))
            assert.ok(document.components.securitySchemes[used], `${name}: ${used}`);
        }
        for (const [status, response] of Object.entries(operation.responses)) {
          assert.match(status, /^[1-5][0-9]{2}$/, name);
          assert.ok(response.description, `${name} ${status}`);
          if (Number(status) >= 400)
            assert.deepEqual(Object.keys(response.content ?? {}), ['application/problem+json'], `${name} ${status}`);
        }
        assert.ok(operation.responses['500'] && operation.responses['503'], name);
      }
    }
  });

  it('has every promised route', async (t) => {
    const world = await createWorld(t);
    const { paths } = await readDocument(world.proxy);
    const routes = Object.entries(paths).flatMap(([path, operations]) =>
      Object.keys(operations).map((method) => `${method.toUpperCase()} ${path}`),
    );
    assert.deepEqual(routes.toSorted(), [
      'GET /healthz',
      'GET /ipns',
      'GET /metrics',
      'GET /order',
      'GET /order/events',
      'GET /orders/{orderId}',
      'GET /payouts/{orderId}',
      'GET /readyz',
      'GET /transactions',
      'GET /webhooks',
      'GET /widget.js',
      'POST /ipn/{secret}',
      'POST /order/payments',
      'POST /orders',
      'POST /payouts',
      'POST /transactions/{gatewayOrderId}/resolve',
      'POST /webhooks/{id}/redeliver',
    ]);
  });

  it('says where the proxy is: PUBLIC_URL, or in the server that was asked, whatever Host it was asked by', async (t) => {
    const here = await createWorld(t);
    const read = async (world: typeof here, url: string) =>
      ((await (await world.proxy.app.request(url)).json()) as { servers: unknown }).servers;
    assert.deepEqual(await read(here, 'https://pay.example/openapi.json?x'), [{ url: '/' }]);
    const answer = await here.proxy.app.request('http://127.0.0.1/openapi.json', { headers: { Host: 'evil.example' } });
    assert.equal(answer.headers.get('cache-control'), 'public, max-age=60');
    assert.doesNotMatch(await answer.text(), /evil\.example|127\.0\.0\.1/);
    const there = await createWorld(t, { config: { publicUrl: 'https://pay.example/base/' } });
    assert.deepEqual(await read(there, 'http://127.0.0.1:8787/openapi.json'), [{ url: 'https://pay.example/base' }]);
  });
});
