// A TCP relay between the proxy and PostgreSQL that imitates failing networks and servers: it stops forwarding, which
// no socket notices, resets all connections, leads to another server, or drops the answer to one COMMIT. It reads the
// client's data only to find a COMMIT and the statements before it. For connections without TLS.
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

/** As `pg` sends it: a simple query. */
const COMMIT = Buffer.from('Q\0\0\0\x0bcommit\0', 'latin1');
const MAX_REMEMBERED = 256 * 1024;

/**
 * `applied`: the server commits, but the client gets no answer. `unsent`: the COMMIT never arrives, and the server
 * rolls back. `lateByMs`: the connection breaks, and the COMMIT arrives only after so many ms.
 */
export type LostCommit = 'applied' | 'unsent' | { lateByMs: number };

export interface PostgresRelay {
  /** The database through this relay. */
  url: string;
  /** Stops forwarding on all connections, old and new, without closing them. */
  vanish(): void;
  /** Forwards on new connections again; the old ones stay silent. */
  comeBack(): void;
  /** Resets all connections, and new ones until `moveTo`. */
  cut(): void;
  /** From now on new connections lead to this server. */
  moveTo(databaseUrl: string): void;
  /**
   * Drops the answer once, at the COMMIT of a transaction whose statements match. The returned function says whether it
   * has.
   */
  loseCommit(how: LostCommit, matches?: (statements: string) => boolean): () => boolean;
  close(): Promise<void>;
}

export async function startPostgresRelay(databaseUrl: string): Promise<PostgresRelay> {
  let target = new URL(databaseUrl);
  const open = new Set<Socket>();
  let isGone = false;
  let isCut = false;
  let planned: { how: LostCommit; matches: (statements: string) => boolean } | undefined;

  const server = createServer((client) => {
    if (isCut) {
      client.on('error', () => undefined).resetAndDestroy();
      return;
    }
    const behind = connect(Number(target.port), target.hostname);
    for (const socket of [client, behind]) {
      open.add(socket);
      socket.setNoDelay(true).on('error', () => undefined);
      socket.once('close', () => open.delete(socket));
    }
    let isSilent = false;
    let losing: LostCommit | undefined;
    let statements = '';
    const passes = () => !(isSilent ||= isGone);

    client.on('data', (chunk: Buffer) => {
      if (!passes() || losing !== undefined) return;
      if (!chunk.includes(COMMIT)) {
        statements = (statements + chunk.toString('latin1')).slice(-MAX_REMEMBERED);
        behind.write(chunk);
        return;
      }
      if (planned?.matches(statements) === true) {
        losing = planned.how;
        planned = undefined;
        lose(losing, chunk, client, behind);
      } else behind.write(chunk);
      statements = '';
    });
    behind.on('data', (chunk: Buffer) => {
      if (losing === 'applied') client.resetAndDestroy();
      else if (passes()) client.write(chunk);
    });
    client.once('close', () => {
      if (typeof losing !== 'object') behind.destroy();
    });
    behind.once('close', () => {
      if (passes()) client.destroy();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = new URL(databaseUrl);
  url.port = String((server.address() as AddressInfo).port);

  return {
    url: url.href,
    vanish: () => void (isGone = true),
    comeBack: () => void (isGone = false),
    cut() {
      isCut = true;
      for (const socket of open) socket.resetAndDestroy();
    },
    moveTo(otherUrl) {
      target = new URL(otherUrl);
      isCut = false;
    },
    loseCommit(how, matches = () => true) {
      const mine = { how, matches };
      planned = mine;
      return () => planned !== mine;
    },
    async close() {
      const closed = new Promise((resolve) => server.close(resolve));
      for (const socket of open) socket.destroy();
      await closed;
    },
  };
}

function lose(how: LostCommit, commit: Buffer, client: Socket, behind: Socket): void {
  if (how === 'applied') behind.write(commit);
  else if (how === 'unsent') client.resetAndDestroy();
  else {
    client.resetAndDestroy();
    setTimeout(() => {
      behind.write(commit);
      behind.end();
    }, how.lateByMs);
  }
}
