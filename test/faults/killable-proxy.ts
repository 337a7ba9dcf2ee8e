// A proxy that can be killed (SIGKILL) and restarted with the same port and database. Records how long each restart
// took, and the output of all processes.
import { startProxy, type ProxySettings, type Running } from './processes.ts';
import type { FaultTest } from './fault-test.ts';

export interface KillableProxy {
  url: string;
  restartsMs: number[];
  restartsCpuMs: number[];
  output(): string;
  killAndRestart(): Promise<void>;
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
    async killAndRestart() {
      await running.kill9();
      output += running.output();
      running = await startProxy({ ...settings, port });
      restartsMs.push(running.readyMs);
      restartsCpuMs.push(running.readyCpuMs);
    },
    end: () => running.end(),
  };
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
