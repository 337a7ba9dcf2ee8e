// The store on PostgreSQL, for several proxies on one database. A write is one statement that loads and one that saves,
// each a transaction of its own on a pooled connection (connection.ts). Nothing is locked in between: the save
// changes nothing if a loaded row has changed meanwhile (rows.ts), and the write begins again. So a save whose
// outcome was lost can be repeated, too. NOTIFY runs outside the transaction, where it would serialize every commit; it
// only wakes the other proxies, which also poll (watch.ts).
import { randomUUID } from 'node:crypto';
import { Kysely, PostgresDialect, sql, type CompiledQuery } from 'kysely';
import { types } from 'pg';
import { unavailable } from '../../errors.ts';
import type { Log } from '../../protocol/log.ts';
import {
  createPool,
  isBroken,
  isOutcomeUnknown,
  isRepeatable,
  type Connection,
  type Connections,
} from './connection.ts';
import { inTransaction } from './in-transaction.ts';
import { createAnnouncer, listenForOrders } from './listen.ts';
import { findPooler, type Pooler } from './pooling.ts';
import { standbyWarnings } from './replication.ts';
import { CLOCK } from './rows.ts';
import { Servers, describeServers } from './servers.ts';
import { POSTGRES_SQL } from './sql.ts';
import { createTurns } from './turns.ts';
import { IS_OF_ORDER } from '../schema/schema.ts';
import { migrate } from '../schema/migrate.ts';
import type { Store } from '../store.ts';
import { MAX_ERRORS, Write, loadOn } from './write.ts';
import type { Tables } from '../schema/tables.ts';

/** The newest changes that a poll looks at; each poll looks back over several. */
const MAX_CHANGES = 50_000;
const INT8 = 20;

export async function openPostgres(url: string, connections: number, log: Log): Promise<Store> {
  // Every bigint here is a time or an amount of at most 15 digits.
  types.setTypeParser(INT8, Number);
  const servers = new Servers(url);
  const pool = createPool(servers, connections);
  const db = new Kysely<Tables>({ dialect: new PostgresDialect({ pool: pool.forKysely }) });
  let pooler: Pooler;
  try {
    // First, so that a problem with the server is reported as itself, not as a failed change of the tables.
    await time(pool);
    await requireSchema(db);
    await migrate(db, 'postgres', log);
    pooler = await pool.use('read', (on) => findPooler(on, servers));
  } catch (error) {
    await pool.end();
    throw error;
  }
  const inTurn = createTurns();
  const self = randomUUID();
  const listener = listenForOrders(servers, self);
  return {
    db,
    sql: POSTGRES_SQL,
    place: { ...describeServers(url), connections: connections + 1, ...(pooler !== 'none' && { pooler }) },
    write: (subject, decide) => new Write(subject, decide).run(pool, inTurn),
    load: (subject) => read(pool, (on) => loadOn(on, subject, new WeakMap())),
    execute: (statement, undo) => execute(pool, statement, undo),
    time: () => time(pool),
    changedSince: (since) => changedSince(pool, since),
    announce: createAnnouncer(db, self),
    onAnnounced: listener.onAnnounced,
    shrink: () => Promise.resolve(false),
    freeBytes: () => undefined,
    warnings: async () => [...servers.warnings, ...(await standbyWarnings(db))],
    async close() {
      await listener.close();
      await pool.end();
    },
  };
}

async function time(pool: Connections): Promise<number> {
  const [row] = await read(pool, ({ run }) => run<{ ms: number }>({ sql: `select ${CLOCK} as ms`, parameters: [] }));
  return row?.ms ?? Number.NaN;
}

/** Once more on another connection, if the first one was being closed. */
async function read<T>(pool: Connections, work: (on: Connection) => Promise<T>): Promise<T> {
  try {
    return await pool.use('read', work);
  } catch (error) {
    if (!isRepeatable(error) && !isBroken(error)) throw error;
    return pool.use('read', work);
  }
}

async function execute<Row>(
  pool: Connections,
  statement: CompiledQuery<Row>,
  undo: CompiledQuery | undefined,
): Promise<Row[]> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await pool.use('write', (on) => executeOn(on, statement));
    } catch (error) {
      if (undo !== undefined && isOutcomeUnknown(error))
        await pool.use('write', (on) => executeOn(on, undo)).catch(() => undefined);
      if (!isRepeatable(error) || tries >= MAX_ERRORS) throw unavailable(error);
    }
  }
}

async function executeOn<Row>(on: Connection, statement: CompiledQuery<Row>): Promise<Row[]> {
  if (!on.isPooled) return on.run<Row>(statement);
  return inTransaction(on, undefined, async (commit) => {
    const rows = await on.run<Row>(statement);
    await commit();
    return rows;
  });
}

async function changedSince(pool: Connections, since: number): Promise<Map<string, number>> {
  const newest = `select order_id from transactions where ${IS_OF_ORDER} and updated_at >= $1
    order by updated_at desc limit ${MAX_CHANGES}`;
  const text = `select o.order_id, o.version from (${newest}) t join orders o on o.order_id = t.order_id
    union all (select order_id, version from orders where closed_at >= $1 order by closed_at desc limit ${MAX_CHANGES})`;
  const rows = await read(pool, ({ run }) =>
    run<{ order_id: string; version: number }>({ sql: text, parameters: [since] }),
  );
  return new Map(rows.map(({ order_id, version }) => [order_id, version]));
}

/** Kysely replaces this error by the next one that it causes. */
async function requireSchema(db: Kysely<Tables>): Promise<void> {
  const { rows } = await sql<{ name: string | null; is_open: boolean | null }>`select current_schema() as name,
    to_regclass('meta') is not null or has_schema_privilege(current_schema(), 'create') as is_open`.execute(db);
  const { name = null, is_open: isOpen } = rows[0] ?? {};
  if (name === null) throw Object.assign(new Error('no schema has been selected to create in'), { code: '3F000' });
  if (isOpen !== true) throw Object.assign(new Error(`permission denied for schema ${name}`), { code: '42501' });
}
