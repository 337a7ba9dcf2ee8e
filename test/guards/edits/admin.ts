// The edits for the attacks under "Exports and the operator's page" in docs/threats.md.
import type { Edits } from '../apply.ts';

const GUARD = 'backend-proxy/admin/guard.ts';
const SESSION = 'backend-proxy/admin/session.ts';
const EXPORTS = 'backend-proxy/routes/exports.ts';

export const admin: Edits = {
  "Find the operator's page on the public port": [
    [
      'backend-proxy/compose.ts',
      'config.ADMIN_TOKEN === undefined\n      ? undefined\n      : createAdmin({',
      "false ? undefined : createAdmin({ ...{ token: '' },",
    ],
  ],
  "Use the operator's page without the token": [
    [GUARD, "if (session === undefined) return c.redirect('/admin/login', 303);", ''],
  ],
  'Forge a session': [[SESSION, 'if (!isEqual(signature,', 'if (false && !isEqual(signature,']],
  'Use a session that was left behind': [
    [SESSION, 'return isOver ? undefined : {', 'return {'],
    [SESSION, ' || now() - Number(beganAt) > MAX_MS', ''],
  ],
  'Read the session in a script or on the network': [
    [GUARD, 'httpOnly: true', 'httpOnly: false'],
    [GUARD, 'secure: !isLoopback(c)', 'secure: false'],
  ],
  "Try many operator's tokens": [
    ['backend-proxy/admin/login.ts', 'if (limit.isReached(address)) {', 'if (false) {'],
    ['backend-proxy/admin/login-limit.ts', 'times.length >= MAX_FAILURES', 'false'],
  ],
  "Send the operator's form from another site": [
    [GUARD, "if (!URL.canParse(origin) || new URL(origin).host !== c.req.header('Host')) {", 'if (false) {'],
    [GUARD, "if (typeof form !== 'string' || !sessions.isFormToken(session, form)) {", 'if (false) {'],
  ],
  "Run a script in the operator's page": [
    [
      'backend-proxy/admin/transaction-table.ts',
      "import { html } from 'hono/html';",
      "import { raw } from 'hono/html';\nconst html = (text, ...values) => raw(String.raw(text, ...values));",
    ],
    [GUARD, `"default-src 'none'; `, '"'],
  ],
  "Frame the operator's page": [
    [GUARD, `; frame-ancestors 'none'"`, '"'],
    [GUARD, "'X-Frame-Options': 'DENY'", "'X-Frame-Options': 'SAMEORIGIN'"],
  ],
  "Read wallet ids on the operator's screen": [
    ['backend-proxy/admin/format.ts', '•••• ${walletEnd(customer)}', '•••• ${customer}'],
    [
      'backend-proxy/admin/webhooks-page.ts',
      "WALLETS.has(key) && typeof value === 'string' ?",
      "key === '' && typeof value === 'string' ?",
    ],
  ],
  'Decide on what has changed meanwhile': [
    ['backend-proxy/admin/transaction-routes.ts', 'if (!isAsShown)', 'if (false)'],
  ],
  'Run a formula in a spreadsheet': [
    ['backend-proxy/reports/csv.ts', "typeof value === 'string' && FORMULA.test(value)", 'false'],
  ],
  'Fill memory with an export that nobody reads': [
    [
      EXPORTS,
      'pipeline(Readable.from(parts), outgoing)',
      '(async () => { for await (const part of parts) outgoing.write(part); outgoing.end(); })()',
    ],
  ],
  'Start exports without end': [[EXPORTS, 'if (open.size >= atOnce) {', 'if (false) {']],
  'Add up all years at once': [
    ['backend-proxy/routes/totals.ts', ' || count > MAX_DAYS', ''],
    ['backend-proxy/reports/totals.ts', 'if (running >= MAX_AT_ONCE) {', 'if (false) {'],
  ],
};
