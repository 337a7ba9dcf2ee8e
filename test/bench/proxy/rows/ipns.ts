// IPNs of payments that were started before, stored and answered with 200, at 64 connections.
import { atLeast, figures, ratesTable, ratios, type Measured } from '../findings.ts';
import type { Lab } from '../lab.ts';

const CONNECTIONS = 64;
const SUBJECTS = ['raw', 'hono', 'grouped', 'each', 'proxy'] as const;

export async function measureIpns(lab: Lab): Promise<Measured> {
  const count = lab.sized({ full: 3_000, quick: 600, smoke: 10 });
  const measured = await lab.inTurns(SUBJECTS, lab.options.rounds, async (name) => {
    const server = await lab.start(name);
    const prefix = lab.newPrefix();
    await lab.rate(server, 'start', { connections: 32, count, prefix, isWarm: true });
    // It warms up with IPNs that match no payment.
    const rate = await lab.rate(server, 'ipn', { connections: CONNECTIONS, count, prefix });
    await server.end();
    return rate;
  });
  const rates = ratios(figures(measured.proxy, 'perSecond'), figures(measured.grouped, 'perSecond'));
  return {
    text: ratesTable('IPNs', measured, 'grouped'),
    findings: [atLeast('IPN → 200 / grouped skeleton', 0.6, rates)],
  };
}
