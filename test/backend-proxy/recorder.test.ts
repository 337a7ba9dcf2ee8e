// An answer in hand is recorded, however often that has to be tried; time is the test's own where it is not the caller's wait.
import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { Refusal } from '../../backend-proxy/errors.ts';
import type { Fact, Ledger } from '../../backend-proxy/ledger/ledger.ts';
import type { Transaction } from '../../backend-proxy/protocol/transaction.ts';
import { createRecorder } from '../../backend-proxy/recorder.ts';

const PAYMENT = { id: 'A' } as Transaction;
const FACT: Fact = { stage: 'uncertain', answer: 'lost', detail: 'reset' };
const away = () => new Refusal('unavailable', 'The books are away.');

/** Books that fail by `failing` until it says no, and waits that end at once and are remembered. */
function bench(failing: (tried: number) => Error | undefined) {
  let time = 0;
  let tried = 0;
  const waits: number[] = [];
  const errors: unknown[] = [];
  const recorded: unknown[] = [];
  const ledger = {
    async record(transaction, fact, source) {
      const error = failing((tried += 1));
      if (error !== undefined) throw error;
      recorded.push([transaction.id, fact, source]);
      return true;
    },
  } satisfies Partial<Ledger> as Partial<Ledger> as Ledger;
  const recorder = createRecorder({
    ledger,
    onError: (error) => void errors.push(error),
    now: () => time,
    async wait(ms) {
      waits.push(ms);
      time += ms;
      await setImmediate();
    },
  });
  return { recorder, waits, errors, recorded, tried: () => tried };
}

/** Gives the promises their turns while the timers stand still. */
async function settle(): Promise<void> {
  for (let n = 0; n < 20; n += 1) await setImmediate();
}

describe('an answer in hand', () => {
  it('is recorded once, as the answer that it is', async () => {
    const { recorder, recorded, errors } = bench(() => undefined);
    await recorder.keep(PAYMENT, Promise.resolve(FACT));
    assert.deepEqual([recorded, errors], [[['A', FACT, 'answer']], []]);
  });

  it('is tried again while the books are away, ever slower up to 2 s, and said once', async () => {
    const { recorder, recorded, waits, errors } = bench((tried) => (tried <= 8 ? away() : undefined));
    await recorder.keep(PAYMENT, Promise.resolve(FACT));
    assert.equal(recorded.length, 1);
    assert.deepEqual(waits, [50, 100, 250, 500, 1000, 2000, 2000, 2000]);
    assert.equal(errors.length, 1);
  });

  it('that the books refuse for another reason is told at once, and not tried again', async () => {
    const broken = new Error('a fault of ours');
    const { recorder, errors, waits } = bench(() => broken);
    await assert.rejects(recorder.keep(PAYMENT, Promise.resolve(FACT)), broken);
    await settle();
    assert.deepEqual([waits, errors], [[], [broken]]);
  });

  it('is given up after an hour in which nothing could be written, and that is said', async () => {
    const { recorder, errors, waits } = bench(away);
    await assert.rejects(recorder.keep(PAYMENT, Promise.resolve(FACT)), { kind: 'unavailable' });
    await recorder.settled(1000);
    const total = waits.reduce((sum, ms) => sum + ms, 0);
    assert.ok(total >= 3_600_000 && total < 3_602_001, String(total));
    assert.equal(errors.length, 2, 'at the first failure and at the end');
  });

  it('is waited for by its caller for 10 s, and recorded all the same after them', async (t: TestContext) => {
    t.mock.timers.enable({ apis: ['setTimeout'] });
    let isAway = true;
    const { recorder, recorded } = bench(() => (isAway ? away() : undefined));
    const keeping = recorder.keep(PAYMENT, Promise.resolve(FACT)).then(
      () => 'kept',
      (error: Refusal) => error.kind,
    );
    await settle();
    t.mock.timers.tick(10_000);
    assert.equal(await keeping, 'unavailable');
    assert.deepEqual(recorded, []);
    isAway = false;
    await recorder.settled(1000);
    assert.equal(recorded.length, 1);
  });
});

describe('a stop', () => {
  it('does not wait where nothing is in hand', async () => {
    await bench(() => undefined).recorder.settled(30_000);
  });

  it('waits for a call that has no answer yet, and records what it answers', async () => {
    const { recorder, recorded } = bench(() => undefined);
    const call = Promise.withResolvers<Fact>();
    const kept = recorder.keep(PAYMENT, call.promise);
    let isOver = false;
    const settling = recorder.settled(30_000).then(() => (isOver = true));
    await settle();
    assert.equal(isOver, false);
    call.resolve(FACT);
    await settling;
    assert.equal(recorded.length, 1);
    await kept;
  });

  it('waits for what is in hand, and no longer than its limit', async (t: TestContext) => {
    t.mock.timers.enable({ apis: ['setTimeout'] });
    let isAway = true;
    const { recorder, recorded } = bench(() => (isAway ? away() : undefined));
    const kept = recorder.keep(PAYMENT, Promise.resolve(FACT));
    let isOver = false;
    const settling = recorder.settled(5_000).then(() => (isOver = true));
    await settle();
    assert.equal(isOver, false);
    t.mock.timers.tick(5_000);
    await settling;
    assert.deepEqual([isOver, recorded], [true, []]);
    isAway = false;
    await recorder.settled(5_000);
    await kept;
    assert.equal(recorded.length, 1);
  });
});
