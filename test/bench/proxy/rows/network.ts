// What a longer way to PostgreSQL costs: one request at a time with 0, 1 and 5 ms more for each round trip. How many
// round trips follow one another is how much longer a request takes, in units of how much longer `select 1` takes.
import { Client } from 'pg';
import { startPostgresRelay } from '../../../postgres/relay.ts';
import { median, spread, table } from '../../table.ts';
import { atMost, figures, ratios, type Measured } from '../findings.ts';
import type { Lab } from '../lab.ts';

const ROUNDS_AT_MOST = 3;
const SERVERS = ['postgres', 'proxy'] as const;
const KINDS = ['start', 'ipn', 'order'] as const;
const COLUMNS = ['ping', ...KINDS] as const;
const NAMES = { ping: 'select 1', start: 'start', ipn: 'IPN', order: 'GET /order' } as const;
const MAX_ROUND_TRIPS = { start: 6, ipn: 2, order: 1 } as const;
const PINGS = 30;

export async function measureNetwork(lab: Lab): Promise<Measured> {
  const count = lab.sized({ full: 60, quick: 15, smoke: 2 });
  const delays = lab.sized({ full: [0, 1, 5], quick: [0, 1, 5], smoke: [5] });
  const subjects = SERVERS.flatMap((server) => delays.map((ms) => ({ server, ms, name: `${server}, ${ms} ms` })));
  const names = subjects.map(({ name }) => name);
  const measured = await lab.inTurns(names, lab.roundsAtMost(ROUNDS_AT_MOST), async (subject) => {
    const { server: kind = 'proxy', ms = 0 } = subjects.find(({ name }) => name === subject) ?? {};
    const relay = await startPostgresRelay(await lab.createDatabase('PostgreSQL'), ms);
    const server = await lab.start(kind, { database: relay.url });
    const prefix = lab.newPrefix();
    const how = { connections: 1, count, isWarm: true };
    await lab.rate(server, 'start', how);
    const p50 = { ping: await ping(relay.url), start: NaN, ipn: NaN, order: NaN };
    for (const each of KINDS) p50[each] = (await lab.rate(server, each, { ...how, prefix })).p50Ms;
    await server.end();
    await relay.close();
    return p50;
  });
  const longer = (server: string, column: (typeof COLUMNS)[number]) => {
    const [near, far] = [0, 5].map((ms) => figures(measured[`${server}, ${ms} ms`], column));
    return far?.map((ms, round) => ms - (near?.[round] ?? NaN)) ?? [];
  };
  const trips = (server: string, column: (typeof COLUMNS)[number]) =>
    ratios(longer(server, column), longer(server, 'ping'));

  const rows = names.map((name) => [name, ...COLUMNS.map((column) => spread(figures(measured[name], column), 1))]);
  const tripRows = SERVERS.map((server) => [
    `${server}, round trips`,
    ...COLUMNS.map((column) => spread(trips(server, column), 1)),
  ]);
  return {
    text: table(['p50 ms', ...COLUMNS.map((column) => NAMES[column])], [...rows, ...tripRows]),
    findings: KINDS.map((kind) => {
      const measuredTrips = trips('proxy', kind).map(Math.round);
      return atMost(`round trips to PostgreSQL of ${NAMES[kind]}`, MAX_ROUND_TRIPS[kind], measuredTrips, '');
    }),
  };
}

/** Milliseconds of a round trip. */
async function ping(url: string): Promise<number> {
  const client = new Client({ connectionString: url });
  await client.connect();
  const ms: number[] = [];
  while (ms.length < PINGS) {
    const from = performance.now();
    await client.query('select 1');
    ms.push(performance.now() - from);
  }
  await client.end();
  return median(ms);
}
