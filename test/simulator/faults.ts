// Everything that may happen in a history, one row each: what people do, and what goes wrong. To add a fault, add a
// row; if it slows what is shown, say for how long by `world.slow`. A step that finds nothing to do returns undefined.
import { METHODS } from '../../backend-proxy/protocol/wire.ts';
import { TYPES, type TransactionType } from '../../backend-proxy/protocol/transaction.ts';
import { D, H, M, S } from '../backend-proxy/time.ts';
import type { Random } from '../faults/random.ts';
import { POST_ANSWERS, STATUS_ANSWERS, type PostAnswerName, type StatusAnswerName } from './answers.ts';
import { statusOf, was, type Entry } from './gateway.ts';
import { AMOUNT, type Shopper } from './people.ts';
import type { ProxyProcess } from './process.ts';
import type { World } from './world.ts';

interface Step {
  weight: number;
  /** What is done, for the trace. */
  take(world: World, dice: Random): string | undefined | Promise<string | undefined>;
}

const FOREIGN_WALLET = '99999999';
/** The waits after unanswered checks. */
const RECOVERY_MS = 16 * M;
/** After the database went back: also while its first checks are under way. */
const AGAIN_AFTER_MS = [10, 100, 250, 500, S, M, H] as const;
const names = <Name extends string>(table: Record<Name, unknown>) => Object.keys(table) as [Name, ...Name[]];

