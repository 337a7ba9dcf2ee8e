// Brings a PostgreSQL database to this version's tables while proxies of the version before work on it. One process
// does it and the others wait. It has connections of its own, because an index of many rows takes longer than any other
// statement may.
import { setTimeout as sleep } from 'node:timers/promises';
import { Kysely, PostgresDialect, sql } from 'kysely';
import { createPool } from './connection.ts';
import type { Servers } from './servers.ts';
import { makeStep } from './steps.ts';
import { createStepsTable, missingSteps, type Upgrade } from '../schema/schema-steps.ts';
import { FIRST_STEP } from '../schema/steps.ts';
import type { Tables } from '../schema/tables.ts';

/** Any fixed number, the same in all versions. */
const LOCK = 4_076_310_586;
/** One holds the lock, one makes the steps, one watches what blocks them. */
const CONNECTIONS = 3;
const STATEMENT_LIMIT_MS = 3_600_000;
/** How long to wait for another process that makes the steps, and for a transaction that blocks a step. */
const WAIT_LIMIT_MS = 600_000;
const LOCK_EVERY_MS = 250;
const LOG_EVERY_MS = 10_000;

/** May be called again after any failure. `db`: the store's own, so that a start without missing steps costs a read. */
export async function upgradePostgres(
  servers: Servers,
  db: Kysely<Tables>,
  upgrade: Upgrade,
  waitLimitMs = WAIT_LIMIT_MS,
): Promise<void> {
  if ((await missingSteps(db, 'postgres', upgrade)).length === 0) return;
  const pool = createPool(servers, CONNECTIONS, STATEMENT_LIMIT_MS);
  const own = new Kysely<Tables>({ dialect: new PostgresDialect({ pool: pool.forKysely }) });
  try {
    await whileLocked(own, upgrade, waitLimitMs, () => makeMissing(own, upgrade, waitLimitMs));
  } finally {
    await pool.end();
  }
}

async function makeMissing(db: Kysely<Tables>, upgrade: Upgrade, waitLimitMs: number): Promise<void> {
  const missing = await missingSteps(db, 'postgres', upgrade);
  if (missing.length > 0) await createStepsTable(db, 'postgres');
  for (const step of missing) {
    const startedAt = performance.now();
    await makeStep(step, { db, upgrade, waitLimitMs });
    const level = step === FIRST_STEP ? 'debug' : 'info';
    upgrade.log(level, 'database changed', { step: step.name, ms: Math.round(performance.now() - startedAt) });
  }
}

/**
 * The lock belongs to a transaction, so it works behind a transaction pooler and ends with the process. Nothing else
 * runs in that transaction: the building of an index waits for the end of each that runs a statement at a certain
 * moment. The lock only spares work: should its connection break, two may make the same steps, and each is still made
 * once.
 */
async function whileLocked(
  db: Kysely<Tables>,
  { log }: Upgrade,
  waitLimitMs: number,
  work: () => Promise<void>,
): Promise<void> {
  const startedAt = performance.now();
  let loggedAt = -Infinity;
  for (;;) {
    const isDone = await db
      .transaction()
      .setIsolationLevel('read committed')
      .execute(async (tx) => {
        await sql`set local idle_in_transaction_session_timeout = 0`.execute(tx);
        const lock = sql<{ isOurs: boolean }>`select pg_try_advisory_xact_lock(${sql.lit(LOCK)}) as "isOurs"`;
        const isOurs = (await lock.execute(tx)).rows[0]?.isOurs === true;
        if (isOurs) await work();
        return isOurs;
      });
    if (isDone) return;
    const now = performance.now();
    if (now - startedAt > waitLimitMs) {
      const seconds = Math.round(waitLimitMs / 1000);
      throw new Error(
        `Another proxy has been changing the database for ${seconds} s; start this one when it has ended`,
      );
    }
    if (now - loggedAt > LOG_EVERY_MS) {
      log('info', 'waiting for another proxy that changes the database');
      loggedAt = now;
    }
    await sleep(LOCK_EVERY_MS);
  }
}
