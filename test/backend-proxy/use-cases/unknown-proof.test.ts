// An "unknown" is proven only by a transaction found on the same path within the minute after it.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { Checked, Gateway } from '../../../backend-proxy/gateway/gateway.ts';
import type { Ledger } from '../../../backend-proxy/ledger/ledger.ts';
import type { Claim, ProvenUnknown } from '../../../backend-proxy/ledger/model.ts';
import { createUnknownProof } from '../../../backend-proxy/use-cases/status-checks.ts';
import type { Transaction, GatewayType } from '../../../backend-proxy/protocol/transaction.ts';
import { S, M } from '../time.ts';

const UNKNOWN: Checked = { kind: 'unknown', isNoSuchOrder: false };
const UNAVAILABLE: Checked = { kind: 'unavailable', detail: 'timeout' };
const FOUND = (id: string, type: GatewayType): Checked => ({
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

/**
 * A gateway with a scripted answer, a ledger with the newest transactions whose clock is a minute behind, and a virtual
 * clock.
 */
function bench({ newest = { PAY: 'P1', PAYOUT: 'O1' } }: { newest?: Partial<Record<GatewayType, string>> } = {}) {
  let time = 0;
  let answer: (id: string, type: GatewayType) => Checked = FOUND;
  const asked: string[] = [];
  const proven: string[] = [];
  const wrong: GatewayType[] = [];
  const gateway = {
    status: async (id, type) => {
      asked.push(id);
      return answer(id, type);
    },
  } satisfies Partial<Gateway> as Partial<Gateway> as Gateway;
  const observed: Pick<Claim, 'transaction' | 'beganAt'>[] = [];
  const ledger = {
    time: async () => time - M,
    recordUnknown: async ({ transactionId: id }) => void proven.push(id),
    observe: async (claim) => observed.push(claim),
    newestFound: async (type) => (newest[type] === undefined ? undefined : ({ id: newest[type], type } as Transaction)),
  } satisfies Partial<Ledger> as Partial<Ledger> as Ledger;
  const proof = createUnknownProof({ gateway, ledger, now: () => time, onWrongPath: (type) => void wrong.push(type) });
  return {
    proof,
    asked,
    observed,
    proven,
    wrong,
    now: () => time,
    skip: (ms: number) => void (time += ms),
    answers: (how: typeof answer) => void (answer = how),
  };
}
const unknown = (id: string): ProvenUnknown => ({ transactionId: id, beganAt: 0, endedAt: 0 });

it('an "unknown" is proven by a check that found a transaction of the same type within the minute after it', async () => {
  const { proof, proven, skip, now } = bench();
  proof.unknown('PAY', unknown('A'), false);
  skip(M);
  await proof.found('PAY', now());
  assert.deepEqual(proven, ['A']);
  await proof.found('PAY', now());
  assert.deepEqual(proven, ['A'], 'once');
});

it('an "unknown" is not proven by another type, by a check that began before it, or by one a minute later', async () => {
  const { proof, proven, skip, now } = bench();
  const before = now();
  skip(S);
  proof.unknown('PAY', unknown('A'), true);
  await proof.found('PAYOUT', now());
  await proof.found('PAY', before);
  skip(M + 1);
  await proof.found('PAY', now());
  assert.deepEqual(proven, []);
});

it('the newest transaction is checked again if nothing else was found: once a minute per type, for all "unknowns"', async () => {
  const { proof, asked, observed, proven, skip, now } = bench();
  for (const id of ['A', 'B']) proof.unknown('PAY', unknown(id), false);
  await proof.proveWaiting();
  assert.deepEqual([asked, proven], [['P1'], ['A', 'B']]);
  const checks = observed.map(({ transaction: { id }, beganAt }) => [id, beganAt]);
  assert.deepEqual(checks, [['P1', now() - M]], "its report counts too, at the time of the ledger's clock");
  skip(M - 1);
  proof.unknown('PAY', unknown('C'), false);
  proof.unknown('PAYOUT', unknown('D'), false);
  await proof.proveWaiting();
  assert.deepEqual([asked, proven], [['P1', 'O1'], ['A', 'B', 'D']]); // prettier-ignore
  skip(1);
  await proof.proveWaiting();
  assert.deepEqual([asked, proven], [['P1', 'O1', 'P1'], ['A', 'B', 'D', 'C']]); // prettier-ignore
});

it('the newest transaction is not checked again if no "unknown" waits', async () => {
  const { proof, asked } = bench();
  await proof.proveWaiting();
  assert.deepEqual(asked, []);
});

it('no "unknown" is proven if the newest transaction is unknown too, and the wrong path is reported until it is found', async () => {
  const { proof, proven, wrong, skip, now, answers } = bench();
  answers(() => UNKNOWN);
  proof.unknown('PAY', unknown('A'), true);
  await proof.proveWaiting();
  assert.deepEqual([proven, wrong, proof.wrongPaths()], [[], ['PAY'], ['PAY']]);
  await proof.found('PAY', now());
  assert.deepEqual([proven, proof.wrongPaths()], [[], []], 'an "unknown" dropped then is not proven later');
  answers(FOUND);
  skip(M);
  proof.unknown('PAY', unknown('B'), false);
  await proof.proveWaiting();
  assert.deepEqual(proven, ['B']);
});

it('an "unknown" waits for an unanswered proof, but no longer than a minute', async () => {
  const { proof, proven, asked, skip, answers } = bench();
  answers(() => UNAVAILABLE);
  proof.unknown('PAY', unknown('A'), false);
  await proof.proveWaiting();
  assert.deepEqual([proven, proof.wrongPaths()], [[], []]);
  answers(FOUND);
  skip(M + 1);
  await proof.proveWaiting();
  assert.deepEqual([proven, asked.length], [[], 1], 'no check is made for an expired "unknown"');
});

it('an "unknown" before anything was found is proven only by noSuchOrder of the profile', async () => {
  const { proof, asked, proven } = bench({ newest: {} });
  proof.unknown('PAY', unknown('framework'), false);
  proof.unknown('PAY', unknown('own'), true);
  await proof.proveWaiting();
  assert.deepEqual([asked, proven], [[], ['own']]);
});

it('the ten thousand and first waiting "unknown" is dropped and checked again later', async () => {
  const { proof, proven } = bench();
  for (let n = 0; n <= 10_000; n += 1) proof.unknown('PAY', unknown(String(n)), false);
  await proof.proveWaiting();
  assert.deepEqual([proven.length, proven.at(-1)], [10_000, '9999']);
});

it('isProven() checks now, and is true only if the newest transaction is found', async () => {
  const { proof, asked, answers } = bench();
  assert.equal(await proof.isProven('PAYOUT'), true);
  assert.equal(await proof.isProven('PAYOUT'), true);
  assert.deepEqual(asked, ['O1', 'O1'], 'asked again each time');
  answers(() => UNAVAILABLE);
  assert.equal(await proof.isProven('PAYOUT'), false);
  answers(() => UNKNOWN);
  assert.equal(await proof.isProven('PAYOUT'), false);
  assert.deepEqual(proof.wrongPaths(), ['PAYOUT']);
});

it('a report of another type proves no "unknown"', async () => {
  const { proof, proven, answers } = bench();
  answers((id) => FOUND(id, 'PAY'));
  proof.unknown('PAYOUT', unknown('A'), false);
  await proof.proveWaiting();
  assert.deepEqual([await proof.isProven('PAYOUT'), proven], [false, []]);
});

it('isProven() is false if no transaction was ever found', async () => {
  const { proof } = bench({ newest: {} });
  assert.equal(await proof.isProven('PAYOUT'), false);
});