export const STEPS = {
  'a start': {
    weight: 10,
    take(world, dice) {
      const shopper = oneOf(dice, world.shoppers);
      const method = dice.pick(METHODS);
      world.nextPost = drawAnswer(world, dice);
      void shopper?.start(method, dice.chance(0.1));
      return `${shopper?.orderId ?? ''} starts ${method}`;
    },
  },
  'a payment': {
    weight: 2,
    take(world, dice) {
      const shopper = oneOf(dice, world.shoppers);
      if (dice.chance(0.5)) world.nextPost = drawAnswer(world, dice);
      void shopper?.start(dice.pick(METHODS), false);
      world.agenda.later(dice.pick([S, 5 * S]), () => {
        for (const entry of shopper?.payable().slice(-1) ?? []) world.gateway.end(entry, 'SUCCESS', shopper?.wallet);
      });
      return `${shopper?.orderId ?? ''} starts a payment, and pays`;
    },
  },
  'a lost prompt, while checks lag': {
    weight: 1,
    take(world, dice) {
      const shopper = oneOf(dice, world.shoppers);
      world.slow(25 * H);
      world.statusAnswer = 'lagging';
      world.nextPost = dice.pick(['lost, made', '403 of a firewall, made']);
      void shopper?.start('DIRECT', false);
      return `${shopper?.orderId ?? ''} starts DIRECT, and status checks lag from now on`;
    },
  },
  'a start above the limit': {
    weight: 1,
    take(world) {
      const [shopper] = world.shoppers;
      world.nextPost = '429';
      void shopper?.start('QR', false);
      return `${shopper?.orderId ?? ''} starts QR, above the gateway's limit`;
    },
  },
  'a payout': {
    weight: 5,
    take(world, dice) {
      world.nextPost = drawAnswer(world, dice);
      const intention = world.merchant.openIntention();
      void world.merchant.payOut(intention);
      return `payout ${intention.ids[0] ?? ''} is asked for`;
    },
  },
  'a payout again': { weight: 3, take: payAgain },
  'a payout again, while checks lag': {
    weight: 1,
    take(world, dice) {
      world.slow(25 * H);
      world.statusAnswer = 'lagging';
      return payAgain(world, dice);
    },
  },
  'a refund': {
    weight: 4,
    take(world, dice) {
      const payments = world.shown.transactions.filter(({ type }) => type === 'PAY');
      const paid = payments.filter(({ stage }) => stage === 'succeeded');
      const payment = oneOf(dice, paid.length > 0 && dice.chance(0.9) ? paid : payments);
      if (payment === undefined) return undefined;
      const amount = dice.pick([undefined, '3.30', '6.80', '10.10']);
      const count = dice.pick([1, 1, 2]);
      for (let n = 0; n < count; n += 1) {
        world.nextPost = drawAnswer(world, dice);
        void world.merchant.refund(world.merchant.wish(payment, amount));
      }
      return `${amount ?? 'the rest'} of ${payment.id} is to go back, by ${count} requests`;
    },
  },
  'refunds with gaps': {
    weight: 1,
    take(world, dice) {
      const paid = world.shown.transactions.filter(({ type, stage }) => type === 'PAY' && stage === 'succeeded');
      const payment = oneOf(dice, paid);
      if (payment === undefined) return undefined;
      const answers = Array.from({ length: dice.between(2, 5) }, () =>
        dice.pick(['wallet blocked', '503, not made', 'lost, not made', 'as documented'] as const),
      );
      answers.forEach((answer, n) =>
        world.agenda.later(n * S, () => {
          world.nextPost = answer;
          void world.merchant.refund(world.merchant.wish(payment, '2.10'));
        }),
      );
      return `${answers.length} times 2.10 of ${payment.id} are to go back: ${answers.join(', ')}`;
    },
  },
  'a refund again': {
    weight: 3,
    take(world, dice) {
      const wish = oneOf(dice, world.merchant.wishes);
      if (wish === undefined) return undefined;
      world.nextPost = 'as documented';
      void world.merchant.refund(wish);
      return `${wish.key} is asked for again`;
    },
  },
  'a shopper pays': {
    weight: 12,
    take(world, dice) {
      const [shopper, entry] =
        oneOf(
          dice,
          world.shoppers.flatMap((each) => each.payable().map((one) => [each, one] as const)),
        ) ?? [];
      if (shopper === undefined || entry === undefined) return undefined;
      const status = dice.chance(0.8) ? 'SUCCESS' : 'FAILED';
      world.gateway.end(entry, status, shopper.wallet);
      return `the gateway ends ${entry.id}: ${status}`;
    },
  },
  'the gateway declines': {
    weight: 1,
    take(world, dice) {
      const entry = oneOf(
        dice,
        world.shoppers.flatMap((each) => each.payable()),
      );
      if (entry === undefined) return undefined;
      world.gateway.end(entry, 'FAILED');
      return `the gateway ends ${entry.id}: FAILED`;
    },
  },
  'the gateway ends a payout': {
    weight: 4,
    take(world, dice) {
      const entry = oneOf(
        dice,
        world.gateway.entries.filter((each) => each.type === 'PAYOUT' && statusOf(each) === 'PROCESSING'),
      );
      if (entry === undefined) return undefined;
      const status = dice.chance(0.7) ? 'SUCCESS' : 'FAILED';
      world.gateway.end(entry, status);
      return `the gateway ends ${entry.id}: ${status}`;
    },
  },
  'the gateway changes its mind': {
    weight: 1,
    take(world, dice) {
      const entry = oneOf(
        dice,
        world.gateway.entries.filter((each) => each.isOurs && each.changes.length === 2),
      );
      if (entry === undefined) return undefined;
      const status = statusOf(entry) === 'SUCCESS' ? 'FAILED' : 'SUCCESS';
      world.gateway.end(entry, status);
      return `the gateway changes ${entry.id} to ${status}`;
    },
  },
  'the gateway says FAILED by mistake': {
    weight: 1,
    take(world, dice) {
      const entry = oneOf(
        dice,
        world.gateway.entries.filter((each) => each.type === 'PAYOUT' && statusOf(each) === 'PROCESSING'),
      );
      if (entry === undefined) return undefined;
      world.mistaken.add(entry.id);
      return `the next report of ${entry.id} is FAILED by mistake`;
    },
  },
  'another shop uses an id of ours': {
    weight: 4,
    take(world, dice) {
      const [id, type] = oneOf(dice, oneOf(dice, idsFree(world)) ?? []) ?? [];
      if (id === undefined || type === undefined) return undefined;
      const amount = (type === 'PAY' ? AMOUNT : 25) + (dice.chance(0.2) ? 1 : 0);
      const status = dice.chance(0.5) ? 'SUCCESS' : 'PROCESSING';
      world.gateway.create({ id, type, amount, method: 'QR', wallet: FOREIGN_WALLET, isOurs: false, status });
      return `another shop makes ${type} ${id}: ${status}`;
    },
  },
  "another shop's customer pays": {
    weight: 3,
    take(world, dice) {
      const entry = oneOf(
        dice,
        world.gateway.entries.filter((each) => !each.isOurs && statusOf(each) === 'PROCESSING'),
      );
      if (entry === undefined) return undefined;
      world.gateway.end(entry, 'SUCCESS', FOREIGN_WALLET);
      return `another shop's ${entry.id} is paid`;
    },
  },
  'another shop has the next id': {
    weight: 3,
    take(world, dice) {
      const shopper = dice.pick(world.shoppers as [Shopper, ...Shopper[]]);
      const id = nextId(world, shopper);
      if (world.gateway.entries.some((entry) => entry.id === id)) return undefined;
      const theirs = { type: 'PAY', amount: AMOUNT, method: 'QR', wallet: FOREIGN_WALLET, isOurs: false } as const;
      const entry = world.gateway.create({ id, ...theirs });
      const paidMs = dice.pick([S, 5 * S, 2 * M]);
      world.agenda.later(paidMs, () => {
        if (statusOf(entry) === 'PROCESSING') world.gateway.end(entry, 'SUCCESS', FOREIGN_WALLET);
      });
      world.nextPost = drawAnswer(world, dice);
      void shopper.start(dice.pick(METHODS), false);
      return `another shop makes ${id}, to be paid in ${paidMs / S} s, and ${shopper.orderId} starts`;
    },
  },
  'IPNs from now on': {
    weight: 2,
    take(world, dice) {
      world.ipnDelay = dice.chance(0.3)
        ? undefined
        : { ms: dice.pick([0, 0, 5 * S, 10 * M, 26 * H]), repeats: dice.pick([1, 1, 3]) };
      return `IPNs from now on: ${world.ipnDelay === undefined ? 'none' : JSON.stringify(world.ipnDelay)}`;
    },
  },
  'an old IPN again': {
    weight: 3,
    take(world, dice) {
      const ipn = oneOf(dice, world.ipns);
      if (ipn === undefined) return undefined;
      world.deliver(ipn, 0, []);
      return `the IPN of ${ipn.id} once more`;
    },
  },
  'a forged IPN': {
    weight: 2,
    take(world, dice) {
      const { id, type } = oneOf(dice, world.shown.transactions) ?? {};
      if (id === undefined || type === undefined || !world.hasStatusCheck) return undefined;
      const body = {
        orderId: id,
        type,
        status: dice.pick(['SUCCESS', 'FAILED']),
        amount: AMOUNT,
        currency: 'EUR',
        n: dice.next(),
      };
      world.deliver({ id, type, body, acceptedAt: Infinity, offeredAt: -Infinity }, 0, []);
      return `a forged IPN of ${id}: ${body.status}`;
    },
  },
  'status answers from now on': {
    weight: 3,
    take(world, dice) {
      // After an answer, even a wrong one, only the sweep asks again.
      world.slow(world.statusAnswer === 'wrong path' || world.statusAnswer === 'lagging' ? 25 * H : RECOVERY_MS);
      const isWell = world.statusAnswer === 'as documented';
      const another = dice.chance(0.5) ? world.usualStatus : dice.pick(names<StatusAnswerName>(STATUS_ANSWERS));
      world.statusAnswer = isWell ? another : 'as documented';
      return `status answers from now on: ${world.statusAnswer}`;
    },
  },
  'one id is not answered': {
    weight: 2,
    take(world, dice) {
      const ids = world.shown.transactions.map(({ id }) => id);
      const refunds = world.merchant.wishes.map(({ paymentId }) => `${paymentId}-r${dice.between(1, 4)}`);
      const payouts = world.merchant.intentions
        .flatMap(({ ids: own }) => own.slice(-1))
        .flatMap((id) => [id, `shop-${id}`]);
      const id = oneOf(dice, [...ids, ...refunds, ...payouts]);
      if (id === undefined) return undefined;
      const forMs = dice.pick([5 * S, M, H]);
      world.silent.add(id);
      world.slow(forMs + RECOVERY_MS, id);
      world.agenda.later(forMs, () => world.silent.delete(id));
      return `status checks of ${id} are answered 503 for ${forMs / S} s`;
    },
  },
  'a kill': {
    weight: 4,
    take: (world, dice) =>
      interrupt(world, dice, (process, forMs) => {
        process.kill();
        world.agenda.later(forMs, () => void process.start());
        return 'is killed';
      }),
  },
  'a pause': {
    weight: 2,
    take: (world, dice) =>
      interrupt(world, dice, (process, forMs) => {
        const { life } = process;
        life?.pause();
        world.agenda.later(forMs, () => life?.resume());
        return 'is paused';
      }),
  },
  'the clock steps': {
    weight: 2,
    take(world, dice) {
      const ms = dice.pick([1, -1]) * dice.pick([3 * S, 10 * S, 40 * S, 40 * S, 2 * M, H]);
      world.databaseAheadMs += ms;
      world.hasStepped = true;
      // By a step ahead each payment is older, and what is older is asked about more rarely.
      world.slow(ms > M ? 14 * M : M);
      return `the database's clock steps by ${ms / S} s`;
    },
  },
  "a process's own clock is off": {
    weight: 1,
    take(world, dice) {
      const process = oneOf(dice, world.processes);
      if (process === undefined || world.processes.length === 1) return undefined;
      process.skewMs = dice.pick([1, -1]) * dice.pick([50, 3 * S, 40 * S]);
      return `${process.name} is ${process.skewMs} ms ahead`;
    },
  },
  'a backup': {
    weight: 3,
    take(world, dice) {
      if (dice.chance(0.25)) {
        world.isBackUpAtCheck = true;
        return 'a backup while the next check is under way';
      }
      const commits = dice.chance(0.5) ? 0 : dice.between(1, 6);
      world.backUpIn = commits + 1;
      if (commits === 0) world.committed(false);
      return `a backup after ${commits} commits`;
    },
  },
  'the database goes back': { weight: 1, take: goBack },
  'the merchant closes an order': {
    weight: 2,
    take(world, dice) {
      const payable = world.shoppers.filter((each) => each.payable().length > 0);
      const isPaid = payable.length > 0 && dice.chance(0.5);
      const shopper = oneOf(dice, isPaid ? payable : world.shoppers);
      const ifUnpaid = dice.chance(0.5);
      const [entry] = isPaid ? (shopper?.payable() ?? []) : [];
      if (entry !== undefined) world.gateway.end(entry, 'SUCCESS', shopper?.wallet);
      void world.merchant.close(shopper?.orderId ?? '', ifUnpaid);
      const paid = entry === undefined ? '' : `${entry.id} is paid, and `;
      return `${paid}${shopper?.orderId ?? ''} is to be closed${ifUnpaid ? ' if it is unpaid' : ''}`;
    },
  },
  'personal data is erased': {
    weight: 1,
    take(world, dice) {
      const row = oneOf(dice, world.shown.transactions);
      if (row === undefined) return undefined;
      void world.merchant.erase(row.orderId);
      return `${row.orderId} is to be erased`;
    },
  },
  'another prefix': {
    weight: 1,
    take(world) {
      const prefix = 'shop-';
      // One that comes and goes between a backup and its restore is known to nobody.
      if (world.processes.some((process) => process.prefix === prefix)) return undefined;
      for (const process of world.processes) {
        process.kill();
        process.prefix = prefix;
        void process.start();
      }
      world.slow(50 * S);
      return `all processes start again with the prefix "${prefix}"`;
    },
  },
  'somebody holds a row': {
    weight: 2,
    take(world, dice) {
      const row = oneOf(dice, world.shown.transactions);
      if (row === undefined) return undefined;
      const forMs = dice.pick([10 * S, 2 * M]);
      world.held.add(row.id);
      // After a step of the clock, what is learned of another payment of its order changes this row as well.
      const ofOrder = world.shown.transactions.filter(({ orderId }) => orderId === row.orderId);
      for (const { id } of ofOrder) world.slow(forMs + RECOVERY_MS, id);
      world.agenda.later(forMs, () => world.held.delete(row.id));
      return `somebody holds the row of ${row.id} for ${forMs / S} s`;
    },
  },
  'a person resolves': {
    weight: 4,
    take(world, dice) {
      const row = oneOf(
        dice,
        world.shown.transactions.filter(({ needsReview }) => needsReview),
      );
      if (row === undefined) return undefined;
      void world.person.resolve(row, dice.chance(0.2));
      return `a person looks at ${row.id}`;
    },
  },
  "the merchant's server": {
    weight: 1,
    take(world) {
      world.isMerchantUp = !world.isMerchantUp;
      return `the merchant's server is ${world.isMerchantUp ? 'up' : 'down'}`;
    },
  },
  'a look at the page': {
    weight: 4,
    take(world, dice) {
      const shopper = oneOf(dice, world.shoppers);
      if (dice.chance(0.2)) shopper?.reopen();
      void shopper?.look();
      return `${shopper?.orderId ?? ''} is looked at`;
    },
  },
  'time passes': {
    weight: 12,
    async take(_world, dice) {
      const ms = dice.pick([2 * S, 15 * S, 35 * S, 50 * S, 95 * S, 3 * M, 6 * M, 18 * M, H, 7 * H, 25 * H, 3 * D]);
      return Promise.resolve(`pass ${ms}`);
    },
  },
} as const satisfies Record<string, Step>;
export type StepName = keyof typeof STEPS;

