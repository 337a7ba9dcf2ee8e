// Brings a SQLite file to this version's tables. Each step is a transaction with its record, so a kill leaves it made
// or not made; other processes on the file wait in their queues meanwhile.
import { sql, type Kysely } from 'kysely';
import { DIALECTS } from '../schema/dialect.ts';
import { createStepsTable, missingSteps, recordStep, type Upgrade } from '../schema/schema-steps.ts';
import { FIRST_STEP, indexStatement, pageOf, type Backfill, type Step } from '../schema/steps.ts';
import type { Tables } from '../schema/tables.ts';

/** May be called again after any failure. */
export async function upgradeSqlite(db: Kysely<Tables>, upgrade: Upgrade): Promise<void> {
  const missing = await missingSteps(db, 'sqlite', upgrade);
  if (missing.length > 0) await createStepsTable(db, 'sqlite');
  for (const step of missing) {
    const startedAt = performance.now();
    if ('backfill' in step) await fill(db, step);
    await inTransaction(db, (tx) => makeOnce(tx, step, upgrade));
    const level = step === FIRST_STEP ? 'debug' : 'info';
    upgrade.log(level, 'database changed', { step: step.name, ms: Math.round(performance.now() - startedAt) });
  }
}

async function makeOnce(tx: Kysely<Tables>, step: Step, upgrade: Upgrade): Promise<void> {
  if (!(await recordStep(tx, step, upgrade))) return;
  if ('change' in step) for (const statement of step.change(DIALECTS.sqlite)) await sql.raw(statement).execute(tx);
  if ('index' in step) await sql.raw(indexStatement(step, 'create index')).execute(tx);
}

async function fill(db: Kysely<Tables>, step: Backfill): Promise<void> {
  let after: string | null = '';
  while (after !== null) {
    const from: string = after;
    after = await inTransaction(db, async (tx) => {
      const { upTo, change } = pageOf(step, from);
      const last = (await upTo.execute(tx)).rows[0]?.last ?? null;
      if (last !== null) await change(last).execute(tx);
      return last;
    });
  }
}

/** Kysely's own begins without the lock, and would notice another process only at its first write. */
async function inTransaction<T>(db: Kysely<Tables>, work: (tx: Kysely<Tables>) => Promise<T>): Promise<T> {
  return db.connection().execute(async (tx) => {
    await sql`begin immediate`.execute(tx);
    try {
      const result = await work(tx);
      await sql`commit`.execute(tx);
      return result;
    } catch (error) {
      await sql`rollback`.execute(tx).catch(() => undefined);
      throw error;
    }
  });
}
