// What each request costs on databases of 10,000, 100,000 and 1 million payments (10 million with --large), one at a
// time and in turns, and the longest wait of GET /healthz while the heavy ones run.
import { median, number, spread, table } from '../../table.ts';
import { FILLED } from '../filled-rows.ts';
import { atMost, figures, type Measured } from '../findings.ts';
import type { Lab } from '../lab.ts';
import type { Kind } from '../requests.ts';
import type { Server } from '../servers.ts';

const DAY_MS = 86_400_000;
const SECONDS_A_REQUEST = 15;
const PROBES_PER_SECOND = 100;
/** Between heavy requests while GET /healthz is probed. */
const PAUSE_MS = 100;
const STALL_ROUNDS_AT_MOST = 3;

type Engine = 'SQLite' | 'PostgreSQL';

interface Line {
  name: string;
  /** Milliseconds for each number of payments. */
  ms: number[];
}

interface Book {
  database: string;
  server: Server;
  fillSeconds: number;
  startMs: number;
}

const MIDDLE = `${Date.now() - 183 * DAY_MS}~${FILLED}`;
const AN_HOUR_AGO = new Date(Date.now() - 3_600_000).toISOString();
/** `new`: each request is about an order that is not in the database. */
const REQUESTS: [name: string, request: { kind?: Kind; path?: string }, isNew?: 'new'][] = [
  ['POST /order/payments', { kind: 'start' }, 'new'],
  ['IPN', { kind: 'ipn' }, 'new'],
  ['GET /order', { kind: 'order' }],
  ['GET /orders/:id', { kind: 'merchantOrder' }],
  ['GET /transactions', { path: '/transactions?limit=100' }],
  ['… ?cursor in the middle', { path: `/transactions?limit=100&cursor=${MIDDLE}` }],
  ['… ?updatedSince', { path: `/transactions?limit=100&updatedSince=${AN_HOUR_AGO}` }],
  ['… ?type=PAY', { path: '/transactions?limit=100&type=PAY' }],
  ['… ?type=PAY&status=SUCCESS', { path: '/transactions?limit=100&type=PAY&status=SUCCESS' }],
  ['… ?status=PROCESSING', { path: '/transactions?limit=100&status=PROCESSING' }],
  ['GET /webhooks', { path: '/webhooks' }],
  ['GET /webhooks?state=delivered', { path: '/webhooks?state=delivered' }],
  ['GET /ipns', { path: '/ipns' }],
  ['GET /metrics', { path: '/metrics' }],
];

export const measureGrowth = (lab: Lab): Promise<Measured> => measure(lab, 'SQLite');
export const measureGrowthOnPostgres = (lab: Lab): Promise<Measured> => measure(lab, 'PostgreSQL');

async function measure(lab: Lab, engine: Engine): Promise<Measured> {
  const sizes = lab.sized({ full: [10_000, 100_000, 1_000_000], quick: [1_000, 10_000], smoke: [100] });
  if (lab.options.isLarge) sizes.push(10_000_000);
  const books: Book[] = [];
  for (const size of sizes) books.push(await openBook(lab, engine, size));
  const requests = await measureRequests(lab, books);
  const largest = books.at(-1);
  const stalls = largest === undefined ? [] : await measureStalls(lab, largest);
  for (const { server } of books.slice(0, -1)) await server.end();

  const lines = [{ name: 'start of the process', ms: figures(books, 'startMs') }, ...requests];
  const growthOf = (ms: readonly number[]) => (ms.at(-1) ?? NaN) / (ms[0] ?? NaN);
  const [worst] = requests.toSorted((a, b) => growthOf(b.ms) - growthOf(a.ms));
  const heads = sizes.map((size) => `${number(size)}, ms`);
  const rows = lines.map(({ name, ms }) => [
    name,
    ...ms.map((value) => number(value, value < 100 ? 2 : 0)),
    `${number(growthOf(ms), 2)} ×`,
  ]);
  const filled = books.map(({ fillSeconds }, at) => `${number(sizes[at] ?? 0)} in ${number(fillSeconds)} s`).join(', ');
  const longestStalls = (stalls[0]?.ms ?? []).map((_, round) => Math.max(...stalls.map(({ ms }) => ms[round] ?? 0)));
  const range = `${number(sizes.at(-1) ?? 0)} payments / at ${number(sizes[0] ?? 0)}`;
  const stallRows = stalls.map(({ name, ms }) => [name, spread(ms, 1)]);
  return {
    text: [
      table(['one request at a time', ...heads, 'growth'], rows),
      table(['GET /healthz while this runs', 'longest ms'], stallRows),
      `Filled ${filled}.`,
    ].join('\n\n'),
    findings: [
      atMost(`${engine}: any request at ${range} (most: ${worst?.name})`, 1.2, [growthOf(worst?.ms ?? [])]),
      atMost(`${engine}: longest stall of GET /healthz`, 20, longestStalls, 'ms'),
    ],
  };
}

