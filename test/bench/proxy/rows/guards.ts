// What the guards around every route cost: GET /healthz, which does nothing else.
import { atMost, ratesTable, ratios, type Measured } from '../findings.ts';
import type { Lab } from '../lab.ts';
import { startFloor, startProxy } from '../servers.ts';

const SUBJECTS = ['raw', 'hono', 'proxy'] as const;

export async function measureGuards(lab: Lab): Promise<Measured> {
  const measured = await lab.inTurns(SUBJECTS, lab.options.rounds, async (name) => {
    const server = name === 'proxy' ? await startProxy(lab) : await startFloor(name, lab);
    const rate = await lab.rate(server, 'health', { connections: 32 });
    await server.end();
    return rate;
  });
  const cpu = (name: (typeof SUBJECTS)[number]) => measured[name].map((rate) => rate.cpuMicroseconds);
  return {
    text: ratesTable('GET /healthz', measured, 'hono'),
    findings: [atMost('guards, processor time / bare Hono', 1.6, ratios(cpu('proxy'), cpu('hono')))],
  };
}
