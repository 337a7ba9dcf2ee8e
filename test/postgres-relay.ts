// A TCP relay between the proxy and PostgreSQL that imitates failing networks and servers: it stops forwarding without
// closing a socket, or drops the answer to one COMMIT. It reads the client's bytes only to recognize a COMMIT and the
// statements before it, so it works only without TLS.
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

/** As `pg` sends it: a simple query. */
const COMMIT = Buffer.from('Q\0\0\0\x0bcommit\0', 'latin1');
const MOST_REMEMBERED = 256 * 1024;

/**
 * `applied`: the server commits, but the client gets no answer. `unsent`: the COMMIT never arrives, and the server
 * rolls back. `lateByMs`: the client is disconnected at once, and the COMMIT arrives this much later.
 */
export type LostCommit = 'applied' | 'unsent' | { lateByMs: number };

export interface PostgresRelay {
  /** The database's URL through this relay. */
  url: string;
  /** From now on no bytes pass, on old and new connections, and none is closed. */
  vanish(): void;
  /** New connections pass again; old ones stay silent. */
  comeBack(): void;
  /**
   * Loses the next COMMIT of a transaction whose statements match. The returned function says whether it has happened.
   */
  loseCommit(how: LostCommit, isMeant?: (statements: string) => boolean): () => boolean;
  close(): Promise<void>;
}

export async function startPostgresRelay(databaseUrl: string): Promise<PostgresRelay> {
  const target = new URL(databaseUrl);
  const open = new Set<Socket>();
  let isGone = false;
  let strike: { how: LostCommit; isMeant: (statements: string) => boolean } | undefined;

  const server = createServer((client) => {
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
        statements = (statements + chunk.toString('latin1')).slice(-MOST_REMEMBERED);
        behind.write(chunk);
        return;
      }
      if (strike?.isMeant(statements) === true) {
        losing = strike.how;
        strike = undefined;
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
    loseCommit(how, isMeant = () => true) {
      const mine = { how, isMeant };
      strike = mine;
      return () => strike !== mine;
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
