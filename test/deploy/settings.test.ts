// The settings of kubernetes.yaml, compose.yaml and payment-proxy.service, with the secrets of make-secrets.sh.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { it } from 'node:test';
import { configWarnings, readConfig } from '../../backend-proxy/config/config.ts';
import { temporaryFolder } from '../temporary-folder.ts';

const GIVEN = {
  GATEWAY_URL: 'https://gateway.example',
  ALLOWED_ORIGINS: 'https://shop.example',
  WEBHOOK_URL: 'http://shop',
};

for (const name of ['kubernetes.yaml', 'compose.yaml', 'payment-proxy.service']) {
  it(`the proxy starts with the settings of docs/deploy/${name}`, (t) => {
    const folder = temporaryFolder(t);
    writeFileSync(join(folder, 'gateway_api_key'), 'key-of-the-gateway');
    execFileSync('docs/deploy/make-secrets.sh', [folder, 'localhost']);
    const text = readFileSync(`docs/deploy/${name}`, 'utf8');
    const secrets = [
      ...text.matchAll(/\b(?!POSTGRES)([A-Z_]+_FILE)\W+(?:value: )?(?:%d|\/run\/secrets(?:\/payment-proxy)?)\/(\w+)/g),
    ];
    const values = [...text.matchAll(/name: ([A-Z_]+), value: '(.+)'/g)].map(([, variable, value]) => [
      variable,
      value,
    ]);
    const files = secrets.map(([, variable, file = '']) => [variable, join(folder, file)]);
    const env = { ...GIVEN, ...Object.fromEntries([...values, ...files]) };
    const config = readConfig(env);
    const unknown = Object.keys(env).filter((variable) => !(variable.replace(/_FILE$/, '') in config));
    assert.deepEqual([...unknown, ...configWarnings(env)], []);
    assert.ok(secrets.length >= 7, `${secrets.length} secrets`);
  });
}
