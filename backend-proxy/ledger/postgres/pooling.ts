// Which pooler is between the proxy and PostgreSQL, for the log. Nothing else depends on it: under load a transaction
// pooler may look like a session pooler, so writes only ask whether there is a pooler at all (connection.ts).
import type { Client } from 'pg';
import { connect, query, type Connection } from './connection.ts';
import type { Servers } from './servers.ts';

/** `session`: a client keeps its server connection. `transaction`: each transaction may get another one. */
export type Pooler = 'none' | 'session' | 'transaction';

/** Compares the server connections of two clients, which connect only if there is a pooler. */
export async function findPooler({ isPooled }: Pick<Connection, 'isPooled'>, servers: Servers): Promise<Pooler> {
  if (!isPooled) return 'none';
  const clients = [await connect(servers), await connect(servers)] as const;
  try {
    const [one, other] = clients;
    const first = await serverProcess(one);
    const isKept = (await serverProcess(one)) === first;
    const isShared = (await serverProcess(other)) === first;
    return isKept && !isShared ? 'session' : 'transaction';
  } finally {
    await Promise.all(clients.map((client) => client.end()));
  }
}

async function serverProcess(client: Client): Promise<unknown> {
  const { rows } = await query(client, 'select pg_backend_pid() as pid');
  return rows[0]?.['pid'];
}
