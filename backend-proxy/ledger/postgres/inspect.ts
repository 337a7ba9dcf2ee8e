// Looks at a PostgreSQL database without changing it, by a connection with the settings that the proxy needs.
import { schemaState, type SchemaState } from '../schema/migrate.ts';
import { connect, query } from './connection.ts';

export interface InspectedPostgres {
  schema: SchemaState;
  /** `15.18`. */
  version: string;
  /** Whether this role may make tables here. */
  mayCreate: boolean;
  role: string;
  schemaName: string;
  /** The database's clock, ms since 1970. */
  now: number;
}

const FACTS = `select current_setting('server_version') as version, current_user as role,
  coalesce(current_schema(), 'public') as schema_name,
  has_schema_privilege(coalesce(current_schema(), 'public'), 'CREATE') as may_create,
  to_regclass('transactions') is not null as has_tables,
  to_regclass('meta') is not null as has_meta,
  (extract(epoch from clock_timestamp()) * 1000)::float8 as now`;

/** Throws the error of the server or the driver if it cannot be used. */
export async function inspectPostgres(url: string): Promise<InspectedPostgres> {
  const client = await connect(url);
  try {
    const [facts] = (
      await query<{
        version: string;
        role: string;
        schema_name: string;
        may_create: boolean;
        has_tables: boolean;
        has_meta: boolean;
        now: number;
      }>(client, FACTS)
    ).rows;
    if (facts === undefined) throw new Error('The server answered no row');
    const meta = facts.has_meta
      ? (await query<{ key: string; value: string }>(client, 'select key, value from meta')).rows
      : [];
    return {
      schema: schemaState(meta, facts.has_tables),
      version: facts.version.split(' ')[0] ?? '',
      mayCreate: facts.may_create,
      role: facts.role,
      schemaName: facts.schema_name,
      now: facts.now,
    };
  } finally {
    await client.end();
  }
}
