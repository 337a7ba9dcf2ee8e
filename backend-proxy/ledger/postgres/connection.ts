// Prepares each connection to PostgreSQL, decides when to drop it, and reads what DATABASE_URL says about it.
// Time limits and durability are set by statements and read back before money is written, because the URL, the defaults
// of a role or database, or a pooler can override them. A server that does not take writes is refused.
import { createHash } from 'node:crypto';
import { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { CompiledQuery, PostgresPool, PostgresPoolClient } from 'kysely';
import {
  Client,
  DatabaseError,
  Pool,
  type ClientBase,
  type PoolClient,
  type QueryConfig,
  type QueryResult,
  type QueryResultRow,
} from 'pg';
import { TIMELINE, type Timeline } from './timeline.ts';

/** For a new connection, and for one of the pool. */
const CONNECT_TIMEOUT_MS = 5_000;
/** A server that has no connection for us is asked again after this, or after the longer one if we have some. */
const FULL_AGAIN_MS = { none: 100, some: 10_000 };
/**
 * Above the server's statement limit: a server silent for this long is gone, though the kernel may take hours to
 * notice. The pool closes idle connections sooner, so only a waiting query is ever cut.
 */
const SILENCE_LIMIT_MS = 12_000;
const KEEP_ALIVE_AFTER_MS = 10_000;

/** Behind a pooler: a new connection finds out what the other server lacks, before it is used. */
class OtherServer extends Error {
  override message = 'The pooler has chosen another server';
  readonly code = 'other_server';
}

class Silence extends Error {
  override message = 'The database does not answer';
}

const SETTINGS = {
  synchronous_commit: 'on',
  /** So that each load sees what was committed before it, also after a wait for the lock of a wallet. */
  default_transaction_isolation: 'read committed',
  /** The notice of a canceled wait for a standby is a warning. */
  client_min_messages: 'warning',
  statement_timeout: '10s',
  /** A row locked by another transaction costs this wait, not the whole statement time. */
  lock_timeout: '3s',
  /** A process that freezes within a transaction loses the transaction, which frees its rows. */
  idle_in_transaction_session_timeout: '5s',
} as const;

const REQUIRED: Record<string, string> = {
  ...SETTINGS,
  fsync: 'on',
  transaction_read_only: 'off',
  server_encoding: 'UTF8',
};

const REFUSALS: Record<string, string> = {
  fsync: 'PostgreSQL runs with fsync off, which loses payments in a crash',
  transaction_read_only: 'PostgreSQL is read-only; the proxy needs a server that takes writes',
  server_encoding:
    'The database is not in UTF-8, so it refuses letters of IPNs and answers; ' +
    "make one by CREATE DATABASE … ENCODING 'UTF8' TEMPLATE template0",
};

/**
 * read_only_sql_transaction, admin_shutdown, crash_shutdown, cannot_connect_now: this server takes no writes now. And
 * OtherServer.
 */
const WRONG_SERVER = new Set(['25006', '57P01', '57P02', '57P03', 'other_server']);
const TOO_MANY_CONNECTIONS = '53300';
/** idle_session_timeout: the connection was closed before the statement arrived. */
const CLOSED_WHILE_IDLE = '57P05';

/**
 * Where PostgreSQL waits for a synchronous standby. If that wait is canceled, the commit succeeds with a warning,
 * though it is on this server alone.
 */
const STANDBY_WAIT = 'SyncRepWaitForLSN';

/** PostgreSQL knows it since 17. A role's own value would end the long transaction of a change of the tables. */
const NO_TRANSACTION_TIMEOUT = `case when current_setting('server_version_num')::int >= 170000
  then set_config('transaction_timeout', '0', false) end`;

/** One select that sets all, for the session or until the transaction ends. */
export function setSettings(of: 'session' | 'transaction' = 'session'): string {
  const calls = Object.entries(SETTINGS).map(
    ([name, value]) => `set_config('${name}', '${value}', ${String(of === 'transaction')})`,
  );
  return `select ${[...calls, ...(of === 'session' ? [NO_TRANSACTION_TIMEOUT] : [])].join(', ')}`;
}

const BEGIN = `begin isolation level read committed; ${setSettings('transaction')}`;

/**
 * Applies and verifies the settings, and returns whether a pooler is in between, which may not keep them for the next
 * transaction. @throws an Error for the operator if one does not hold
 */
export async function prepare(client: ClientBase, timeline?: Timeline): Promise<{ isPooled: boolean }> {
  const readBack = Object.keys(REQUIRED).map((name) => `current_setting('${name}') as ${name}`);
  const text = `${setSettings('session')}; select ${readBack.join(', ')}, pg_backend_pid() as pid`;
  const [actual = {}] = (await query(client, text)).rows;
  for (const [name, wanted] of Object.entries(REQUIRED)) {
    if (actual[name] === wanted) continue;
    throw new Error(
      REFUSALS[name] ??
        `PostgreSQL has ${name} = ${String(actual[name])} although it was set to ${wanted}; is a pooler in between?`,
    );
  }
  await timeline?.accept(client);
  return { isPooled: isPooled(client, actual['pid']) };
}

/** A pooler answers for the server, so the process id that it gave the client is not that of the server's process. */
function isPooled(client: ClientBase, pid: unknown): boolean {
  return !('processID' in client) || client.processID !== pid;
}

/** Returns the last result if there are several statements. */
export async function query<Row = Record<string, unknown>>(
  client: ClientBase,
  config: string | QueryConfig,
): Promise<QueryResult<Row & QueryResultRow>> {
  const result = (await client.query(config)) as QueryResult | QueryResult[];
  return Array.isArray(result) ? (result.at(-1) as QueryResult) : result;
}

/** A single connection outside the pool. The caller ends it. */
export async function connect(databaseUrl: string): Promise<Client> {
  const client = new Client({ ...options(), connectionString: postgresUrl(databaseUrl) });
  // Without a listener, a broken connection would crash the process; its query rejects anyway.
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

/** A pooled connection. */
export interface Connection {
  /** Prepared once per connection. */
  run<Row>(query: Pick<CompiledQuery, 'sql' | 'parameters'>): Promise<Row[]>;
  /** One or more statements without parameters, in one round trip. */
  runSimple(text: string): Promise<void>;
  /**
   * Begins a transaction that has the settings, whatever server connection a pooler has chosen for it, then runs `and`.
   * Refuses one to a server of another timeline.
   */
  begin(and?: string): Promise<void>;
  isInTransaction(): boolean;
  /** The settings hold within a transaction that `begin` began, and nowhere else. */
  isPooled: boolean;
}

interface PoolOptions {
  databaseUrl: string;
  connections: number;
  timeline: Timeline;
  silenceLimitMs?: number;
}

export function createPool({ databaseUrl, connections, timeline, silenceLimitMs }: PoolOptions) {
  const pool = new Pool({ ...options(silenceLimitMs), connectionString: postgresUrl(databaseUrl), max: connections });
  pool.on('error', () => undefined).on('connect', (client) => client.on('error', () => undefined));
  const acquire = createAcquire(pool, connections, timeline);
  const names = createNames();

  async function use<T>(work: (on: Connection) => Promise<T>): Promise<T> {
    const { ask, release, isInTransaction, isPooled: isBehindPooler } = guarded(await acquire());
    try {
      return await work({
        isPooled: isBehindPooler,
        async run<Row>({ sql: text, parameters }: Pick<CompiledQuery, 'sql' | 'parameters'>) {
          const values = [...parameters];
          return (
            await names.use(text, { isInTransaction }, (name) => ask<Row>({ text, values, ...(name && { name }) }))
          ).rows;
        },
        async runSimple(text) {
          await ask({ text });
        },
        async begin(and = '') {
          const isKnown = isBehindPooler && timeline.isKnown;
          const { rows } = await ask<{ timeline: string }>({ text: BEGIN + and + (isKnown ? `; ${TIMELINE}` : '') });
          if (isKnown && !timeline.isRecorded(rows[0]?.timeline)) throw new OtherServer();
        },
        isInTransaction,
      });
    } finally {
      release();
    }
  }

  const forKysely: PostgresPool = {
    options: pool.options,
    // Kysely calls it only if it ever connected.
    end: () => Promise.resolve(),
    async connect() {
      const { ask, release } = guarded(await acquire());
      const client = { query: (text: string, values: unknown[]) => ask({ text, values: [...values] }), release };
      return client as unknown as PostgresPoolClient;
    },
  };
  let ended: Promise<void> | undefined;
  return { use, forKysely, end: () => (ended ??= pool.end()) };
}

interface Acquired {
  client: PoolClient;
  isPooled: boolean;
}

/** Takes a connection of the pool, prepared, and waits for one while all are in use. */
function createAcquire(pool: Pool, limit: number, timeline: Timeline): () => Promise<Acquired> {
  const prepared = new WeakMap<ClientBase, { isPooled: boolean }>();

  /** Where the server has no more connections for this proxy, those that it has are its limit for a while. */
  async function connected(): Promise<PoolClient> {
    const until = performance.now() + CONNECT_TIMEOUT_MS;
    for (;;) {
      try {
        return await pool.connect();
      } catch (error) {
        if (codeOf(error) !== TOO_MANY_CONNECTIONS || performance.now() > until) throw error;
      }
      if (pool.options.max === limit) setTimeout(() => (pool.options.max = limit), FULL_AGAIN_MS.some).unref();
      pool.options.max = Math.max(1, pool.totalCount);
      if (pool.totalCount === 0) await sleep(FULL_AGAIN_MS.none);
    }
  }

  return async () => {
    const client = await connected();
    try {
      const found = prepared.get(client) ?? (await prepare(client, timeline));
      prepared.set(client, found);
      return { client, ...found };
    } catch (error) {
      client.release(true);
      throw error;
    }
  };
}

/** A client that is closed on release if it must not be used again. */
function guarded({ client, isPooled: isBehindPooler }: Acquired) {
  let isUnusable = false;
  let isOnlyHere = false;
  const onNotice = ({ routine }: { routine: string | undefined }) => void (isOnlyHere ||= routine === STANDBY_WAIT);
  client.on('notice', onNotice);
  /** What the server said between two statements, before it ended the connection. */
  let lastWords: DatabaseError | undefined;
  const onError = (error: Error) => void (lastWords ??= error instanceof DatabaseError ? error : undefined);
  client.on('error', onError);
  return {
    isPooled: isBehindPooler,
    async ask<Row>(config: QueryConfig): Promise<QueryResult<Row & QueryResultRow>> {
      try {
        const result = await query<Row>(client, config);
        if (isOnlyHere) throw new Error('The wait for a synchronous standby was canceled');
        return result;
      } catch (error) {
        isUnusable ||= isWrongServerError(error) || isOutcomeUnknown(error);
        if (isBroken(error) && error instanceof Error) error.cause ??= lastWords;
        throw error;
      }
    },
    isInTransaction: () => client.getTransactionStatus() !== 'I',
    release() {
      client.off('notice', onNotice);
      client.off('error', onError);
      // Also drops a connection whose transaction could not be ended.
      client.release(isUnusable || client.getTransactionStatus() !== 'I');
    },
  };
}

export type Connections = ReturnType<typeof createPool>;

const MAX_NAMES = 500;
/** invalid_sql_statement_name, duplicate_prepared_statement. */
const NO_SUCH_NAME = new Set(['26000', '42P05']);
/** feature_not_supported: after a migration by another process, a prepared statement would return other columns. */
const OTHER_COLUMNS = '0A000';

/**
 * Names for prepared statements, so that the server parses and plans each once a connection. A transaction pooler that
 * does not know prepared statements mixes them up; then none is named any more. A name is a digest of its statement,
 * because such a pooler also finds those that another process has prepared.
 */
function createNames() {
  const names = new Map<string, string>();
  let isOff = false;
  return {
    async use<T>(
      text: string,
      on: Pick<Connection, 'isInTransaction'>,
      ask: (name?: string) => Promise<T>,
    ): Promise<T> {
      if (isOff || (names.size >= MAX_NAMES && !names.has(text))) return ask();
      const name = names.get(text) ?? createHash('sha256').update(text).digest('base64url');
      names.set(text, name);
      try {
        return await ask(name);
      } catch (error) {
        if (!isNameError(error)) throw error;
        isOff = true;
        // The error has ended the transaction, so all its statements have to run again.
        if (on.isInTransaction()) throw error;
        return ask();
      }
    },
  };
}

/** Whether a statement did not run because of its name; it runs again without one. */
function isNameError(error: unknown): boolean {
  return NO_SUCH_NAME.has(codeOf(error)) || codeOf(error) === OTHER_COLUMNS;
}

function options(silenceLimitMs = SILENCE_LIMIT_MS) {
  return {
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_AFTER_MS,
    stream: () => {
      const socket = new Socket();
      return socket.setTimeout(silenceLimitMs, () => socket.destroy(new Silence()));
    },
  };
}

/**
 * serialization_failure, deadlock_detected: the database asks for another run. in_failed_sql_transaction: an error is
 * reported before the transaction that it ended, so the connection may have been released with it.
 */
const RETRYABLE = new Set(['40001', '40P01', '25P02']);

/** Whether nothing was written, and another try may succeed. */
export function isRepeatable(error: unknown): boolean {
  const isClosed = codeOf(error) === CLOSED_WHILE_IDLE;
  return RETRYABLE.has(codeOf(error)) || isNameError(error) || isWrongServerError(error) || isClosed;
}

/** Such a connection is closed on release; a new one may reach the right server. */
function isWrongServerError(error: unknown): boolean {
  return WRONG_SERVER.has(codeOf(error));
}

/** Whether a statement may have been carried out although it failed: the connection broke, or the server was ended. */
export function isOutcomeUnknown(error: unknown): boolean {
  return !(error instanceof DatabaseError) || /^(08|57P0[^5])/.test(codeOf(error));
}

/** Whether the connection ended, rather than a server that stays silent: a new one may answer. */
export function isBroken(error: unknown): boolean {
  return !(error instanceof DatabaseError) && !(error instanceof Silence);
}

/** SQLSTATE, or empty for a broken connection. */
export function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}

const LOCK_NOT_AVAILABLE = '55P03';

/** Whether a start that failed so may succeed some seconds later. */
export function isPassing(error: unknown): boolean {
  const isEnded = isBroken(error) && error instanceof Error && error.message.includes('terminated unexpectedly');
  return isEnded || isRepeatable(error) || codeOf(error) === LOCK_NOT_AVAILABLE;
}

// What DATABASE_URL says about PostgreSQL: one address, which leads to the server that takes writes.

/** Connections of one proxy, if DATABASE_POOL says nothing else. */
export const CONNECTIONS = 16;

/** The driver checks the certificate for all of these, and prints a warning that this will change. */
const CHECKED = new Set(['prefer', 'require', 'verify-ca']);
const HOST = /^(postgres(?:ql)?:\/\/(?:[^/?#]*@)?)([^/?#@]*)/s;

/** The URL as the driver reads it. @throws an Error for the operator */
export function postgresUrl(databaseUrl: string): string {
  const [, , host = ''] = HOST.exec(databaseUrl) ?? [];
  if (host.includes(',')) throw new Error('names several servers; name one address that leads to the primary');
  // libpq, which others take such URLs for, allows no host between the password and the path: `host=` names a socket.
  const text = host === '' ? databaseUrl.replace(HOST, (before) => `${before}localhost`) : databaseUrl;
  if (!URL.canParse(text)) {
    throw new Error('not a URL; in its password, write each of : / ? # [ ] @ % as % and its code (RFC 3986)');
  }
  const url = new URL(text);
  const { searchParams } = url;
  // A URL that needs no change stays as it is, because a change rewrites all of it.
  if (!CHECKED.has(searchParams.get('sslmode') ?? '') || searchParams.get('uselibpqcompat') === 'true') return text;
  searchParams.set('sslmode', 'verify-full');
  return url.href;
}

/** Names of the server and the database, for the log. */
export function describeServer(databaseUrl: string): { server: string; name: string } {
  const { host, pathname, searchParams } = new URL(postgresUrl(databaseUrl));
  return { server: searchParams.get('host') ?? host, name: decodeURIComponent(pathname.slice(1)) };
}
