// Health, readiness and metrics.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { readFileSync } from 'node:fs';
import { Refusal, unavailable } from '../../../backend-proxy/errors.ts';
import type { Checked } from '../../../backend-proxy/gateway/gateway.ts';
import type { Claim } from '../../../backend-proxy/ledger/model.ts';
import type { Problem } from '../../../backend-proxy/protocol/wire.ts';
import { VERSION } from '../../../backend-proxy/installation.ts';
import { SECRETS, createWorld, type World } from '../world.ts';
import { differing, endCheck } from '../ledger/ledger-kit.ts';
import type { Warning } from '../../../backend-proxy/protocol/log.ts';
import { createWarnings } from '../../../backend-proxy/routes/health.ts';
import { M } from '../time.ts';

async function claimOf(world: World): Promise<Claim> {
  world.skip(20_000);
  const [claim] = await world.ledger.claimChecks(1, 1_000);
  return claim ?? assert.fail('no check is due');
}

function assertLines(text: string, lines: string[]): void {
  for (const line of lines) assert.ok(text.split('\n').includes(line), `${line} in\n${text}`);
}

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

it('/readyz really writes, at most once a second however often it is asked, and notices a database that cannot', async (t) => {
  let writes = 0;
  let isFull = false;
  const world = await createWorld(t, {
    wrapLedger: (ledger) => ({
      ...ledger,
      async ping() {
        writes += 1;
        if (isFull) throw unavailable(new Error('database or disk is full'));
        await ledger.ping();
      },
    }),
  });
  const ask = async () => (await world.request('GET', '/readyz')).status;
  const pingedAt = () => world.rows<{ value: string }>(`select value from meta where key = 'pinged_at'`)[0]?.value;
  const before = pingedAt();
  assert.deepEqual(await Promise.all([ask(), ask(), ask()]), [200, 200, 200]);
  await world.metrics();
  assert.equal(writes, 1);
  assert.ok(Number(pingedAt()) > Number(before));
  isFull = true;
  assert.equal(await ask(), 200, 'within the second');
  world.skip(1_000);
  assert.deepEqual([await ask(), await ask(), writes], [503, 503, 2]);
  isFull = false;
  world.skip(1_000);
  assert.equal(await ask(), 200);
});

it('/readyz warns of a clock that is off by more than a second, of a refused key', async (t) => {
  let offsetMs: number | undefined;
  let answer: Checked | undefined;
  const world = await createWorld(t, {
    wrapGateway: (gateway) => ({
      ...gateway,
      clockOffset: () => offsetMs,
      status: async (...call) => answer ?? (await gateway.status!(...call)),
    }),
  });
  const warnings = async () => {
    world.skip(1_000);
    return ((await (await world.request('GET', '/readyz')).json()) as { warnings?: string[] }).warnings;
  };
  assert.equal(await warnings(), undefined);
  assert.doesNotMatch(await world.metrics(), /gateway_clock_offset_seconds [-\d]/);
  assert.match(await world.metrics(), /^payment_proxy_database_disk_free_bytes [1-9]/m);
  for (const [ms, expected] of [
    [-1_000, undefined],
    [-601_000, ["The gateway's clock is 601000 ms behind this process's."]],
    [1_001, ["The gateway's clock is 1001 ms ahead of this process's."]],
  ] as const) {
    offsetMs = ms;
    assert.deepEqual(await warnings(), expected);
    assertLines(await world.metrics(), [`payment_proxy_gateway_clock_offset_seconds ${ms / 1000}`]);
  }
  offsetMs = 0;
  await world.start(world.token(), { method: 'QR' });
  for (const detail of ['HTTP 401 INVALID_API_KEY', 'HTTP 403']) {
    answer = { kind: 'unavailable', detail };
    await world.pass(20_000);
    assert.deepEqual(await warnings(), ['The gateway refuses the key: set GATEWAY_API_KEY.']);
  }
  answer = undefined;
  await world.pass(60_000);
  assert.equal(await warnings(), undefined);
});

it('/readyz says what is wrong and what to do, and only the log and the operator have names and codes', async (t) => {
  const [path, host] = ['/srv/payments.db', 'other.example/api'];
  let failure: Refusal | undefined;
  let owner: string | undefined;
  const world = await createWorld(t, {
    wrapLedger: (ledger) => ({
      ...ledger,
      ping: async () => (failure ? Promise.reject(failure) : ledger.ping()),
      ownerMismatch: () => owner,
      databaseWarnings: async () => [{ warning: 'A copy was left: delete it.', detail: path }],
    }),
  });
  const ask = async () => {
    world.skip(1_000);
    const answer = await world.request('GET', '/readyz');
    const { detail, warnings } = (await answer.json()) as Partial<Problem> & { warnings?: string[] };
    return detail ?? warnings;
  };
  assert.deepEqual(await ask(), ['A copy was left: delete it.']);
  failure = unavailable(Object.assign(new Error(`unable to open ${path}`), { code: 'SQLITE_CANTOPEN' }));
  assert.equal(await ask(), 'The database cannot be written: the log says why.');
  failure = undefined;
  owner = `the database belongs to the gateway ${host}`;
  const why = 'the database is used with another gateway: the log names both';
  assert.equal(await ask(), `No payments are started, because ${why}.`);
  const logged = JSON.stringify(world.log);
  for (const name of [path, host, 'CANTOPEN']) assert.ok(logged.includes(name), name);
  owner = undefined;
  world.skip(1_000);
  assert.equal((await world.proxy.readiness()).warnings[0]?.detail, path);
});

