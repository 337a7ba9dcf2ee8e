// The delay of the event of a fresh IPN while 100,000 status checks are due, beside the same with none due.
import { join } from 'node:path';
import { quantile, spread, table } from '../../table.ts';
import { fill } from '../fill.ts';
import { atMost, ratios, type Measured } from '../findings.ts';
import type { Lab } from '../lab.ts';
import { startProxy } from '../servers.ts';

const DUE = 100_000;
const ROUNDS_AT_MOST = 3;
const IPNS_PER_SECOND = 10;
const WAIT_SECONDS = 20;

export async function measureBacklog(lab: Lab): Promise<Measured> {
  const count = lab.options.isQuick ? 10 : 40;
  const measured = await lab.inTurns(['none due', 'due'] as const, lab.roundsAtMost(ROUNDS_AT_MOST), async (name) => {
    const database = `file:${join(lab.folder, `${lab.newPrefix()}.db`)}`;
    await (await startProxy(lab, { database })).end();
    await fill(database, DUE, name === 'due' ? 'due' : 'settled');
    const server = await startProxy(lab, { database });
    const orders = await lab.openOrders(server, count);
    const { toEvent, late } = await lab.ring(server, orders, IPNS_PER_SECOND, WAIT_SECONDS);
    await lab.load.call('closeStreams');
    await server.end();
    return { p50Ms: quantile(toEvent, 0.5), p99Ms: quantile(toEvent, 0.99), late };
  });
  const rows = Object.entries(measured).map(([name, rounds]) => [
    name,
    spread(
      rounds.map(({ p50Ms }) => p50Ms),
      2,
    ),
    spread(
      rounds.map(({ p99Ms }) => p99Ms),
      1,
    ),
    spread(rounds.map(({ late }) => late)),
  ]);
  const [due, none] = [measured.due, measured['none due']].map((rounds) => rounds.map(({ p50Ms }) => p50Ms));
  return {
    text: table([`${DUE} payments`, 'IPN → event, p50 ms', 'p99 ms', 'late'], rows),
    findings: [atMost('fresh IPN → event behind 100,000 due checks / without them', 2, ratios(due ?? [], none ?? []))],
  };
}
