// What has to hold whatever happens, one row each, compared with the accounts of those outside: the gateway's, the
// shoppers' and the merchant's. None knows how the proxy decides. `always` is looked at after each change, `atEnd`
// after nine calm days. A row returns what is wrong. To add an invariant, add a row.
import { RETRY_AFTER_MS } from '../../backend-proxy/use-cases/webhooks.ts';
import { STAGES, TYPES, reasonOf, type Transaction } from '../../backend-proxy/protocol/transaction.ts';
import { D, H, M, S } from '../backend-proxy/time.ts';
import { isContradicted } from './faults.ts';
import { statusOf, was, type Entry } from './gateway.ts';
import { AMOUNT } from './people.ts';
import { seenKey, type Check, type World } from './world.ts';

interface Invariant {
  always?(world: World): string | undefined;
  atEnd?(world: World): string | undefined;
}

const APART_MS = 30 * S;
/** A step of the clock below 5 s is not noticed. */
const UNNOTICED_MS = 5 * S;
/** In the first 14 minutes. */
const ASKED_MS = 6 * M;
/** From its permission to the one POST. */
const PERMISSION_MS = 20 * S;
/** Refunds of one payment that the gateway has not shown. */
const UNSEEN_IN_A_ROW = 10;
/** Answers that are refusals by the gateway itself, after which it has nothing. */
const REFUSALS: readonly string[] = ['wallet not found', 'wrong key', 'wallet blocked', 'reference not unique'];

