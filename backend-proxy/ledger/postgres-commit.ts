// Runs a transaction on PostgreSQL and finds out whether it was committed if the answer to COMMIT is lost. The first
// round trip begins the transaction, sets its limits, and reads the clock and the transaction id; with that id the
// server later tells its state.
import { sql } from 'kysely';
import { codeOf, connect, query, settingsFor } from './postgres-connection.ts';
import type { Db } from './store.ts';

const LOOKUP_LIMIT_MS = 10_000;
const FIRST_LOOKUP_WAIT_MS = 50;
const LONGEST_LOOKUP_WAIT_MS = 1_000;
/** "The transaction id is in the future": the server never assigned it, or a failover has lost it. */
const INVALID_PARAMETER_VALUE = '22023';
/** The server's clock, ms since 1970. Not `now()`, which stands still within a transaction. */
export const CLOCK = '(extract(epoch from clock_timestamp()) * 1000)::bigint';
/** Identifies one run of a server: transaction ids are unique only within a run. */
const SERVER_START = 'extract(epoch from pg_postmaster_start_time())::text as server';

/**
 * Sets the limits again, without another round trip: behind a transaction pooler, the session's settings may be on
 * another connection.
 */
const BEGIN = `begin; ${settingsFor('transaction')}; select ${CLOCK} as now, pg_current_xact_id()::text as number, ${SERVER_START}`;

interface Begun {
  now: number;
  number: string;
  server: string;
}

/** Throws errors of `op` and of the database as they are; then nothing was committed, or it is unknown. */
export async function transact<T>(db: Db, url: string, op: (tx: Db, now: number) => Promise<T>): Promise<T> {
  const done = await db.connection().execute(async (tx) => {
    try {
      const begun = await begin(tx);
      return { begun, result: await op(tx, begun.now), unknown: await commit(tx) };
    } catch (error) {
      // If even this fails, the connection has ended or is not used again, and the server rolls back.
      await sql`rollback`.execute(tx).catch(() => undefined);
      throw error;
    }
  });
  if (done.unknown === undefined || (await wasCommitted(url, done.begun))) return done.result;
  throw done.unknown;
}

async function begin(tx: Db): Promise<Begun> {
  const [begun] = (await sql.raw<Begun>(BEGIN).execute(tx)).rows;
  if (begun === undefined) throw new Error('PostgreSQL did not report the transaction that began');
  return begun;
}

/** Returns undefined once committed, or the error if that is unknown. @throws if it was rolled back */
async function commit(tx: Db): Promise<unknown> {
  let command: string | undefined;
  try {
    command = (await sql<{ command: string }>`commit`.execute(tx)).rows[0]?.command;
  } catch (error) {
    // Classes 40 (collision) and 23 (constraint): the server rolled back.
    if (/^(40|23)/.test(codeOf(error))) throw error;
    return error;
  }
  // COMMIT answers ROLLBACK if a statement failed and `op` ignored it.
  if (command === 'ROLLBACK')
    throw new Error('A statement of the transaction failed, and the transaction was rolled back');
  return undefined;
}

/** @throws if it stays unknown */
async function wasCommitted(url: string, begun: Begun): Promise<boolean> {
  const until = performance.now() + LOOKUP_LIMIT_MS;
  for (let waitMs = FIRST_LOOKUP_WAIT_MS; ; waitMs = Math.min(waitMs * 2, LONGEST_LOOKUP_WAIT_MS)) {
    const state = await lookUpCommit(url, begun).catch(() => 'unresolved' as const);
    if (state === 'committed' || state === 'rolled back') return state === 'committed';
    if (state === 'unknowable' || performance.now() > until)
      throw new Error('The outcome of a commit could not be found out');
    await new Promise((resolve) => setTimeout(resolve, waitMs));
  }
}

type CommitState = 'committed' | 'rolled back' | 'unresolved' | 'unknowable';

/** On a new connection: those of the pool may all be broken. */
async function lookUpCommit(url: string, { number, server }: Begun): Promise<CommitState> {
  const client = await connect(url);
  try {
    const text = `select pg_xact_status($1::xid8) as status, ${SERVER_START}`;
    const [found] = (await query(client, text, [number])).rows;
    if (found?.['status'] === 'aborted') return 'rolled back';
    if (found?.['status'] !== 'committed') return 'unresolved';
    // Another run may have given a lost transaction's id to another one.
    return found['server'] === server ? 'committed' : 'unknowable';
  } catch (error) {
    if (codeOf(error) === INVALID_PARAMETER_VALUE) return 'rolled back';
    throw error;
  } finally {
    void client.end();
  }
}
