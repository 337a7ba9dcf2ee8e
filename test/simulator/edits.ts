// Repairs of the core, each with the edit that takes it out again, by the defect that comes back. `node
// test/simulator/without-repairs.ts` shows for each how soon the simulator finds it. To add an edit, name a file, a
// text that it contains exactly once, and what is put there.
//
// What the simulator cannot find, and what holds it instead:
// - what only PostgreSQL has: rows that are skipped because somebody holds them, transaction ids, timelines and
//   standbys, isolation and encoding. The store here is SQLite in memory (test/postgres);
// - the commands, the start with its settings, /readyz and a database file that was replaced: they are outside the
//   app that runs here (test/backend-proxy/commands, test/processes);
// - sentences and buttons of the widget: a shopper here reads only the version of a view (the truth test);
// - another key of the API: all processes have the same one all the time.
//
// What it finds only in one run of two or so within a minute of processor time, because several rare things have to
// come together:
// - webhooks that wait for their old time: the merchant's server is down, the clock steps back by an hour, the server
//   is up again, and hours pass;
// - a check that lags and is believed after a restore: a backup, a payout, another prefix or a gateway that takes an id
//   twice, a restore, and the same payout while checks lag;
// - an order that is closed without asking: somebody has paid it, its check is not answered, and the request says
//   ifUnpaid.
import type { Edit } from './apply-edit.ts';

const EFFECTS = 'backend-proxy/protocol/verify.ts';
const OBSERVATIONS = 'backend-proxy/ledger/rules/observations.ts';
const SCHEDULE = 'backend-proxy/protocol/schedule.ts';

