// The delay of the event of a fresh IPN while 100,000 status checks are due, beside the same with none due.
import { quantile, spread, table } from '../../table.ts';
import { atMost, figures, ratios, type Measured } from '../findings.ts';
import type { Lab } from '../lab.ts';

const ROUNDS_AT_MOST = 3;
const IPNS_PER_SECOND = 10;
const WAIT_SECONDS = 20;

export async function measureBacklog(lab: Lab): Promise<Measured> {
  const due = lab.sized({ full: 100_000, quick: 100_000, smoke: 1_000 });
  const count = lab.sized({ full: 40, quick: 10, smoke: 2 });
  const names = ['none due', 'due'] as const;
  const measured = await lab.inTurns(names, lab.roundsAtMost(ROUNDS_AT_MOST), async (name) => {
    const database = await lab.createFilled('SQLite', due, name === 'due' ? 'due' : 'settled');
    const server = await lab.start('proxy', { database });
    const orders = await lab.openOrders(server, count);
    const { toEvent, late } = await lab.ring(server, orders, IPNS_PER_SECOND, WAIT_SECONDS);
    await lab.load.call('closeStreams');
    await server.end();
    return { p50Ms: quantile(toEvent, 0.5), p99Ms: quantile(toEvent, 0.99), late };
  });
  const rows = names.map((name) => [
    name,
    spread(figures(measured[name], 'p50Ms'), 2),
    spread(figures(measured[name], 'p99Ms'), 1),
    spread(figures(measured[name], 'late')),
  ]);
  const delays = ratios(figures(measured.due, 'p50Ms'), figures(measured['none due'], 'p50Ms'));
  return {
    text: table([`${due} payments`, 'IPN → event, p50 ms', 'p99 ms', 'late'], rows),
    findings: [atMost('fresh IPN → event behind 100,000 due checks / without them', 2, delays)],
  };
}
