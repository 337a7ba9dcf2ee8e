// Random sequences over two orders and two payouts: starts of every method, faulty answers, customers who approve,
// decline or leave, lost, repeated and forged IPNs, status checks that fail or report something false, hours and days
// that pass, restarts. After each step the real app must show exactly what the model expects, and at the end each
// transaction has ended or needs a review.
import { mkdtemp, rm } from 'node:fs/promises';
import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { createManualClock, type Clock } from './manual-clock.ts';
import { startMerchant } from './merchant-server.ts';
import { startModelGateway } from './model-gateway.ts';
import { ModelRun } from './model-run.ts';
import { stepArbitrary, type Step } from './model-steps.ts';
import { size, faultTest } from './fault-test.ts';

const SEQUENCES = size(25, 2_000);
const WITHIN_MS = size(240_000, 3_600_000);
const MAX_STEPS = 30;
const sequences = fc.array(stepArbitrary, { minLength: 3, maxLength: MAX_STEPS, size: 'max' });

faultTest(
  `${SEQUENCES} random sequences over the real app: it never differs from the model`,
  { withinMs: WITHIN_MS },
  async (t) => {
    // Nothing is killed here, so a disk in memory is enough: a new database for each sequence.
    const dir = await mkdtemp(join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'payment-model-'));
    t.defer(() => rm(dir, { recursive: true }));
    let current: Clock = createManualClock();
    const merchant = await startMerchant({ clock: { now: () => current.now(), advance: (ms) => current.advance(ms) } });
    t.defer(merchant.close);
    const gateway = await startModelGateway();
    t.defer(gateway.close);
    const figures = { sequences: 0, steps: 0, transactions: 0 };

    const property = fc.asyncProperty(sequences, async (steps) => {
      const name = `run${(figures.sequences += 1)}`;
      const run = new ModelRun({ gateway, merchant, databaseUrl: `file:${join(dir, `${name}.db`)}`, name });
      current = run.clock;
      await live(run, steps);
      figures.steps += steps.length;
      count(run, figures);
    });
    const { failed, counterexample, errorInstance } = await fc.check(property, {
      seed: t.random.seed | 0,
      numRuns: SEQUENCES,
      // Reports a difference even if shrinking is not finished.
      interruptAfterTimeLimit: WITHIN_MS / 2,
      markInterruptAsFailure: true,
    });
    const divergence = failed ? [`${JSON.stringify(counterexample)}\n${String(errorInstance)}`] : [];
    return {
      problems: { diverged: divergence, forged: merchant.invalid },
      counts: { ...figures, exchanges: gateway.exchanges() },
    };
  },
);

async function live(run: ModelRun, steps: readonly Step[]): Promise<void> {
  await run.open();
  try {
    for (const step of steps) await run.perform(step);
    await run.conclude();
  } finally {
    await run.close();
  }
}

function count({ model }: ModelRun, figures: Record<string, number>): void {
  for (const one of model.transactions.values()) {
    const seen = {
      transactions: true,
      late: one.late,
      conflicts: one.conflict,
      mismatches: one.mismatch,
      reviews: one.events.includes('needs_review'),
      duplicates: one.answer === 'duplicate',
      notCreated: one.stage === 'not_created',
      resolved: one.resolved !== null,
    };
    for (const [name, holds] of Object.entries(seen)) figures[name] = (figures[name] ?? 0) + Number(holds);
  }
}
