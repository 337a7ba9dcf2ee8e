// A transaction on PostgreSQL, and what became of it where the answer to its COMMIT never came. Its first round trip begins
// it, sets its limits, and reads the clock and its number; by the number the server says later what became of it.
import { sql } from 'kysely';
import { codeOf, connect, query, settingsFor } from './postgres-connection.ts';
import type { Db } from './store.ts';

const LOOKUP_LIMIT_MS = 10_000;
const FIRST_LOOKUP_WAIT_MS = 50;
const LONGEST_LOOKUP_WAIT_MS = 1_000;
/** "The transaction id is in the future": the server has never given it, or a failover has lost it. */
const INVALID_PARAMETER_VALUE = '22023';
/** The server's clock, ms since 1970. Not `now()`, which stands still within a transaction. */
export const CLOCK = '(extract(epoch from clock_timestamp()) * 1000)::bigint';
/** Tells one run of a server from another: only within one is a transaction's number never given twice. */
const SERVER_START = 'extract(epoch from pg_postmaster_start_time())::text as server';

/**
 * The limits are set here as well, at no further round trip: behind a pooler that hands out connections by the transaction,
 * what was set for the session may have been set on another one.
 */
const BEGIN = `begin; ${settingsFor('transaction')}; select ${CLOCK} as now, pg_current_xact_id()::text as number, ${SERVER_START}`;

interface Begun {
  now: number;
  number: string;
  server: string;
}

/** Throws errors of `op` and of the database as they are; nothing is committed then, or it could not be found out. */
export async function transact<T>(db: Db, url: string, op: (tx: Db, now: number) => Promise<T>): Promise<T> {
  const done = await db.connection().execute(async (tx) => {
    try {
      const begun = await begin(tx);
      return { begun, result: await op(tx, begun.now), unknown: await commit(tx) };
    } catch (error) {
      // Where it cannot be found any more the connection has ended, or is not used again, and the server undoes all of it.
      await sql`rollback`.execute(tx).catch(() => undefined);
      throw error;
    }
  });
  if (done.unknown === undefined || (await wasCommitted(url, done.begun))) return done.result;
  throw done.unknown;
}

async function begin(tx: Db): Promise<Begun> {
  const [begun] = (await sql.raw<Begun>(BEGIN).execute(tx)).rows;
  if (begun === undefined) throw new Error('PostgreSQL did not say which transaction began');
  return begun;
}

/** Nothing where it is committed, or the error where that is not known. @throws where it is known to be undone */
async function commit(tx: Db): Promise<unknown> {
  let command: string | undefined;
  try {
    command = (await sql<{ command: string }>`commit`.execute(tx)).rows[0]?.command;
  } catch (error) {
    // Of class 40 (a collision) and 23 (a constraint) the server says itself that all of it is undone.
    if (/^(40|23)/.test(codeOf(error))) throw error;
    return error;
  }
  // So it answers where a statement had failed and `op` made nothing of it.
  if (command === 'ROLLBACK') throw new Error('A statement of the transaction had failed, and all of it was undone');
  return undefined;
}

/** @throws where it could not be found out */
async function wasCommitted(url: string, begun: Begun): Promise<boolean> {
  const until = performance.now() + LOOKUP_LIMIT_MS;
  for (let waitMs = FIRST_LOOKUP_WAIT_MS; ; waitMs = Math.min(waitMs * 2, LONGEST_LOOKUP_WAIT_MS)) {
    const state = await lookUpCommit(url, begun).catch(() => 'unresolved' as const);
    if (state === 'committed' || state === 'rolled back') return state === 'committed';
    if (state === 'unknowable' || performance.now() > until) throw new Error('The state of a commit was not found out');
    await new Promise((resolve) => setTimeout(resolve, waitMs));
  }
}

type CommitState = 'committed' | 'rolled back' | 'unresolved' | 'unknowable';

/** On a connection of its own: the pool's may all be as broken. */
async function lookUpCommit(url: string, { number, server }: Begun): Promise<CommitState> {
  const client = await connect(url);
  try {
    const text = `select pg_xact_status($1::xid8) as status, ${SERVER_START}`;
    const [found] = (await query(client, text, [number])).rows;
    if (found?.['status'] === 'aborted') return 'rolled back';
    if (found?.['status'] !== 'committed') return 'unresolved';
    // Of another run it may be another transaction, that was given the number of one that was lost.
    return found['server'] === server ? 'committed' : 'unknowable';
  } catch (error) {
    if (codeOf(error) === INVALID_PARAMETER_VALUE) return 'rolled back';
    throw error;
  } finally {
    void client.end();
  }
}
