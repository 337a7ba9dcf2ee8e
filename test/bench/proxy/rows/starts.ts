// The delay of a start at a fixed rate, beside a program that does the least a start needs: bare Hono, two durable
// commits in groups, and the call of the gateway.
import { spread, table } from '../../table.ts';
import { atMost, ratios, type Measured } from '../findings.ts';
import type { Lab, Rate } from '../lab.ts';

const RATES = [100, 500];
const SUBJECTS = ['hono', 'gateway', 'grouped', 'proxy'] as const;
/** Enough for every arrival to find one free while the server keeps up. */
const CONNECTIONS = 128;

export async function measureStarts(lab: Lab): Promise<Measured> {
  const measured = await lab.inTurns(SUBJECTS, lab.options.rounds, async (name) => {
    const server = await lab.start(name);
    const rates: Rate[] = [];
    await lab.rate(server, 'start', { connections: 16, seconds: lab.seconds / 2 });
    const how = { connections: CONNECTIONS, seconds: lab.seconds * 2, isWarm: true };
    for (const perSecond of RATES) rates.push(await lab.rate(server, 'start', { ...how, perSecond }));
    await server.end();
    return rates;
  });
  const of = (name: (typeof SUBJECTS)[number], at: number, figure: 'p50Ms' | 'p99Ms' | 'cpuMicroseconds') =>
    measured[name].map((rates) => rates[at]?.[figure] ?? NaN);
  const rows = SUBJECTS.map((name) => [
    name,
    ...RATES.flatMap((_, at) => [spread(of(name, at, 'p50Ms'), 2), spread(of(name, at, 'p99Ms'), 1)]),
    spread(of(name, RATES.length - 1, 'cpuMicroseconds')),
  ]);
  const heads = RATES.flatMap((rate) => [`p50 ms at ${rate}/s`, `p99 at ${rate}/s`]);
  const findings = RATES.map((rate, at) => {
    const delays = ratios(of('proxy', at, 'p50Ms'), of('grouped', at, 'p50Ms'));
    return atMost(`start, p50 at ${rate}/s / (Hono + 2 commits + gateway call)`, 1.3, delays);
  });
  return { text: table(['start', ...heads, 'CPU µs each'], rows), findings };
}
