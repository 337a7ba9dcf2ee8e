// The measured servers: the proxy as in production (its main.ts, an environment, its log written to a file) and the
// floors. Each counts what it answered with success, and its database must have stored as much in the end.
import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Floor } from './floor.ts';
import { launch, portOf, SERVER_CPU, type Launched } from './launch.ts';
import { IPN_SECRET, MERCHANT_KEY, ORDER_SECRET, SHOP } from './requests.ts';
import { countStored, type Stored } from './stored.ts';

export interface Server {
  name: string;
  port: number;
  /** Answered with success since its start. */
  readonly done: Stored;
  cpuSeconds(): number;
  memoryBytes(): number;
  /** Ends the process and compares the database with `done`. */
  end(): Promise<void>;
}

export interface Settings {
  name?: string;
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

let started = 0;

export function startProxy(place: Place, settings: Settings = {}): Promise<Server> {
  return start(new URL('../../../backend-proxy/main.ts', import.meta.url), 'proxy', place, settings, (database) => ({
    GATEWAY_URL: place.gatewayUrl,
    GATEWAY_API_KEY: 'bench',
    ORDER_SECRET,
    IPN_SECRET,
    MERCHANT_API_KEY: MERCHANT_KEY,
    ALLOWED_ORIGINS: SHOP,
    DATABASE_URL: database,
    PORT: '0',
    DRAIN_SECONDS: '0',
  }));
}

export function startFloor(floor: Floor, place: Place, settings: Settings = {}): Promise<Server> {
  return start(new URL('floor.ts', import.meta.url), floor, place, settings, (database) => ({
    FLOOR: floor,
    GATEWAY_URL: place.gatewayUrl,
    DATABASE: database.replace(/^file:/, ''),
  }));
}

async function start(
  file: URL,
  name: string,
  { folder }: Place,
  settings: Settings,
  envOf: (database: string) => Record<string, string>,
): Promise<Server> {
  const number = ++started;
  const output = join(folder, `${number}.log`);
  const database = settings.database ?? `file:${join(folder, `${number}.db`)}`;
  const stores = name !== 'raw' && name !== 'hono' && name !== 'gateway' && settings.isShared !== true;
  const before = settings.database === undefined || !stores ? { transactions: 0, ipns: 0 } : await storedIn(database);
  const process = launch({
    file,
    cpu: settings.cpu ?? SERVER_CPU,
    env: { ...envOf(database), ...settings.env },
    output,
    ...(settings.preload && { preload: settings.preload }),
  });
  const done = { transactions: 0, ipns: 0 };
  return {
    name: settings.name ?? name,
    port: await portOf(process, output),
    done,
    cpuSeconds: () => process.cpuSeconds(),
    memoryBytes: () => process.memoryBytes(),
    async end() {
      await process.end();
      if (stores) {
        const { transactions, ipns } = await countStored(database);
        const added = { transactions: transactions - before.transactions, ipns: ipns - before.ipns };
        assert.deepEqual(added, done, `${settings.name ?? name} stored what it answered with success`);
      }
      remove(output);
      if (settings.database === undefined) for (const end of ['', '-wal', '-shm']) remove(database.slice(5) + end);
    },
  };
}

/** Zero for a database that has no tables yet. */
function storedIn(database: string): Promise<Stored> {
  return countStored(database).catch(() => ({ transactions: 0, ipns: 0 }));
}

function remove(path: string): void {
  rmSync(path, { force: true });
}

export type { Launched };
