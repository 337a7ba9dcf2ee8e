// What erasing needs: which transactions may still hold personal data, and a key for the fingerprints of the others.
import { randomBytes } from 'node:crypto';
import { sql, type Kysely } from 'kysely';
import type { Building } from './dialect.ts';

export async function prepareForErasing(db: Kysely<unknown>, { dialect, int }: Building): Promise<void> {
  const run = (statement: string) => sql.raw(statement).execute(db);
  await run(`alter table transactions add column erased_at ${int}`);
  await run(`create index transactions_to_erase on transactions (updated_at, id)
    where erased_at is null and next_check_at is null and needs_review = 0 and rank >= 4`);
  await run('create index if not exists webhooks_order on webhooks (order_id)');
  await run(`insert into meta (key, value) values ('fingerprint_key', '${randomBytes(32).toString('base64url')}')`);
  if (dialect === 'sqlite') return;
  // What was erased is reused after a vacuum, which by default waits until a fifth of the table has changed.
  for (const table of ['ipns', 'history']) {
    await run(`alter table ${table} set (autovacuum_vacuum_scale_factor = 0.02)`);
  }
}
