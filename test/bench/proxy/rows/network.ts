// What a longer way to PostgreSQL costs: one request at a time with 0, 1 and 5 ms more for each round trip. How many
// round trips follow one another is how much longer a request takes, in units of how much longer `select 1` takes.
import { Client } from 'pg';
import { median, spread, table } from '../../table.ts';
import { atMost, ratios, type Measured } from '../findings.ts';
import type { Lab } from '../lab.ts';
import { startRelay } from '../relay.ts';
import { startFloor, startProxy } from '../servers.ts';

const DELAYS_MS = [0, 1, 5] as const;
const ROUNDS_AT_MOST = 3;
const KINDS = ['start', 'ipn', 'order'] as const;
const COLUMNS = ['ping', ...KINDS] as const;
const NAMES = { ping: 'select 1', start: 'start', ipn: 'IPN', order: 'GET /order' } as const;
const MAX_ROUND_TRIPS = { start: 6, ipn: 2, order: 1 } as const;
const PINGS = 30;

export async function measureNetwork(lab: Lab): Promise<Measured> {
  const count = lab.options.isQuick ? 15 : 60;
  const subjects = ['postgres', 'proxy'].flatMap((name) => DELAYS_MS.map((ms) => `${name}, ${ms} ms`));
  const measured = await lab.inTurns(subjects, lab.roundsAtMost(ROUNDS_AT_MOST), async (subject) => {
    const [name, delay = ''] = subject.split(', ');
    const relay = await startRelay(await lab.createPostgresDatabase(), Number.parseInt(delay, 10));
    const settings = { database: relay.url };
    const server = await (name === 'proxy' ? startProxy(lab, settings) : startFloor('postgres', lab, settings));
    const prefix = lab.newPrefix();
    const how = { connections: 1, count, isWarm: true };
    await lab.rate(server, 'start', how);
    const p50: Record<string, number> = { ping: await ping(relay.url) };
    for (const kind of KINDS) p50[kind] = (await lab.rate(server, kind, { ...how, prefix })).p50Ms;
    await server.end();
    relay.close();
    return p50;
  });
  const of = (subject: string, kind: string) => (measured[subject] ?? []).map((p50) => p50[kind] ?? NaN);
  const longer = (name: string, kind: string) =>
    of(`${name}, 5 ms`, kind).map((ms, round) => ms - (of(`${name}, 0 ms`, kind)[round] ?? NaN));
  const trips = (name: string, kind: string) => ratios(longer(name, kind), longer(name, 'ping'));

  const rows = subjects.map((subject) => [subject, ...COLUMNS.map((kind) => spread(of(subject, kind), 1))]);
  const tripRows = ['postgres', 'proxy'].map((name) => [
    `${name}, round trips`,
    ...COLUMNS.map((kind) => spread(trips(name, kind), 1)),
  ]);
  return {
    text: table(['p50 ms', ...COLUMNS.map((kind) => NAMES[kind])], [...rows, ...tripRows]),
    findings: KINDS.map((kind) =>
      atMost(
        `round trips to PostgreSQL of ${NAMES[kind]}`,
        MAX_ROUND_TRIPS[kind],
        trips('proxy', kind).map(Math.round),
        '',
      ),
    ),
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