function oneOf<T>(dice: Random, items: readonly T[]): T | undefined {
  return items[dice.between(0, Math.max(items.length - 1, 0))];
}

/** Most of what goes wrong is the same thing all the time. */
function drawAnswer(world: World, dice: Random): PostAnswerName {
  if (dice.chance(0.3)) return 'as documented';
  return dice.chance(0.7) ? world.usualPost : dice.pick(names<PostAnswerName>(POST_ANSWERS));
}

/** Of the payment that the shopper starts next. */
function nextId(world: World, { orderId }: Shopper): string {
  const n = world.shown.transactions.filter((row) => row.type === 'PAY' && row.orderId === orderId).length + 1;
  return n === 1 ? orderId : `${orderId}-${n}`;
}

/** Ids that our proxies use or are about to use, and that the gateway does not have, by kind. */
function idsFree(world: World): [string, TransactionType][][] {
  const used = world.shown.transactions.map(({ id, type }): [string, TransactionType] => [id, TYPES[type].atGateway]);
  const next = world.shoppers.map((shopper): [string, TransactionType] => [nextId(world, shopper), 'PAY']);
  const payout: [string, TransactionType] = [`p${world.merchant.intentions.length + 1}`, 'PAYOUT'];
  const refunds = used.flatMap(([id, type]): [string, TransactionType][] =>
    type === 'PAY' ? [[`${id}-r1`, 'PAYOUT']] : [],
  );
  const isFree = ([id]: [string, TransactionType]) => world.gateway.entries.every((entry: Entry) => entry.id !== id);
  return [used, used, [...next, payout], refunds].map((ids) => ids.filter(isFree)).filter(({ length }) => length > 0);
}