export const INVARIANTS = {
  'an order is paid only with money of its shopper': {
    always: (world) =>
      firstOf(world.shown.transactions, (row) => {
        if (row.type !== 'PAY' || statusAt(row) !== 'SUCCESS' || world.person.said.get(row.id) === 'SUCCESS')
          return undefined;
        const paid = world.gateway.entries.some(
          (entry) => entry.id === row.id && entry.isOurs && was(entry, 'SUCCESS'),
        );
        return paid || isLikeOurs(world, row) ? undefined : `${row.id} is paid, and its shopper paid nothing`;
      }),
  },
  'the payer is the wallet that paid': {
    always: (world) =>
      firstOf(world.shown.transactions, (row) => {
        const { id, type, payer } = row;
        if (type !== 'PAY' || payer === null || isLikeOurs(world, row)) return undefined;
        const paid = world.gateway.ours(id)?.payer ?? 'nobody';
        return payer === paid ? undefined : `the payer of ${id} is ${payer}, and ${paid} paid`;
      }),
  },
  'nothing goes out twice, or to another wallet': {
    always: (world) =>
      firstOf(world.merchant.intentions, ({ ids, wallet }) => {
        const sent = world.gateway.entries.filter(({ id, isOurs }) => isOurs && ids.some((own) => id.endsWith(own)));
        const going = sent.filter((entry) => isGoing(world, entry));
        if (going.length > 1) return `${going.map(({ id }) => id).join(' and ')} go out`;
        const stray = sent.find((entry) => entry.wallet !== wallet);
        return stray && `${stray.id} goes to ${stray.wallet}`;
      }),
  },
  'never more goes back than came in, nor to another wallet': {
    always: (world) =>
      firstOf(world.shown.transactions, (payment) => {
        const { id, type } = payment;
        const sent = world.gateway.entries.filter(({ id: own, isOurs }) => isOurs && own.startsWith(`${id}-r`));
        if (type !== 'PAY' || sent.length === 0 || isLikeOurs(world, payment)) return undefined;
        const paid = world.gateway.ours(id);
        const stray = sent.find(({ wallet }) => wallet !== paid?.payer);
        if (stray !== undefined) return `${stray.id} goes to ${stray.wallet}, and ${paid?.payer ?? 'nobody'} paid`;
        const going = sent.filter((entry) => isGoing(world, entry));
        const wishes = world.merchant.wishes.filter(({ paymentId }) => paymentId === id);
        if (going.length > wishes.length)
          return `${going.length} refunds of ${id} go back, ${wishes.length} are wished`;
        const cents = going.reduce((sum, { amount }) => sum + Math.round(amount * 100), 0);
        return cents > AMOUNT * 100 ? `${cents / 100} of ${id} go back` : undefined;
      }),
  },
  'FAILED of a payout only if the gateway has none or says so twice': {
    always: (world) =>
      firstOf(world.shown.transactions, (row) => {
        if (!TYPES[row.type].isOutgoing || statusAt(row) !== 'FAILED' || world.person.said.has(row.id))
          return undefined;
        const entry = world.gateway.ours(row.id);
        if (entry === undefined || (statusOf(entry) === 'FAILED' && !world.hasStatusCheck)) return undefined;
        const failed = world.checks.filter(({ id, said }) => id === row.id && said === 'FAILED');
        const isTwice = failed.some((a) => failed.some((b) => b.beganAt - a.endedAt >= APART_MS - UNNOTICED_MS));
        return isTwice ? undefined : `${row.id} is reported FAILED, and the gateway has it: ${String(statusOf(entry))}`;
      }),
  },
  'a POST leaves only soon after its permission': {
    always: (world) =>
      firstOf(world.posts, ({ id, sentAt }) => {
        const row = world.shown.transactions.find((each) => each.id === id);
        const sending = row?.history.find(({ event }) => event === 'sending');
        const permittedAt = sending && row && world.firstSeen.get(seenKey(row.id, sending));
        if (permittedAt === undefined) return undefined;
        return sentAt - permittedAt > PERMISSION_MS + UNNOTICED_MS
          ? `${id} is sent ${sentAt - permittedAt} ms after its permission`
          : undefined;
      }),
  },
  'no view says that no money was taken if it was': {
    always: (world) =>
      firstOf(world.shown.transactions, (row) => {
        const reason = reasonOf(row);
        if (row.type !== 'PAY' || (reason !== 'NOT_CREATED' && reason !== 'REJECTED')) return undefined;
        const entry = world.gateway.ours(row.id);
        if (entry === undefined || hasFlag(row)) return undefined;
        // What a lost database had sent under the same id is known to nobody, also if it arrives later.
        if ((entry.sentAt ?? 0) <= world.wentBackAt) return undefined;
        if (statusOf(entry) === 'SUCCESS') return `${row.id} is ${reason}, and the shopper has paid it`;
        return entry.method === 'DIRECT' && statusOf(entry) === 'PROCESSING'
          ? `${row.id} is ${reason}, and the shopper can still confirm it`
          : undefined;
      }),
  },
  'a refusal by the gateway is shown as one': {
    always: (world) =>
      firstOf(world.posts, ({ id, type, answer, endedAt, life }) => {
        if (
          type !== 'PAY' ||
          !REFUSALS.includes(answer) ||
          !life.isAlive ||
          // A restore may have lost it.
          endedAt < world.wentBackAt ||
          world.now < Math.max(endedAt, slowUntil(world, id)) + inTimeMs(world)
        )
          return undefined;
        const row = world.shown.transactions.find((each) => each.id === id);
        return row === undefined || statusAt(row) === 'FAILED' || hasFlag(row) || statusAt(row) === 'SUCCESS'
          ? undefined
          : `${id} was refused, and is ${statusAt(row)}`;
      }),
  },
  'what the gateway has ended is shown in time': {
    always: (world) =>
      firstOf(world.ipns, ({ id, type, acceptedAt, body }) => {
        const entry = world.gateway.ours(id);
        const row = world.shown.transactions.find((each) => each.id === id);
        if (entry === undefined || row === undefined || entry !== world.gateway.find(id, type)) return undefined;
        // Of one that the gateway called a duplicate, only a SUCCESS is news.
        const isMarked = world.posts.some(
          (post) => post.id === id && (post.answer === 'duplicate' || post.answer.endsWith('409')),
        );
        if (isMarked && body['status'] === 'FAILED') return undefined;
        if (body['status'] !== statusOf(entry) || (type === 'PAYOUT' && body['status'] === 'FAILED')) return undefined;
        // Of an earlier call of this id, which a restored database has lost: the new row has its own checks.
        if (acceptedAt < (world.firstSeen.get(seenKey(id, row.history[0]!)) ?? world.now)) return undefined;
        if (world.now < Math.max(acceptedAt, slowUntil(world, id)) + inTimeMs(world)) return undefined;
        return isOpen(row) && !hasFlag(row)
          ? `${id} is ${statusAt(row)}, ${(world.now - acceptedAt) / S} s after the IPN: ${String(body['status'])}`
          : undefined;
      }),
  },
  'an open payment is asked about': {
    always: (world) =>
      firstOf(world.posts, ({ id, type, sentAt, endedAt, life }) => {
        const row = world.shown.transactions.find((each) => each.id === id);
        if (type !== 'PAY' || !world.hasStatusCheck || world.now - sentAt > 14 * M || !life.isAlive) return undefined;
        const asked = world.checks.findLast((check) => check.id === id)?.beganAt ?? 0;
        const waited = world.now - Math.max(asked, endedAt, slowUntil(world, id));
        return row !== undefined && isOpen(row) && !hasFlag(row) && waited > ASKED_MS + inTimeMs(world)
          ? `${id} is not asked about for ${waited / S} s`
          : undefined;
      }),
  },
  'a webhook is tried in time': {
    always: (world) =>
      firstOf(world.shown.pending, ({ id, type, transactionId, attempts }) => {
        const tried = world.merchant.attempts.get(id) ?? [];
        const row = world.shown.transactions.find((each) => each.id === transactionId);
        const queuedAt = Math.max(
          ...(row?.history ?? []).map((entry) => (row && world.firstSeen.get(seenKey(row.id, entry))) ?? world.now),
        );
        const wait = attempts === 0 ? 0 : (RETRY_AFTER_MS[attempts - 1] ?? D) * 1.2;
        // What was tried before a restore may have the same id.
        const triedAt = attempts === 0 ? queuedAt : Math.max(queuedAt, tried.at(-1) ?? 0);
        const due = Math.max(triedAt + wait, slowUntil(world, ''));
        return world.now > due + inTimeMs(world)
          ? `${type} ${transactionId} waits since ${(world.now - due) / S} s`
          : undefined;
      }),
  },
  'what is learned is reported': {
    always: (world) =>
      firstOf(learned(world), ({ id }) => {
        // One that named no amount may have been reported as another's.
        const said = world.checks.filter((check) => check.id === id && check.said === 'SUCCESS');
        const saidAt = Math.min(...said.map(({ endedAt }) => endedAt));
        const row = world.shown.transactions.find((each) => each.id === id);
        if (row === undefined || statusAt(row) === 'SUCCESS') return undefined;
        // What a backup had was reported before.
        const isReported =
          row.stage === 'rejected' ||
          row.history.some(
            (entry) =>
              ['conflict', 'mismatch', 'needs_review'].includes(entry.event) &&
              isNewOrRestored(world, world.firstSeen.get(seenKey(id, entry)) ?? 0, saidAt - S),
          );
        return isReported ? undefined : `a check of ${id} said SUCCESS, it is ${statusAt(row)}, and nobody was told`;
      }),
  },
  'nothing is sent for an order that was seen SUCCESS': {
    always: (world) =>
      firstOf(world.posts, ({ id, type, sentAt }) => {
        if (type !== 'PAY') return undefined;
        const { orderId } = world.shown.transactions.find((each) => each.id === id) ?? {};
        const seen = world.shown.transactions.find(
          (row) =>
            row.id !== id &&
            row.type === 'PAY' &&
            row.orderId === orderId &&
            wasSeen(world, row, sentAt - PERMISSION_MS - UNNOTICED_MS),
        );
        return seen && `${id} is sent, and ${seen.id} was seen SUCCESS`;
      }),
  },
  'a closed order is never paid': {
    always: (world) =>
      firstOf([...world.merchant.closed], ([orderId, { at, paidBefore }]) => {
        if (paidBefore !== undefined) return `${orderId} is closed as unpaid, and ${paidBefore.id} is paid`;
        const rows = world.shown.transactions.filter((row) => row.type === 'PAY' && row.orderId === orderId);
        const paid = rows.find((row) => statusAt(row) === 'SUCCESS' && !row.afterClose);
        if (paid !== undefined) return `${orderId} is closed, and ${paid.id} pays it`;
        const isOfOrder = (id: string) => rows.some((row) => row.id === id);
        const told = world.merchant.received.find(
          (one) =>
            one.type === 'payment.succeeded' && isOfOrder(one.id) && one.at > Math.max(at, longAfterRestore(world)),
        );
        if (told !== undefined) return `${orderId} is closed, and the merchant reads that ${told.id} has paid it`;
        const sent = world.posts.find(
          (post) => isOfOrder(post.id) && post.type === 'PAY' && post.sentAt > at + PERMISSION_MS + UNNOTICED_MS,
        );
        return sent && `${sent.id} is sent, and its order is closed`;
      }),
    atEnd: (world) =>
      firstOf(world.shown.transactions, ({ id, afterClose }) =>
        afterClose &&
        !hasGivenUp(world) &&
        !world.merchant.received.some((one) => one.type === 'payment.after_close' && one.id === id)
          ? `${id} was paid after the closing, and nobody was told`
          : undefined,
      ),
  },
  'a closing of what is unpaid succeeds': {
    always: (world) =>
      firstOf(world.merchant.asked, ({ what, id, askedAt, answeredAt, answer: { status, code }, ...asked }) => {
        if (what !== 'closing if unpaid' || status === 200 || isHindered(world, askedAt, answeredAt)) return undefined;
        const rows = world.shown.transactions.filter((row) => row.type === 'PAY' && row.orderId === id);
        const isOld = (row: Transaction) =>
          row.history.every((entry) => (world.firstSeen.get(seenKey(row.id, entry)) ?? world.now) < askedAt);
        const isEnded = rows.every((row) => isOld(row) && statusAt(row) === 'FAILED' && !hasFlag(row));
        const isOfOrder = (check: Check) => rows.some((row) => row.id === check.id);
        const checks = world.checks.filter(isOfOrder);
        const isAsked = world.checks
          .slice(0, asked.checks)
          .some((check) => isOfOrder(check) && check.endedAt > askedAt - M);
        const isUnanswered = checks.some(({ name, endedAt }) => name !== 'as documented' && endedAt >= askedAt);
        // What a call still under way will make is not known.
        const isCalling = world.posts.some(
          ({ id: sent, endedAt }) => rows.some((row) => row.id === sent) && endedAt >= askedAt,
        );
        return isEnded && world.hasStatusCheck && !isAsked && !isUnanswered && !isCalling
          ? `the closing of ${id} is answered ${status} ${code ?? ''}, and nothing of it is open`
          : undefined;
      }),
  },
  'no refund or payout is refused, withheld or FAILED for nothing': {
    always: (world) =>
      firstOf(world.merchant.asked, ({ what, id, isFirst, askedAt, answeredAt, answer: { status, cause, shows } }) => {
        if (what !== 'payout' && what !== 'refund') return undefined;
        // A process that was paused answers what others have found meanwhile.
        if (isFirst && shows === 'FAILED' && answeredAt - askedAt <= 30 * S)
          return `a new ${what} of ${id} is answered FAILED`;
        const wishes = world.merchant.wishes.filter(({ paymentId }) => paymentId === id);
        if (cause === 'failing' && wishes.length <= UNSEEN_IN_A_ROW)
          return `a refund of ${id} is "failing" after ${wishes.length - 1} others`;
        return status === 503 && cause === undefined && !isHindered(world, askedAt, answeredAt)
          ? `a ${what} of ${id} is answered 503`
          : undefined;
      }) ?? firstOf(world.shown.transactions, (row) => withheldForNothing(world, row)),
  },
  'a person is contradicted only by what comes later': {
    always: (world) =>
      firstOf(world.shown.transactions, ({ id, history }) => {
        const saidAt = world.person.saidAt.get(id);
        if (saidAt === undefined || world.hasStatusCheck || saidAt < world.wentBackAt) return undefined;
        const isAsked = history.some(
          (entry) => entry.event === 'needs_review' && (world.firstSeen.get(seenKey(id, entry)) ?? 0) > saidAt,
        );
        const hasNews = world.ipns.some(
          (ipn) =>
            ipn.id === id &&
            ipn.offeredAt > saidAt - M &&
            (ipn.body['status'] !== world.person.said.get(id) || world.gateway.ours(id) === undefined),
        );
        return isAsked && !hasNews ? `a person is asked again about ${id}, and nothing contrary has come` : undefined;
      }),
  },
  'every process starts': {
    always: (world) => {
      const failed = world.processes.find(({ startError }) => startError !== undefined);
      return failed && `${failed.name} does not start: ${String(failed.startError)}`;
    },
  },
  'everything ends or asks a person': {
    atEnd: (world) =>
      firstOf(world.shown.transactions, (row) =>
        isOpen(row) && !row.needsReview ? `${row.id} is ${statusAt(row)} for ever` : undefined,
      ),
  },
  'a person is asked only for cause': {
    // An open one may have been without an answer for too long.
    always: (world) =>
      firstOf(world.shown.transactions, (row) => (isOpen(row) ? undefined : reviewedForNothing(world, row))),
    atEnd: (world) => firstOf(world.shown.transactions, (row) => reviewedForNothing(world, row)),
  },
  'every webhook is delivered': {
    atEnd: (world) =>
      firstOf(world.shown.pending, ({ type, transactionId }) => `${type} ${transactionId} was never delivered`),
  },
  'the accounts agree': {
    atEnd: (world) =>
      firstOf(world.shown.transactions, (row) => {
        const entry = world.gateway.find(row.id, row.type);
        if (
          entry === undefined ||
          !entry.isOurs ||
          hasFlag(row) ||
          world.person.said.has(row.id) ||
          isContradicted(entry)
        )
          return undefined;
        const [ours, theirs] = [statusAt(row), statusOf(entry)];
        const isKnowable = world.hasStatusCheck && world.now - (entry.changes.at(-1)?.at ?? 0) > 8.9 * D;
        return isKnowable && theirs !== 'PROCESSING' && (ours === 'SUCCESS') !== (theirs === 'SUCCESS')
          ? `${row.id} is ${ours}, and ${theirs} at the gateway`
          : undefined;
      }),
  },
} as const satisfies Record<string, Invariant>;
export type InvariantName = keyof typeof INVARIANTS;