it('/readyz is 503 as soon as the proxy drains, and everything else is served', async (t) => {
  const world = await createWorld(t, {
    wrapLedger: (ledger) => ({ ...ledger, ping: () => assert.fail('a stopping proxy asks no database') }),
  });
  world.proxy.drain();
  const response = await world.request('GET', '/readyz');
  const { code, retryable, detail } = (await response.json()) as Problem;
  assert.deepEqual([response.status, code, retryable, detail], [503, 'unavailable', true, 'The proxy is stopping.']);
  assert.equal((await world.request('GET', '/healthz')).status, 200);
  assert.equal((await world.start(world.token(), { method: 'QR' })).status, 201);
});

it('metrics are Prometheus text: each family with help and type, each sample a number', async (t) => {
  const world = await createWorld(t, { webhooks: true });
  await world.start(world.token(), { method: 'QR' });
  await world.paid({ orderId: 'A-2' });
  await world.merchant('POST', '/payouts', { orderId: 'P-1', amount: 5, currency: 'EUR', customer: '12345678' });
  await world.ipn('{}', 'wrong');
  const response = await world.request('GET', '/metrics', {
    headers: { Authorization: `Bearer ${SECRETS.merchant}` },
  });
  assert.equal(response.headers.get('content-type'), 'text/plain; version=0.0.4; charset=utf-8');
  const text = await response.text();
  assert.ok(text.endsWith('\n'));
  const sample =
    /^(payment_proxy|process|nodejs)_[a-z0-9_]+(\{[a-z]+="([^"\\\n]|\\["\\n])*"(,[a-z]+="([^"\\\n]|\\["\\n])*")*\})? (-?[0-9.]+(e[+-]?[0-9]+)?|Nan)$/;
  for (const line of text.trimEnd().split('\n'))
    assert.ok(line === '' || /^# (HELP|TYPE) (payment_proxy|process|nodejs)_/.test(line) || sample.test(line), line);
  assertLines(text, [
    'payment_proxy_requests_total{method="POST",route="/order/payments",status="201"} 2',
    'payment_proxy_requests_total{method="POST",route="/ipn/:secret",status="200"} 1',
    'payment_proxy_requests_total{method="POST",route="/ipn/:secret",status="404"} 1',
    'payment_proxy_requests_total{method="POST",route="/payouts",status="202"} 1',
    'payment_proxy_gateway_calls_total{operation="pay",outcome="accepted"} 2',
    'payment_proxy_gateway_calls_total{operation="payout",outcome="accepted"} 1',
    'payment_proxy_open_streams 0',
    'payment_proxy_transactions{type="PAY",status="PROCESSING"} 1',
    'payment_proxy_transactions{type="PAYOUT",status="PROCESSING"} 1',
    'payment_proxy_transactions_needing_review 0',
    'payment_proxy_checks{state="planned"} 2',
    'payment_proxy_checks{state="due"} 0',
    'payment_proxy_checks_per_second 20',
    'payment_proxy_webhooks{state="pending"} 0',
    '# TYPE payment_proxy_requests_total counter',
    '# TYPE payment_proxy_webhooks gauge',
  ]);
});

it('metrics name the running version, and measure requests, gateway calls, writes, deliveries and the process', async (t) => {
  const world = await createWorld(t, { webhooks: true });
  world.receiver.answers = [500, 410];
  await world.start(world.token(), { method: 'QR' });
  await world.customer('approve', 'A-1');
  await world.pass(10_000);
  const text = await world.metrics();
  assertLines(text, [
    `payment_proxy_build_info{version="${VERSION}"} 1`,
    'payment_proxy_ready 1',
    'payment_proxy_request_duration_seconds_count{method="POST",route="/order/payments",status="2xx"} 1',
    'payment_proxy_gateway_call_duration_seconds_count{operation="pay",outcome="accepted"} 1',
    'payment_proxy_transactions_started_total{type="PAY",method="QR"} 1',
    'payment_proxy_transactions_ended_total{type="PAY",method="QR",outcome="SUCCESS"} 1',
    'payment_proxy_ipn_to_settled_seconds_count{type="PAY"} 1',
    'payment_proxy_ipns_total{outcome="matched"} 1',
    'payment_proxy_webhook_deliveries_total{outcome="failed"} 1',
    'payment_proxy_webhook_deliveries_total{outcome="dead"} 1',
    'payment_proxy_webhook_delivery_duration_seconds_count{outcome="failed"} 1',
    'payment_proxy_webhook_age_seconds_count 0',
  ]);
  assert.match(text, /^payment_proxy_database_write_duration_seconds_count [1-9]/m);
  assert.match(text, /^payment_proxy_clock_offset_seconds -?0/m);
  assert.match(text, /^process_resident_memory_bytes [1-9]/m);
});

it('counters that alerts ask for begin at 0, and count each flag, each wrong secret and each unmatched IPN', async (t) => {
  const world = await createWorld(t);
  const before = await world.metrics();
  assertLines(before, [
    'payment_proxy_transactions_flagged_total{type="PAY",flag="mismatch"} 0',
    'payment_proxy_transactions_ended_total{type="PAYOUT",method="none",outcome="SUCCESS"} 0',
    'payment_proxy_ipns_total{outcome="wrong_secret"} 0',
    'payment_proxy_webhook_deliveries_total{outcome="dead"} 0',
  ]);
  await world.start(world.token(), { method: 'QR' });
  await endCheck(world.ledger, await claimOf(world), differing());
  await world.ipn({ orderId: 'B-9', type: 'PAY', status: 'SUCCESS' });
  await world.ipn('no JSON');
  await world.ipn('{}', 'x'.repeat(30));
  const after = await world.metrics();
  assertLines(after, [
    'payment_proxy_transactions_flagged_total{type="PAY",flag="mismatch"} 1',
    'payment_proxy_transactions_flagged_total{type="PAY",flag="needs_review"} 1',
    'payment_proxy_ipns_total{outcome="unmatched"} 1',
    'payment_proxy_ipns_total{outcome="unreadable"} 1',
    'payment_proxy_ipns_total{outcome="wrong_secret"} 1',
  ]);
});

it('metrics of the process are shown while the database is away, and those of the database are not', async (t) => {
  const world = await createWorld(t, {
    wrapLedger: (ledger) => ({
      ...ledger,
      ping: () => Promise.reject(new Refusal('unavailable', 'away')),
      counts: () => Promise.reject(new Refusal('unavailable', 'away')),
    }),
  });
  await world.request('GET', '/healthz');
  const text = await world.metrics();
  assert.match(text, /^payment_proxy_ready 0$/m);
  assert.match(text, /^payment_proxy_requests_total\{method="GET",route="\/healthz",status="200"\} 1$/m);
  assert.doesNotMatch(
    text,
    /^payment_proxy_(transactions_needing_review|unmatched_ipns|webhook_oldest_pending_seconds) /m,
  );
});

it('metrics contain no order, wallet, path or secret', async (t) => {
  const world = await createWorld(t);
  const token = world.token({ orderId: 'canary-order', customer: '99887766', customerReferenceNo: 'C' });
  await world.start(token, { method: 'CHECKOUT' });
  await world.request('GET', '/orders/canary-order', { headers: { Authorization: 'Bearer canary' } });
  await world.request('BREW', '/canary');
  const text = await world.metrics();
  assert.doesNotMatch(text, /canary|99887766/);
  assert.match(text, /method="other"/);
});

it('/metrics has each metric that the alerts and the dashboard ask for', async (t) => {
  const world = await createWorld(t, { webhooks: true });
  const headers = { Authorization: `Bearer ${SECRETS.merchant}` };
  const text = await (await world.request('GET', '/metrics', { headers })).text();
  const asked = ['alerts.yml', 'grafana-dashboard.json'].flatMap((name) => {
    const queries = readFileSync(`docs/monitoring/${name}`, 'utf8');
    return [...queries.matchAll(/\b(payment_proxy_[a-z_]+|nodejs_[a-z0-9_]+|process_[a-z_]+)/g)].map(
      ([found]) => found,
    );
  });
  const missing = new Set(asked.filter((name) => !text.includes(`# TYPE ${name.replace(/_(bucket|sum)$/, '')} `)));
  assert.ok(asked.length > 50, `${asked.length} are asked for`);
  assert.deepEqual([...missing], []);
});

it('a warning of the database that comes up later is logged, once an hour', async (t) => {
  t.mock.timers.enable({ apis: ['setInterval'] });
  let time = 0;
  let ofDatabase: Warning[] = [];
  const lines: unknown[] = [];
  const none = () => [];
  const warnings = createWarnings({
    ledger: { clockOffset: async () => 0, databaseWarnings: async () => ofDatabase, reportUnmatched: async () => 0 },
    gateway: { clockOffset: () => 0 },
    watch: { warnings: none },
    proof: { wrongPaths: none },
    callers: { warnings: none },
    now: () => time,
    log: (level, event, fields) => void lines.push([level, event, fields]),
    onError: (error) => assert.fail(String(error)),
  });
  t.after(warnings.run());
  const pass = async (minutes: number) => {
    for (let n = 0; n < minutes; n += 1) {
      time += M;
      t.mock.timers.tick(M);
      await new Promise(setImmediate);
    }
  };
  await pass(2);
  const space = { warning: 'little space' };
  ofDatabase = [space];
  await pass(60);
  const rival = { warning: 'a rival', detail: 'db-2' };
  ofDatabase = [space, rival];
  await pass(1);
  const logged = [space, space, rival].map((warning) => ['warn', 'database warning', warning]);
  assert.deepEqual(lines, logged);
});
