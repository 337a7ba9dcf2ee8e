// The measured servers: the proxy as in production (its main.ts, an environment, its log written to a file) and the
// floors. Each counts what it answered with success, and its database must have stored as much in the end.
import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Floor } from './floor.ts';
import { launch, portOf, SERVER_CPU } from './launch.ts';
import { IPN_SECRET, MERCHANT_KEY, ORDER_SECRET, SHOP } from './requests.ts';
import { countStored, type Stored } from './stored.ts';

export type ServerName = 'proxy' | Floor;

export interface Server {
  port: number;
  /** Answered with success since its start. */
  readonly done: Stored;
  cpuSeconds(): number;
  memoryBytes(): number;
  /** Ends the process and compares the database with `done`. */
  end(): Promise<void>;
}

export interface Settings {
  /** As in DATABASE_URL; default: a new SQLite file, removed at the end. */
  database?: string;
  env?: Record<string, string>;
  cpu?: number;
  preload?: URL[];
  /** Another proxy writes to the same database, so that the rows are compared by the caller. */
  isShared?: boolean;
}

export interface Place {
  folder: string;
  gatewayUrl: string;
}

const STORE_NOTHING: readonly ServerName[] = ['raw', 'hono', 'gateway'];
const NONE: Stored = { transactions: 0, ipns: 0 };
let started = 0;

export async function startServer(name: ServerName, place: Place, settings: Settings = {}): Promise<Server> {
  const number = ++started;
  const output = join(place.folder, `${number}.log`);
  const database = settings.database ?? `file:${join(place.folder, `${number}.db`)}`;
  const stores = !STORE_NOTHING.includes(name) && settings.isShared !== true;
  const before = settings.database === undefined || !stores ? NONE : await storedIn(database);
  const process = launch({
    file: new URL(name === 'proxy' ? '../../../backend-proxy/main.ts' : 'floor.ts', import.meta.url),
    cpu: settings.cpu ?? SERVER_CPU,
    env: { ...environmentOf(name, place.gatewayUrl, database), ...settings.env },
    output,
    preload: settings.preload ?? [],
  });
  const done = { ...NONE };
  return {
    port: await portOf(process, output),
    done,
    cpuSeconds: () => process.cpuSeconds(),
    memoryBytes: () => process.memoryBytes(),
    async end() {
      await process.end();
      if (stores) {
        const { transactions, ipns } = await countStored(database);
        const added = { transactions: transactions - before.transactions, ipns: ipns - before.ipns };
        assert.deepEqual(added, done, `${name} stored what it answered with success`);
      }
      rmSync(output);
      if (settings.database === undefined)
        for (const end of ['', '-wal', '-shm']) rmSync(database.slice(5) + end, { force: true });
    },
  };
}

function environmentOf(name: ServerName, gatewayUrl: string, database: string): Record<string, string> {
  if (name !== 'proxy') return { FLOOR: name, GATEWAY_URL: gatewayUrl, DATABASE: database.replace(/^file:/, '') };
  return {
    GATEWAY_URL: gatewayUrl,
    GATEWAY_API_KEY: 'bench',
    ORDER_SECRET,
    IPN_SECRET,
    MERCHANT_API_KEY: MERCHANT_KEY,
    ALLOWED_ORIGINS: SHOP,
    DATABASE_URL: database,
    PORT: '0',
    DRAIN_SECONDS: '0',
  };
}

/** Zero for a database that has no tables yet. */
function storedIn(database: string): Promise<Stored> {
  return countStored(database).catch(() => NONE);
}
