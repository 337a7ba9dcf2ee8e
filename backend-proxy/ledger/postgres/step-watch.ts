// Reports, over a second connection, a schema change's progress and what blocks it. Only for the log and the error: a
// failed query is skipped.
import { setTimeout as sleep } from 'node:timers/promises';
import { sql, type Kysely } from 'kysely';
import type { Log } from '../../protocol/log.ts';
import type { Tables } from '../schema/tables.ts';

/** Shorter than the wait for a lock, so that no wait is missed. */
const LOOK_EVERY_MS = 400;
const LOG_EVERY_MS = 10_000;

interface Blocker {
  pid: number;
  application: string | null;
  /** Null if this role may not see it. */
  state: string | null;
  /** Since its transaction began. */
  seconds: number | null;
}

interface Look {
  /** While an index is built. */
  phase: string | null;
  percent: number | null;
  blockers: Blocker[];
}

export interface Watch {
  /** Watches the changes that `on` makes from now on. */
  follow(on: Kysely<Tables>): Promise<void>;
  /** Counts rows that were changed. */
  count(rows: number): void;
  /** The transaction that blocked last, for the operator. */
  lastBlocker(): string | undefined;
  stop(): Promise<void>;
}

export function watchChanges(
  db: Kysely<Tables>,
  log: Log,
  step: string,
  now: () => number = () => performance.now(),
): Watch {
  const startedAt = now();
  const stopped = new AbortController();
  let pid: number | undefined;
  let rows = 0;
  let lastBlocker: string | undefined;

  async function look(): Promise<Look | undefined> {
    const found = await sql<Look>`select p.phase,
        round(100.0 * p.blocks_done / nullif(p.blocks_total, 0))::int as percent,
        (select coalesce(json_agg(json_build_object('pid', a.pid, 'application', nullif(a.application_name, ''),
            'state', a.state, 'seconds', extract(epoch from clock_timestamp() - a.xact_start)::int)), '[]')
          from pg_stat_activity a where a.pid = any(pg_blocking_pids(${pid}))) as blockers
      from (select 1) one left join pg_stat_progress_create_index p on p.pid = ${pid}`.execute(db);
    return found.rows[0];
  }

  async function keepLooking(): Promise<void> {
    let loggedAt = startedAt;
    let waitsFor: string | undefined;
    for (;;) {
      await sleep(LOOK_EVERY_MS, undefined, { signal: stopped.signal });
      if (pid === undefined) continue;
      const { phase, percent, blockers: [blocker] = [] } = (await look()) ?? {};
      const isFirstBlocker = blocker !== undefined && lastBlocker === undefined;
      if (blocker !== undefined) lastBlocker = waitsFor = nameOf(blocker);
      if (!isFirstBlocker && now() - loggedAt < LOG_EVERY_MS) continue;
      loggedAt = now();
      const seconds = Math.round((now() - startedAt) / 1000);
      const fields = { step, seconds, ...(phase && { phase, percent }), ...(rows > 0 && { rows }) };
      if (waitsFor === undefined) log('info', 'changing the database', fields);
      else log('warn', 'a transaction is in the way of a change of the database', { ...fields, waitsFor });
      waitsFor = undefined;
    }
  }
  const looking = keepLooking().catch(() => undefined);

  return {
    async follow(on) {
      const found = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(on);
      pid = found.rows[0]?.pid;
    },
    count: (changed) => void (rows += changed),
    lastBlocker: () => lastBlocker,
    async stop() {
      stopped.abort();
      await looking;
    },
  };
}

function nameOf({ pid, application, state, seconds }: Blocker): string {
  const details = [application, state, seconds === null ? null : `for ${seconds} s`].filter((each) => each !== null);
  return `process ${pid}${details.length > 0 ? ` (${details.join(', ')})` : ''}`;
}
