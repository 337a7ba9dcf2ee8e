// Repairs of the core, each with the edit that takes it out again, by the defect that comes back. `node
// test/simulator/without-repairs.ts` shows for each how soon the simulator finds it. To add an edit, name a file, a
// text that it contains exactly once, and what is put there.
import type { Change } from '../guards/apply.ts';

export const EDITS: Readonly<Record<string, Change>> = {
  'a refusal that only has a word like "used" counts as a duplicate': [
    'backend-proxy/gateway/refusal.ts',
    'names.some((name) => text.toLowerCase().includes(name)) && ',
    '',
  ],
  'a claim of a killed process holds for 45 s': [
    'backend-proxy/workers/worker.ts',
    'LEASE_MS = 5_000',
    'LEASE_MS = 45_000',
  ],
  'a payout is FAILED by one report': [
    'backend-proxy/ledger/rules/observations.ts',
    'if (isStale || (TYPES[row.type].isOutgoing && !isSecondFailure(draft, check))) return;',
    'if (isStale) return;',
  ],
  'an open review hides what comes after it': [
    'backend-proxy/ledger/rules/transitions.ts',
    'if (row.needs_review === 1 && (detail === null || isInReview(draft, row, name, detail))) return;',
    'if (row.needs_review === 1) return;',
  ],
  'the wallet that was typed counts as the payer': [
    'backend-proxy/ledger/rules/observations.ts',
    'row.payer = payer;',
    'row.payer = row.customer;',
  ],
};
