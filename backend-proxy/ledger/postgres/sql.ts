// What PostgreSQL writes in its own way.
import { sql } from 'kysely';
import type { SqlDialect } from '../store.ts';
import { CLOCK } from './rows.ts';

export const POSTGRES_SQL: SqlDialect = {
  clock: () => sql.raw(CLOCK),
  skipsLocked: true,
  // `in` is planned as a join, which may read the whole table if the planner expects many.
  among: (few) => sql`= any(array${few})`,
  checksWith: (now, most) => sql`((case when json_array_length(checks::json) >= ${most} then checks::jsonb - 0
    else checks::jsonb end) || jsonb_build_object('at', ${now}::bigint, 'byIpn', ipns_received > ipns_answered))::text`,
  movingTogether: () => sql``,
};
