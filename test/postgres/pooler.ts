// A transaction pooler between the proxy and PostgreSQL, like those in front of managed servers: each transaction of a
// client runs on the connection that has been free longest, so a client rarely gets the same one twice. It does not
// know prepared statements: one that a client prepared is on one connection only, where other clients find it too.
import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { createRequests, createSplitter, type Message } from './messages.ts';

const PROTOCOL_3 = 196_608;
/** AuthenticationOk, then ReadyForQuery outside a transaction. */
const WELCOME = Buffer.from('R\0\0\0\x08\0\0\0\0Z\0\0\0\x05I', 'latin1');
const LAST = 'Z';
const ROLLBACK = Buffer.from('Q\0\0\0\x0drollback\0', 'latin1');

interface Backend {
  /** Sends a request and passes on each message of the answer; resolves with the transaction's status at its end. */
  run(request: Buffer, pass: (bytes: Buffer) => void): Promise<string>;
  end(): void;
}

export interface PostgresPooler {
  /** The database through this pooler. */
  url: string;
  /** How many requests have used or made a prepared statement. */
  named(): number;
  /** From now on, transactions run on this connection, from 0, and wait until it is free. */
  prefer(connection: number): void;
  /** From now on, transactions run on a connection to this database. */
  moveTo(databaseUrl: string): Promise<void>;
  close(): Promise<void>;
}

export async function startPostgresPooler(databaseUrl: string, connections: number): Promise<PostgresPooler> {
  const target = new URL(databaseUrl);
  const free = await Promise.all(Array.from({ length: connections }, () => openBackend(target)));
  const all = [...free];
  const clients = new Set<Socket>();
  const waiting: ((backend: Promise<Backend>) => void)[] = [];
  let preferred: Backend | undefined;
  let named = 0;

  function take(): Promise<Backend> {
    const at = preferred === undefined ? 0 : free.indexOf(preferred);
    const [backend] = at < 0 ? [] : free.splice(at, 1);
    return backend === undefined ? new Promise((resolve) => waiting.push(resolve)) : Promise.resolve(backend);
  }

  function giveBack(backend: Backend): void {
    free.push(backend);
    waiting.shift()?.(take());
  }

  const server = createServer((client) => {
    clients.add(client);
    client.setNoDelay(true).on('error', () => undefined);
    client.once('close', () => clients.delete(client));
    const requestsIn = createRequests();
    let hasBegun = false;
    let pinned: Backend | undefined;
    let answered = Promise.resolve();

    async function answer(request: Buffer): Promise<void> {
      const backend = pinned ?? (await take());
      const status = await backend.run(request, (bytes) => client.write(bytes));
      pinned = status === 'I' ? undefined : backend;
      if (pinned === undefined) giveBack(backend);
    }

    // What it left in a transaction is free again once that has ended.
    client.once('close', () => void answered.then(() => pinned && answer(ROLLBACK)));

    client.on('data', (chunk: Buffer) => {
      for (const { bytes, names } of requestsIn(chunk)) {
        const isEnd = bytes[0] === 'X'.charCodeAt(0);
        if (!hasBegun) client.write(WELCOME);
        else if (!isEnd) answered = answered.then(() => answer(bytes));
        hasBegun = true;
        if (names.length > 0) named += 1;
      }
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = new URL(databaseUrl);
  url.port = String((server.address() as AddressInfo).port);

  return {
    url: url.href,
    named: () => named,
    prefer: (connection) => void (preferred = all[connection]),
    async moveTo(newUrl) {
      preferred = await openBackend(new URL(newUrl));
      all.push(preferred);
      free.push(preferred);
    },
    async close() {
      const closed = new Promise((resolve) => server.close(resolve));
      for (const client of clients) client.destroy();
      for (const backend of all) backend.end();
      await closed;
    },
  };
}

async function openBackend({ hostname, port, username, pathname }: URL): Promise<Backend> {
  const socket = connect(Number(port), hostname).setNoDelay(true);
  socket.on('error', () => undefined);
  const split = createSplitter('server');
  let receive: (message: Message) => void;
  const untilReady = (pass: (bytes: Buffer) => void) =>
    new Promise<string>((resolve) => {
      receive = ({ type, bytes }) => {
        pass(bytes);
        if (type === LAST) resolve(bytes.toString('latin1', 5));
      };
    });
  socket.on('data', (chunk: Buffer) => {
    for (const message of split(chunk)) receive(message);
  });
  await once(socket, 'connect');
  const parameters = Buffer.from(`user\0${username}\0database\0${pathname.slice(1)}\0\0`);
  const head = Buffer.alloc(8);
  head.writeUInt32BE(head.length + parameters.length, 0);
  head.writeUInt32BE(PROTOCOL_3, 4);
  const ready = untilReady(() => undefined);
  socket.write(Buffer.concat([head, parameters]));
  await ready;
  return {
    run(request, pass) {
      const answered = untilReady(pass);
      socket.write(request);
      return answered;
    },
    end: () => socket.destroy(),
  };
}
