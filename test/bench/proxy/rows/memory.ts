// The memory of an open event stream, after two heartbeats: of the proxy, of raw node:http, and of nginx with nchan.
// Also the processor time that idle streams take, and how long opening all of them takes.
import { number, spread, table } from '../../table.ts';
import { FILLED } from '../filled-rows.ts';
import { atMost, figures, ratios, type Measured } from '../findings.ts';
import type { Lab } from '../lab.ts';
import { startNchan, SUBSCRIBE_PATH, whyNoNchan } from '../nchan.ts';

const ROUNDS_AT_MOST = 2;
const HEARTBEATS_MS = 32_000;

export async function measureMemory(lab: Lab): Promise<Measured> {
  const count = lab.sized({ full: 10_000, quick: 1_000, smoke: 50 });
  const whyNot = whyNoNchan();
  const names = [...(whyNot === undefined ? (['nchan'] as const) : []), 'raw', 'proxy'] as const;
  // Payments whose order may still change, because the stream of another ends at once. None is due for a check.
  const database = await lab.createFilled('SQLite', count, 'open');
  const measured = await lab.inTurns(names, lab.roundsAtMost(ROUNDS_AT_MOST), async (name) => {
    if (name === 'nchan') return openAll(lab, count, await startNchan(lab.folder), SUBSCRIBE_PATH);
    return openAll(lab, count, await lab.start(name, name === 'proxy' ? { database } : {}), '');
  });
  const rows = names.map((name) => [
    name,
    spread(figures(measured[name], 'kilobytes'), 1),
    spread(figures(measured[name], 'acceptMicroseconds')),
    spread(figures(measured[name], 'idlePercent'), 1),
    spread(figures(measured[name], 'openSeconds'), 1),
  ]);
  const kilobytes = figures(measured.proxy, 'kilobytes');
  const heads = [`${number(count)} streams`, 'kB each', 'CPU µs to open', 'idle, % of a core', 'all open, s'];
  const toNchan = ratios(kilobytes, figures(measured.nchan, 'kilobytes'));
  return {
    text: [table(heads, rows), ...(whyNot === undefined ? [] : [whyNot])].join('\n'),
    findings: [
      ...(whyNot === undefined ? [atMost('memory a stream / nchan', 1.8, toNchan)] : []),
      atMost('memory a stream / raw node:http', 1.1, ratios(kilobytes, figures(measured.raw, 'kilobytes'))),
      atMost('memory a stream', 20, kilobytes, 'kB'),
    ],
  };
}

interface Opened {
  port: number;
  cpuSeconds(): number;
  memoryBytes(): number;
  end(): Promise<void>;
}

async function openAll(lab: Lab, count: number, server: Opened, path: string) {
  await pause(lab.sized({ full: 2_000, quick: 2_000, smoke: 0 }));
  const [memoryFrom, cpuFrom] = [server.memoryBytes(), server.cpuSeconds()];
  const streams = { port: server.port, prefix: FILLED, from: 0, count };
  const { seconds: openSeconds } = await lab.load.call('openStreams', streams, path);
  const cpuOpen = server.cpuSeconds();
  const idleMs = lab.sized({ full: HEARTBEATS_MS, quick: 3_000, smoke: 100 });
  await pause(idleMs);
  const opened = {
    kilobytes: (server.memoryBytes() - memoryFrom) / count / 1024,
    idlePercent: ((server.cpuSeconds() - cpuOpen) / idleMs) * 1000 * 100,
    acceptMicroseconds: ((cpuOpen - cpuFrom) / count) * 1_000_000,
    openSeconds,
  };
  const open = await lab.load.call('countOpen');
  if (open !== count) throw new Error(`The server closed ${count - open} of ${count} streams`);
  await lab.load.call('closeStreams');
  await server.end();
  return opened;
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