export function statusAt({ stage }: Transaction) {
  return STAGES[stage].status;
}

function isOpen(row: Transaction): boolean {
  return statusAt(row) === 'INITIALIZED' || statusAt(row) === 'PROCESSING';
}

function hasFlag({ needsReview, mismatch, conflict }: Transaction): boolean {
  return needsReview || mismatch || conflict;
}

/** Whether its money goes out, and nobody was made to believe the contrary, so that the merchant sent it again. */
function isGoing(world: World, entry: Entry): boolean {
  const isBelieved = isContradicted(entry) || world.person.wrong.has(entry.id) || isSentWhileLagging(world, entry);
  return statusOf(entry) !== 'FAILED' && !isBelieved;
}

/**
 * After the database went back and its clock stepped, the wait for a status check that lags may end early: then only
 * the gateway's own refusal of the id keeps it from being made again.
 */
function isSentWhileLagging({ checks, gateway, wentBackAt, hasStepped }: World, entry: Entry): boolean {
  if (!hasStepped) return false;
  const madeAt = entry.changes[0]?.at ?? 0;
  const said = checks.findLast(({ id, endedAt }) => id === entry.id && endedAt > wentBackAt && endedAt <= madeAt);
  return gateway.ours(entry.id) !== entry && said?.name === 'lagging' && said.said === 'unknown';
}

