// The delay from an IPN until the event on the shopper's stream, at three rates, with no other stream open and with so
// many that there are 10,000. The floor stores the IPN, asks the gateway, stores its word, and writes to a raw stream.
import { median, number, quantile, spread, table } from '../../table.ts';
import { atMost, ratios, type Measured } from '../findings.ts';
import type { Lab } from '../lab.ts';
import { startFloor, startProxy } from '../servers.ts';

const RATES = [10, 100, 500];
const STREAMS_IN_ALL = 10_000;
const ROUNDS_AT_MOST = 3;
/** As many as the floor may ask; by default the proxy asks 500 times. */
const CHECKS_PER_SECOND = '2000';
/** After the last IPN; what comes later counts as this long. */
const WAIT_SECONDS = 15;
/** Before each rate: the proxy learns how many checks the gateway takes. */
const WARM_UP_SECONDS = 3;
const MIN_IPNS = 40;

interface Delay {
  p50Ms: number;
  p99Ms: number;
  late: number;
  cpuMicroseconds: number;
}

export async function measureEvents(lab: Lab): Promise<Measured> {
  const subjects = ['floor', 'proxy', 'floor, 10,000 streams', 'proxy, 10,000 streams'] as const;
  const measured = await lab.inTurns(subjects, lab.roundsAtMost(ROUNDS_AT_MOST), async (name) => {
    const server = name.startsWith('proxy')
      ? await startProxy(lab, { env: { CHECKS_PER_SECOND } })
      : await startFloor('grouped', lab, { env: { CHECKS: 'yes' } });
    const counts = RATES.map((rate) => Math.max(MIN_IPNS, Math.round(rate * lab.seconds)));
    const warmUps = RATES.map((rate) => rate * WARM_UP_SECONDS);
    const inAll = [...counts, ...warmUps].reduce((sum, count) => sum + count, 0);
    const others = name.endsWith('streams') ? STREAMS_IN_ALL - inAll : 0;
    const idle = { port: server.port, prefix: lab.newPrefix(), from: 0, count: others };
    if (others > 0) await lab.load.call('openStreams', idle);
    let { from, ...orders } = await lab.openOrders(server, inAll);
    const delays: Delay[] = [];
    for (const [at, count] of counts.entries()) {
      const warmUp = warmUps[at] ?? 0;
      await lab.ring(server, { ...orders, from, count: warmUp }, RATES[at] ?? 1, WAIT_SECONDS);
      from += warmUp;
      const cpuFrom = server.cpuSeconds();
      const { toEvent, late } = await lab.ring(server, { ...orders, from, count }, RATES[at] ?? 1, WAIT_SECONDS);
      const cpuMicroseconds = ((server.cpuSeconds() - cpuFrom) / count) * 1_000_000;
      delays.push({ p50Ms: quantile(toEvent, 0.5), p99Ms: quantile(toEvent, 0.99), late, cpuMicroseconds });
      from += count;
    }
    await lab.load.call('closeStreams');
    await server.end();
    return delays;
  });
  const of = (name: (typeof subjects)[number], at: number, figure: keyof Delay) =>
    measured[name].map((delays) => delays[at]?.[figure] ?? NaN);
  const rows = subjects.flatMap((name) =>
    RATES.map((rate, at) => [
      `${name}, ${rate}/s`,
      spread(of(name, at, 'p50Ms'), 2),
      spread(of(name, at, 'p99Ms'), 1),
      number(median(of(name, at, 'late'))),
      spread(of(name, at, 'cpuMicroseconds')),
    ]),
  );
  const findings = (['', ', 10,000 streams'] as const).flatMap((streams) =>
    RATES.map((rate, at) =>
      atMost(
        `IPN → event, p50 at ${rate}/s${streams} / (raw stream + status call + 2 commits)`,
        1.25,
        ratios(of(`proxy${streams}`, at, 'p50Ms'), of(`floor${streams}`, at, 'p50Ms')),
      ),
    ),
  );
  return { text: table(['IPN → event', 'p50 ms', 'p99 ms', 'late', 'CPU µs each'], rows), findings };
}
