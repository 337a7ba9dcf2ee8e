// The edits for the attacks under "Exports and the operator's page" in docs/threats.md.
import type { Edits } from '../apply.ts';

const GUARD = 'backend-proxy/admin/guard.ts';
const SESSION = 'backend-proxy/admin/session.ts';
const EXPORTS = 'backend-proxy/routes/exports.ts';

export const admin: Edits = {
  "Find the operator's page on the public port": [
    {
      file: 'backend-proxy/compose.ts',
      find: 'config.ADMIN_TOKEN === undefined\n      ? undefined\n      : createAdmin({',
      put: "false ? undefined : createAdmin({ ...{ token: '' },",
    },
  ],
  "Use the operator's page without the token": [
    { file: GUARD, find: "if (session === undefined) return c.redirect('/admin/login', 303);", put: '' },
  ],
  'Forge a session': [{ file: SESSION, find: 'if (!isEqual(signature,', put: 'if (false && !isEqual(signature,' }],
  'Use a session that was left behind': [
    { file: SESSION, find: 'return isOver ? undefined : {', put: 'return {' },
    { file: SESSION, find: ' || now() - Number(beganAt) > MAX_MS', put: '' },
  ],
  'Read the session in a script or on the network': [
    { file: GUARD, find: 'httpOnly: true', put: 'httpOnly: false' },
    { file: GUARD, find: 'secure: !isLoopback(c)', put: 'secure: false' },
  ],
  "Try many operator's tokens": [
    { file: 'backend-proxy/admin/login.ts', find: 'if (limit.isReached(address)) {', put: 'if (false) {' },
    { file: 'backend-proxy/admin/login-limit.ts', find: 'times.length >= MAX_FAILURES', put: 'false' },
  ],
  "Send the operator's form from another site": [
    {
      file: GUARD,
      find: "if (!URL.canParse(origin) || new URL(origin).host !== c.req.header('Host')) {",
      put: 'if (false) {',
    },
    {
      file: GUARD,
      find: "if (typeof form !== 'string' || !sessions.isFormToken(session, form)) {",
      put: 'if (false) {',
    },
  ],
  "Run a script in the operator's page": [
    {
      file: 'backend-proxy/admin/transaction-table.ts',
      find: "import { html } from 'hono/html';",
      put: "import { raw } from 'hono/html';\nconst html = (text, ...values) => raw(String.raw(text, ...values));",
    },
    { file: GUARD, find: `"default-src 'none'; `, put: '"' },
  ],
  "Frame the operator's page": [
    { file: GUARD, find: `; frame-ancestors 'none'"`, put: '"' },
    { file: GUARD, find: "'X-Frame-Options': 'DENY'", put: "'X-Frame-Options': 'SAMEORIGIN'" },
  ],
  "Read wallet ids on the operator's screen": [
    { file: 'backend-proxy/admin/format.ts', find: '•••• ${walletEnd(customer)}', put: '•••• ${customer}' },
    {
      file: 'backend-proxy/admin/webhooks-page.ts',
      find: "key === 'customer' && typeof value === 'string' ?",
      put: "key === '' && typeof value === 'string' ?",
    },
  ],
  'Decide on what has changed meanwhile': [
    { file: 'backend-proxy/admin/transaction-routes.ts', find: 'if (!isAsShown)', put: 'if (false)' },
  ],
  'Run a formula in a spreadsheet': [
    { file: 'backend-proxy/reports/csv.ts', find: "typeof value === 'string' && FORMULA.test(value)", put: 'false' },
  ],
  'Fill memory with an export that nobody reads': [
    {
      file: EXPORTS,
      find: 'pipeline(Readable.from(parts), outgoing)',
      put: '(async () => { for await (const part of parts) outgoing.write(part); outgoing.end(); })()',
    },
  ],
  'Start exports without end': [{ file: EXPORTS, find: 'if (open.size >= atOnce) {', put: 'if (false) {' }],
  'Add up all years at once': [
    { file: 'backend-proxy/routes/totals.ts', find: ' || count > MAX_DAYS', put: '' },
    { file: 'backend-proxy/reports/totals.ts', find: 'if (running >= MAX_AT_ONCE) {', put: 'if (false) {' },
  ],
};