/** At one of its next turns, so that it leaves half-done work and leases. */
function interrupt(
  world: World,
  dice: Random,
  does: (process: ProxyProcess, forMs: number) => string,
): string | undefined {
  const process = oneOf(
    dice,
    world.processes.filter(({ isUp }) => isUp),
  );
  const life = process?.life;
  if (process === undefined || life === undefined) return undefined;
  const forMs = dice.pick([500, 3 * S, 60 * S, 150 * S]);
  life.countsWrites = dice.chance(0.5);
  life.turnsLeft = dice.between(1, life.countsWrites ? 3 : 12);
  life.onLastTurn = () => {
    if (!life.isAlive || process.life !== life) return;
    world.note(`${process.name} ${does(process, forMs)} for ${forMs / S} s`);
    const isAlone = world.processes.every(({ isUp }) => !isUp);
    world.slow((isAlone ? forMs : 0) + 10 * S);
    // What it was sending, or has not recorded yet, is uncertain after 45 s.
    for (const post of world.posts)
      if (post.life === life && post.endedAt > world.now - 5 * S) world.slow(forMs + 50 * S, post.id);
  };
  return `${process.name} is interrupted ${life.turnsLeft} ${life.countsWrites ? 'writes' : 'turns'} later`;
}

function payAgain(world: World, dice: Random): string | undefined {
  const intention = oneOf(dice, world.merchant.intentions);
  if (intention === undefined) return undefined;
  world.nextPost = 'as documented';
  const isNew = world.merchant.sendAgain(intention);
  void world.merchant.payOut(intention);
  return `payout ${intention.ids.at(-1) ?? ''} is asked for ${isNew ? 'after the one before failed' : 'again'}`;
}

