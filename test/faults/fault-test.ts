// One row of the fault table as one test: its size, its seed, its limit in time, its line of figures, its cleaning up.
// A row runs in two sizes: short within `npm test`, and the full figure with LONG=1. What the machine cannot do is said
// and counts as skipped, never as passed. Whatever a row starts it defers the end of, so that a failure leaves nothing.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { test } from 'node:test';
import { createRandom, type Random } from './random.ts';

export const isLong = process.env['LONG'] === '1';

export function size(short: number, long: number): number {
  return isLong ? long : short;
}

export interface FaultTest {
  random: Random;
  /** Runs at the end, last first, also after a failure. */
  defer(end: () => unknown): void;
}

/** What a row found: sentences that must not be, by kind, and the counts that show how much was tried. */
export interface Findings {
  problems: Partial<Record<'lost' | 'doubled' | ProblemKind, readonly string[]>>;
  counts: Record<string, number | string>;
}

export type ProblemKind =
  'forged' | 'differing' | 'open' | 'undocumented' | 'crashed' | 'leaked' | 'diverged' | 'unserved';

const NEEDS = {
  root: { isThere: () => process.getuid?.() === 0, otherwise: 'not root' },
  strace: {
    isThere: () => spawnSync('strace', ['-f', '-e', 'trace=none', 'true']).status === 0,
    otherwise: 'no strace, or it may not trace here (ptrace)',
  },
  linux: { isThere: () => existsSync('/proc/self/status'), otherwise: 'no /proc here' },
} as const;

interface FaultTestSettings {
  withinMs: number;
  needs?: readonly (keyof typeof NEEDS)[];
  /** Says why it cannot be done on this machine, where it cannot. */
  impossible?: () => string | undefined;
}

export function faultTest(
  name: string,
  settings: FaultTestSettings,
  run: (trial: FaultTest) => Promise<Findings>,
): void {
  test(name, { timeout: settings.withinMs }, async (t) => {
    const missing = (settings.needs ?? []).filter((need) => !NEEDS[need].isThere());
    const why = missing.map((need) => NEEDS[need].otherwise).join('; ') || settings.impossible?.();
    if (why !== undefined && why !== '') {
      console.log(`not possible on this machine: ${why}`);
      t.skip(why);
      return;
    }
    const random = createRandom(Number(process.env['SEED'] ?? Math.floor(Math.random() * 2 ** 32)));
    const ends: (() => unknown)[] = [];
    const startedAt = performance.now();
    console.log(`seed=${random.seed}`);
    try {
      const findings = await run({ random, defer: (end) => ends.push(end) });
      report(findings, random.seed, performance.now() - startedAt);
    } finally {
      for (const end of ends.toReversed()) await end();
    }
  });
}

function report({ problems, counts }: Findings, seed: number, tookMs: number): void {
  const all = { lost: [], doubled: [], ...problems };
  const zeros = Object.entries(all).map(([kind, found]) => `${kind}=${found.length}`);
  const figures = Object.entries(counts).map(([name, count]) => `${name}=${count}`);
  console.log([...zeros, ...figures, `seconds=${(tookMs / 1000).toFixed(1)}`, `seed=${seed}`].join(' '));
  const sentences = Object.entries(all).flatMap(([kind, found]) => found.map((what) => `${kind}: ${what}`));
  const shown = sentences.slice(0, 20).join('\n');
  assert.equal(sentences.length, 0, `${sentences.length} problems; run again with SEED=${seed}\n${shown}`);
}

/** Asks until it holds; throws, saying what did not, where it does not in time. */
export async function until(what: string, holds: () => boolean | Promise<boolean>, withinMs = 60_000): Promise<void> {
  const deadline = performance.now() + withinMs;
  // Less and less often, so that many who wait do not keep busy what they wait for.
  for (let waitMs = 5; !(await holds()); waitMs = Math.min(waitMs * 1.5, 250)) {
    if (performance.now() > deadline) throw new Error(`Not within ${withinMs} ms: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, waitMs));
  }
}

/** Does the work on each item, so many at once; the first error ends it. */
export async function each<T>(items: Iterable<T>, atOnce: number, work: (item: T) => Promise<void>): Promise<void> {
  const left = items[Symbol.iterator]();
  let failed = false;
  const worker = async () => {
    for (let next = left.next(); !next.done && !failed; next = left.next()) {
      await work(next.value).catch((error: unknown) => {
        failed = true;
        throw error;
      });
    }
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
}
