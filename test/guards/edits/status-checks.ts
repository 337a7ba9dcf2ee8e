// The edits for the attacks under "Status checks and clocks" in docs/threats.md.
import type { Edits } from '../apply.ts';

const OBSERVATIONS = 'backend-proxy/ledger/rules/observations.ts';
const SCHEDULE = 'backend-proxy/protocol/schedule.ts';

export const statusChecks: Edits = {
  'Hide an IPN by a clock that is ahead': [
    { file: OBSERVATIONS, find: '= Math.max(row.ipns_answered, claim.ipnsReceived)', put: '= row.ipns_received' },
    {
      file: SCHEDULE,
      find: 'hasUnansweredIpn(t) ? earliestAllowed(t, t.ipnReceivedAt',
      put: 'hasUnansweredIpn(t) && (t.ipnReceivedAt ?? 0) > (t.checkedAt ?? 0) ? earliestAllowed(t, t.ipnReceivedAt',
    },
  ],
  'Expire a payment while it is being paid': [{ file: OBSERVATIONS, find: ' && !hasNewIpn', put: '' }],
  'Step the clock': [
    { file: 'backend-proxy/ledger/clock-step.ts', find: 'if (Math.abs(step) > STEP_MS)', put: 'if (false)' },
    { file: 'backend-proxy/ledger/rules/checks.ts', find: 'row.waits_from = now;', put: '' },
  ],
  'Make the proxy flood the gateway for one order': [
    { file: SCHEDULE, find: 'CHECKS_PER_MINUTE = 5;', put: 'CHECKS_PER_MINUTE = 500;' },
  ],
  'Make the proxy flood the gateway for many orders': [
    { file: 'backend-proxy/workers/check-rate.ts', find: 'perSecond / 2)', put: 'perSecond)' },
  ],
};
