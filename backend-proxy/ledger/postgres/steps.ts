// Makes one step in PostgreSQL. It waits for a table's lock only shortly, because every later statement queues behind
// that wait; then the others run for a while before the next try. An index is built without such a lock. After a kill
// the next start continues.
import { setTimeout as sleep } from 'node:timers/promises';
import { sql, type Kysely } from 'kysely';
import { codeOf, setSettings } from './connection.ts';
import { watchChanges, type Watch } from './step-watch.ts';
import { DIALECTS } from '../schema/dialect.ts';
import { recordStep, type Upgrade } from '../schema/schema-steps.ts';
import { indexStatement, pageOf, type Backfill, type Change, type Index, type Step } from '../schema/steps.ts';
import type { Tables } from '../schema/tables.ts';

/** How long the proxies may queue behind a change of a table. */
const QUEUE_LIMIT_MS = 1_000;
const PAUSE_MS = { first: 1_000, longest: 10_000 };
/** Between two pages of a backfill. */
const PAGE_PAUSE_MS = 10;
/** lock_not_available, deadlock_detected. */
const IN_THE_WAY = new Set(['55P03', '40P01']);

export interface Making {
  /** Two connections: one watches what blocks the other. */
  db: Kysely<Tables>;
  upgrade: Upgrade;
  /** How long to wait for transactions that block the step. */
  waitLimitMs: number;
}

export async function makeStep(step: Step, making: Making): Promise<void> {
  const { db, upgrade } = making;
  const watch = watchChanges(db, upgrade.log, step.name);
  try {
    if ('change' in step) await change(step, making, watch);
    else if ('index' in step) await buildIndex(step, making, watch);
    else await fill(step, making, watch);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new Error(`The database could not be changed (${step.name}): ${reason}`, { cause: error });
  } finally {
    await watch.stop();
  }
}

/** The record is written first: a second process with the same step waits for it, and then finds the step made. */
async function change(step: Change, making: Making, watch: Watch): Promise<void> {
  await shortly(making, watch, async (tx) => {
    if (!(await recordStep(tx, step, making.upgrade))) return;
    for (const statement of step.change(DIALECTS.postgres)) await sql.raw(statement).execute(tx);
  });
}

async function fill(step: Backfill, making: Making, watch: Watch): Promise<void> {
  let after: string | null = '';
  while (after !== null) {
    const page = pageOf(step, after);
    after = await shortly(making, watch, async (tx) => {
      const last = (await page.upTo.execute(tx)).rows[0]?.last ?? null;
      if (last !== null) watch.count(Number((await page.change(last).execute(tx)).numAffectedRows ?? 0));
      return last;
    });
    await sleep(PAGE_PAUSE_MS);
  }
  await recordStep(making.db, step, making.upgrade);
}

async function buildIndex(step: Index, making: Making, watch: Watch): Promise<void> {
  const { db, upgrade, waitLimitMs } = making;
  await patiently(making, watch, () =>
    db.connection().execute(async (own) => {
      await watch.follow(own);
      // For the session, because no transaction may be open. These waits hold up no reads or writes.
      await sql`select set_config('statement_timeout', '0', false),
        set_config('lock_timeout', ${String(waitLimitMs)}, false)`.execute(own);
      try {
        // A killed process left an invalid index unfinished.
        if ((await validityOf(step, own)) === false)
          await sql`drop index concurrently if exists ${sql.ref(step.index.name)}`.execute(own);
        await sql.raw(indexStatement(step, 'create index concurrently if not exists')).execute(own);
        if ((await validityOf(step, own)) !== true) throw new Error('the index was not finished');
      } finally {
        // Behind a pooler others use the session later.
        await sql.raw(setSettings()).execute(own);
      }
    }),
  );
  await recordStep(db, step, upgrade);
}

/** Undefined if there is no such index. Waits for a server process that still builds it for a proxy that was killed. */
async function validityOf({ index: { name, on } }: Index, own: Kysely<Tables>): Promise<boolean | undefined> {
  await sql`begin`.execute(own);
  try {
    await sql`lock table ${sql.table(on)} in share update exclusive mode`.execute(own);
    const { rows } = await sql<{ valid: boolean }>`select indisvalid as valid from pg_index
      where indexrelid = to_regclass(${name})`.execute(own);
    return rows[0]?.valid;
  } finally {
    await sql`rollback`.execute(own);
  }
}

function shortly<T>(making: Making, watch: Watch, work: (tx: Kysely<Tables>) => Promise<T>): Promise<T> {
  return patiently(making, watch, () =>
    making.db.transaction().execute(async (tx) => {
      await sql`set local lock_timeout = ${sql.lit(QUEUE_LIMIT_MS)}`.execute(tx);
      await watch.follow(tx);
      return work(tx);
    }),
  );
}

/** Tries again while other transactions block it. */
async function patiently<T>({ waitLimitMs }: Making, watch: Watch, work: () => Promise<T>): Promise<T> {
  const until = performance.now() + waitLimitMs;
  for (let pauseMs = PAUSE_MS.first; ; pauseMs = Math.min(2 * pauseMs, PAUSE_MS.longest)) {
    try {
      return await work();
    } catch (error) {
      if (!IN_THE_WAY.has(codeOf(error))) throw error;
      if (performance.now() + pauseMs > until) {
        throw new Error(
          `for ${Math.round(waitLimitMs / 1000)} s another transaction was in the way, last of ` +
            `${watch.lastBlocker() ?? 'a process that is not known'}; end it, and start again`,
          { cause: error },
        );
      }
    }
    await sleep(pauseMs);
  }
}
