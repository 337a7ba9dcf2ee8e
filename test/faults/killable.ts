// A proxy that is killed (SIGKILL) and comes back: same port, same books, a new process. Keeps how long each came back
// took, and everything that any of them printed.
import { startProxy, type ProxySettings, type Running } from './processes.ts';
import type { Trial } from './trial.ts';

export interface Killable {
  url: string;
  restartsMs: number[];
  output(): string;
  killAndRestart(): Promise<void>;
  /** SIGTERM: it drains. */
  end(): Promise<void>;
}

export async function startKillable({ defer }: Trial, settings: ProxySettings): Promise<Killable> {
  let running: Running = await startProxy(settings);
  defer(() => running.kill9());
  const port = Number(new URL(running.url).port);
  let output = '';
  const restartsMs: number[] = [];
  return {
    url: running.url,
    restartsMs,
    output: () => output + running.output(),
    async killAndRestart() {
      await running.kill9();
      output += running.output();
      running = await startProxy({ ...settings, port });
      restartsMs.push(running.readyMs);
    },
    end: () => running.end(),
  };
}

/** For the line of figures. */
export function restartFigures({ restartsMs }: Killable): Record<string, number> {
  const sorted = restartsMs.toSorted((a, b) => a - b);
  return {
    kills: sorted.length,
    restartMsMedian: Math.round(sorted[sorted.length >> 1] ?? 0),
    restartMsMost: Math.round(sorted.at(-1) ?? 0),
  };
}