/** Whether something kept a request from being answered well. */
function isHindered(world: World, askedAt: number, answeredAt: number): boolean {
  return (
    world.hasStepped ||
    world.held.size > 0 ||
    world.wentBackAt > askedAt - H ||
    (world.slowedUntil.get('') ?? 0) > askedAt ||
    [...world.slowedUntil].some(([id, until]) => id !== '' && until > askedAt) ||
    answeredAt - askedAt > 30 * S
  );
}

/** Only a restore is a reason to withhold, and only of what the gateway has or did not say. */
function withheldForNothing(world: World, { id, answer, needsReview, history }: Transaction): string | undefined {
  if (answer !== 'withheld' || !needsReview) return undefined;
  if (world.wentBackAt === -Infinity) return `${id} is withheld, and nothing was restored`;
  const withheldAt = Math.min(...history.map((entry) => world.firstSeen.get(seenKey(id, entry)) ?? Infinity));
  const checks = world.checks.filter(
    ({ type, endedAt }) => type === 'PAYOUT' && endedAt >= world.wentBackAt && endedAt <= withheldAt,
  );
  // Of one that is ours and known here, so that it can be asked about again for the proof, and whose row nobody held.
  const isProven = checks.some(
    ({ id: found, said, endedAt, life }) =>
      life.isAlive &&
      said !== 'unknown' &&
      said !== 'nothing' &&
      endedAt < withheldAt - 5 * S &&
      (world.slowedUntil.get(found) ?? 0) < withheldAt &&
      world.shown.transactions.some((row) => row.id === found && awaitedUntil(world, row) < withheldAt) &&
      world.gateway.find(found, 'PAYOUT')?.isOurs === true,
  );
  const isDoubtful = checks.some(({ name }) => name !== 'as documented');
  const isKnown = world.gateway.entries.some((entry) => entry.type === 'PAYOUT' && isLikely(entry.id, id));
  return world.hasStatusCheck && isProven && !isDoubtful && !isKnown ? `${id} is withheld for nothing` : undefined;
}

