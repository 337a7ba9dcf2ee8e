// Runs one history from its seed: a start of all processes, some steps, and nine calm days; looks for a broken
// invariant all the time. A history that fails is cut: steps that it does not need are left out, for a short trace.
import { D, S } from '../backend-proxy/time.ts';
import { createRandom } from '../faults/random.ts';
import type { Database } from './database.ts';
import { STEPS, type StepName } from './faults.ts';
import { INVARIANTS, type InvariantName } from './invariants.ts';
import { World } from './world.ts';

const NAMES = Object.keys(STEPS) as StepName[];
/**
 * Steps that lead to something rare only together and in this order: many histories are one of these, with what is
 * usual in between.
 */
const SUBJECTS: readonly (readonly StepName[])[] = [
  ['a payment', 'a refund', 'a refund again'],
  ['a payment', 'a backup', 'a refund', 'the database goes back', 'a refund again'],
  ['a start', 'a backup', 'a shopper pays', 'a refund', 'the database goes back', 'a refund again'],
  ['a payment', 'a backup', 'refunds with gaps', 'the database goes back', 'a refund again', 'a refund'],
  ['a payout', 'a backup', 'a payout', 'another prefix', 'the database goes back', 'a payout again'],
  ['a payout', 'a backup', 'a payout', 'another prefix', 'one id is not answered', 'the database goes back'],
  ['a payout', 'a backup', 'a payout', 'another prefix', 'the database goes back', 'a payout again, while checks lag'],
  ['a payout', 'the gateway says FAILED by mistake', 'the clock steps', 'the gateway ends a payout'],
  ['a payment', 'the gateway changes its mind', 'a person resolves', 'an old IPN again', 'an old IPN again'],
  ['a start', 'time passes', 'a lost prompt, while checks lag', 'time passes'],
  ['a payout', 'the gateway ends a payout', 'personal data is erased', 'an old IPN again'],
  ['IPNs from now on', 'status answers from now on', 'another shop has the next id', 'a person resolves'],
  ['a start above the limit', 'time passes', 'a payment'],
  ['a pause', 'a payout', 'time passes'],
  ["the merchant's server", 'a payment', 'time passes', 'the clock steps', "the merchant's server", 'time passes'],
  ['the merchant closes an order', 'a look at the page', 'a kill'],
  ['a start', 'status answers from now on', 'the merchant closes an order'],
  ['a start', 'a start', 'the gateway declines', 'the merchant closes an order'],
];
const MAX_STEPS = 24;
const CALM_MS = 9 * D;

export interface Failure {
  seed: number;
  invariant: string;
  what: string;
  trace: string[];
  steps: Drawn[];
}

export interface Drawn {
  name: StepName;
  seed: number;
}

export interface RunOptions {
  /** Default: drawn from the seed. */
  steps?: readonly Drawn[];
  onEnd?: (world: World) => void;
}

/** Each history has few kinds of steps, and some of them often, so that rare combinations come up. */
export function drawSteps(seed: number): Drawn[] {
  const dice = createRandom(seed ^ 0x5eed);
  const subject: readonly StepName[] = dice.pick([[], [], ...SUBJECTS, ...SUBJECTS]);
  const weights = NAMES.map((name) => {
    const { weight } = STEPS[name];
    return weight >= 8 ? weight : weight * dice.pick(subject.length > 0 ? [0, 0, 0, 1] : [0, 0, 1, 1, 6]);
  });
  const sum = weights.reduce((all, each) => all + each, 0);
  let done = 0;
  return Array.from({ length: dice.between(3 + subject.length, MAX_STEPS) }, () => {
    let left = dice.next() * sum;
    const usual = NAMES[weights.findIndex((weight) => (left -= weight) < 0)] ?? 'time passes';
    const next = dice.chance(0.5) ? subject[done % subject.length] : undefined;
    if (next !== undefined) done += 1;
    return { name: next ?? usual, seed: dice.between(0, 2 ** 31) };
  });
}

export async function run(
  database: Database,
  seed: number,
  { steps = drawSteps(seed), onEnd }: RunOptions = {},
): Promise<Failure | undefined> {
  await database.empty();
  const world = new World(database, seed);
  let broken = '';
  const look = (when: 'always' | 'atEnd') => {
    for (const [name, invariant] of Object.entries(INVARIANTS) as [InvariantName, Record<string, unknown>][]) {
      if (world.violation !== undefined) return;
      const check = invariant[when] as ((world: World) => string | undefined) | undefined;
      const what = check?.(world);
      if (what !== undefined) [broken, world.violation] = [name, what];
    }
  };
  const always = () => look('always');
  for (const process of world.processes) void process.start();
  await world.settle();
  for (const step of steps) {
    if (world.violation !== undefined) break;
    const dice = createRandom(step.seed);
    let text = await STEPS[step.name].take(world, dice);
    if (text === undefined) {
      // What it needs may be under way.
      await world.pass(10 * S, always);
      text = await STEPS[step.name].take(world, dice);
    }
    if (text === undefined) continue;
    const passes = text.startsWith('pass ') ? Number(text.slice(5)) : undefined;
    world.note(passes === undefined ? `— ${text}` : `— ${passes / S} s pass`);
    await world.pass(passes ?? dice.pick([0, 0, 10, 150, S, 3 * S, 10 * S]), always);
  }
  // Most defects show before the end, and the calm days take most of the time.
  if (world.violation === undefined && seed % 4 === 0) await calm(world, look);
  for (const process of world.processes) process.kill();
  onEnd?.(world);
  if (world.violation === undefined) return undefined;
  return { seed, invariant: broken || 'a failure', what: world.violation, trace: world.trace, steps: [...steps] };
}

/** All faults end, and nine days pass. */
async function calm(world: World, look: (when: 'always' | 'atEnd') => void): Promise<void> {
  world.note('— all is calm');
  world.statusAnswer = 'as documented';
  world.nextPost = 'as documented';
  world.isMerchantUp = true;
  world.isCalm = true;
  world.backUpIn = Infinity;
  world.isBackUpAtCheck = false;
  world.silent.clear();
  world.held.clear();
  for (const { life } of world.processes) {
    if (life === undefined) continue;
    life.turnsLeft = Infinity;
    life.resume();
  }
  for (const process of world.processes) if (process.life?.isAlive !== true) void process.start();
  // The sweep asks once a day.
  world.slow(25 * 3_600 * S);
  for (const { id } of world.shown.transactions) world.slow(25 * 3_600 * S, id);
  await world.pass(CALM_MS, () => look('always'));
  look('atEnd');
}

/** The same failure by fewer steps. */
export async function shorten(database: Database, failure: Failure): Promise<Failure> {
  let shortest = failure;
  for (let at = failure.steps.length - 1; at >= 0; at -= 1) {
    const steps = shortest.steps.filter((_, n) => n !== at);
    const again = await run(database, failure.seed, { steps });
    if (again?.invariant === failure.invariant) shortest = again;
  }
  return shortest;
}
