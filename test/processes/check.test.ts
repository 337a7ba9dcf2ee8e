// `payment-proxy check` as a process, beside a sandbox gateway.
import assert from 'node:assert/strict';
import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { it } from 'node:test';
import { leaksIn } from '../faults/canary-secrets.ts';
import { about, findingsIn, install, runCommand, runHere } from './command-kit.ts';

it('check finds a new installation in order, and makes no database and no transaction', async (t) => {
  const { env, databaseFile, gateway } = await install(t);
  const ended = await runCommand(t, ['check'], env);
  assert.equal(ended.code, 0, ended.out);
  assert.match(about(ended, 'database')[0] ?? '', /^ok .*does not exist yet/);
  assert.match(about(ended, 'gateway')[0] ?? '', /^ok .*accepts the key/);
  assert.ok(!existsSync(databaseFile));
  assert.deepEqual(await gateway.transactions(), []);
  assert.deepEqual(leaksIn(ended.out + ended.err), []);
});

it('check --json prints a JSON object for each finding, such as a misspelled variable', async (t) => {
  const { env } = await install(t);
  const { out } = await runHere(['check', '--json'], { ...env, ORDER_SECERT: 'canary' });
  assert.match(out, /"warn","about":"configuration","says":"ORDER_SECERT .*ORDER_SECRET/);
  assert.doesNotMatch(out, /canary/);
  const found = out.trimEnd().split('\n').map((line) => JSON.parse(line) as Record<string, string>); // prettier-ignore
  assert.ok(found.some(({ result, about: subject }) => result === 'ok' && subject === 'gateway'));
});

it('check says what each key of the merchant may do, and shows no key', async (t) => {
  const { env } = await install(t);
  const ended = await runHere(['check'], { ...env, MERCHANT_KEYS: `shop:orders+read:${'canary'.repeat(6)}` });
  assert.deepEqual(about(ended, 'merchant API'), [
    'ok the key merchant has the scopes orders, read, refunds, payouts, operate',
    'ok the key shop has the scopes orders, read',
  ]);
  assert.doesNotMatch(ended.out, /canary/);
});

it('check names every wrong variable in a line of its own, without its value, and fails', async (t) => {
  const { env } = await install(t);
  const wrong = { ...env, ORDER_SECRET: '', PORT: 'canary', ALLOWED_ORIGINS: 'canary' };
  const ended = await runHere(['check'], wrong);
  assert.equal(ended.code, 1);
  const named = about(ended, 'configuration').map((says) => /^FAIL ([A-Z_]+):/.exec(says)?.[1]);
  assert.deepEqual(named, ['ORDER_SECRET', 'ALLOWED_ORIGINS', 'PORT']);
  assert.deepEqual(findingsIn(ended).filter(({ result }) => result === 'skipped').length, 3);
  assert.doesNotMatch(ended.out + ended.err, /canary/);
});

it('check tells a refused key, an unreachable gateway, and words that the profile does not know apart', async (t) => {
  const { env, folder } = await install(t);
  writeFileSync(`${folder}/other.json`, '{"noSuchOrder": {"field": "code", "value": "NOT_HERE"}}');
  for (const [more, code, says] of [
    [{ GATEWAY_API_KEY: 'canary-of-a-wrong-key' }, 1, /^FAIL .* refuses the key \(HTTP 401\)/],
    [{ GATEWAY_URL: 'http://127.0.0.1:1' }, 1, /^FAIL .* cannot be reached \(ECONNREFUSED\)/],
    [{ GATEWAY_PROFILE: `${folder}/other.json` }, 0, /^warn .*\{"field": "code", "value": "UNKNOWN_ORDER"\}/],
  ] as const) {
    const ended = await runHere(['check'], { ...env, ...more });
    assert.match(about(ended, 'gateway')[0] ?? '', says);
    assert.equal(ended.code, code);
    assert.deepEqual(leaksIn(ended.out + ended.err), []);
  }
});

it('check says which payments are refunded, and how', async (t) => {
  const { env, folder } = await install(t);
  const refundsWith = async (profile: object) => {
    writeFileSync(`${folder}/other.json`, JSON.stringify(profile));
    return about(await runHere(['check'], { ...env, GATEWAY_PROFILE: `${folder}/other.json` }), 'refunds');
  };
  assert.deepEqual(await refundsWith({}), ["ok none, because the profile's refundAs allows no method"]);
  const refundAs = { JETGO: 'JETGO', QR: null };
  assert.deepEqual(await refundsWith({ refundAs }), ['ok the profile allows JETGO as JETGO, QR without a type']);
  const [weaker = ''] = await refundsWith({ refundAs, paths: { status: null } });
  assert.match(weaker, /^warn none, because only a status check names the payer/);
});

it('check finds a database of a newer version, one that others may read, and a file that is not a database', async (t) => {
  const { env, databaseFile, start } = await install(t);
  await (await start()).end();
  chmodSync(databaseFile, 0o644);
  const open = await runHere(['check'], env);
  assert.match(about(open, 'database').join('\n'), /^ok .*nothing to migrate\nwarn other users may read/);
  const database = new DatabaseSync(databaseFile);
  database.exec("update meta set value = '9' where key in ('schema', 'oldest')");
  database.close();
  const before = readFileSync(databaseFile);
  const newer = await runHere(['check'], env);
  assert.equal(newer.code, 1);
  assert.match(about(newer, 'database')[0] ?? '', /^FAIL .*newer version has changed this database \(schema 9/);
  assert.deepEqual(readFileSync(databaseFile), before);
  writeFileSync(databaseFile, 'not a database at all');
  const other = await runHere(['check'], env);
  assert.match(about(other, 'database')[0] ?? '', /^FAIL .*file is not a database/);
});

it('check refuses a webhook host that refuses connections', async (t) => {
  const { env } = await install(t);
  const WEBHOOK_SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
  for (const [WEBHOOK_URL, says] of [
    ['http://127.0.0.1:1/webhooks', /^FAIL 127\.0\.0\.1:1 refuses connections \(ECONNREFUSED\)/],
    [`${env['GATEWAY_URL']}/webhooks`, /^ok 127\.0\.0\.1:\d+ accepts connections/],
  ] as const) {
    const ended = await runHere(['check'], { ...env, WEBHOOK_URL, WEBHOOK_SECRET });
    assert.match(about(ended, 'webhooks')[0] ?? ended.out, says);
  }
});
