// The process of the load: sends the requests, reads the streams and plays the gateway, on another processor than the
// server. The benchmark calls it by messages, one at a time or several at once.
import assert from 'node:assert/strict';
import { openGateway } from './gateway.ts';
import { openPool } from './pool.ts';
import { send } from './rate.ts';
import { KINDS, merchant, orderIdOf, type Kind } from './requests.ts';
import { closeStreams, countOpen, openStreams, ring, type Orders } from './streams.ts';

const gateway = await openGateway();

interface Asked {
  ports: number[];
  times: number;
  /** No new turn begins after this. */
  seconds: number;
  /** Between turns; default: none. */
  pauseMs?: number;
  /** A path for merchants, or a request about the orders `prefix-<from>` …, a new one each time. */
  path?: string;
  kind?: Kind;
  prefix: string;
  from: number;
}

/** One request after the other, to each port in turns: the milliseconds of each, by port. */
async function askInTurns({ ports, times, seconds, pauseMs, path, kind, prefix, from }: Asked): Promise<number[][]> {
  const pools = ports.map((port) => openPool(port, 1));
  const ms: number[][] = ports.map(() => []);
  const endAt = performance.now() + seconds * 1000;
  for (let number = from; number < from + times && performance.now() < endAt; number++) {
    const request = kind === undefined ? merchant(path ?? '/') : KINDS[kind].of(orderIdOf(prefix, number));
    for (const [at, pool] of pools.entries()) {
      const answer = await pool.send(request);
      assert.equal(answer.status, kind === undefined ? 200 : KINDS[kind].status, `the status of ${kind ?? path}`);
      ms[at]?.push(answer.ms);
    }
    if (pauseMs !== undefined) await new Promise((resolve) => setTimeout(resolve, pauseMs));
  }
  for (const pool of pools) pool.close();
  return ms;
}

const WORK = {
  gatewayUrl: () => gateway.url,
  send,
  askInTurns,
  openStreams,
  ring: (orders: Orders, perSecond: number, waitSeconds: number) =>
    ring(orders, perSecond, waitSeconds, gateway.settle),
  countOpen,
  closeStreams,
};
export type Work = typeof WORK;

export interface Call {
  id: number;
  name: keyof Work;
  parameters: unknown[];
}
export type Result = { id: number; value: unknown } | { id: number; error: string };

async function handle({ id, name, parameters }: Call): Promise<Result> {
  try {
    return { id, value: await (WORK[name] as (...parameters: unknown[]) => unknown)(...parameters) };
  } catch (error) {
    return { id, error: error instanceof Error ? (error.stack ?? error.message) : String(error) };
  }
}

process.on('message', (call: Call) => void handle(call).then((result) => process.send?.(result)));
