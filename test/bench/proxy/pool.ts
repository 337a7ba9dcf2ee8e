// A pool of connections to one port. A request that finds none free waits in line. The connection used last is taken
// first, and one that was idle for a second is not used again: the server may be closing it.
import { connect, type Connection } from './connection.ts';

export interface Answer {
  /** 0 if the server closed the connection. */
  status: number;
  /** Milliseconds from the call of `send` until the whole answer was read; waiting in line counts. */
  ms: number;
}

export interface Pool {
  send(request: Buffer): Promise<Answer>;
  close(): void;
}

const IDLE_MS = 1_000;
/** `G`: a request without effects may be sent again when the server closed the connection (RFC 9112, 9.3.1). */
const GET = 0x47;

export function openPool(port: number, most: number): Pool {
  const open = new Set<Connection>();
  const free: { connection: Connection; since: number }[] = [];
  const line: ((connection: Connection) => void)[] = [];
  let dialled = 0;

  async function add(): Promise<void> {
    dialled++;
    const connection = await connect(port, () => forget(connection));
    open.add(connection);
    give(connection);
  }

  function forget(connection: Connection): void {
    if (open.delete(connection)) dialled--;
    const at = free.findIndex((each) => each.connection === connection);
    if (at !== -1) free.splice(at, 1);
    if (line.length > 0) void add();
  }

  function give(connection: Connection): void {
    if (!open.has(connection)) return;
    const next = line.shift();
    if (next) next(connection);
    else free.push({ connection, since: performance.now() });
  }

  function takeFree(): Connection | undefined {
    for (let last = free.pop(); last; last = free.pop()) {
      if (last.since > performance.now() - IDLE_MS) return last.connection;
      forget(last.connection);
      last.connection.close();
    }
    return undefined;
  }

  async function take(): Promise<Connection> {
    if (dialled < most) await add();
    return takeFree() ?? new Promise((resolve) => line.push(resolve));
  }

  async function trySend(request: Buffer): Promise<number> {
    const connection = takeFree() ?? (await take());
    return new Promise((resolve) => {
      connection.send(request, (status) => {
        give(connection);
        resolve(status);
      });
    });
  }

  return {
    async send(request) {
      const from = performance.now();
      let status = await trySend(request);
      if (status === 0 && request[0] === GET) status = await trySend(request);
      return { status, ms: performance.now() - from };
    },
    close() {
      for (const connection of open) connection.close();
    },
  };
}
