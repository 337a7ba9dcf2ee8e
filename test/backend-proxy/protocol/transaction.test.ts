// The stages: one table, one rule (a fact may only raise the stage), and what follows for any order of facts.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import fc from 'fast-check';
import { STAGES, advance, isLate, reasonOf, stageOf, type Stage } from '../../../backend-proxy/protocol/transaction.ts';

/** The promised table again: rank, stage, status, reason, and whether a SUCCESS after it is late. */
const TABLE = [
  [1, 'sending', 'INITIALIZED', null, false],
  [2, 'uncertain', 'INITIALIZED', null, false],
  [3, 'pending', 'PROCESSING', null, false],
  [4, 'replaced', 'FAILED', 'REPLACED', true],
  [5, 'expired', 'FAILED', 'EXPIRED', true],
  [6, 'rejected', 'FAILED', 'REJECTED', true],
  [7, 'not_created', 'FAILED', 'NOT_CREATED', true],
  [8, 'declined', 'FAILED', 'DECLINED', true],
  [9, 'succeeded', 'SUCCESS', null, false],
] as const;
const ALL = TABLE.map(([, stage]) => stage);
const stage = fc.constantFrom<Stage>(...ALL);

it('STAGES has the promised stages, rank by rank', () => {
  assert.deepEqual(Object.keys(STAGES).toSorted(), ALL.toSorted());
  for (const [rank, name, status, reason, ended] of TABLE) {
    assert.deepEqual(STAGES[name], { rank, status, reason, ended }, name);
    assert.equal(stageOf(rank), name);
  }
});

it('stageOf() throws for an unknown rank', () => {
  for (const rank of [0, 10, 1.5, NaN]) assert.throws(() => stageOf(rank), { message: `No stage has rank ${rank}` });
});

it('advance() returns the higher stage, for every pair', () => {
  for (const [current, currentName] of TABLE) {
    for (const [fact, factName] of TABLE) {
      assert.equal(
        advance(currentName, factName),
        fact > current ? factName : currentName,
        `${currentName}, ${factName}`,
      );
    }
  }
});

it('advance() leads to the same stage for every order and repetition of the same facts', () => {
  const facts = fc.array(stage, { minLength: 1, maxLength: 8 });
  const shuffled = facts.chain((order) =>
    fc.tuple(
      fc.constant(order),
      fc.shuffledSubarray(order, { minLength: order.length }),
      fc.array(fc.nat(order.length - 1)),
    ),
  );
  fc.assert(
    fc.property(shuffled, ([order, other, repeats]) => {
      const end = (all: readonly Stage[]) => all.reduce(advance, 'sending');
      const repeated = [...other, ...repeats.map((at) => order[at] ?? 'sending')];
      assert.equal(end(other), end(order));
      assert.equal(end(repeated), end(order));
      assert.equal(STAGES[end(order)].rank, Math.max(...order.map((name) => STAGES[name].rank)));
    }),
  );
});

it('isLate() is true only for a success after a local end or one that the gateway took back', () => {
  for (const [, name, , , ended] of TABLE) {
    assert.equal(isLate(name, 'succeeded'), ended, name);
    for (const other of ALL.slice(0, -1)) assert.equal(isLate(name, other), false, `${name}, ${other}`);
  }
});

it("reasonOf() returns the stage's reason, or what ended it", () => {
  for (const [, name, status, reason] of TABLE) {
    assert.equal(reasonOf({ stage: name, endedBy: null }), reason, name);
    const ended = reasonOf({ stage: name, endedBy: 'EXPIRED' });
    assert.equal(ended, status === 'FAILED' ? 'EXPIRED' : null, `${name}, in the gateway's or our time`);
  }
  assert.equal(reasonOf({ stage: 'declined', endedBy: 'RESOLVED' }), 'RESOLVED');
  assert.equal(reasonOf({ stage: 'succeeded', endedBy: 'RESOLVED' }), null);
});
