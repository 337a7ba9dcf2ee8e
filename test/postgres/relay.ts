// A TCP relay between the proxy and PostgreSQL that imitates failing networks and servers: it stops forwarding, which
// no socket notices, resets all connections, leads to another server, or breaks the connection at one statement, so
// that its answer is lost. For connections without TLS.
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { resetConnection } from '../reset-connection.ts';
import { createRequests } from './messages.ts';

/**
 * `applied`: the server runs the statement, but the client gets no answer. `unsent`: it never arrives. `after`: the
 * connection breaks, and the statement arrives only when this settles.
 */
export type LostAnswer = 'applied' | 'unsent' | { after: Promise<unknown> };

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
   * Loses one answer: that of the next statement that matches. A statement is its SQL, then all that was sent with it.
   * The returned function says whether it was lost.
   */
  loseAnswer(how: LostAnswer, matches: (statement: string) => boolean): () => boolean;
  close(): Promise<void>;
}

/** Whether a statement saves a write of the ledger. */
export const isSave = (statement: string): boolean => statement.startsWith('with gate');
export const isLoad = (statement: string): boolean => statement.includes('as order_xmin');
/** Begins and ends the transaction of a start that sends a prompt. */
export const isBegin = (statement: string): boolean => statement.startsWith('begin ');
export const isCommit = (statement: string): boolean => statement.startsWith('commit\n');

/** Whether it is the `k`th that matches, from 1. */
export function nth(k: number, matches: (statement: string) => boolean): (statement: string) => boolean {
  let seen = 0;
  return (statement) => matches(statement) && (seen += 1) === k;
}

/** Holds back what the client sends by `delayMs`, as a longer way to the database would. Answers pass at once. */
export async function startPostgresRelay(databaseUrl: string, delayMs = 0): Promise<PostgresRelay> {
  let target = new URL(databaseUrl);
  const open = new Set<Socket>();
  let isGone = false;
  let isCut = false;
  let planned: { how: LostAnswer; matches: (statement: string) => boolean } | undefined;

  const server = createServer((client) => {
    if (isCut) {
      resetConnection(client.on('error', () => undefined));
      return;
    }
    const behind = connect(Number(target.port), target.hostname);
    for (const socket of [client, behind]) {
      open.add(socket);
      socket.setNoDelay(true).on('error', () => undefined);
      socket.once('close', () => open.delete(socket));
    }
    const requestsIn = createRequests();
    let isSilent = false;
    let losing: LostAnswer | undefined;
    const passes = () => !(isSilent ||= isGone);

    client.on('data', (chunk: Buffer) => {
      if (!passes()) return;
      for (const { bytes, statement } of requestsIn(chunk)) {
        if (losing !== undefined) return;
        if (planned?.matches(statement) !== true) {
          if (delayMs === 0) behind.write(bytes);
          else setTimeout(() => behind.write(bytes), delayMs);
          continue;
        }
        losing = planned.how;
        planned = undefined;
        lose(losing, bytes, client, behind);
      }
    });
    behind.on('data', (chunk: Buffer) => {
      if (losing === 'applied') resetConnection(client);
      else if (losing === undefined && passes()) client.write(chunk);
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
      for (const socket of open) resetConnection(socket);
    },
    moveTo(otherUrl) {
      target = new URL(otherUrl);
      isCut = false;
    },
    loseAnswer(how, matches) {
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

function lose(how: LostAnswer, request: Buffer, client: Socket, behind: Socket): void {
  if (how === 'applied') behind.write(request);
  else resetConnection(client);
  if (typeof how === 'string') return;
  const arrive = () => {
    behind.write(request);
    behind.end();
  };
  how.after.then(arrive, arrive);
}
