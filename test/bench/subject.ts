// The three servers that are compared, each a process of its own over the same gateway: the proxy as it is run in production (its
// main.ts and an environment), and the two floors. Owns their start, their end, and how much processor time they took.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Pool } from 'undici';
import { Child } from '../../demo/child.ts';

export const ORDER_SECRET = 'an-order-secret-for-the-benchmark-only';
export const IPN_SECRET = 'an-ipn-secret-for-the-benchmark';
export const SHOP = 'http://shop.example';
const READY_WITHIN_MS = 20_000;
/** How the kernel counts processor time, on every Linux that Node runs on. */
const TICKS_PER_S = 100;

export interface Subject {
  name: string;
  /** Its books; undefined where it keeps none. */
  database: string | undefined;
  pool: Pool;
  /** How many it answered as done: afterwards that many rows are in its books. */
  readonly done: { ipns: number; transactions: number };
  /** Seconds of processor time since its start; NaN where the system does not tell. */
  cpuSeconds(): number;
  end(): Promise<void>;
}

export async function startSubjects(gatewayUrl: string, folder: string): Promise<Subject[]> {
  const floorBooks = join(folder, 'floor.db');
  const books = join(folder, 'proxy.db');
  const proxyEnvironment = {
    GATEWAY_API_KEY: 'bench',
    ORDER_SECRET,
    IPN_SECRET,
    MERCHANT_API_KEY: 'a-merchant-key-for-the-benchmark-only',
    ALLOWED_ORIGINS: SHOP,
    DATABASE_URL: `file:${books}`,
    PORT: '0',
  };
  const starts: [name: string, file: string, database: string | undefined, env: Record<string, string>][] = [
    ['raw node:http', 'floor.ts', undefined, {}],
    ['raw + a commit each', 'floor.ts', floorBooks, { DATABASE: floorBooks }],
    ['proxy', '../../backend-proxy/main.ts', books, proxyEnvironment],
  ];
  const common = { GATEWAY_URL: gatewayUrl, HOST: '127.0.0.1' };
  return Promise.all(starts.map(([name, file, database, env]) => start(name, file, database, { ...common, ...env })));
}

async function start(
  name: string,
  file: string,
  database: string | undefined,
  env: Record<string, string>,
): Promise<Subject> {
  let url: string | undefined;
  const child = new Child({
    name,
    file: fileURLToPath(new URL(file, import.meta.url)),
    env,
    readyWithinMs: READY_WITHIN_MS,
    isReady: () => Promise.resolve(url !== undefined),
    onLine: (line) => {
      // Each says once where it listens; the proxy's log of every request is read, as a log collector would, and dropped.
      if (url === undefined && line.includes('listening')) url = (JSON.parse(line) as { url: string }).url;
    },
    onExit: (message) => {
      throw new Error(message);
    },
  });
  await child.ready();
  const pool = new Pool(url ?? '', { connections: 64, bodyTimeout: 0 });
  return {
    name,
    database,
    pool,
    done: { ipns: 0, transactions: 0 },
    cpuSeconds: () => cpuSecondsOf(child.pid),
    end: async () => {
      await pool.destroy();
      await child.end();
    },
  };
}

function cpuSecondsOf(pid: number): number {
  if (process.platform !== 'linux') return NaN;
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  // proc(5): the 14th and 15th field, user and system time, counted from the third.
  return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_S;
}
