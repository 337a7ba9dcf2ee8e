// Invariants that a known defect breaks. Each entry goes when its repair has landed; then this file goes.
import type { InvariantName } from './invariants.ts';

export const NOT_YET_REPAIRED: readonly InvariantName[] = [
  // A code that is left unpaid asks for a person after seven days.
  'a person is asked only for cause',
  // What has nothing to pay with is paid by another's money.
  'an order is paid only with money of its shopper',
];
