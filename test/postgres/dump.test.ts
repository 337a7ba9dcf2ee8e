// Backup and restore of PostgreSQL as docs/operations.md describes them: by the very commands that `payment-proxy
// backup` and `restore` print. Needs pg_dump and pg_restore of the server's version, which the npm package does not
// have.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { runCommand } from '../../backend-proxy/commands/command-line.ts';
import { connectDatabase } from '../../backend-proxy/ledger/connect.ts';
import { createLedger } from '../../backend-proxy/ledger/ledger.ts';
import { inspectPostgres } from '../../backend-proxy/ledger/postgres/postgres.ts';
import { startPostgres } from './server.ts';
import { temporaryFolder } from '../temporary-folder.ts';

const DEBIAN = '/usr/lib/postgresql';

/** A folder with the server and its tools. */
function findTools(): string | undefined {
  const versions = existsSync(DEBIAN) ? readdirSync(DEBIAN).toSorted((a, b) => Number(b) - Number(a)) : [];
  const folders = [process.env['PG_BIN'] ?? '', ...versions.map((version) => join(DEBIAN, version, 'bin'))];
  const hasAll = (folder: string) =>
    ['initdb', 'postgres', 'pg_dump', 'pg_restore'].every((name) => existsSync(join(folder, name)));
  return folders.find((folder) => folder !== '' && hasAll(folder));
}

const TOOLS = findTools();

/** The command in what a command prints, with the folder of the tools in front. */
async function printedCommand(args: string[], url: string): Promise<string> {
  let printed = '';
  const keep = (line: string) => void (printed += line);
  assert.equal(await runCommand(args, { env: { DATABASE_URL: url }, print: keep, printError: keep }), 1);
  return /^ {2}(pg_\w+ .+)$/m.exec(printed)?.[1] ?? assert.fail(printed);
}

function runShell(command: string, env: Record<string, string>): void {
  execFileSync('/bin/sh', ['-c', command], { env: { PATH: `${TOOLS}:${process.env['PATH']}`, ...env }, stdio: 'pipe' });
}

const die = (error: unknown): never => assert.fail(String(error));
const payout = (orderId: string) => ({
  orderId,
  amountMinor: 1400,
  currency: 'EUR',
  customer: '12345678',
  note: null,
  fingerprint: orderId,
  start: { by: 'host:1', id: orderId },
});

describe('a dump of PostgreSQL', { skip: TOOLS === undefined && 'pg_dump is not on this machine' }, () => {
  it('pg_dump and pg_restore, as the commands print them, bring back the whole database, and the proxy goes on with it', async (t) => {
    process.env['PG_BIN'] = TOOLS;
    const server = await startPostgres();
    t.after(server.end);
    const folder = temporaryFolder(t);
    const file = join(folder, 'payments.dump');
    const [from, to] = [await server.createDatabase(), await server.createDatabase()];
    const old = createLedger(await connectDatabase(from, die), { idPrefix: '' });
    for (const id of ['P-1', 'P-2']) await old.openPayout(payout(id));
    runShell(await printedCommand(['backup', file], from), { DATABASE_URL: from });
    await old.openPayout(payout('P-3'));
    await old.close();
    runShell(await printedCommand(['restore', file], from), { NEW_DATABASE_URL: to });
    assert.deepEqual((await inspectPostgres(to)).schema.pending, 0);
    const restored = createLedger(await connectDatabase(to, die), { idPrefix: '' });
    t.after(() => restored.close());
    const { transactions } = await restored.transactions({ limit: 10 });
    assert.deepEqual(transactions.map(({ orderId }) => orderId).toSorted(), ['P-1', 'P-2']);
    const { payout: same } = await restored.openPayout(payout('P-1'));
    assert.equal(same.history.length, 2, 'the same payout, not a new one');
    const open = { type: 'PAYOUT', status: 'INITIALIZED', count: 2, inReview: 0 };
    assert.deepEqual((await restored.counts()).transactions, [open]);
  });
});
