// One fault as one test, with its size, seed, time limit, report and cleanup. It has two sizes: short within `npm
// test`, and the full one with LONG=1. What this machine cannot do is reported and skipped. A test defers the end of
// whatever it starts, so that a failure leaves nothing running.
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

/** The problems of a test, by kind, and counts that show how much was tried. */
export interface Findings {
  problems: Partial<Record<'lost' | 'doubled' | ProblemKind, readonly string[]>>;
  counts: Record<string, number | string>;
}

export type ProblemKind =
  'astray' | 'forged' | 'differing' | 'open' | 'undocumented' | 'crashed' | 'leaked' | 'diverged' | 'unserved';

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
  /** Says why it cannot run on this machine; undefined if it can. */
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

/** Polls until it holds; throws with `what` after `withinMs`. */
export async function until(what: string, holds: () => boolean | Promise<boolean>, withinMs = 60_000): Promise<void> {
  const deadline = performance.now() + withinMs;
  // Polls less and less often, so that many pollers do not keep the machine busy.
  for (let waitMs = 5; !(await holds()); waitMs = Math.min(waitMs * 1.5, 250)) {
    if (performance.now() > deadline) throw new Error(`Not within ${withinMs} ms: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, waitMs));
  }
}

/** Works on the items, `atOnce` at a time; the first error stops it. */
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
