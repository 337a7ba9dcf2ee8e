// The lines of `check` and `doctor`.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { createReport, fail, ok, skipped, warn } from '../../../backend-proxy/commands/report.ts';
import { tryOrder, type Deployed } from '../../../backend-proxy/commands/doctor.ts';
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { runCommand } from '../../../backend-proxy/commands/command-line.ts';
import { readConfig } from '../../../backend-proxy/config/config.ts';

function reported(asJson: boolean, ...findings: Parameters<ReturnType<typeof createReport>['add']>) {
  const lines: string[] = [];
  const report = createReport((line) => void lines.push(line), asJson);
  for (const finding of findings) report.add(finding);
  return { code: report.end(), lines };
}

it('a report has a line for each finding, the remedy at its end, and the totals; its exit code is 1 for a FAIL', () => {
  const found = [
    ok('disk', '5 MB'),
    warn('clock', 'behind', 'set it'),
    fail('key', 'wrong', 'replace it'),
    skipped('x', 'y'),
  ];
  const { code, lines } = reported(false, found);
  assert.equal(code, 1);
  assert.deepEqual(lines, [
    'ok       disk: 5 MB',
    'warn     clock: behind -> set it',
    'FAIL     key: wrong -> replace it',
    'skipped  x: y',
    '1 ok, 1 warn, 1 FAIL, 1 skipped',
  ]);
  assert.equal(reported(false, found.slice(0, 2)).code, 0);
});

it('a report replaces the control characters of what another server says', () => {
  const evil = warn('readiness', 'all well\u001b[2K\r\nok\u009b health\u202e', 'none');
  const { lines } = reported(false, evil);
  assert.equal(lines[0], 'warn     readiness: all well [2K  ok  health  -> none');
  const [json = ''] = reported(true, evil).lines;
  assert.doesNotMatch(json, /[\p{Cc}\u202A-\u202E]/u);
  assert.deepEqual(JSON.parse(json), evil);
});

async function moneyAt(base: string, view: object): Promise<string> {
  const answer = { status: 200, headers: {}, body: Buffer.from(JSON.stringify(view)) };
  const deployed = {
    base: new URL(base),
    settings: { ORDER_SECRET: ['s'.repeat(32)], ALLOWED_ORIGINS: ['https://shop.example'] },
    visit: async () => answer,
  };
  const findings = await tryOrder(deployed as unknown as Deployed);
  return findings.find(({ about }) => about === 'money')?.result ?? 'none';
}

it('doctor fails a test gateway at a public address, and no other', async () => {
  assert.equal(await moneyAt('https://shop.example/pay/', { test: true }), 'FAIL');
  assert.equal(await moneyAt('https://shop.example/pay/', { test: false }), 'ok');
  assert.equal(await moneyAt('https://shop.example/pay/', {}), 'ok', 'a proxy of an earlier version');
  assert.equal(await moneyAt('http://127.0.0.1:8787/', { test: true }), 'ok');
});

it('init writes an environment that starts a proxy once the key is filled in, and replaces no file', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'init-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, '.env');
  const printed: string[] = [];
  const print = (line: string) => void printed.push(line);
  const init = () => runCommand(['init', file], { env: {}, print, printError: print });

  assert.equal(await init(), 0);
  const text = readFileSync(file, 'utf8');
  const env = {
    ...parseEnv(text.replaceAll('# WEBHOOK_SECRET', 'WEBHOOK_SECRET')),
    GATEWAY_API_KEY: 'k',
    WEBHOOK_URL: 'https://shop.example/hooks',
  };
  readConfig({ ...parseEnv(text), GATEWAY_API_KEY: 'k' });
  readConfig(env);
  assert.equal(statSync(file).mode & 0o777, 0o600);
  assert.match(printed.join('\n'), /fresh secrets.*GATEWAY_API_KEY/);
  for (const name of ['ORDER_SECRET', 'MERCHANT_API_KEY', 'WEBHOOK_SECRET'] as const) {
    const secret = (env as Record<string, string>)[name] ?? '';
    assert.ok(secret.length >= 32 && !printed.join().includes(secret), name);
  }

  assert.equal(await init(), 1);
  assert.match(printed.at(-1) ?? '', /exists already/);
  assert.equal(readFileSync(file, 'utf8'), text);
});