/** A report waits for the answer to the call, or until that counts as lost. */
function awaitedUntil(world: World, { id, history }: Transaction): number {
  const later = history.filter(({ event }) => !['created', 'sending', 'replaced'].includes(event));
  return Math.min(...later.map((entry) => world.firstSeen.get(seenKey(id, entry)) ?? Infinity));
}

/** Another refund of the same payment, or the payout under another prefix. */
function isLikely(id: string, asked: string): boolean {
  const common = (one: string) => one.replace(/^shop-/, '').replace(/-r\d+$/, '-r');
  return common(id) === common(asked);
}

function firstOf<T>(items: readonly T[], wrong: (item: T) => string | undefined): string | undefined {
  for (const item of items) {
    const what = wrong(item);
    if (what !== undefined) return what;
  }
  return undefined;
}

/**
 * Within this time what the gateway has ended is shown and delivered, if nothing slows it. Once the clock was set back
 * and gets to the time of a lease that a killed process left, that lease holds for 25 s.
 */
function inTimeMs({ hasStepped }: World): number {
  return (hasStepped ? 30 : 15) * S;
}

/** Until when something slows the news of this transaction. */
function slowUntil(world: World, id: string): number {
  const post = world.posts.findLast((each) => each.id === id);
  const begun = world.checks.filter((check) => check.id === id && check.beganAt > world.now - 60 * S).length;
  const isSlow =
    (post?.endedAt === Infinity && post.life.isAlive) ||
    begun >= 3 ||
    world.statusAnswer !== 'as documented' ||
    !world.isMerchantUp ||
    world.processes.every(({ isUp }) => !isUp);
  if (isSlow) return Infinity;
  return Math.max(
    world.slowedUntil.get('') ?? 0,
    world.slowedUntil.get(id) ?? 0,
    post?.life.isAlive === true ? post.endedAt : 0,
  );
}

