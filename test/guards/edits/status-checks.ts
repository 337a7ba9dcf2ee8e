// The edits for the attacks under "Status checks and clocks" in docs/threats.md.
import type { Edits } from '../apply.ts';

const OBSERVATIONS = 'backend-proxy/ledger/rules/observations.ts';
const SCHEDULE = 'backend-proxy/protocol/schedule.ts';

export const statusChecks: Edits = {
  'Hide an IPN by a clock that is ahead': [
    [OBSERVATIONS, '= Math.max(row.ipns_answered, claim.ipnsReceived)', '= row.ipns_received'],
    [
      SCHEDULE,
      'hasUnansweredIpn(t) ? earliestAllowed(t, t.ipnReceivedAt',
      'hasUnansweredIpn(t) && (t.ipnReceivedAt ?? 0) > (t.checkedAt ?? 0) ? earliestAllowed(t, t.ipnReceivedAt',
    ],
  ],
  'Expire a payment while it is being paid': [
    [OBSERVATIONS, 'return !isStale && !awaitsAnswer(', 'return !isStale || !awaitsAnswer('],
  ],
  'Step the clock': [
    ['backend-proxy/ledger/clock-step.ts', 'this.count += 1', ''],
    ['backend-proxy/ledger/rules/checks.ts', 'row.waits_from = now;', ''],
  ],
  'Delay settlement by killing a process': [
    ['backend-proxy/workers/worker.ts', 'LEASE_MS = 5_000', 'LEASE_MS = 45_000'],
  ],
  'Make the proxy flood the gateway for one order': [[SCHEDULE, 'CHECKS_PER_MINUTE = 5;', 'CHECKS_PER_MINUTE = 500;']],
  'Make the proxy flood the gateway for many orders': [
    ['backend-proxy/workers/check-rate.ts', 'perSecond / 2)', 'perSecond)'],
  ],
};
