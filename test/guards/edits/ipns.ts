// The edits for the attacks under "IPNs and what the gateway reports" in docs/threats.md.
import type { Edits } from '../apply.ts';

const REQUEST_LOG = 'backend-proxy/http/request-log.ts';
const OBSERVATIONS = 'backend-proxy/ledger/rules/observations.ts';
const TRANSITIONS = 'backend-proxy/ledger/rules/transitions.ts';
const VERIFY = 'backend-proxy/protocol/verify.ts';
const REFUSAL = 'backend-proxy/gateway/refusal.ts';
const SQL_LEDGER = 'backend-proxy/ledger/sql-ledger.ts';
const DATABASE_OWNER = 'backend-proxy/workers/database-owner.ts';

export const ipns: Edits = {
  'Find the IPN URL': [
    {
      file: 'backend-proxy/routes/ipn.ts',
      find: "Refusal('not_found', 'No such route.')",
      put: "Refusal('not_found', 'Wrong.')",
    },
    { file: 'backend-proxy/routes/ipn.ts', find: 'if (!isSecret(params.secret))', put: 'if (!isSecret)' },
    { file: REQUEST_LOG, find: "c.get('route') ?? routePath(c)", put: 'c.req.path' },
  ],
  "Read the IPN secret in the reverse proxy's log": [
    { file: 'docs/deploy/nginx.conf', find: '"$request_method $payment_path"', put: '"$request_method $request_uri"' },
    { file: 'docs/deploy/nginx.conf', find: 'error_log  /dev/null crit;', put: '' },
  ],
  "Read the IPN secret in Caddy's log": [
    {
      file: 'docs/deploy/Caddyfile',
      find: '{\n\t# Of all logs, requests that failed among them. The path of an IPN contains IPN_SECRET.\n\tlog {\n\t\tformat filter {\n\t\t\twrap json\n\t\t\tfields {\n\t\t\t\trequest>uri regexp "/ipn/[^/]*" "/ipn/..."',
      put: '{\n\t# Of all logs\n\tlog {\n\t\tformat filter {\n\t\t\twrap json\n\t\t\tfields {',
    },
    {
      file: 'docs/deploy/Caddyfile',
      find: 'output stdout\n\t\tformat filter {\n\t\t\twrap json\n\t\t\tfields {\n\t\t\t\trequest>uri regexp "/ipn/[^/]*" "/ipn/..."',
      put: 'output stdout\n\t\tformat filter {\n\t\t\twrap json\n\t\t\tfields {',
    },
  ],
  'Forge an IPN': [{ file: 'backend-proxy/status-checks.ts', find: 'if (status === undefined) {', put: 'if (true) {' }],
  'Settle an order with another payment': [
    { file: VERIFY, find: "if (report.transactionId !== expected.id) return 'gatewayOrderId';", put: '' },
    { file: VERIFY, find: "if (report.type !== expected.type) return 'type';", put: '' },
    { file: VERIFY, find: 'if (bothHaveId && report.paymentId', put: 'if (!bothHaveId && report.paymentId' },
    { file: VERIFY, find: 'report.currency !== expected.currency', put: 'false' },
    {
      file: VERIFY,
      find: 'minorOfReported(report.amount, expected.currency) !== expected.amountMinor',
      put: 'false',
    },
  ],
  'Settle an order with a report that lacks the amount': [
    { file: VERIFY, find: " || (outcome === 'succeeded' && !isOurs)", put: '' },
    { file: VERIFY, find: 'paymentId === expected.answeredId', put: 'paymentId === expected.paymentId' },
  ],
  "Settle an order with another shop's payment": [
    {
      file: OBSERVATIONS,
      find: "if (row.answer === 'duplicate') return applyToMarked(draft, check, observation);",
      put: '',
    },
  ],
  'Hide a duplicate behind another status': [
    { file: REFUSAL, find: ' || (is4xx && isDuplicate)', put: '' },
    { file: REFUSAL, find: '[code, fields?.[refusal.message]]', put: '[code]' },
  ],
  'Use a database at another gateway': [
    {
      file: DATABASE_OWNER,
      find: 'if (stored.gateway !== current.gateway && stored.gateway !== renamedFrom) {',
      put: 'if (false) {',
    },
  ],
  'Use a database with another account': [
    { file: DATABASE_OWNER, find: "if (kind === 'unknown') {", put: 'if (false) {' },
  ],
  'Change the owner of a database while a proxy runs': [
    {
      file: SQL_LEDGER,
      find: 'if (this.ours !== undefined) this.mismatch = differenceOf(this.ours, await readOwner(db));',
      put: '',
    },
    {
      file: SQL_LEDGER,
      find: 'if (this.mismatch === undefined) return;',
      put: 'return;',
    },
    { file: SQL_LEDGER, find: 'ownership.mismatch !== undefined || limit <= 0', put: 'limit <= 0' },
  ],
  'Pay out to another wallet': [
    { file: VERIFY, find: '!isSameWallet(expected.customer, report.customer)', put: 'false' },
    { file: VERIFY, find: 'return ours === theirs;', put: 'return asked === reported;' },
  ],
  'Undo a success with an older report': [{ file: TRANSITIONS, find: 'if (rank <= row.rank) return false;', put: '' }],
};