function isNewOrRestored({ wentBackAt }: World, at: number, since: number): boolean {
  return at >= since || at === wentBackAt;
}

/**
 * Of each transaction the first check that said SUCCESS, if a process must have recorded one. What is said before our
 * POST is answered waits for the answer, and is asked for again.
 */
function learned(world: World): Check[] {
  const answeredAt = new Map(world.posts.map(({ id, endedAt }) => [id, endedAt]));
  const awaited = new Map(world.shown.transactions.map((row) => [row.id, awaitedUntil(world, row)]));
  const since = (id: string) =>
    Math.max(
      world.wentBackAt,
      answeredAt.get(id) ?? 0,
      // A look-up after a restore is made before there is a row.
      awaited.get(id) ?? 0,
      // While somebody held the row, nothing could be recorded.
      world.slowedUntil.get(id) ?? 0,
    );
  const all = world.checks.filter(
    ({ id, said, isWhole, endedAt }) =>
      said === 'SUCCESS' && isEqual(world, id) && isWhole && endedAt > since(id) && !isOrderHeld(world, id),
  );
  const isRecorded = ({ id, endedAt, life }: Check) =>
    life.isAlive && !life.isPaused && world.now > Math.max(endedAt, slowUntil(world, id)) + 5 * S;
  return [...Map.groupBy(all, ({ id }) => id).values()].flatMap((checks) =>
    checks.some(isRecorded) ? checks.toSorted((a, b) => a.endedAt - b.endedAt).slice(0, 1) : [],
  );
}

/** The write that pays an order also changes its other attempts. */
function isOrderHeld(world: World, id: string): boolean {
  const orderOf = (one: string) => world.shown.transactions.find((row) => row.id === one)?.orderId ?? one;
  return [...world.held].some((held) => orderOf(held) === orderOf(id));
}

