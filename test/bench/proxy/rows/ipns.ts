// IPNs of payments that were started before, stored and answered with 200, at 64 connections.
import { atLeast, ratesTable, ratios, type Measured } from '../findings.ts';
import type { Lab } from '../lab.ts';
import { startFloor, startProxy } from '../servers.ts';

const CONNECTIONS = 64;
const SUBJECTS = ['raw', 'hono', 'grouped', 'each', 'proxy'] as const;

export async function measureIpns(lab: Lab): Promise<Measured> {
  const count = lab.options.isQuick ? 600 : 3_000;
  const measured = await lab.inTurns(SUBJECTS, lab.options.rounds, async (name) => {
    const server = name === 'proxy' ? await startProxy(lab) : await startFloor(name, lab);
    const prefix = lab.newPrefix();
    await lab.rate(server, 'start', { connections: 32, count, prefix, isWarm: true });
    // It warms up with IPNs that match no payment.
    const rate = await lab.rate(server, 'ipn', { connections: CONNECTIONS, count, prefix });
    await server.end();
    return rate;
  });
  const perSecond = (name: (typeof SUBJECTS)[number]) => measured[name].map((rate) => rate.perSecond);
  return {
    text: ratesTable('IPNs', measured, 'grouped'),
    findings: [atLeast('IPN → 200 / grouped skeleton', 0.6, ratios(perSecond('proxy'), perSecond('grouped')))],
  };
}
