// Two real PostgreSQL servers: a primary, and a standby that follows it by streaming replication and can be promoted.
// The proxies reach the database through an address that is moved from one to the other. The replication runs through
// a relay too: once that stops, nothing more reaches the standby.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from 'pg';
import { startPostgresRelay, type PostgresRelay } from './relay.ts';
import { copyDataFolder, createDataFolder, startPostgres } from './server.ts';
import { until, type FaultTest } from '../faults/fault-test.ts';

export interface PostgresPair {
  /** The database's address for the proxies. It leads to the primary at first. */
  address: PostgresRelay;
  /** The database on the primary and on the standby, without a relay. */
  primaryUrl: string;
  standbyUrl: string;
  /** Resolves when the standby has all that the primary has committed. */
  caughtUp(): Promise<void>;
  /** From now on nothing reaches the standby, and the primary gets no word from it. */
  stopReplication(): void;
  /** How many commits wait for a synchronous standby. */
  waitingCommits(): Promise<number>;
  /** SIGKILL for the primary, whose connections are reset. */
  killPrimary(): Promise<void>;
  /** The address leads to the standby, promoted or not. */
  moveAddress(): void;
  /** Resolves when the standby takes writes. */
  promote(): Promise<void>;
}

export async function startPostgresPair(
  { defer }: Pick<FaultTest, 'defer'>,
  { isSynchronous, settings = {} }: { isSynchronous: boolean; settings?: Record<string, string> },
): Promise<PostgresPair> {
  const data = createDataFolder();
  const copy = copyDataFolder(data);
  const primary = await startPostgres({ data, settings });
  defer(primary.end);
  const replication = await startPostgresRelay(primary.urlOf('postgres'));
  defer(replication.close);
  writeFileSync(join(copy, 'standby.signal'), '');
  const { hostname, port } = new URL(replication.url);
  const standby = await startPostgres({
    data: copy,
    settings: { ...settings, primary_conninfo: `host=${hostname} port=${port} user=postgres` },
  });
  defer(standby.end);
  const primaryUrl = await primary.createDatabase();
  const name = new URL(primaryUrl).pathname.slice(1);
  if (isSynchronous) {
    await ask(primaryUrl, "alter system set synchronous_standby_names = '*'");
    await ask(primaryUrl, 'select pg_reload_conf()');
    await until('the standby is synchronous', async () => {
      const [row] = await ask(primaryUrl, 'select sync_state from pg_stat_replication');
      return row?.['sync_state'] === 'sync';
    });
  }
  const standbyUrl = standby.urlOf(name);
  const address = await startPostgresRelay(primaryUrl);
  defer(address.close);

  return {
    address,
    primaryUrl,
    standbyUrl,
    async caughtUp() {
      const [{ lsn } = {}] = await ask(primaryUrl, 'select pg_current_wal_flush_lsn() as lsn');
      await until('the standby has caught up', async () => {
        // Of any database: this one may not be there yet.
        const [{ ok } = {}] = await ask(
          standby.urlOf('postgres'),
          'select pg_last_wal_replay_lsn() >= $1::pg_lsn as ok',
          [lsn],
        );
        return ok === true;
      });
    },
    stopReplication: replication.vanish,
    async waitingCommits() {
      const [row] = await ask(
        primaryUrl,
        "select count(*)::int as waiting from pg_stat_activity where wait_event = 'SyncRep'",
      );
      return Number(row?.['waiting']);
    },
    async killPrimary() {
      address.cut();
      replication.vanish();
      await primary.kill();
    },
    moveAddress() {
      address.moveTo(standbyUrl);
    },
    promote: async () => void (await ask(standbyUrl, 'select pg_promote()')),
  };
}

async function ask(url: string, text: string, values: unknown[] = []): Promise<Record<string, unknown>[]> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(text, values)).rows;
  } finally {
    await client.end();
  }
}
