// When "unknown" is believed: by what was found on the same path within the minute after it, and by nothing else.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Checked, Gateway } from '../../backend-proxy/gateway/gateway.ts';
import type { BelievedUnknown, Ledger } from '../../backend-proxy/ledger/ledger.ts';
import { createUnknownProof } from '../../backend-proxy/unknown-proof.ts';
import type { Transaction, TransactionType } from '../../backend-proxy/protocol/transaction.ts';

const S = 1000;
const M = 60 * S;
const UNKNOWN: Checked = { kind: 'unknown', isOwnWord: false };
const UNAVAILABLE: Checked = { kind: 'unavailable', detail: 'timeout' };
const FOUND = (id: string, type: TransactionType): Checked => ({
  kind: 'found',
  report: {
    transactionId: id,
    type,
    paymentId: null,
    customer: null,
    amount: null,
    currency: null,
    outcome: 'pending',
  },
});

/** A gateway that answers as told, books that know which was found last, and a clock. */
function bench({ newest = { PAY: 'P1', PAYOUT: 'O1' } }: { newest?: Partial<Record<TransactionType, string>> } = {}) {
  let time = 0;
  let answer: (id: string, type: TransactionType) => Checked = FOUND;
  const asked: string[] = [];
  const believed: string[] = [];
  const wrong: TransactionType[] = [];
  const gateway = {
    status: async (id, type) => {
      asked.push(id);
      return answer(id, type);
    },
  } satisfies Partial<Gateway> as Partial<Gateway> as Gateway;
  const ledger = {
    believe: async ({ transactionId: id }) => void believed.push(id),
    newestFound: async (type) => (newest[type] === undefined ? undefined : ({ id: newest[type], type } as Transaction)),
  } satisfies Partial<Ledger> as Partial<Ledger> as Ledger;
  const proof = createUnknownProof({ gateway, ledger, now: () => time, onWrongPath: (type) => void wrong.push(type) });
  return {
    proof,
    asked,
    believed,
    wrong,
    now: () => time,
    skip: (ms: number) => void (time += ms),
    answers: (how: typeof answer) => void (answer = how),
  };
}
const unknown = (id: string): BelievedUnknown => ({ transactionId: id, beganAt: 0, endedAt: 0 });

describe('an "unknown"', () => {
  it('is believed by a check that found one of the same type within the minute after it', async () => {
    const { proof, believed, skip, now } = bench();
    proof.unknown('PAY', unknown('A'), false);
    skip(M);
    await proof.found('PAY', now());
    assert.deepEqual(believed, ['A']);
    await proof.found('PAY', now());
    assert.deepEqual(believed, ['A'], 'once');
  });

  it('is not believed by one of another type, by one that began before it, or by one that came too late', async () => {
    const { proof, believed, skip, now } = bench();
    const before = now();
    skip(S);
    proof.unknown('PAY', unknown('A'), true);
    await proof.found('PAYOUT', now());
    await proof.found('PAY', before);
    skip(M + 1);
    await proof.found('PAY', now());
    assert.deepEqual(believed, []);
  });

  it('is asked about on purpose where none was found by itself: one question serves all, once a minute for each type', async () => {
    const { proof, asked, believed, skip } = bench();
    for (const id of ['A', 'B']) proof.unknown('PAY', unknown(id), false);
    await proof.look();
    assert.deepEqual([asked, believed], [['P1'], ['A', 'B']]);
    skip(M - 1);
    proof.unknown('PAY', unknown('C'), false);
    proof.unknown('PAYOUT', unknown('D'), false);
    await proof.look();
    assert.deepEqual([asked, believed], [['P1', 'O1'], ['A', 'B', 'D']]); // prettier-ignore
    skip(1);
    await proof.look();
    assert.deepEqual([asked, believed], [['P1', 'O1', 'P1'], ['A', 'B', 'D', 'C']]); // prettier-ignore
  });

  it('costs no question where nothing waits', async () => {
    const { proof, asked } = bench();
    await proof.look();
    assert.deepEqual(asked, []);
  });

  it('is never believed where the one found last is unknown, too: path or key is wrong, and that is said until it is not', async () => {
    const { proof, believed, wrong, skip, now, answers } = bench();
    answers(() => UNKNOWN);
    proof.unknown('PAY', unknown('A'), true);
    await proof.look();
    assert.deepEqual([believed, wrong, proof.wrongPaths()], [[], ['PAY'], ['PAY']]);
    await proof.found('PAY', now());
    assert.deepEqual([believed, proof.wrongPaths()], [[], []], 'what waited then is believed by nothing later');
    answers(FOUND);
    skip(M);
    proof.unknown('PAY', unknown('B'), false);
    await proof.look();
    assert.deepEqual(believed, ['B']);
  });

  it('waits where the question was not answered, and not longer than its minute', async () => {
    const { proof, believed, asked, skip, answers } = bench();
    answers(() => UNAVAILABLE);
    proof.unknown('PAY', unknown('A'), false);
    await proof.look();
    assert.deepEqual([believed, proof.wrongPaths()], [[], []]);
    answers(FOUND);
    skip(M + 1);
    await proof.look();
    assert.deepEqual([believed, asked.length], [[], 1], 'and nobody is asked about one that is too old');
  });

  it('where none was ever found is believed only by the gateway’s own "no such order"', async () => {
    const { proof, asked, believed } = bench({ newest: {} });
    proof.unknown('PAY', unknown('framework'), false);
    proof.unknown('PAY', unknown('own'), true);
    await proof.look();
    assert.deepEqual([asked, believed], [[], ['own']]);
  });

  it('of ten thousand and one is dropped, to be asked about again', async () => {
    const { proof, believed } = bench();
    for (let n = 0; n <= 10_000; n += 1) proof.unknown('PAY', unknown(String(n)), false);
    await proof.look();
    assert.deepEqual([believed.length, believed.at(-1)], [10_000, '9999']);
  });
});

describe('whether "unknown" means unknown', () => {
  it('is asked now, and true only where the one found last is found again', async () => {
    const { proof, asked, answers } = bench();
    assert.equal(await proof.isProven('PAYOUT'), true);
    assert.equal(await proof.isProven('PAYOUT'), true);
    assert.deepEqual(asked, ['O1', 'O1'], 'each time anew');
    answers(() => UNAVAILABLE);
    assert.equal(await proof.isProven('PAYOUT'), false);
    answers(() => UNKNOWN);
    assert.equal(await proof.isProven('PAYOUT'), false);
    assert.deepEqual(proof.wrongPaths(), ['PAYOUT']);
  });

  it('is not where none was ever found', async () => {
    const { proof } = bench({ newest: {} });
    assert.equal(await proof.isProven('PAYOUT'), false);
  });
});
