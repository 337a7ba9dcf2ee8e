// The migration of a SQLite database of an earlier version.
import assert from 'node:assert/strict';
import { DatabaseSync } from 'node:sqlite';
import { describe, it } from 'node:test';
import { Kysely, SqliteDialect } from 'kysely';
import { migrate } from '../../../../backend-proxy/ledger/schema/migrations.ts';
import { createStatements } from '../../../../backend-proxy/ledger/sqlite/statements.ts';
import type { Tables } from '../../../../backend-proxy/ledger/schema/tables.ts';
import { openedStore, temporaryFile } from './sqlite-kit.ts';

describe('SQLite: a database of an earlier version', () => {
  it('the migration plans checks of ended transactions, marks old duplicates, and asks for reviews of conflicts', async (t) => {
    const file = temporaryFile(t);
    const earlier = new DatabaseSync(file);
    const dialect = new SqliteDialect({ database: createStatements(earlier).forKysely });
    await migrate(new Kysely<Tables>({ dialect }), 'sqlite', '2026-11-true-on-a-real-network');
    const [now, week] = [Date.now(), 7 * 24 * 3_600_000];
    const insert = earlier.prepare(
      `insert into transactions (id, type, order_id, attempt, amount_minor, currency, fingerprint, rank, prior_rank, conflict,
        created_at, updated_at, sent_at, answer) values (?, ?, ?, 1, 100, 'EUR', 'f', ?, 3, ?, ?, ?, ?, 'refused')`,
    );
    const ended = [
      ['refused', 'PAY', 6, 0, now],
      ['duplicate', 'PAY', 6, 0, now],
      ['not created', 'PAY', 7, 0, now],
      ['payout refused', 'PAYOUT', 6, 0, now],
      ['payout failed', 'PAYOUT', 8, 0, now],
      ['declined', 'PAY', 8, 0, now],
      ['long ago', 'PAYOUT', 6, 0, now - week],
      ['never sent', 'PAY', 7, 0, null],
      ['disputed', 'PAY', 9, 1, now],
    ] as const;
    for (const [id, type, rank, conflict, sentAt] of ended) insert.run(id, type, id, rank, conflict, now, now, sentAt);
    earlier.exec(`insert into history (transaction_id, event, at, source, detail)
      values ('duplicate', 'rejected', 0, 'answer', 'HTTP 409 DUPLICATE_ORDER'), ('refused', 'rejected', 0, 'answer', 'HTTP 400')`);
    earlier.close();
    const { db } = await openedStore(t, file);
    const rows = await db.selectFrom('transactions').selectAll().execute();
    const ids = (which: (row: (typeof rows)[number]) => boolean) => rows.filter(which).map(({ id }) => id);
    const asked = ['refused', 'duplicate', 'not created', 'payout refused', 'payout failed'];
    assert.deepEqual(
      ids((row) => row.next_check_at !== null),
      asked,
    );
    assert.deepEqual(
      ids((row) => row.answer === 'duplicate'),
      ['duplicate'],
    );
    assert.deepEqual(
      ids((row) => row.needs_review === 1),
      ['disputed'],
    );
    const counts = await db.selectFrom('counts').selectAll().where('name', 'like', 'PAY%').orderBy('name').execute();
    assert.deepEqual(
      counts.map(({ name, count }) => `${name}: ${count}`),
      ['PAY 6: 2', 'PAY 7: 2', 'PAY 8: 1', 'PAY 9: 1', 'PAYOUT 6: 2', 'PAYOUT 8: 1'],
    );
    assert.equal((await db.selectFrom('history').selectAll().execute()).length, 2);
  });
});