/**
 * Whether another's money looks like this shopper's: the gateway made two of one id and named none in its answer, or
 * it named no payer of a prompt whose answer was lost.
 */
function isLikeOurs(world: World, { id, asked }: Transaction): boolean {
  return (
    world.posts.some((post) => post.id === id && post.answer === 'no payment id') ||
    (asked === 'DIRECT' && world.checks.some((check) => check.id === id && !check.namesWallet))
  );
}

/** Whether the merchant's server was down for so long that a webhook is not tried any more. */
function hasGivenUp({ merchant }: World): boolean {
  return [...merchant.attempts.values()].some(({ length }) => length > RETRY_AFTER_MS.length);
}

/** When a paused process, too, has sent what it had in hand before the database went back. */
function longAfterRestore({ wentBackAt }: World): number {
  return wentBackAt + 3 * M;
}

/** Whether a SUCCESS of this payment was recorded before, and nobody has ended it otherwise. */
function wasSeen(world: World, row: Transaction, before: number): boolean {
  if (world.person.said.has(row.id)) return false;
  return row.history.some((entry) => {
    const at = world.firstSeen.get(seenKey(row.id, entry)) ?? Infinity;
    const isSuccess = entry.event === 'succeeded' || entry.detail?.startsWith('SUCCESS') === true;
    return isSuccess && at > world.wentBackAt && at < before;
  });
}

/** Whether what the gateway has under this id is what was asked for. */
function isEqual({ gateway }: World, id: string): boolean {
  const entry = gateway.entries.find((each) => each.id === id);
  return entry !== undefined && (entry.isOurs || (entry.type === 'PAY' && entry.amount === AMOUNT));
}

function reviewedForNothing(world: World, row: Transaction): string | undefined {
  return row.needsReview && !hasCause(world, row) ? `${row.id} needs review for nothing` : undefined;
}

/** Whether the time was over while the gateway did not answer. */
function wasUnanswered(world: World, { id, history }: Transaction): boolean {
  return history.some((entry) => {
    if (entry.event !== 'needs_review' || entry.source !== 'clock') return false;
    const askedAt = world.firstSeen.get(seenKey(id, entry)) ?? world.now;
    return world.checks.findLast((check) => check.id === id && check.endedAt <= askedAt)?.said === 'nothing';
  });
}

/** Whether the gateway or a person contradicted another payment of its order, so that nobody knows which one pays. */
function isSecondInDoubt({ shown, gateway, person }: World, { id, type, orderId }: Transaction): boolean {
  const others = shown.transactions.filter((row) => row.orderId === orderId && row.type === 'PAY' && row.id !== id);
  return type === 'PAY' && others.some((row) => isContradicted(gateway.ours(row.id)) || person.said.has(row.id));
}

/** Whether somebody outside gave a reason to ask a person. */
function hasCause(world: World, row: Transaction): boolean {
  const { id, type, afterClose } = row;
  const entry = world.gateway.find(id, type);
  const post = world.posts.findLast((each) => each.id === id);
  const said = world.checks.filter((check) => check.id === id).map((check) => check.said);
  const failedAt = said.indexOf('FAILED');
  const wasTakenBack =
    failedAt >= 0 && said.slice(failedAt).some((each) => each === 'PROCESSING' || each === 'SUCCESS');
  const wasFound = said.some((each) => each === 'SUCCESS' || each === 'FAILED' || each === 'PROCESSING');
  return (
    afterClose ||
    wasTakenBack ||
    !wasFound ||
    wasUnanswered(world, row) ||
    entry === undefined ||
    !entry.isOurs ||
    world.gateway.entries.filter((each) => each.id === id).length > 1 ||
    isContradicted(entry) ||
    isSecondInDoubt(world, row) ||
    (post?.sentAt ?? 0) < longAfterRestore(world) ||
    world.person.said.has(id) ||
    world.checks.some((check) => check.id === id && !check.isWhole) ||
    post === undefined ||
    ['duplicate', 'another payment id', 'repeated on the way: 409', ...REFUSALS].includes(post.answer) ||
    (TYPES[type].isOutgoing && (entry.changes.at(1)?.at ?? Infinity) - (entry.changes[0]?.at ?? 0) > D) ||
    (TYPES[type].isOutgoing && !world.hasStatusCheck)
  );
}