async function openBook(lab: Lab, engine: Engine, size: number): Promise<Book> {
  const from = performance.now();
  const database = await lab.createFilled(engine, size, 'settled');
  const filledAt = performance.now();
  const server = await lab.start('proxy', { database });
  return { database, server, fillSeconds: (filledAt - from) / 1000, startMs: performance.now() - filledAt };
}

/** The median of each request on each of the books. */
async function measureRequests(lab: Lab, books: readonly Book[]): Promise<Line[]> {
  const times = lab.sized({ full: 150, quick: 5, smoke: 1 });
  const prefix = lab.newPrefix();
  const ports = books.map(({ server }) => server.port);
  const lines: Line[] = [];
  for (const [name, request, isNew] of REQUESTS) {
    const orders = { prefix: isNew === 'new' ? prefix : FILLED, from: 0 };
    const asked = { ports, times, seconds: SECONDS_A_REQUEST, ...request, ...orders };
    const ms = await lab.load.call('askInTurns', asked);
    lines.push({ name, ms: ms.map((all) => median(all)) });
    for (const [at, { server }] of books.entries()) {
      if (request.kind === 'start') server.done.transactions += ms[at]?.length ?? 0;
      if (request.kind === 'ipn') server.done.ipns += ms[at]?.length ?? 0;
    }
  }
  return lines;
}

interface Stall {
  name: string;
  /** The longest answer of each round. */
  ms: number[];
}

/** Ends the book's server, then starts another, whose hourly work runs every two seconds. */
async function measureStalls(lab: Lab, { server, database }: Book): Promise<Stall[]> {
  const rounds = lab.roundsAtMost(STALL_ROUNDS_AT_MOST);
  const seconds = lab.sized({ full: 4, quick: 1.5, smoke: 0.1 });
  const probe = async ({ port }: Server) => {
    const run = { port, kind: 'health' as const, prefix: '', from: 0, most: Infinity, connections: 16, seconds };
    return (await lab.load.call('send', { ...run, perSecond: PROBES_PER_SECOND })).longestMs;
  };
  const during = async (path: string) => {
    const asked = { ports: [server.port], times: Infinity, seconds, pauseMs: PAUSE_MS, path, prefix: '', from: 0 };
    const [ms] = await Promise.all([probe(server), lab.load.call('askInTurns', asked)]);
    return ms;
  };
  const paths = ['/metrics', '/webhooks', '/webhooks?state=delivered'];
  const measured = await lab.inTurns(['nothing', ...paths], rounds, (name) =>
    name === 'nothing' ? probe(server) : during(name),
  );
  await server.end();
  const pruning = await lab.start('proxy', { database, preload: [new URL('../soon.ts', import.meta.url)] });
  const hourly: number[] = [];
  for (let round = 0; round < rounds; round++) hourly.push(await probe(pruning));
  await pruning.end();
  return [
    ...Object.entries(measured).map(([name, ms]) => ({ name: name === 'nothing' ? name : `GET ${name}`, ms })),
    { name: 'the hourly prune', ms: hourly },
  ];
}
