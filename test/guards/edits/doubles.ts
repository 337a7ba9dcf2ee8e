// The edits for the attacks under "Doubles and payouts" in docs/threats.md.
import type { Edits } from '../apply.ts';

const PAYMENTS = 'backend-proxy/ledger/rules/payments.ts';
const OBSERVATIONS = 'backend-proxy/ledger/rules/observations.ts';
const TRANSITIONS = 'backend-proxy/ledger/rules/transitions.ts';
const POST_ANSWERS = 'backend-proxy/ledger/rules/answers.ts';
const SCHEDULE = 'backend-proxy/protocol/schedule.ts';
const REFUSAL = 'backend-proxy/gateway/refusal.ts';
const ANSWERS = 'backend-proxy/gateway/answers.ts';
const PAYOUTS = 'backend-proxy/payouts.ts';
const UNKNOWN_PROOF = 'backend-proxy/workers/unknown-proof.ts';

export const doubles: Edits = {
  'Pay twice by clicking twice': [
    [
      { file: PAYMENTS, find: 'row.idempotency_key === payment.idempotencyKey', put: 'row.idempotency_key === null' },
      {
        file: 'backend-proxy/ledger/schema/schema.ts',
        find: 'unique (order_id, idempotency_key)',
        put: 'unique (id, idempotency_key)',
      },
    ],
  ],
  'Get one order shipped twice': [{ file: TRANSITIONS, find: 'order.paid_by === null', put: 'true' }],
  'Get a payout twice': [
    [
      { file: PAYOUTS, find: "if (payout.stage !== 'created') return payout;", put: '' },
      {
        file: PAYOUTS,
        find: "if (!(await ledger.record(payout, { stage: 'sending', start }, 'merchant')).isRaised) return;",
        put: "await ledger.record(payout, { stage: 'sending', start }, 'merchant');",
      },
    ],
    [
      { file: PAYOUTS, find: "if (payout.stage !== 'created') return payout;", put: '' },
      { file: TRANSITIONS, find: 'if (rank <= row.rank) return false;', put: '' },
    ],
  ],
  "Send twice because the database's answer was lost": [
    {
      file: POST_ANSWERS,
      find: 'if (row.start_id === start.id) return',
      put: 'if (row.start_id !== null) return',
    },
  ],
  'Get a payout twice after a temporary FAILED': [
    { file: OBSERVATIONS, find: '(TYPES[row.type].isOutgoing && !isSecondFailure(draft, check))', put: 'false' },
    {
      file: OBSERVATIONS,
      find: "if (observation.kind !== 'verified' || observation.outcome !== 'failed') row.failed_at = null;",
      put: '',
    },
  ],
  'Get a payout twice because of a wrong status path': [
    {
      file: ANSWERS,
      find: 'includes(status) && fields) {',
      put: "includes(status)) {\n    if (!fields) return { kind: 'unknown', isNoSuchOrder: false };",
    },
  ],
  "Get a payout twice because of a framework's 404": [
    {
      file: UNKNOWN_PROOF,
      find: "if (kind === 'found') await found(type, beganAt);",
      put: "if (kind !== 'unavailable') await found(type, beganAt);",
    },
  ],
  'Get a payout twice before the path is proven': [
    { file: UNKNOWN_PROOF, find: 'if (isNoSuchOrder) await ledger', put: 'if (isNoSuchOrder || true) await ledger' },
  ],
  'Get a payout twice although the gateway knew it': [
    {
      file: OBSERVATIONS,
      find: 'row.payment_id !== null || row.found_at !== null || row.ipns_received > 0;',
      put: 'row.payment_id !== null || row.ipns_received > 0;',
    },
    {
      file: OBSERVATIONS,
      find: 'row.payment_id !== null || row.found_at !== null || row.ipns_received > 0;',
      put: 'row.payment_id !== null || row.found_at !== null;',
    },
  ],
  'Get a payout twice because of a late status check': [
    { file: SCHEDULE, find: 'lost: { PAY: SOON, PAYOUT: SLOW }', put: 'lost: { PAY: SOON, PAYOUT: SOON }' },
    {
      file: SCHEDULE,
      find: 'foreign: { PAY: ANSWERED, PAYOUT: SLOW }',
      put: 'foreign: { PAY: ANSWERED, PAYOUT: SOON }',
    },
  ],
  'Get a payout twice after a restore': [
    { file: PAYOUTS, find: 'if (await ledger.wasRestoredLately()) {', put: 'if (false) {' },
    {
      file: PAYOUTS,
      find: "if (checked.kind === 'found') {",
      put: "if (checked.kind === 'found') {\n      if (payout.id !== '') return undefined;",
    },
    { file: PAYOUTS, find: '(await isPathProven()) ? undefined', put: 'true ? undefined' },
  ],
  "Get a payout twice because of a firewall's 403": [
    [
      {
        file: PAYOUTS,
        find: "return { stage: 'uncertain', answer: sent.kind, detail: sent.detail, needsReview };",
        put: "return { stage: 'rejected', answer: 'refused', detail: sent.detail };",
      },
      {
        file: POST_ANSWERS,
        find: 'return !TYPES[row.type].isOutgoing && row.payment_id',
        put: 'return row.payment_id',
      },
    ],
  ],
  'Get a payout twice because of a foreign refusal': [
    { file: REFUSAL, find: "isCode ? 'refused' : 'foreign'", put: "'refused'" },
  ],
  'Get a payout twice because of a status that is not final': [
    { file: 'backend-proxy/gateway/profile.ts', find: "ERROR: 'error',", put: "ERROR: 'failed'," },
    { file: ANSWERS, find: "TYPES[type].isOutgoing ? 'pending' : 'failed'", put: "'failed'" },
  ],
};
