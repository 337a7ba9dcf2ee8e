// One database for all histories of this process, emptied for each, and its backup, which may be restored.
import { sql } from 'kysely';
import { openSqlite } from '../../backend-proxy/ledger/sqlite/sqlite.ts';
import type { Store } from '../../backend-proxy/ledger/store.ts';

const TABLES = ['history', 'webhooks', 'ipns', 'transactions', 'orders', 'meta'];

export class Database {
  readonly store: Store;

  private constructor(store: Store) {
    this.store = store;
  }

  static async open(): Promise<Database> {
    const database = new Database(
      await openSqlite(
        ':memory:',
        (error) => {
          throw error;
        },
        () => undefined,
      ),
    );
    // Random ids would make the same seed another history.
    await database.#run(`update meta set value = key where key in ('database_id', 'fingerprint_key')`);
    for (const table of TABLES)
      await database.#run(`create table backup_${table} as select * from ${table} where false`);
    return database;
  }

  async empty(): Promise<void> {
    for (const table of TABLES.slice(0, -1)) await this.#run(`delete from ${table}`);
    const kept = `'database_id', 'fingerprint_key'`;
    const steps = `'clock_steps'`;
    await this.#run(`delete from meta where key not in (${kept}, ${steps})`);
    await this.#run(`update meta set value = '0' where key in (${steps})`);
  }

  async backUp(): Promise<void> {
    for (const table of TABLES) {
      await this.#run(`delete from backup_${table}`);
      await this.#run(`insert into backup_${table} select * from ${table}`);
    }
  }

  async restore(): Promise<void> {
    for (const table of TABLES) {
      await this.#run(`delete from ${table}`);
      await this.#run(`insert into ${table} select * from backup_${table}`);
    }
  }

  /** When the next check or webhook is due, by the database's clock; Infinity if none is planned. */
  async nextDueAt(): Promise<number> {
    const due = sql<{ at: number | null }>`select min(at) as at from (
      select next_check_at as at from transactions where next_check_at is not null
      union all select next_at from webhooks where state = 'pending')`;
    return (await due.execute(this.store.db)).rows[0]?.at ?? Infinity;
  }

  async #run(text: string): Promise<void> {
    await sql.raw(text).execute(this.store.db);
  }
}
