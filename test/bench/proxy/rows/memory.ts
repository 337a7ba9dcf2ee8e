// The memory of an open event stream, after two heartbeats: of the proxy, of raw node:http, and of nginx with nchan.
// Also the processor time that idle streams take, and how long opening all of them takes.
import { join } from 'node:path';
import { number, spread, table } from '../../table.ts';
import { fill } from '../fill.ts';
import { FILLED } from '../filled-rows.ts';
import { atMost, ratios, type Measured } from '../findings.ts';
import type { Lab } from '../lab.ts';
import { startNchan, SUBSCRIBE_PATH, whyNoNchan } from '../nchan.ts';
import { startFloor, startProxy } from '../servers.ts';

const ROUNDS_AT_MOST = 2;
const HEARTBEATS_SECONDS = 32;
const WARM_UP_MS = 2_000;

interface Figures {
  kilobytes: number;
  idleShare: number;
  acceptMicroseconds: number;
  openSeconds: number;
}

export async function measureMemory(lab: Lab): Promise<Measured> {
  const count = lab.options.isQuick ? 1_000 : 10_000;
  const whyNot = whyNoNchan();
  const names = [...(whyNot === undefined ? ['nchan'] : []), 'raw', 'proxy'];
  const database = await fillBooks(lab, count);
  const measured = await lab.inTurns(names, lab.roundsAtMost(ROUNDS_AT_MOST), async (name): Promise<Figures> => {
    const server =
      name === 'nchan'
        ? await startNchan(lab.folder)
        : name === 'proxy'
          ? await startProxy(lab, { database })
          : await startFloor('raw', lab);
    await new Promise((resolve) => setTimeout(resolve, WARM_UP_MS));
    const [memoryFrom, cpuFrom] = [server.memoryBytes(), server.cpuSeconds()];
    const streams = { port: server.port, prefix: FILLED, from: 0, count };
    const { seconds: openSeconds } = await lab.load.call(
      'openStreams',
      streams,
      name === 'nchan' ? SUBSCRIBE_PATH : '',
    );
    const cpuOpen = server.cpuSeconds();
    const idleSeconds = lab.options.isQuick ? 3 : HEARTBEATS_SECONDS;
    await new Promise((resolve) => setTimeout(resolve, idleSeconds * 1000));
    const figures = {
      kilobytes: (server.memoryBytes() - memoryFrom) / count / 1024,
      idleShare: (server.cpuSeconds() - cpuOpen) / idleSeconds,
      acceptMicroseconds: ((cpuOpen - cpuFrom) / count) * 1_000_000,
      openSeconds,
    };
    const open = await lab.load.call('countOpen');
    if (open !== count) throw new Error(`${name} closed ${count - open} of ${count} streams`);
    await lab.load.call('closeStreams');
    await server.end();
    return figures;
  });
  const of = (name: string, figure: keyof Figures) => (measured[name] ?? []).map((figures) => figures[figure]);
  const rows = names.map((name) => [
    name,
    spread(of(name, 'kilobytes'), 1),
    spread(of(name, 'acceptMicroseconds')),
    spread(
      of(name, 'idleShare').map((share) => share * 100),
      1,
    ),
    spread(of(name, 'openSeconds'), 1),
  ]);
  const kilobytes = of('proxy', 'kilobytes');
  const text = table(
    [`${number(count)} streams`, 'kB each', 'CPU µs to open', 'idle, % of a core', 'all open, s'],
    rows,
  );
  return {
    text: whyNot === undefined ? text : `${text}\n${whyNot}`,
    findings: [
      ...(whyNot === undefined
        ? [atMost('memory a stream / nchan', 1.8, ratios(kilobytes, of('nchan', 'kilobytes')))]
        : []),
      atMost('memory a stream / raw node:http', 1.1, ratios(kilobytes, of('raw', 'kilobytes'))),
      atMost('memory a stream', 20, kilobytes, 'kB'),
    ],
  };
}

/** Payments whose order may still change, because the stream of another ends at once. None is due for a check. */
async function fillBooks(lab: Lab, count: number): Promise<string> {
  const database = `file:${join(lab.folder, `${lab.newPrefix()}.db`)}`;
  await (await startProxy(lab, { database })).end();
  await fill(database, count, 'open');
  return database;
}
