// Whether a failover could lose commits: PostgreSQL has standbys, and commits wait for none of them.
import { sql } from 'kysely';
import type { Warning } from '../../protocol/log.ts';
import type { Db } from '../store.ts';

const WARNING =
  'A standby of the database is not synchronous: if it takes over, the last payments and payouts are lost. ' +
  'Set synchronous_standby_names; after such a failover set DATABASE_RESTORED.';

/**
 * Base backups and logical subscribers never take over. A role without pg_monitor sees the connections of standbys but
 * not their state, hence the setting and not `sync_state`.
 */
const ENDANGERED = `select exists (
  select from pg_stat_replication
  where state is distinct from 'backup' and not exists (
    select from pg_replication_slots where slot_type = 'logical' and active_pid = pg_stat_replication.pid
  )
) and current_setting('synchronous_standby_names') = '' as endangered`;

/** Empty on a service that hides its replication. */
export async function standbyWarnings(db: Db): Promise<Warning[]> {
  const { rows } = await sql
    .raw<{ endangered: boolean }>(ENDANGERED)
    .execute(db)
    .catch(() => ({ rows: [] }));
  return rows[0]?.endangered === true ? [{ warning: WARNING }] : [];
}