export const EDITS: Readonly<Record<string, Edit>> = {
  'a refusal that only has a word like "used" counts as a duplicate': [
    'backend-proxy/gateway/answers.ts',
    'names.some((name) => text.toLowerCase().includes(name)) && ',
    '',
  ],
  'a claim of a killed process holds for 45 s': [
    'backend-proxy/use-cases/worker.ts',
    'LEASE_MS = 5_000',
    'LEASE_MS = 45_000',
  ],
  'a payout is FAILED by one report': [
    OBSERVATIONS,
    'if (isStale || (TYPES[row.type].isOutgoing && !isSecondFailure(draft, check))) return;',
    'if (isStale) return;',
  ],
  'an open review hides what comes after it': [
    'backend-proxy/ledger/rules/settle.ts',
    'if (row.needs_review === 1 && (detail === null || isInReview(draft, row, name, detail))) return;',
    'if (row.needs_review === 1) return;',
  ],
  'the wallet that was typed counts as the payer': [OBSERVATIONS, 'row.payer = payer;', 'row.payer = row.customer;'],
  'what showed nobody anything to pay with is paid': [
    EFFECTS,
    "succeeded: { flag: 'needs_review', detail: 'SUCCESS, but nobody was shown anything to pay with' },",
    '',
  ],
  'a refused payment is paid': [
    EFFECTS,
    "succeeded: { flag: 'conflict', detail: 'SUCCESS after the gateway refused it' },",
    '',
  ],
  'a payment that was never sent is paid': [
    EFFECTS,
    'prompt: UNREACHED, shown: UNREACHED',
    'prompt: OURS, shown: OURS',
  ],
  'a prompt whose answer was lost is paid by another wallet': [
    [EFFECTS, 'lost: { payout: TO_WALLET, prompt: TO_WALLET,', 'lost: { payout: TO_WALLET, prompt: OURS,'],
    [EFFECTS, 'foreign: { payout: TO_WALLET, prompt: TO_WALLET,', 'foreign: { payout: TO_WALLET, prompt: OURS,'],
  ],
  'an order is paid before the POST is answered': [
    [OBSERVATIONS, "if (row.answer === null) return { kind: 'unavailable' };", ''],
    [EFFECTS, "EFFECTS[transaction.answer ?? 'lost']", "EFFECTS[transaction.answer ?? 'identified']"],
    [SCHEDULE, 'Math.max(Math.min(...times), callOver)', 'Math.min(...times)'],
  ],
  'a payment that was seen SUCCESS may be paid again': [
    'backend-proxy/ledger/rules/start.ts',
    'earlier.some(isChecking)',
    'false',
  ],
  'a payout whose process died is FAILED without a check': [
    [OBSERVATIONS, "return 'uncertain';", "return TYPES[row.type].isOutgoing ? 'not_created' : 'uncertain';"],
    [
      'backend-proxy/ledger/rules/checks.ts',
      "raise(draft, row, 'uncertain', {",
      "raise(draft, row, row.type === 'PAY' ? 'uncertain' : 'not_created', {",
    ],
  ],
  'a payout is FAILED while the status check lags': [SCHEDULE, 'lost: { payout: SLOW,', 'lost: { payout: SOON,'],
  'a prompt is FAILED while the status check lags': [
    SCHEDULE,
    'lost: { payout: SLOW, prompt: PROMPTED,',
    'lost: { payout: SLOW, prompt: SOON,',
  ],
  'a prompt that a firewall answered is FAILED while the status check lags': [
    SCHEDULE,
    'foreign: { payout: SLOW, prompt: PROMPTED,',
    'foreign: { payout: SLOW, prompt: ANSWERED,',
  ],
  'a step of the clock by 40 s is not noticed': [
    'backend-proxy/ledger/access.ts',
    'STEP_MS = 5_000',
    'STEP_MS = 60_000',
  ],
  'the permission to send a payout does not age': [
    'backend-proxy/use-cases/outgoing.ts',
    'permission.isTooOld(await databaseAge(ledger, transaction))',
    'false',
  ],
  'the permission to send a payment does not age': [
    'backend-proxy/use-cases/payments.ts',
    'permission.isTooOld(ageMs) ? UNSENT : gateway.pay(collection)',
    'gateway.pay(collection)',
  ],
  'after a restore a payout is sent without a look-up': [
    'backend-proxy/use-cases/outgoing.ts',
    'withheld: await reasonToWithhold(terms)',
    'withheld: undefined',
  ],
  'after a restore a payout is looked up under its new prefix alone': [
    'backend-proxy/use-cases/outgoing.ts',
    'for (const id of ids) {',
    'for (const id of ids.slice(0, 1)) {',
  ],
  'after a restore a check that lags is believed': [
    'backend-proxy/ledger/rules/start.ts',
    'const waitMs = draft.restoredAt + LAG_MS - draft.now;',
    'const waitMs = 0;',
  ],
  'after a restore what was not sent is never looked for': [
    'backend-proxy/use-cases/payments.ts',
    'return mayBeKnown ?',
    'return false && mayBeKnown ?',
  ],
  'a 429 of one wallet pauses all checks': [
    [
      'backend-proxy/use-cases/check-rate.ts',
      "if (operation !== 'status') return;",
      "if (operation !== 'status') return void (slowUntil = outcome === 'lost' ? clock() + 600_000 : slowUntil);",
    ],
    ['backend-proxy/use-cases/check-rate.ts', 'clock() < slowUntil ? MIN_PER_SECOND', 'clock() < slowUntil ? 0'],
  ],
  'without a status check, old IPNs are read again': [
    'backend-proxy/ledger/queries/work.ts',
    ".whereRef('i.n', '>', 't.ipns_answered')",
    '',
  ],
  'a code that nobody has paid asks a person': [
    OBSERVATIONS,
    'if (!isAbandonedCode(check, observation)) flag(',
    'if (observation !== undefined) flag(',
  ],
  'an erased SUCCESS asks a person': [
    OBSERVATIONS,
    'if (row.rank === STAGES.succeeded.rank) return;\n  row.success_seen = 1;',
    'row.success_seen = 1;',
  ],
  'a refund that is under way reserves nothing': [
    'backend-proxy/protocol/refundable.ts',
    "return STAGES[stage].status !== 'FAILED' || needsReview;",
    "return STAGES[stage].status === 'SUCCESS' || needsReview;",
  ],
  'after a restore a refund is sent without a look-up': [
    'backend-proxy/ledger/rules/refunds.ts',
    'if (!wasRestoredLately(draft)) return undefined;',
    'return undefined;',
  ],
  'a refund goes to the wallet that was typed': [
    'backend-proxy/ledger/rules/refunds.ts',
    'customer: payment.payer,',
    'customer: payment.customer,',
  ],
  'a refund with the same key is sent again': [
    'backend-proxy/ledger/rules/refunds.ts',
    'const key = REFUND_KEY + refund.idempotencyKey;',
    'const key = REFUND_KEY + refund.idempotencyKey + refund.start.id;',
  ],
  'what is paid after the closing pays the order': [
    'backend-proxy/ledger/rules/settle.ts',
    '(order.paid_by === null && order.closed_at === null)',
    'order.paid_by === null',
  ],
  'a closed order may be paid': [
    'backend-proxy/ledger/rules/start.ts',
    'if (order.closed_at !== null) throw',
    'if (order.closed_at === 1) throw',
  ],
  'a paid order is closed': [
    'backend-proxy/ledger/rules/decisions.ts',
    "if (seen?.paid_by != null) throw new Refusal('already_paid', 'This order is paid; it was not closed.');",
    '',
  ],
  'an order is closed as unpaid without asking the gateway': [
    ['backend-proxy/ledger/rules/decisions.ts', '(row.checked_at ?? 0) >= since', 'since > 0'],
    ['backend-proxy/ledger/rules/decisions.ts', 'if (isOpen(stage) || isChecking(row))', 'if (isChecking(row))'],
  ],
  'after a step of the clock webhooks wait for their old time': [
    'backend-proxy/ledger/ledger.ts',
    'if (isStepNew) await access.executeInPages(bringWebhooksForward(store, at, 0, PAGE_SIZE));',
    '',
  ],
};
