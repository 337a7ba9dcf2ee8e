// The timeline of the server behind the address: each promotion of a standby raises it. An older one belongs to a
// primary that was replaced, and is refused. A newer one, where commits waited for no standby, may lack the last
// commits: it counts as a restored database. That is decided by the row `timeline` of `meta`, which the standby has
// too, so it does not matter which process was there before the failover.
import type { ClientBase, QueryResult } from 'pg';

export const TIMELINE = `select case when pg_is_in_recovery() then ''
  else substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8) end as timeline`;

/** Some services hide their log: then nothing is known. */
const LOOK = `select substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8) as timeline,
  case current_setting('synchronous_standby_names') when '' then 'alone' else 'synchronous' end as commits,
  exists (select from pg_class where oid = to_regclass('meta')) as "hasMeta"`;

/** `$1` is the timeline, `$2` how its commits are. No connection waits for a standby before it can be used. */
const RECORD = `with before as (select value from meta where key = 'timeline'),
  restored as (insert into meta (key, value)
    select 'restored_at', floor(extract(epoch from clock_timestamp()) * 1000)::bigint::text from before
    where split_part(value, ' ', 1) < $1 and split_part(value, ' ', 2) = 'alone'
    on conflict (key) do update set value = excluded.value returning 1),
  recorded as (insert into meta (key, value) values ('timeline', $1 || ' ' || $2)
    on conflict (key) do update set value = excluded.value)
  select exists (select from restored) as "isRestored", set_config('synchronous_commit', 'local', true)`;

interface Look {
  timeline: string;
  commits: 'alone' | 'synchronous';
  hasMeta: boolean;
}

export class Timeline {
  readonly #onRestored: (timeline: string) => void;
  #newest = '';
  #recorded = '';

  constructor(onRestored: (timeline: string) => void) {
    this.#onRestored = onRestored;
  }

  get isKnown(): boolean {
    return this.#recorded !== '';
  }

  /** Whether the database of this timeline says what it may lack. */
  isRecorded(timeline = ''): boolean {
    return timeline === this.#recorded.split(' ', 1)[0];
  }

  /**
   * Of a connection that is about to be used.
   * @throws an Error for the operator if this process has used a newer timeline
   */
  async accept(client: ClientBase): Promise<void> {
    const found: Pick<QueryResult<Look>, 'rows'> = await client.query<Look>(LOOK).catch(() => ({ rows: [] }));
    const [look] = found.rows;
    if (look === undefined) return;
    const { timeline, commits, hasMeta } = look;
    if (timeline < this.#newest) {
      throw new Error(
        `PostgreSQL is on timeline ${timeline}, after ${this.#newest} was used: a primary that was replaced. End it; ` +
          'if the database was put back on purpose, start the proxy again with DATABASE_RESTORED',
      );
    }
    this.#newest = timeline;
    if (!hasMeta || this.#recorded === `${timeline} ${commits}`) return;
    const { rows } = await client.query<{ isRestored: boolean }>(RECORD, [timeline, commits]);
    // Several connections may record it at once.
    if (rows[0]?.isRestored === true && !this.isRecorded(timeline)) this.#onRestored(timeline);
    this.#recorded = `${timeline} ${commits}`;
  }
}
