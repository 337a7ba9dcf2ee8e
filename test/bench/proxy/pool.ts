// A pool of connections to one port. A request that finds none free waits in line; the connection used last is taken
// first, so that a low rate keeps few of them busy and the server does not close those as idle.
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

export function openPool(port: number, most: number): Pool {
  const open = new Set<Connection>();
  const free: Connection[] = [];
  const line: ((connection: Connection) => void)[] = [];
  let dialled = 0;

  async function add(): Promise<void> {
    dialled++;
    const connection = await connect(port, () => {
      dialled--;
      open.delete(connection);
      const at = free.indexOf(connection);
      if (at !== -1) free.splice(at, 1);
    });
    open.add(connection);
    give(connection);
  }

  function give(connection: Connection): void {
    if (!open.has(connection)) return;
    const next = line.shift();
    if (next) next(connection);
    else free.push(connection);
  }

  async function take(): Promise<Connection> {
    if (dialled < most) await add();
    return free.pop() ?? new Promise((resolve) => line.push(resolve));
  }

  return {
    async send(request) {
      const from = performance.now();
      const connection = free.pop() ?? (await take());
      return new Promise((resolve) => {
        connection.send(request, (status) => {
          give(connection);
          resolve({ status, ms: performance.now() - from });
        });
      });
    },
    close() {
      for (const connection of open) connection.close();
    },
  };
}
