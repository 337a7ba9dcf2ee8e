// Reproducible randomness: a small generator from a seed (mulberry32), so that a failed run can be repeated with
// SEED=…. All randomness in test/faults comes from here, never from Math.random.

export interface Random {
  readonly seed: number;
  /** 0 ≤ n < 1. */
  next(): number;
  /** An integer, `least` ≤ n ≤ `most`. */
  between(least: number, most: number): number;
  /** True with this probability. */
  chance(probability: number): boolean;
  pick<T>(items: readonly [T, ...T[]]): T;
  bytes(length: number): Buffer;
  shuffled<T>(items: readonly T[]): T[];
}

export function createRandom(seed: number): Random {
  let state = seed >>> 0;

  function next(): number {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  const between = (least: number, most: number) => least + Math.floor(next() * (most - least + 1));

  function shuffled<T>(items: readonly T[]): T[] {
    const left = [...items];
    const order: T[] = [];
    while (left.length > 0) order.push(...left.splice(between(0, left.length - 1), 1));
    return order;
  }

  return {
    seed,
    next,
    between,
    chance: (probability) => next() < probability,
    pick: (items) => items[between(0, items.length - 1)] ?? items[0],
    bytes: (length) => Buffer.from(Array.from({ length }, () => between(0, 255))),
    shuffled,
  };
}
