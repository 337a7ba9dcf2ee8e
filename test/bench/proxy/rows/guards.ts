// What the guards around every route cost: GET /healthz, which does nothing else.
import { atMost, figures, ratesTable, ratios, type Measured } from '../findings.ts';
import type { Lab } from '../lab.ts';

export async function measureGuards(lab: Lab): Promise<Measured> {
  const measured = await lab.inTurns(['raw', 'hono', 'proxy'] as const, lab.options.rounds, async (name) => {
    const server = await lab.start(name);
    const rate = await lab.rate(server, 'health', { connections: 32 });
    await server.end();
    return rate;
  });
  const costs = ratios(figures(measured.proxy, 'cpuMicroseconds'), figures(measured.hono, 'cpuMicroseconds'));
  return {
    text: ratesTable('GET /healthz', measured, 'hono'),
    findings: [atMost('guards, processor time / bare Hono', 1.6, costs)],
  };
}
