// What every row of the benchmark uses: servers, databases, the load, rounds in which the compared servers take turns,
// and processor time beside each rate.
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connectDatabase } from '../../../backend-proxy/ledger/connect.ts';
import { buildWidgetIfStale } from '../../../demo/widget-build.ts';
import { startPostgres, type PostgresServer } from '../../postgres/server.ts';
import { fill } from './fill.ts';
import type { Filled } from './filled-rows.ts';
import { startLoad, type Load } from './load-process.ts';
import { KINDS, type Kind } from './requests.ts';
import { startServer, type Server, type ServerName, type Settings } from './servers.ts';
import type { Orders } from './streams.ts';

/** `quick`: a second or so a measurement. `smoke`: a few requests, which show in `npm test` that a row works. */
export type Size = 'full' | 'quick' | 'smoke';

export interface Options {
  rounds: number;
  size: Size;
  /** Also databases of 10 million payments. */
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

interface How {
  connections: number;
  perSecond?: number;
  /** Exactly so many requests. */
  count?: number;
  prefix?: string;
  seconds?: number;
  isWarm?: boolean;
}

/** Enough requests for the fastest floor. */
const MAX_PER_SECOND = 15_000;

export class Lab {
  readonly folder: string;
  readonly gatewayUrl: string;
  readonly load: Load;
  readonly options: Options;
  readonly #shared = new Map<string, Promise<Server>>();
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

  /** The row's own figure for the size of this run. */
  sized<T>(sizes: Record<Size, T>): T {
    return sizes[this.options.size];
  }

  get seconds(): number {
    return this.sized({ full: 2.5, quick: 0.8, smoke: 0.05 });
  }

  /** Fewer for rows whose rounds take long. */
  roundsAtMost(most: number): number {
    return Math.min(this.options.rounds, most);
  }

  /** Orders that nothing has used yet. */
  newPrefix(): string {
    return `b${++this.#prefixes}`;
  }

  /** A server of its own, ended by the row. In a smoke test rows share the servers that need no database of theirs. */
  async start(name: ServerName, settings: Settings = {}): Promise<Server> {
    if (this.options.size !== 'smoke' || settings.database !== undefined) return startServer(name, this, settings);
    const key = JSON.stringify([name, settings.env]);
    const shared = this.#shared.get(key) ?? startServer(name, this, settings);
    this.#shared.set(key, shared);
    return { ...(await shared), end: () => Promise.resolve() };
  }

  async createDatabase(kind: 'SQLite' | 'PostgreSQL'): Promise<string> {
    if (kind === 'SQLite') return `file:${join(this.folder, `${this.newPrefix()}.db`)}`;
    this.#postgres ??= await startPostgres();
    return this.#postgres.createDatabase();
  }

  /** A database with so many payments. */
  async createFilled(kind: 'SQLite' | 'PostgreSQL', count: number, filled: Filled): Promise<string> {
    const database = await this.createDatabase(kind);
    const store = await connectDatabase(database, (error) => assert.ifError(error));
    await store.close();
    await fill(database, count, filled);
    return database;
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

  /** Warms the server up, then measures. */
  async rate(server: Server, kind: Kind, how: How): Promise<Rate> {
    const { count, prefix = this.newPrefix(), seconds = this.seconds } = how;
    const warmUpSeconds = this.sized({ full: 1, quick: 1, smoke: 0.02 });
    if (how.isWarm !== true)
      await this.#send(server, kind, { ...how, prefix: this.newPrefix(), seconds: warmUpSeconds });
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

  async #send(server: Server, kind: Kind, how: How & { prefix: string; seconds: number }) {
    const { count, perSecond, connections, prefix, seconds } = how;
    const most = count ?? Math.ceil(MAX_PER_SECOND * seconds);
    const run = { port: server.port, kind, prefix, from: 0, most, connections, seconds };
    const sent = await this.load.call('send', { ...run, ...(perSecond !== undefined && { perSecond }) });
    const { stores } = KINDS[kind];
    if (stores !== undefined) server.done[stores] += sent.answered;
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
    // A late event is a figure of the benchmark. Among so few it would be one that never came.
    if (this.options.size === 'smoke') assert.equal(rung.late, 0, 'each stream gets its event');
    return rung;
  }

  async close(): Promise<void> {
    try {
      for (const server of this.#shared.values()) await (await server).end();
    } finally {
      await this.load.end();
      await this.#postgres?.end();
      await rm(this.folder, { recursive: true, force: true });
    }
  }
}
