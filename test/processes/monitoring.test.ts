// The dashboard and the alert rules against real output: a proxy with the sandbox and some traffic, scraped by a real
// Prometheus. Which alert fires when, `promtool` tells from alert-fixtures.yml.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { after, before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { FREE_PORTS, startStack, type Stack } from '../../demo/stack.ts';
import { buildWidgetIfStale } from '../../demo/widget-build.ts';
import { whyNoDebian } from '../debian-package.ts';
import { programOf, startPrometheus, type Prometheus } from './prometheus.ts';

const run = promisify(execFile);
const pathOf = (path: string) => fileURLToPath(new URL(path, import.meta.url));
const ALERTS = pathOf('../../docs/monitoring/alerts.yml');
const DASHBOARD = pathOf('../../docs/monitoring/grafana-dashboard.json');
const FIXTURES = pathOf('alert-fixtures.yml');
const METRICS_TOKEN = 'metrics-token-0123456789';
const DEADLINE_MS = 20_000;

/** Each metric of an expression, with its matchers. */
const SELECTOR = /\b(?:payment_proxy|process|nodejs)_\w+(?:\{[^}]*\})?|\bup\{[^}]*\}/g;

function dashboardQueries(): string[] {
  const { panels } = JSON.parse(readFileSync(DASHBOARD, 'utf8')) as { panels: { targets?: { expr: string }[] }[] };
  const all = panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr));
  return all.map((expr) => expr.replaceAll('$job', 'payment-proxy').replaceAll('$__rate_interval', '1m'));
}

const JSON_TYPE = { 'Content-Type': 'application/json' };

function post(url: string, body: object, headers: Record<string, string> = {}): Promise<Response> {
  return fetch(url, { method: 'POST', headers: { ...JSON_TYPE, ...headers }, body: JSON.stringify(body) });
}

/** Returns the headers of the order's shopper. */
async function startPayment({ proxy, shop, secrets }: Stack, orderId: string): Promise<Record<string, string>> {
  const terms = { orderId, amount: '10.10', currency: 'EUR', returnUrl: `${shop}/thanks` };
  const signed = await post(`${proxy}/orders`, terms, { Authorization: `Bearer ${secrets.merchantApiKey}` });
  const { token } = (await signed.json()) as { token: string };
  const shopper = { Authorization: `Bearer ${token}` };
  await post(`${proxy}/order/payments`, { method: 'QR' }, { ...shopper, 'Idempotency-Key': orderId });
  return shopper;
}

/** Something of everything that the queries ask for. */
async function causeTraffic(stack: Stack, round: number): Promise<void> {
  const { sandbox, proxy, secrets } = stack;
  const shopper = await startPayment(stack, `paid-${round}`);
  // One more than an order may have: 503.
  const streams = Array.from({ length: 4 }, () => fetch(`${proxy}/order/events`, { headers: shopper }));
  for (const { body } of await Promise.all(streams)) await body?.cancel();
  await post(`${sandbox}/_sandbox/transactions/paid-${round}/approve`, {});
  const payout = { orderId: `P-${round}`, amount: 5, currency: 'EUR', customer: '12345678' };
  await post(`${proxy}/payouts`, payout, { Authorization: `Bearer ${secrets.merchantApiKey}` });
  for (const [name, pay] of Object.entries({ lost: { dropAnswer: true }, refused: { status: 400 } })) {
    await post(`${sandbox}/_sandbox/faults`, { pay });
    await startPayment(stack, `${name}-${round}`);
  }
  await post(`${sandbox}/_sandbox/faults`, {});
  await post(`${proxy}/ipn/wrong`, {});
}

const skip = whyNoDebian() ?? false;
describe('monitoring', { skip }, () => {
  let stack: Stack;
  let prometheus: Prometheus;

  before(async () => {
    await buildWidgetIfStale();
    stack = await startStack({ ports: FREE_PORTS, env: { proxy: { METRICS_TOKEN } } });
    prometheus = await startPrometheus({ url: stack.proxy, token: METRICS_TOKEN }, ALERTS);
  });
  after(async () => {
    await prometheus?.stop();
    await stack?.stop();
  });

  it('every query of the dashboard and every metric of the alert rules finds something in real output', async () => {
    const rules = await prometheus.rules();
    const selectors = rules.flatMap(({ query }) => query.match(SELECTOR) ?? []);
    assert.ok(rules.length > 15 && selectors.length >= rules.length, `${rules.length} rules`);
    for (const { query } of rules) await prometheus.query(query);
    let empty = [...new Set([...dashboardQueries(), ...selectors])];
    assert.ok(empty.length > 50, `${empty.length} queries`);
    const deadline = Date.now() + DEADLINE_MS;
    for (let round = 1; empty.length > 0 && Date.now() < deadline; round += 1) {
      await causeTraffic(stack, round);
      const found = await Promise.all(empty.map((promql) => prometheus.query(promql)));
      empty = empty.filter((_, at) => found[at]?.length === 0);
    }
    assert.deepEqual(empty, []);
  });

  it('the alert rules are valid, and each fires at what it is for and not at a healthy proxy', async () => {
    const promtool = await programOf('promtool');
    await run(promtool, ['check', 'rules', ALERTS]);
    await run(promtool, ['test', 'rules', FIXTURES]);
    const alerts = [...readFileSync(ALERTS, 'utf8').matchAll(/- alert: (\w+)/g)].map(([, name = '']) => name);
    const tested = [...readFileSync(FIXTURES, 'utf8').matchAll(/alertname: (\w+)/g)].map(([, name = '']) => name);
    const twice = alerts.flatMap((name) => [name, name]);
    assert.deepEqual(
      tested.toSorted(),
      twice.toSorted(),
      'each alert has a fixture, and is among those of the healthy',
    );
  });
});
