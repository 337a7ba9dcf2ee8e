// The edits for the attacks under "IPNs and what the gateway reports" in docs/threats.md.
import type { Edits } from '../apply.ts';

const REQUEST_LOG = 'backend-proxy/http/request-log.ts';
const EFFECTS = 'backend-proxy/protocol/report-effects.ts';
const TRANSITIONS = 'backend-proxy/ledger/rules/transitions.ts';
const VERIFY = 'backend-proxy/protocol/verify.ts';
const REFUSAL = 'backend-proxy/gateway/refusal.ts';
const SQL_LEDGER = 'backend-proxy/ledger/sql-ledger.ts';
const DATABASE_OWNER = 'backend-proxy/workers/database-owner.ts';

export const ipns: Edits = {
  'Find the IPN URL': [
    ['backend-proxy/routes/ipn.ts', "Refusal('not_found', 'No such route.')", "Refusal('not_found', 'Wrong.')"],
    ['backend-proxy/routes/ipn.ts', 'if (!isSecret(params.secret))', 'if (!isSecret)'],
    [REQUEST_LOG, "c.get('route') ?? routePath(c)", 'c.req.path'],
  ],
  "Read the IPN secret in the reverse proxy's log": [
    ['docs/deploy/nginx.conf', '"$request_method $payment_path"', '"$request_method $request_uri"'],
    ['docs/deploy/nginx.conf', 'error_log  /dev/null crit;', ''],
  ],
  "Read the IPN secret in Caddy's log": [
    [
      'docs/deploy/Caddyfile',
      '{\n\t# Of all logs, requests that failed among them. The path of an IPN contains IPN_SECRET.\n\tlog {\n\t\tformat filter {\n\t\t\twrap json\n\t\t\tfields {\n\t\t\t\trequest>uri regexp "/ipn/[^/]*" "/ipn/..."',
      '{\n\t# Of all logs\n\tlog {\n\t\tformat filter {\n\t\t\twrap json\n\t\t\tfields {',
    ],
    [
      'docs/deploy/Caddyfile',
      'output stdout\n\t\tformat filter {\n\t\t\twrap json\n\t\t\tfields {\n\t\t\t\trequest>uri regexp "/ipn/[^/]*" "/ipn/..."',
      'output stdout\n\t\tformat filter {\n\t\t\twrap json\n\t\t\tfields {',
    ],
  ],
  'Forge an IPN': [['backend-proxy/status-checks.ts', 'if (status === undefined) return', 'if (true) return']],
  'Settle an order with another payment': [
    [VERIFY, "if (report.transactionId !== expected.id) return 'gatewayOrderId';", ''],
    [VERIFY, "if (report.type !== TYPES[expected.type].atGateway) return 'type';", ''],
    [VERIFY, 'if (bothHaveId && report.paymentId', 'if (!bothHaveId && report.paymentId'],
    [VERIFY, 'report.currency !== expected.currency', 'false'],
    [VERIFY, 'minorOfReported(report.amount, expected.currency) !== expected.amountMinor', 'false'],
  ],
  'Settle an order with a report that lacks the amount': [
    [VERIFY, " || (outcome === 'succeeded' && !isOurs)", ''],
    [VERIFY, 'paymentId === expected.answeredId', 'paymentId === expected.paymentId'],
  ],
  "Settle an order with another shop's payment": [
    [
      EFFECTS,
      'duplicate: { payout: { ...DUPLICATE, comparesWallet: true }, prompt: DUPLICATE, shown: DUPLICATE }',
      'duplicate: { payout: OURS, prompt: OURS, shown: OURS }',
    ],
  ],
  'Settle an order with what was never sent, accepted or shown': [
    [EFFECTS, 'prompt: UNREACHED, shown: UNREACHED', 'prompt: OURS, shown: OURS'],
    [EFFECTS, 'prompt: REFUSED, shown: REFUSED', 'prompt: OURS, shown: OURS'],
    [EFFECTS, 'prompt: TO_WALLET, shown: NOT_SHOWN },\n  lost', 'prompt: TO_WALLET, shown: OURS },\n  lost'],
    [EFFECTS, 'prompt: TO_WALLET, shown: NOT_SHOWN },\n  unreached', 'prompt: TO_WALLET, shown: OURS },\n  unreached'],
  ],
  'Settle an order from a wallet that was not asked': [
    [EFFECTS, 'lost: { payout: TO_WALLET, prompt: TO_WALLET', 'lost: { payout: TO_WALLET, prompt: OURS'],
    [EFFECTS, 'foreign: { payout: TO_WALLET, prompt: TO_WALLET', 'foreign: { payout: TO_WALLET, prompt: OURS'],
    [VERIFY, '!isSameWallet(expected.customer, report.customer)', 'false'],
  ],
  'Hide a duplicate behind another status': [
    [REFUSAL, ' || (mayBeDuplicate && saysDuplicate)', ''],
    [REFUSAL, '[code, fields?.[refusal.message]]', '[code]'],
  ],
  'Use a database at another gateway': [
    [DATABASE_OWNER, 'if (stored.gateway !== current.gateway && stored.gateway !== renamedFrom) {', 'if (false) {'],
  ],
  'Use a database with another account': [[DATABASE_OWNER, "if (kind === 'unknown') {", 'if (false) {']],
  'Change the owner of a database while a proxy runs': [
    [SQL_LEDGER, 'if (this.ours !== undefined) this.mismatch = differenceOf(this.ours, ownerIn(meta));', ''],
    [SQL_LEDGER, 'if (this.mismatch === undefined) return;', 'return;'],
    [SQL_LEDGER, 'if (ownership.mismatch !== undefined) return [];', ''],
  ],
  'Pay out to another wallet': [
    [VERIFY, '!isSameWallet(expected.customer, report.customer)', 'false'],
    [VERIFY, 'return ours === theirs;', 'return asked === reported;'],
  ],
  'Get money back that another wallet paid': [
    ['backend-proxy/ledger/rules/observations.ts', 'row.payer = payer;', 'row.payer = payer ?? row.customer;'],
    [VERIFY, 'complete ? null : wholeWallet(', 'wholeWallet('],
    [VERIFY, 'customer !== null && WALLET_ID_FORM.test(customer) ? customer : null', 'customer'],
  ],
  'Undo a success with an older report': [[TRANSITIONS, 'if (rank <= row.rank) return false;', '']],
};
