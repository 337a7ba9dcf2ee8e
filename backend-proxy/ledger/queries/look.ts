// What a worker looks at when nothing may be due: the clock, the rows of `meta` and the earliest times, in one
// statement, because an idle proxy asks it all day.
import { sql } from 'kysely';
import type { Store } from '../store.ts';
import type { Meta } from './owner.ts';

/** A time is Infinity where nothing is planned. */
export interface Look {
  /** The clock of the store. */
  now: number;
  meta: Meta;
  checkAt: number;
  /** The fewest steps of the clock with which a check was planned. */
  checkSteps: number;
  webhookAt: number;
}

export async function readLook({ db, sql: { clock } }: Pick<Store, 'db' | 'sql'>): Promise<Look> {
  const least = (column: string, rest: string) => sql`cast(min(${sql.ref(column)}) as text) from ${sql.raw(rest)}`;
  const planned = 'transactions where next_check_at is not null';
  const { rows } = await sql<{ name: string; value: string | null }>`
    select key as name, value from meta
    union all select ' now', cast(${clock()} as text)
    union all select ' check', ${least('next_check_at', planned)}
    union all select ' steps', ${least('clock_steps', planned)}
    union all select ' webhook', ${least('next_at', `webhooks where state = 'pending'`)}`.execute(db);
  const values = new Map(rows.map(({ name, value }) => [name, value]));
  const numberOf = (name: string) => Number(values.get(name) ?? Infinity);
  return {
    now: numberOf(' now'),
    meta: Object.fromEntries(values),
    checkAt: numberOf(' check'),
    checkSteps: numberOf(' steps'),
    webhookAt: numberOf(' webhook'),
  };
}
