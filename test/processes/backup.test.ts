// `payment-proxy backup` and `restore` as processes: under load, while the proxy runs, killed in between, and what the
// proxy does with a restored database.
import assert from 'node:assert/strict';
import {
  chmodSync,
  copyFileSync,
  existsSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { join, relative } from 'node:path';
import { describe, it } from 'node:test';
import { leaksIn } from '../faults/canary-secrets.ts';
import type { Running } from '../faults/processes.ts';
import { writeEmptyDatabase } from '../backend-proxy/ledger/empty-database.ts';
import { temporaryFolder } from '../temporary-folder.ts';
import { install, runCommand, runHere, type Installation } from './command-kit.ts';

const POSIX = { skip: process.platform === 'win32' && 'files have other rights and locks' };

async function payOut({ merchant }: Installation, proxy: Running, orderId: string): Promise<Record<string, unknown>> {
  const answer = await merchant(proxy, '/payouts', { orderId, amount: '14', currency: 'EUR', customer: '12345678' });
  assert.equal(answer.status, 202, orderId);
  return (await answer.json()) as Record<string, unknown>;
}

/** The ids of the payouts in the file, which must be whole. */
function payoutsIn(file: string): string[] {
  const database = new DatabaseSync(file);
  try {
    assert.equal(database.prepare('pragma integrity_check').get()?.['integrity_check'], 'ok');
    const rows = database.prepare("select id from transactions where type = 'PAYOUT' order by id").all();
    return rows.map(({ id }) => String(id));
  } finally {
    database.close();
  }
}

describe('payment-proxy backup and restore', POSIX, () => {
  it('a backup under load has all that was acknowledged before it, and after its restore no payout is sent twice', async (t) => {
    const installation = await install(t);
    const { env, folder, gateway } = installation;
    const file = join(folder, 'backup.db');
    const proxy = await installation.start();
    const acknowledged: string[] = [];
    let isLoading = true;
    const load = async (client: number) => {
      for (let n = 0; isLoading; n += 1) {
        await payOut(installation, proxy, `L-${client}-${n}`);
        acknowledged.push(`L-${client}-${n}`);
      }
    };
    const clients = [0, 1, 2].map(load);
    while (acknowledged.length < 10) await new Promise((resolve) => setTimeout(resolve, 10));
    const before = [...acknowledged];
    const made = await runCommand(t, ['backup', file], env);
    isLoading = false;
    await Promise.all(clients);
    assert.equal(made.code, 0, made.err);
    assert.match(made.out, /backup\.db: 0 orders, \d+ transactions, \d+ bytes, checked\n$/);
    assert.equal((statSync(file).mode & 0o777).toString(8), '600');
    const kept = new Set(payoutsIn(file));
    const lost = before.filter((id) => !kept.has(id));
    assert.deepEqual(lost, []);

    await payOut(installation, proxy, 'after');
    const running = await runCommand(t, ['restore', file], env);
    assert.deepEqual([running.code, /is in use: stop the proxy/.test(running.err)], [1, true], running.err);
    assert.ok(payoutsIn(installation.databaseFile).includes('after'), 'the refused restore has changed nothing');
    await proxy.end();

    const restored = await runCommand(t, ['restore', file], env);
    assert.equal(restored.code, 0, restored.err);
    const replaced = /^The replaced database is (.+)$/m.exec(restored.out)?.[1] ?? '';
    assert.ok(payoutsIn(replaced).includes('after'));
    assert.deepEqual(payoutsIn(installation.databaseFile), [...kept].toSorted());

    const again = await installation.start();
    assert.match(again.output(), /restored database: for 7 days/);
    for (const id of [...before, 'after']) await payOut(installation, again, id);
    const { history, needsReview } = await payOut(installation, again, 'after');
    assert.equal(needsReview, false);
    assert.match(JSON.stringify(history), /the gateway has it already/);
    const sent = (await gateway.transactions()).map(({ orderId, createRequests }) => ({ orderId, createRequests }));
    const repeated = sent.filter(({ createRequests }) => createRequests !== 1);
    assert.deepEqual(repeated, []);
    assert.ok(sent.some(({ orderId }) => orderId === 'after'));
    assert.deepEqual(leaksIn(made.out + restored.out + running.err), []);
  });

  it('a restore that is killed at any point leaves the old database or the new one, whole', async (t) => {
    const installation = await install(t);
    const { env, folder, databaseFile } = installation;
    const proxy = await installation.start();
    await payOut(installation, proxy, 'P-1');
    const file = join(folder, 'backup.db');
    assert.equal((await runHere(['backup', file], env)).code, 0);
    await payOut(installation, proxy, 'P-2');
    await proxy.end();
    const old = join(folder, 'old.db');
    copyFileSync(databaseFile, old);
    const preload = new URL('kill-at.ts', import.meta.url).href;
    const killedAt = async (at: number): Promise<{ code: number | null; payouts: string }> => {
      copyFileSync(old, databaseFile);
      const { code } = await runCommand(t, ['restore', file], { ...env, KILL_AT: String(at) }, { preload });
      const payouts = payoutsIn(databaseFile).join();
      for (const name of readdirSync(folder)) {
        if (/\.(restoring|replaced)-/.test(name)) rmSync(join(folder, name));
      }
      return { code, payouts };
    };
    // Right before the old database gets its second name, before the new one gets the first, and after that.
    for (const [at, payouts] of [
      [2, 'P-1,P-2'],
      [3, 'P-1,P-2'],
      [4, 'P-1'],
    ] as const) {
      assert.deepEqual(await killedAt(at), { code: null, payouts }, `killed at ${at}`);
    }
    if (process.env['LONG'] === undefined) return;
    for (let at = 0, code: number | null = null; code !== 0; at += 1) {
      assert.ok(at < 30, 'the restore ends');
      const ended = await killedAt(at);
      assert.equal(ended.payouts, at < 4 ? 'P-1,P-2' : 'P-1', `killed at ${at}`);
      ({ code } = ended);
    }
  });

  it('a process that opened the old database just before a restore cannot write it any more', async (t) => {
    const installation = await install(t);
    const { env, folder, databaseFile } = installation;
    await (await installation.start()).end();
    const file = join(folder, 'backup.db');
    assert.equal((await runHere(['backup', file], env)).code, 0);
    const late = new DatabaseSync(databaseFile);
    t.after(() => late.close());
    assert.equal((await runCommand(t, ['restore', file], env)).code, 0);
    assert.throws(() => late.exec('pragma journal_mode = wal'), /readonly database/);
  });

  it('restore refuses a missing file, one of another program, one of a newer version, and a damaged database', async (t) => {
    const installation = await install(t);
    const { env, folder, databaseFile } = installation;
    await (await installation.start()).end();
    const good = join(folder, 'good.db');
    assert.equal((await runHere(['backup', good], env)).code, 0);
    const newer = join(folder, 'newer.db');
    copyFileSync(good, newer);
    const database = new DatabaseSync(newer);
    database.exec("update meta set value = '9' where key in ('schema', 'oldest')");
    database.close();
    const other = join(folder, 'other.db');
    const foreign = new DatabaseSync(other);
    foreign.exec('create table notes (text)');
    foreign.close();
    const before = readFileSync(databaseFile);
    for (const [file, says] of [
      [join(folder, 'missing.db'), /does not exist/],
      [other, /not a database of the proxy/],
      [newer, /newer version has changed this database/],
      [databaseFile, /belongs to the database itself/],
    ] as const) {
      const ended = await runHere(['restore', file], env);
      assert.equal(ended.code, 1);
      assert.match(ended.err, says);
    }
    assert.deepEqual(readFileSync(databaseFile), before);
    writeFileSync(databaseFile, Buffer.alloc(8192, 1));
    const damaged = await runHere(['restore', good], env);
    assert.match(damaged.err, /is damaged .*move .* away/);
    rmSync(databaseFile);
    assert.equal((await runHere(['restore', good], env)).code, 0);
    assert.deepEqual(payoutsIn(databaseFile), []);
  });

  it('backup replaces no file, leaves nothing behind when it fails, and refuses a damaged database', async (t) => {
    const installation = await install(t);
    const { env, databaseFile } = installation;
    const folder = temporaryFolder(t);
    const file = join(folder, 'backup.db');
    const missing = await runHere(['backup', file], env);
    assert.deepEqual([missing.code, /does not exist/.test(missing.err), readdirSync(folder)], [1, true, []]);
    const proxy = await installation.start();
    await payOut(installation, proxy, 'P-1');
    await proxy.end();
    const astray = await runHere(['backup', join(folder, 'nowhere', 'backup.db')], env);
    assert.deepEqual([astray.code, readdirSync(folder)], [1, []]);
    assert.ok(astray.err.includes(`the folder ${join(folder, 'nowhere')} does not exist: make it`), astray.err);
    writeFileSync(file, 'mine');
    const refused = await runHere(['backup', file], env);
    assert.deepEqual([refused.code, readFileSync(file, 'utf8')], [1, 'mine']);
    rmSync(file);
    assert.equal((await runHere(['backup', file], env)).code, 0);
    assert.deepEqual([payoutsIn(file), readdirSync(folder)], [['P-1'], ['backup.db']]);
    // Whole pages of nonsense, except the first.
    const damaged = readFileSync(databaseFile);
    chmodSync(databaseFile, 0o600);
    writeFileSync(databaseFile, damaged.fill(7, 4096));
    const broken = await runHere(['backup', join(folder, 'later.db')], env);
    assert.equal(broken.code, 1);
    assert.deepEqual([payoutsIn(file), readdirSync(folder)], [['P-1'], ['backup.db']]);
  });

  it('backup never writes onto the database, or beside it', async (t) => {
    const { env, folder, databaseFile } = await install(t);
    await writeEmptyDatabase(databaseFile);
    const link = join(folder, 'symbolic.db');
    symlinkSync(databaseFile, link);
    const before = readFileSync(databaseFile);
    const beside = ['', '-wal', '-shm', '-journal'].map((part) => `${databaseFile}${part}`);
    for (const file of [...beside, link, relative('.', databaseFile)]) {
      assert.equal((await runHere(['backup', file], env)).code, 1, file);
      assert.deepEqual(
        readdirSync(folder).filter((name) => name.startsWith('payments.db')),
        ['payments.db'],
      );
    }
    assert.deepEqual(readFileSync(databaseFile), before);
  });

  it('backup and restore of PostgreSQL print the commands of its own tools, without the URL', async () => {
    const env = { DATABASE_URL: 'postgres://proxy:canary-password@127.0.0.1:1/payments' };
    const backup = await runHere(['backup', "it's.dump"], env);
    const restore = await runHere(['restore', "it's.dump"], env);
    assert.deepEqual([backup.code, restore.code], [1, 1]);
    assert.match(backup.err, /^ {2}pg_dump --format=custom --no-owner --file='it'\\''s\.dump' "\$DATABASE_URL"$/m);
    assert.match(restore.err, /^ {2}pg_restore .* 'it'\\''s\.dump'$/m);
    assert.match(restore.err, /^ {2}DATABASE_RESTORED=\d{4}-\d\d-\d\dT[\d:.]+Z$/m);
    assert.doesNotMatch(backup.err + restore.err, /canary/);
    assert.ok(!existsSync("it's.dump"));
  });
});
