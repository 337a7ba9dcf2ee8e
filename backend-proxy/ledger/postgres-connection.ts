// What a connection to PostgreSQL has to be before anything of money is written on it, and when it is given up. Its limits
// of time and its durability are set by statements and read back, because the URL, the defaults of a role or a database and
// a pooler in between can each say otherwise. The server is the one that takes writes, or the connection is not used.
import { Socket } from 'node:net';
import type { PostgresPool, PostgresPoolClient } from 'kysely';
import { Client, Pool, type ClientBase, type PoolClient, type QueryResult } from 'pg';

const CONNECT_TIMEOUT_MS = 5_000;
/**
 * Above the server's own limit for a statement: who has not answered by then is gone, though the kernel may not know for
 * hours. What idles is ended by the pool before, so only what waits is ever cut.
 */
const SILENT_MS = 12_000;
const KEEP_ALIVE_AFTER_MS = 10_000;

const SETTINGS = {
  synchronous_commit: 'on',
  statement_timeout: '10s',
  /** A row that somebody holds costs a wait, not the statement's whole time. */
  lock_timeout: '3s',
  /** Who stops in the middle of a transaction, a frozen process, loses it, and others get its rows. */
  idle_in_transaction_session_timeout: '5s',
} as const;

const REQUIRED: Record<string, string> = { ...SETTINGS, fsync: 'on', transaction_read_only: 'off' };

const REFUSALS: Record<string, string> = {
  fsync: 'PostgreSQL runs with fsync off, which loses payments in a crash',
  transaction_read_only: 'PostgreSQL is read-only there; a proxy needs the server that takes writes',
};

/** read_only_sql_transaction, admin_shutdown, crash_shutdown, cannot_connect_now: said by a server that is not, or no longer, the right one. */
const WRONG_SERVER = new Set(['25006', '57P01', '57P02', '57P03']);

/** As one select: for the session, or for the transaction that has just begun. */
export function settingsFor(scope: 'session' | 'transaction'): string {
  const calls = Object.entries(SETTINGS).map(
    ([name, value]) => `set_config('${name}', '${value}', ${scope === 'transaction'})`,
  );
  return `select ${calls.join(', ')}`;
}

/** Makes it what it has to be. @throws an Error for the operator where that does not hold */
export async function prepare(client: ClientBase): Promise<void> {
  const readBack = Object.keys(REQUIRED).map((name) => `current_setting('${name}') as ${name}`);
  const text = `${settingsFor('session')}; select ${readBack.join(', ')}`;
  const [said = {}] = (await ask(client, text)).rows;
  for (const [name, wanted] of Object.entries(REQUIRED)) {
    if (said[name] === wanted) continue;
    throw new Error(
      REFUSALS[name] ?? `PostgreSQL says ${name} = ${String(said[name])}, though it was set to ${wanted}: a pooler?`,
    );
  }
}

/** Of several statements the last one's result counts. */
export async function ask(
  client: ClientBase,
  text: string,
  values: readonly unknown[] = [],
): Promise<QueryResult<Record<string, unknown>>> {
  const result = (await client.query(text, [...values])) as QueryResult | QueryResult[];
  return Array.isArray(result) ? (result.at(-1) as QueryResult) : result;
}

/** One by itself, that shares nothing with the pool's. The caller ends it. */
export async function connect(url: string): Promise<Client> {
  const client = new Client(optionsFor(url));
  // What was at work on it when it breaks is told by its own error; without a listener the process would end.
  client.on('error', () => undefined);
  try {
    await client.connect();
    await prepare(client);
    return client;
  } catch (error) {
    void client.end();
    throw error;
  }
}

export function createPool(url: string, most: number): PostgresPool {
  const pool = new Pool({ ...optionsFor(url), max: most });
  pool.on('error', () => undefined).on('connect', (client) => client.on('error', () => undefined));
  const prepared = new WeakSet<ClientBase>();

  async function take(): Promise<PoolClient> {
    const client = await pool.connect();
    if (prepared.has(client)) return client;
    try {
      await prepare(client);
    } catch (error) {
      client.release(true);
      throw error;
    }
    prepared.add(client);
    return client;
  }

  return {
    options: pool.options,
    end: () => pool.end(),
    async connect() {
      const client = await take();
      let isWrong = false;
      const guarded = {
        async query(text: string, values: readonly unknown[]) {
          try {
            return await ask(client, text, values);
          } catch (error) {
            isWrong ||= isOfWrongServer(error);
            throw error;
          }
        },
        // Nor does one serve again whose transaction could not be ended.
        release: () => client.release(isWrong || client.getTransactionStatus() !== 'I'),
      };
      return guarded as unknown as PostgresPoolClient;
    },
  };
}

function optionsFor(url: string) {
  return {
    connectionString: url,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_AFTER_MS,
    stream: () => {
      const socket = new Socket();
      return socket.setTimeout(SILENT_MS, () => socket.destroy(new Error('The database does not answer')));
    },
  };
}

/** Such a connection is closed when it is released; another one may be at the right server. */
export function isOfWrongServer(error: unknown): boolean {
  return WRONG_SERVER.has(codeOf(error));
}

/** SQLSTATE, or empty: a connection that broke has none. */
export function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}
