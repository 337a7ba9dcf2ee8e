// The delay from an IPN until the event on the shopper's stream, at three rates, with no other stream open and with so
// many that there are 10,000. The floor stores the IPN, asks the gateway, stores its word, and writes to a raw stream.
import { median, number, quantile, spread, table } from '../../table.ts';
import { atMost, ratios, type Measured } from '../findings.ts';
import type { Lab } from '../lab.ts';

const RATES = [10, 100, 500];
const ROUNDS_AT_MOST = 3;
/** As many as the floor may ask; by default the proxy asks 500 times. */
const CHECKS_PER_SECOND = '2000';
/** After the last IPN; what comes later counts as this long. */
const WAIT_SECONDS = 15;
const SUBJECTS = ['floor', 'proxy', 'floor, 10,000 streams', 'proxy, 10,000 streams'] as const;

interface Delay {
  p50Ms: number;
  p99Ms: number;
  late: number;
  cpuMicroseconds: number;
}

export async function measureEvents(lab: Lab): Promise<Measured> {
  const measured = await lab.inTurns(SUBJECTS, lab.roundsAtMost(ROUNDS_AT_MOST), (name) => measureDelays(lab, name));
  const of = (name: (typeof SUBJECTS)[number], at: number, figure: keyof Delay) =>
    measured[name].map((delays) => delays[at]?.[figure] ?? NaN);
  const rows = SUBJECTS.flatMap((name) =>
    RATES.map((rate, at) => [
      `${name}, ${rate}/s`,
      spread(of(name, at, 'p50Ms'), 2),
      spread(of(name, at, 'p99Ms'), 1),
      number(median(of(name, at, 'late'))),
      spread(of(name, at, 'cpuMicroseconds')),
    ]),
  );
  const findings = (['', ', 10,000 streams'] as const).flatMap((streams) =>
    RATES.map((rate, at) => {
      const delays = ratios(of(`proxy${streams}`, at, 'p50Ms'), of(`floor${streams}`, at, 'p50Ms'));
      return atMost(`IPN → event, p50 at ${rate}/s${streams} / (raw stream + status call + 2 commits)`, 1.25, delays);
    }),
  );
  return { text: table(['IPN → event', 'p50 ms', 'p99 ms', 'late', 'CPU µs each'], rows), findings };
}

/** For each rate. */
async function measureDelays(lab: Lab, name: (typeof SUBJECTS)[number]): Promise<Delay[]> {
  const server = name.startsWith('proxy')
    ? await lab.start('proxy', { env: { CHECKS_PER_SECOND } })
    : await lab.start('grouped', { env: { CHECKS: 'yes' } });
  const least = lab.sized({ full: 40, quick: 40, smoke: 2 });
  // Before each rate: the proxy learns how many checks the gateway takes.
  const warmUpSeconds = lab.sized({ full: 3, quick: 3, smoke: 0.05 });
  const turns = RATES.map((rate) => ({
    rate,
    count: Math.max(least, Math.round(rate * lab.seconds)),
    warmUp: Math.ceil(rate * warmUpSeconds),
  }));
  const inAll = turns.reduce((sum, { count, warmUp }) => sum + count + warmUp, 0);
  const streams = lab.sized({ full: 10_000, quick: 10_000, smoke: inAll + 10 });
  if (name.endsWith('streams')) {
    const idle = { port: server.port, prefix: lab.newPrefix(), from: 0, count: streams - inAll };
    await lab.load.call('openStreams', idle);
  }
  let { from, ...orders } = await lab.openOrders(server, inAll);
  const delays: Delay[] = [];
  for (const { rate, count, warmUp } of turns) {
    await lab.ring(server, { ...orders, from, count: warmUp }, rate, WAIT_SECONDS);
    from += warmUp;
    const cpuFrom = server.cpuSeconds();
    const { toEvent, late } = await lab.ring(server, { ...orders, from, count }, rate, WAIT_SECONDS);
    const cpuMicroseconds = ((server.cpuSeconds() - cpuFrom) / count) * 1_000_000;
    delays.push({ p50Ms: quantile(toEvent, 0.5), p99Ms: quantile(toEvent, 0.99), late, cpuMicroseconds });
    from += count;
  }
  await lab.load.call('closeStreams');
  await server.end();
  return delays;
}
