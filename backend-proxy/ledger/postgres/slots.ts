// Limits the connections of one proxy. One that fell silent during a write counts until its server process has ended: a
// process that waits for an absent standby does not notice that its client has gone, so new connections would use up
// the server's. A quarter, and at least one of several, is kept for reads, which wait for no standby.

export type Use = 'read' | 'write';

interface Waiting {
  use: Use;
  start(): void;
}

const LOOK_EVERY_MS = 1_000;

export class Slots {
  readonly #limits: Record<Use, number>;
  readonly #waitLimitMs: number;
  readonly #used: Record<Use, number> = { read: 0, write: 0 };
  readonly #waiting = new Set<Waiting>();
  /** Server processes whose connections fell silent. */
  #silent: number[] = [];

  constructor(limit: number, waitLimitMs: number) {
    this.#limits = { read: limit, write: Math.max(1, limit - Math.max(1, Math.floor(limit / 4))) };
    this.#waitLimitMs = waitLimitMs;
  }

  /** Resolves when there is one; throws after the limit. */
  async take(use: Use): Promise<void> {
    if (this.#isFree(use)) return void (this.#used[use] += 1);
    const started = Promise.withResolvers<void>();
    const waiting = { use, start: started.resolve };
    this.#waiting.add(waiting);
    const timer = setTimeout(() => {
      this.#waiting.delete(waiting);
      started.reject(new Error('All connections to the database are in use'));
    }, this.#waitLimitMs);
    await started.promise.finally(() => clearTimeout(timer));
  }

  free(use: Use): void {
    this.#used[use] -= 1;
    for (const waiting of this.#waiting) {
      if (!this.#isFree(waiting.use)) continue;
      this.#waiting.delete(waiting);
      this.#used[waiting.use] += 1;
      waiting.start();
    }
  }

  /** Frees the slot of a silent write when its process has ended; `alive` answers which of some still run. */
  async freeLater(pid: number, alive: (pids: readonly number[]) => Promise<readonly number[]>): Promise<void> {
    this.#silent.push(pid);
    if (this.#silent.length > 1) return;
    while (this.#silent.length > 0) {
      await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS).unref());
      const asked = this.#silent;
      const left = await alive(asked).catch(() => asked);
      this.#silent = this.#silent.filter((each) => left.includes(each) || !asked.includes(each));
      for (const each of asked) if (!left.includes(each)) this.free('write');
    }
  }

  close(): void {
    this.#silent = [];
  }

  #isFree(use: Use): boolean {
    const { read, write } = this.#used;
    return read + write < this.#limits.read && (use === 'read' || write < this.#limits.write);
  }
}