/** A restore, with all processes ended; or a standby takes over, and they go on. */
async function goBack(world: World, dice: Random): Promise<string | undefined> {
  if (!world.hasBackup) return undefined;
  const isRestore = dice.chance(0.6);
  if (isRestore) for (const process of world.processes) process.kill();
  await world.settle();
  await world.database.restore();
  world.committed(true);
  world.wentBackAt = world.now;
  world.hasBackup = false;
  world.firstSeen.clear();
  world.merchant.closed.clear();
  for (const ipn of world.ipns) ipn.acceptedAt = Infinity;
  for (const shopper of world.shoppers) shopper.reopen();
  world.slow(2 * M);
  if (isRestore) for (const process of world.processes) void process.start(world.databaseTime());
  else await world.observer.recordRestore(world.databaseTime());
  askAgain(world, dice);
  return `the database goes back, ${isRestore ? 'by a restore' : 'to a standby'}`;
}

/** The merchant misses what was lost. */
function askAgain({ agenda, merchant }: World, dice: Random): void {
  for (const wish of merchant.wishes)
    if (dice.chance(0.5)) agenda.later(dice.pick(AGAIN_AFTER_MS), () => void merchant.refund(wish));
  for (const intention of merchant.intentions)
    if (dice.chance(0.5)) agenda.later(dice.pick(AGAIN_AFTER_MS), () => void merchant.payOut(intention));
}

/** Whether the gateway contradicted itself about it. */
export function isContradicted(entry: Entry | undefined): boolean {
  return entry !== undefined && was(entry, 'SUCCESS') && was(entry, 'FAILED');
}
