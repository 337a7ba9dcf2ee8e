// The recorder retries until an answer is stored. Time is virtual.
import assert from 'node:assert/strict';
import { it, type TestContext } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { Refusal, unavailable } from '../../../backend-proxy/errors.ts';
import type { Ledger } from '../../../backend-proxy/ledger/ledger.ts';
import type { Fact } from '../../../backend-proxy/ledger/model.ts';
import type { Transaction } from '../../../backend-proxy/protocol/transaction.ts';
import { H } from '../time.ts';
import { createRecorder } from '../../../backend-proxy/use-cases/sending.ts';

const PAYMENT = { id: 'A' } as Transaction;
const FACT: Fact = { stage: 'uncertain', answer: 'lost', detail: 'reset' };
const away = () => new Refusal('unavailable', 'The database is unavailable.');

/** A ledger that fails as long as `failing` returns an error, and waits that end at once and are recorded. */
function bench(failing: (attempts: number) => Error | undefined) {
  let attempts = 0;
  const waits: number[] = [];
  const errors: unknown[] = [];
  const recorded: unknown[] = [];
  const ledger = {
    async record(transaction, fact) {
      const error = failing((attempts += 1));
      if (error !== undefined) throw error;
      recorded.push([transaction.id, fact]);
      return { isRaised: true, order: undefined, now: 0 };
    },
  } satisfies Partial<Ledger> as Partial<Ledger> as Ledger;
  const recorder = createRecorder({
    ledger,
    onError: (error) => void errors.push(error),
    async wait(ms) {
      waits.push(ms);
      await setImmediate();
    },
  });
  return { recorder, waits, errors, recorded, attempts: () => attempts };
}

/** Lets pending promises run while the timers are stopped. */
async function settle(): Promise<void> {
  for (let n = 0; n < 20; n += 1) await setImmediate();
}

it('record() writes the answer once', async () => {
  const { recorder, recorded, errors } = bench(() => undefined);
  await recorder.record(PAYMENT, Promise.resolve(FACT));
  assert.deepEqual([recorded, errors], [[['A', FACT]], []]);
});

it('record() retries ever more slowly, up to 2 s, while the database is unavailable, and reports it once', async () => {
  const { recorder, recorded, waits, errors } = bench((attempts) => (attempts <= 8 ? away() : undefined));
  await recorder.record(PAYMENT, Promise.resolve(FACT));
  assert.equal(recorded.length, 1);
  assert.deepEqual(waits, [50, 100, 250, 500, 1000, 2000, 2000, 2000]);
  assert.equal(errors.length, 1);
});

it('record() reports any other database error at once and does not retry', async () => {
  const broken = new Error('a fault of ours');
  const { recorder, errors, waits } = bench(() => broken);
  await assert.rejects(recorder.record(PAYMENT, Promise.resolve(FACT)), broken);
  await settle();
  assert.deepEqual([waits, errors], [[], [broken]]);
});

it('record() never drops an answer, however long the database is away', async () => {
  const { recorder, recorded, waits } = bench((attempts) => (attempts <= 5000 ? away() : undefined));
  await recorder.record(PAYMENT, Promise.resolve(FACT));
  assert.equal(recorded.length, 1);
  assert.ok(waits.reduce((sum, ms) => sum + ms, 0) > 2 * H);
});

it('record() answers its caller after 10 s and still writes the answer', async (t: TestContext) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  let isAway = true;
  const { recorder, recorded } = bench(() => (isAway ? away() : undefined));
  const keeping = recorder.record(PAYMENT, Promise.resolve(FACT)).then(
    () => 'kept',
    (error: Refusal) => error.kind,
  );
  await settle();
  t.mock.timers.tick(10_000);
  assert.equal(await keeping, 'unavailable');
  assert.deepEqual(recorded, []);
  isAway = false;
  await recorder.drain(1000);
  assert.equal(recorded.length, 1);
});

it('record() answers its caller by a call that took 25 s, and counts its 10 s only from then', async (t: TestContext) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const { recorder, recorded } = bench(() => undefined);
  const call = Promise.withResolvers<Fact>();
  const recording = recorder.record(PAYMENT, call.promise).then(
    () => 'recorded',
    (error: Refusal) => error.kind,
  );
  for (let s = 0; s < 25; s += 1) {
    t.mock.timers.tick(1_000);
    await settle();
  }
  call.resolve(FACT);
  assert.deepEqual([await recording, recorded.length], ['recorded', 1]);
});

it('opened() looks for a row that may show later until it is there, and only for such a row', async () => {
  const { recorder, waits } = bench(() => undefined);
  const looks: boolean[] = [];
  const recordUnsent = async () => {
    looks.push(looks.length === 7);
    if (looks.length === 3) throw away();
    return looks.at(-1) === true;
  };
  assert.equal(await recorder.opened(Promise.resolve('written'), recordUnsent), 'written');
  await assert.rejects(recorder.opened(Promise.reject(away()), recordUnsent), { kind: 'unavailable' });
  await settle();
  assert.deepEqual([looks, waits], [[], []]);
  const unknown = unavailable(new Error('no answer'), true);
  await assert.rejects(recorder.opened(Promise.reject(unknown), recordUnsent), unknown);
  await settle();
  assert.equal(looks.length, 8);
  assert.deepEqual(waits.slice(0, 6), [250, 1000, 5000, 15_000, 30_000, 60_000]);
});

it('drain() waits for a call without an answer, and its answer is recorded', async () => {
  const { recorder, recorded } = bench(() => undefined);
  const call = Promise.withResolvers<Fact>();
  const kept = recorder.record(PAYMENT, call.promise);
  let isOver = false;
  const settling = recorder.drain(30_000).then(() => (isOver = true));
  await settle();
  assert.equal(isOver, false);
  call.resolve(FACT);
  await settling;
  assert.equal(recorded.length, 1);
  await kept;
});

it('drain() waits for unwritten answers, but no longer than its limit', async (t: TestContext) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  let isAway = true;
  const { recorder, recorded } = bench(() => (isAway ? away() : undefined));
  const kept = recorder.record(PAYMENT, Promise.resolve(FACT));
  let isOver = false;
  const settling = recorder.drain(5_000).then(() => (isOver = true));
  await settle();
  assert.equal(isOver, false);
  t.mock.timers.tick(5_000);
  await settling;
  assert.deepEqual([isOver, recorded], [true, []]);
  isAway = false;
  await recorder.drain(5_000);
  await kept;
  assert.equal(recorded.length, 1);
});
