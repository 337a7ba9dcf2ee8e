// The stages: one table, and the reason that each shows.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { STAGES, reasonOf, stageOf } from '../../../backend-proxy/protocol/transaction.ts';

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

it("reasonOf() returns the stage's reason, or what ended it", () => {
  for (const [, name, status, reason] of TABLE) {
    assert.equal(reasonOf({ stage: name, endedBy: null }), reason, name);
    const ended = reasonOf({ stage: name, endedBy: 'EXPIRED' });
    assert.equal(ended, status === 'FAILED' ? 'EXPIRED' : null, `${name}, in the gateway's or our time`);
  }
  assert.equal(reasonOf({ stage: 'declined', endedBy: 'RESOLVED' }), 'RESOLVED');
  assert.equal(reasonOf({ stage: 'succeeded', endedBy: 'RESOLVED' }), null);
});
