// A transaction on PostgreSQL, and what became of it where the answer to its COMMIT never came. Its first round trip begins
// it, sets its limits, and reads the clock and its number; by the number the server says later what became of it.
import { sql } from 'kysely';
import { codeOf, connect, ask, settingsFor } from './postgres-connection.ts';
import type { Db } from './store.ts';

const LOOKED_UP_FOR_MS = 10_000;
const FIRST_WAIT_MS = 50;
const LONGEST_WAIT_MS = 1_000;
/** "The transaction id is in the future": the server has never given it, or a failover has lost it. */
const INVALID_PARAMETER_VALUE = '22023';
const NOW = '(extract(epoch from clock_timestamp()) * 1000)::bigint as now';
/** Tells one run of a server from another: only within one is a transaction's number never given twice. */
const WHICH = 'extract(epoch from pg_postmaster_start_time())::text as server';

/**
 * The limits are set here as well, at no further round trip: behind a pooler that hands out connections by the transaction,
 * what was set for the session may have been set on another one.
 */
const BEGIN = `begin; ${settingsFor('transaction')}; select ${NOW}, pg_current_xact_id()::text as number, ${WHICH}`;

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
      // Where it cannot be said any more the connection has ended, or is not used again, and the server undoes all of it.
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
  const until = performance.now() + LOOKED_UP_FOR_MS;
  for (let waitMs = FIRST_WAIT_MS; ; waitMs = Math.min(waitMs * 2, LONGEST_WAIT_MS)) {
    const fate = await lookUp(url, begun).catch(() => 'not known yet' as const);
    if (fate === 'kept' || fate === 'undone') return fate === 'kept';
    if (fate === 'never known' || performance.now() > until) throw new Error('The fate of a commit was not found out');
    await new Promise((resolve) => setTimeout(resolve, waitMs));
  }
}

type Fate = 'kept' | 'undone' | 'not known yet' | 'never known';

/** On a connection of its own: the pool's may all be as broken. */
async function lookUp(url: string, { number, server }: Begun): Promise<Fate> {
  const client = await connect(url);
  try {
    const text = `select pg_xact_status($1::xid8) as status, ${WHICH}`;
    const [said] = (await ask(client, text, [number])).rows;
    if (said?.['status'] === 'aborted') return 'undone';
    if (said?.['status'] !== 'committed') return 'not known yet';
    // Of another run it may be another transaction, that was given the number of one that was lost.
    return said['server'] === server ? 'kept' : 'never known';
  } catch (error) {
    if (codeOf(error) === INVALID_PARAMETER_VALUE) return 'undone';
    throw error;
  } finally {
    void client.end();
  }
}
