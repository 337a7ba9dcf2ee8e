// A proxy that can be killed (SIGKILL) and restarted with the same port and database. Records how long each restart
// took, and the output of all processes.
import { startProxy, type ProxySettings, type Running } from './processes.ts';
import { until, type FaultTest } from './fault-test.ts';

export interface KillableProxy {
  url: string;
  restartsMs: number[];
  restartsCpuMs: number[];
  output(): string;
  /** `meanwhile`: what is done to its files. */
  killAndRestart(meanwhile?: () => Promise<unknown>): Promise<void>;
  /** Sends SIGTERM, which drains the proxy. */
  end(): Promise<void>;
}

export async function startKillableProxy({ defer }: FaultTest, settings: ProxySettings): Promise<KillableProxy> {
  let running: Running = await startProxy(settings);
  defer(() => running.kill9());
  const port = Number(new URL(running.url).port);
  let output = '';
  const restartsMs: number[] = [];
  const restartsCpuMs: number[] = [];
  return {
    url: running.url,
    restartsMs,
    restartsCpuMs,
    output: () => output + running.output(),
    async killAndRestart(meanwhile) {
      await running.kill9();
      await meanwhile?.();
      output += running.output();
      running = await startProxy({ ...settings, port });
      restartsMs.push(running.readyMs);
      restartsCpuMs.push(running.readyCpuMs);
    },
    end: () => running.end(),
  };
}

/** Kills the proxies in turn, spread over `all` items by how many are `done`, not by time. */
export async function killAlong(
  proxies: readonly KillableProxy[],
  kills: number,
  { all, done }: { all: number; done: () => number },
): Promise<void> {
  for (let kill = 1; kill <= kills; kill += 1) {
    const after = Math.floor((kill * all) / (kills + 1));
    await until(`${after} of ${all} are done`, () => done() >= after, 240_000);
    await proxies[kill % proxies.length]?.killAndRestart();
  }
}

/** Counts for the test's report. */
export function restartFigures({ restartsMs, restartsCpuMs }: KillableProxy): Record<string, number> {
  return {
    kills: restartsMs.length,
    restartMsMedian: median(restartsMs),
    restartMsMost: Math.round(Math.max(0, ...restartsMs)),
    restartCpuMsMedian: median(restartsCpuMs),
  };
}

function median(figures: readonly number[]): number {
  return Math.round(figures.toSorted((a, b) => a - b)[figures.length >> 1] ?? 0);
}
