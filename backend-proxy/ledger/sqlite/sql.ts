// What SQLite writes in its own way.
import { sql } from 'kysely';
import type { SqlDialect } from '../store.ts';

export const SQLITE_SQL: SqlDialect = {
  clock: () => sql`${Date.now()}`,
  // BEGIN IMMEDIATE locks the whole file.
  skipsLocked: false,
  among: (few) => sql`in ${few}`,
  checksWith: (now, most) => sql`json_insert(
    case when json_array_length(checks) >= ${most} then json_remove(checks, '$[0]') else checks end, '$[#]',
    json_object('at', cast(${now} as integer), 'byIpn', json(iif(ipns_received > ipns_answered, 'true', 'false'))))`,
  // What a shorter row leaves in its page stays unused. A row that gets another number is taken out and put beside
  // the others, which frees whole pages. The highest number stays, because the next row gets the one after it.
  movingTogether: (table) => sql`, rowid = case rowid
    when (select max(rowid) from ${sql.table(table)}) then rowid else -abs(rowid) end`,
};
