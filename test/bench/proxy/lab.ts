// What every row of the benchmark uses: servers, the load, rounds in which the compared servers take turns, and
// processor time beside each rate.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildWidgetIfStale } from '../../../demo/widget-build.ts';
import { startPostgres, whyNoPostgres, type PostgresServer } from '../../postgres/server.ts';
import { startLoad, type Load } from './load-process.ts';
import type { Kind } from './requests.ts';
import type { Server } from './servers.ts';
import type { Orders } from './streams.ts';

export interface Options {
  rounds: number;
  /** A second or so a measurement: to see that it works. */
  isQuick: boolean;
  /** Also books of 10 million payments. */
  isLarge: boolean;
}

export interface Rate {
  perSecond: number;
  /** The server's processor time for each request. */
  cpuMicroseconds: number;
  p50Ms: number;
  p99Ms: number;
  /** The share of its processor that the load and the gateway used: near 1, they were the limit and not the server. */
  loadShare: number;
}

/** Enough requests for the fastest floor. */
const MAX_PER_SECOND = 15_000;
const WARM_UP_SECONDS = 1;

export class Lab {
  readonly folder: string;
  readonly gatewayUrl: string;
  readonly load: Load;
  readonly options: Options;
  #postgres: PostgresServer | undefined;
  #prefixes = 0;

  static async open(options: Options): Promise<Lab> {
    // The proxy does not start without one.
    await buildWidgetIfStale();
    const folder = await mkdtemp(join(tmpdir(), 'bench-proxy-'));
    const load = startLoad(join(folder, 'load.log'));
    return new Lab(folder, load, await load.call('gatewayUrl'), options);
  }

  private constructor(folder: string, load: Load, gatewayUrl: string, options: Options) {
    this.folder = folder;
    this.load = load;
    this.gatewayUrl = gatewayUrl;
    this.options = options;
  }

  get seconds(): number {
    return this.options.isQuick ? 0.8 : 2.5;
  }

  /** Fewer for rows whose rounds take long. */
  roundsAtMost(most: number): number {
    return Math.min(this.options.rounds, most);
  }

  /** Orders that nothing has used yet. */
  newPrefix(): string {
    return `b${++this.#prefixes}`;
  }

  whyNoPostgres(): string | undefined {
    return whyNoPostgres();
  }

  async createPostgresDatabase(): Promise<string> {
    this.#postgres ??= await startPostgres();
    return this.#postgres.createDatabase();
  }

  /** Each round measures every subject once, beginning with another one. Resolves with each one's rounds. */
  async inTurns<Name extends string, T>(
    names: readonly Name[],
    rounds: number,
    measure: (name: Name, round: number) => Promise<T>,
  ): Promise<Record<Name, T[]>> {
    const measured = Object.fromEntries(names.map((name): [string, T[]] => [name, []])) as Record<Name, T[]>;
    for (let round = 0; round < rounds; round++) {
      for (let index = 0; index < names.length; index++) {
        const name = names[(index + round) % names.length];
        if (name !== undefined) measured[name][round] = await measure(name, round);
      }
    }
    return measured;
  }

  /** Warms the server up, then measures. `count`: exactly so many requests. */
  async rate(
    server: Server,
    kind: Kind,
    how: {
      connections: number;
      perSecond?: number;
      count?: number;
      prefix?: string;
      seconds?: number;
      isWarm?: boolean;
    },
  ): Promise<Rate> {
    const { count, prefix = this.newPrefix(), seconds = this.seconds } = how;
    if (how.isWarm !== true)
      await this.#send(server, kind, { ...how, prefix: this.newPrefix(), seconds: WARM_UP_SECONDS });
    const [cpuFrom, loadFrom] = [server.cpuSeconds(), this.load.cpuSeconds()];
    const sent = await this.#send(server, kind, { ...how, prefix, seconds: count === undefined ? seconds : 600 });
    const [cpu, loadCpu] = [server.cpuSeconds() - cpuFrom, this.load.cpuSeconds() - loadFrom];
    return {
      perSecond: sent.answered / sent.seconds,
      cpuMicroseconds: (cpu / sent.answered) * 1_000_000,
      p50Ms: sent.p50Ms,
      p99Ms: sent.p99Ms,
      loadShare: loadCpu / sent.seconds,
    };
  }

  async #send(
    server: Server,
    kind: Kind,
    how: { connections: number; perSecond?: number; count?: number; prefix: string; seconds: number },
  ) {
    const { count, perSecond, ...rest } = how;
    const most = count ?? Math.ceil(MAX_PER_SECOND * how.seconds);
    const run = { ...rest, port: server.port, kind, from: 0, most, ...(perSecond !== undefined && { perSecond }) };
    const sent = await this.load.call('send', run);
    if (kind === 'start' || kind === 'startQr') server.done.transactions += sent.answered;
    if (kind === 'ipn') server.done.ipns += sent.answered;
    return sent;
  }

  /** Starts a payment for each order and opens a stream on it, which gets its first event. */
  async openOrders(server: Server, count: number, streamsAt: Server = server): Promise<Orders> {
    const orders = { port: server.port, prefix: this.newPrefix(), from: 0, count };
    await this.rate(server, 'start', { connections: 16, count, prefix: orders.prefix, isWarm: true });
    await this.load.call('openStreams', { ...orders, port: streamsAt.port });
    return orders;
  }

  /** IPNs at a fixed rate; the delays until their answers and until the events. */
  async ring(server: Server, orders: Orders, perSecond: number, waitSeconds: number) {
    const rung = await this.load.call('ring', { ...orders, port: server.port }, perSecond, waitSeconds);
    server.done.ipns += orders.count;
    return rung;
  }

  async close(): Promise<void> {
    await this.load.end();
    await this.#postgres?.end();
    await rm(this.folder, { recursive: true, force: true });
  }
}
