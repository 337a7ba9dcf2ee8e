// Random lives of two orders and two payouts: starts of every method, answers spoiled, customers who approve, decline or
// leave, IPNs lost, doubled and forged, status checks that fail or lie, hours and days that pass, restarts. After every step
// the real app has to show exactly what the model says, and at the end everything has an end or waits for a person.
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
const MOST_STEPS = 30;
const sequences = fc.array(stepArbitrary, { minLength: 3, maxLength: MOST_STEPS, size: 'max' });

faultTest(
  `${SEQUENCES} random sequences over the real app never differ from the model`,
  { withinMs: WITHIN_MS },
  async (t) => {
    // Nothing is killed here, so the disk need not be one: a new database for each sequence.
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
      // A divergence is told, however much there would be left to shrink.
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
