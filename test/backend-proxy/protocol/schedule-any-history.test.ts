// What holds for the checks after any history: they end, stay within the limit, and go on until a review.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import fc from 'fast-check';
import { nextCheckAt } from '../../../backend-proxy/protocol/schedule.ts';
import { STAGES, type Stage } from '../../../backend-proxy/protocol/transaction.ts';
import { D, M } from '../time.ts';
import { T0, mostInAMinute, timeline, walk } from './schedule-kit.ts';

const time = fc.option(fc.integer({ min: T0, max: T0 + 30 * M }), { nil: null });
const ANSWERS = ['identified', 'accepted', 'refused', 'foreign', 'duplicate', 'lost', 'unreached', null] as const;
const any = fc.record({
  type: fc.constantFrom('PAY' as const, 'PAYOUT' as const),
  stage: fc.constantFrom(...(Object.keys(STAGES) as Stage[])),
  answer: fc.constantFrom(...ANSWERS),
  sentAt: fc.integer({ min: T0, max: T0 + 30 * M }),
  lostAt: time,
  expiresAt: time,
  ipnReceivedAt: time,
  unknownAt: time,
  failedAt: time,
  needsReview: fc.boolean(),
  isResolved: fc.boolean(),
});

it('after any history, checks end, come one after the other, and stay within five a minute and four that an IPN repeats', () => {
  fc.assert(
    fc.property(any, fc.boolean(), (given, isAnswered) => {
      const ipnsReceived = given.ipnReceivedAt === null ? 0 : 1;
      const made = walk({ ...given, ipnsReceived }, T0 + 30 * M, isAnswered);
      assert.deepEqual(
        made,
        made.toSorted((a, b) => a - b),
      );
      if (made.length > 0) assert.ok(mostInAMinute(made) <= (isAnswered ? 5 : 9), made.join());
    }),
  );
});

it('after any history, a transaction that was sent and is open is checked until its review', () => {
  fc.assert(
    fc.property(any, fc.nat(7 * D - 1), ({ type, answer, sentAt }, ageMs) => {
      for (const stage of ['sending', 'uncertain', 'pending'] as const) {
        const given = timeline({ type, stage, answer, sentAt });
        assert.notEqual(nextCheckAt(given, T0 + ageMs), null, stage);
      }
    }),
  );
});
