import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { it } from 'node:test';
import { parseEnv } from 'node:util';
import { runCommand } from '../../../backend-proxy/commands/command-line.ts';
import { readConfig } from '../../../backend-proxy/config/config.ts';

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
