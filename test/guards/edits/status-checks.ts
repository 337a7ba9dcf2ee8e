// The edits for the attacks under "Status checks and clocks" in SECURITY.md.
import type { Edits } from '../apply.ts';

const OBSERVATIONS = 'backend-proxy/ledger/observations.ts';
const SCHEDULE = 'backend-proxy/protocol/schedule.ts';
const SQL_LEDGER = 'backend-proxy/ledger/sql-ledger.ts';

export const statusChecks: Edits = {
  'Silence a ring by a clock': [
    { file: OBSERVATIONS, find: 'rings_heard: Math.max(row.rings_heard, claim.rings)', put: 'rings_heard: row.rings' },
    {
      file: SCHEDULE,
      find: 'hasUnansweredRing(t) ? earliestAllowed(t, t.rungAt',
      put: 'hasUnansweredRing(t) && (t.rungAt ?? 0) > (t.checkedAt ?? 0) ? earliestAllowed(t, t.rungAt',
    },
  ],
  '…and end what is being paid': [{ file: OBSERVATIONS, find: ' && !hasNewRing', put: '' }],
  'Set the clock': [
    { file: SQL_LEDGER, find: 'if (Math.abs(step) <= STEP_MS) {', put: 'if (true) {' },
    { file: 'backend-proxy/ledger/checks.ts', find: '      waits_from: ctx.now,\n', put: '' },
  ],
  'Make us flood the gateway': [{ file: SCHEDULE, find: 'CHECKS_PER_MINUTE = 5;', put: 'CHECKS_PER_MINUTE = 500;' }],
  '…by many orders': [{ file: 'backend-proxy/check-rate.ts', find: 'perSecond / 2)', put: 'perSecond)' }],
};
