// Starts and ends the three servers that the benchmark compares, and measures their processor time: the proxy as in
// production (its main.ts and an environment) and the two floors. Each is a separate process; all use the same gateway.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Pool } from 'undici';
import { Child } from '../../demo/child.ts';

export const ORDER_SECRET = 'an-order-secret-for-the-benchmark-only';
export const IPN_SECRET = 'an-ipn-secret-for-the-benchmark';
export const SHOP = 'http://shop.example';
const READY_WITHIN_MS = 20_000;
/** The unit in which Linux counts processor time, on every platform that Node supports. */
const TICKS_PER_S = 100;

export interface Subject {
  name: string;
  /** The path of its database; undefined if it stores nothing. */
  database: string | undefined;
  pool: Pool;
  /** The number of requests answered with success: in the end its database must have as many rows. */
  readonly done: { ipns: number; transactions: number };
  /** Seconds of processor time since its start; NaN on systems other than Linux. */
  cpuSeconds(): number;
  end(): Promise<void>;
}

export async function startSubjects(gatewayUrl: string, folder: string): Promise<Subject[]> {
  const floorDatabase = join(folder, 'floor.db');
  const proxyDatabase = join(folder, 'proxy.db');
  const proxyEnvironment = {
    GATEWAY_API_KEY: 'bench',
    ORDER_SECRET,
    IPN_SECRET,
    MERCHANT_API_KEY: 'a-merchant-key-for-the-benchmark-only',
    ALLOWED_ORIGINS: SHOP,
    DATABASE_URL: `file:${proxyDatabase}`,
    PORT: '0',
  };
  const starts: [name: string, file: string, database: string | undefined, env: Record<string, string>][] = [
    ['raw node:http', 'floor.ts', undefined, {}],
    ['raw + a commit each', 'floor.ts', floorDatabase, { DATABASE: floorDatabase }],
    ['proxy', '../../backend-proxy/main.ts', proxyDatabase, proxyEnvironment],
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
      // The proxy also logs every request: those lines are read, as a log collector would, and dropped.
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
  // proc(5): user and system time are fields 14 and 15; this list begins with field 3.
  return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_S;
}
