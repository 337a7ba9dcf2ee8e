// How each guard of SECURITY.md's attack table is taken away, by the attack's name as it stands in the table's first column.
// To add one: name a file of the row's guards, a text that stands in it exactly once, and what to put there so that the code still
// runs without the guard (types are stripped, not checked); then `npm run test:guards -- 'words of the attack'` has to say red.
// Edits in a list are tried one by one; a list within it is one edit of several places, for a guard that another one doubles.
import type { Edit } from './apply.ts';

const ORDERS = 'backend-proxy/orders.ts';
const PAYMENTS = 'backend-proxy/payments.ts';
const MONEY = 'backend-proxy/protocol/money.ts';
const OPENING = 'backend-proxy/ledger/opening.ts';
const OBSERVING = 'backend-proxy/ledger/observing.ts';
const POSTING = 'backend-proxy/ledger/posting.ts';
const GUARDS = 'backend-proxy/routes/guards.ts';
const VERIFY = 'backend-proxy/protocol/verify.ts';
const TRUST = 'backend-proxy/gateway/trust.ts';
const JSON_TEXT = 'backend-proxy/gateway/json.ts';
const HTTP = 'backend-proxy/gateway/http.ts';
const CONFIG = 'backend-proxy/config.ts';
const APP = 'backend-proxy/app.ts';
const SERVER = 'backend-proxy/server.ts';
const EVENTS = 'backend-proxy/routes/events.ts';
const OPERATIONS = 'backend-proxy/routes/operations.ts';
const WEBHOOKS = 'backend-proxy/webhooks.ts';
const ADDRESSES = 'backend-proxy/public-address.ts';
const QR_CODE = 'widget/qr-code.ts';

export const EDITS: Readonly<Record<string, readonly Edit[]>> = {
  'Pay less': [
    { file: 'backend-proxy/routes/order.ts', find: '.strictObject({\n    method', put: '.object({\n    method' },
    { file: PAYMENTS, find: 'if (terms.amountMinor !== null) {', put: 'if (terms.amountMinor !== null && !asked) {' },
  ],
  'Pay less, openly': [
    { file: PAYMENTS, find: ' || amountMinor < minMinor', put: '' },
    { file: PAYMENTS, find: ' || amountMinor > maxMinor', put: '' },
  ],
  'Write an amount that two read differently': [
    { file: MONEY, find: '/^(0|[1-9][0-9]*)(?:\\.([0-9]+))?$/', put: '/^([^.]*)(?:\\.(.+))?$/' },
    { file: MONEY, find: 'if (fraction.length > exponent) return undefined;', put: '' },
    { file: MONEY, find: 'digits.length > MAX_AMOUNT_DIGITS ? undefined : ', put: '' },
  ],
  'Write it in the token': [
    { file: ORDERS, find: 'parseAmount(text, currency);', put: 'Math.round(Number(text) * 10 ** digits);' },
  ],
  'Pay out another sum': [
    {
      file: 'backend-proxy/routes/merchant.ts',
      find: 'parseExact(await c.req.text()) as { amount: string }',
      put: '{ amount: String(c.req.valid("json").amount) }',
    },
    { file: JSON_TEXT, find: '(context?.source ?? String(value))', put: 'String(value)' },
  ],
  'Change an order after it was started': [
    { file: OPENING, find: ' || order.amount_minor !== payment.orderAmountMinor', put: '' },
    { file: OPENING, find: 'order.currency !== currency || ', put: '' },
    { file: PAYMENTS, find: '} = order ?? terms;', put: '} = terms;' },
  ],
  'Forge a token': [
    { file: ORDERS, find: "algorithms: ['HS256'],", put: "algorithms: ['HS256', 'HS384', 'HS512']," },
    {
      file: ORDERS,
      find: '(await jwtVerify(token, key, options)).payload',
      put: "JSON.parse(Buffer.from(token.split('.')[1], 'base64url').toString())",
    },
  ],
  'Guess the secret': [
    { file: ORDERS, find: ' || keys.some((key) => key.byteLength < MIN_SECRET_BYTES)', put: '' },
    { file: ORDERS, find: 'key.byteLength < MIN_SECRET_BYTES', put: 'new TextDecoder().decode(key).length < 32' },
  ],
  '…that the operator made too short': [
    { file: CONFIG, find: 'Buffer.byteLength(secret) >= MIN_SECRET_BYTES', put: 'secret.length > 0' },
    { file: CONFIG, find: '/^[!-~]{32,}$/', put: '/^[!-~]+$/' },
    { file: CONFIG, find: '/^[A-Za-z0-9_-]{22,}$/', put: '/^[A-Za-z0-9_-]+$/' },
  ],
  'Use a token for ever': [{ file: ORDERS, find: 'if (data.exp > now()', put: 'if (data.exp > Infinity + now()' }],
  'Use a token without an end': [
    { file: ORDERS, find: 'exp: z.int(SECONDS) }', put: 'exp: z.int(SECONDS).optional() }' },
  ],
  'Send the shopper elsewhere after paying': [
    { file: ORDERS, find: '!options.allowedOrigins.includes(origin) || ', put: '' },
    {
      file: ORDERS,
      find: '!options.allowedOrigins.includes(origin) ||',
      put: '!options.allowedOrigins.some((allowed) => claims.returnUrl.startsWith(allowed)) ||',
    },
  ],
  '…through a parser that reads it otherwise': [
    { file: ORDERS, find: '/^https?$/, normalize: true', put: '/^https?$/, normalize: false' },
  ],
  'Use the widget from a foreign page': [
    { file: GUARDS, find: 'origin !== undefined && !allowed.includes(origin)', put: 'false' },
    { file: APP, find: "app.use('/order/*', originIn(config.allowedOrigins), ", put: "app.use('/order/*', " },
  ],
  'Pay out from a browser': [{ file: GUARDS, find: "c.req.header('Origin') !== undefined", put: 'false' }],
  'Read the books with an order token': [
    { file: GUARDS, find: 'if (!isKey(bearerOf(c))) throw', put: "if (bearerOf(c) === '') throw" },
    { file: OPERATIONS, find: "app.use('/metrics', merchantOnly(keys));", put: '' },
  ],
  'Tell a secret by the time or the answer': [
    { file: GUARDS, find: 'timingSafeEqual(known, given)', put: 'known.equals(given)' },
  ],
  "Find the IPN's URL": [
    {
      file: 'backend-proxy/routes/ipn.ts',
      find: "Refusal('not_found', 'There is nothing here.')",
      put: "Refusal('not_found', 'Wrong.')",
    },
    { file: 'backend-proxy/routes/ipn.ts', find: "if (!isSecret(c.req.param('secret')))", put: 'if (!isSecret)' },
    { file: APP, find: 'route: routePath(c)', put: 'route: c.req.path' },
  ],
  'Forge an IPN': [
    {
      file: 'backend-proxy/reconcile.ts',
      find: 'gateway.status ? [await ask(gateway.status, transaction)] : ',
      put: '',
    },
  ],
  "Pay another order's sum": [
    { file: VERIFY, find: "if (report.orderId !== expected.id) return 'orderId';", put: '' },
    { file: VERIFY, find: "if (report.type !== expected.type) return 'type';", put: '' },
    { file: VERIFY, find: 'if (bothHaveId && report.paymentId', put: 'if (!bothHaveId && report.paymentId' },
    { file: VERIFY, find: 'report.currency !== expected.currency', put: 'false' },
    {
      file: VERIFY,
      find: 'parseReportedAmount(report.amount, expected.currency) !== expected.amountMinor',
      put: 'false',
    },
  ],
  'Turn time back': [{ file: POSTING, find: "    .where('rank', '<', rank)\n", put: '' }],
  'Make us flood the gateway': [
    { file: 'backend-proxy/protocol/schedule.ts', find: 'CHECKS_PER_MINUTE = 5;', put: 'CHECKS_PER_MINUTE = 500;' },
  ],
  '…by many orders': [{ file: 'backend-proxy/pace.ts', find: 'perSecond / 2)', put: 'perSecond)' }],
  'Pay twice by clicking twice': [
    [
      { file: OPENING, find: 'row.idempotency_key === payment.idempotencyKey', put: 'row.idempotency_key === null' },
      {
        file: 'backend-proxy/ledger/schema.ts',
        find: "['order_id', 'idempotency_key']",
        put: "['id', 'idempotency_key']",
      },
    ],
  ],
  'Be shipped twice': [{ file: POSTING, find: "    .where('paid_by', 'is', null)\n", put: '' }],
  'Be paid out twice': [
    {
      file: 'backend-proxy/payouts.ts',
      find: "!opened || !(await ledger.record(id, { stage: 'sending' }, 'merchant'))",
      put: 'false',
    },
    {
      file: 'backend-proxy/payouts.ts',
      find: "return { stage: 'uncertain', why",
      put: "return { stage: 'rejected', why",
    },
    [
      { file: 'backend-proxy/payouts.ts', find: '!opened || ', put: '' },
      { file: POSTING, find: "    .where('rank', '<', rank)\n", put: '' },
    ],
  ],
  '…after a FAILED that does not last': [
    [
      { file: OBSERVING, find: "if (row.type === 'PAYOUT' && row.failed_at === null) {", put: 'if (false) {' },
      { file: OBSERVING, find: "if (row.type === 'PAY' || p.now", put: 'if (true || p.now' },
    ],
    { file: OBSERVING, find: "seen.outcome === 'failed' ? {} : { failed_at: null }", put: '{}' },
  ],
  'Be paid out twice by a wrong path': [{ file: HTTP, find: ' && reply.fields) return', put: ') return' }],
  "Spam a stranger's phone": [{ file: OPENING, find: 'if (oldest !== undefined)', put: 'if (oldest === null)' }],
  'Fill the books': [
    { file: 'backend-proxy/routes/address-limit.ts', find: 'if (count > most)', put: 'if (count < 0)' },
  ],
  '…by one order': [
    { file: OPENING, find: 'earlier.length >= perOrder', put: 'earlier.length < 0' },
    { file: OPENING, find: '.length >= directPerOrder', put: '.length < 0' },
  ],
  'Lie about the address': [{ file: GUARDS, find: 'hops.at(-trustedProxies)', put: 'hops[0]' }],
  'Phish through the checkout URL': [
    {
      file: TRUST,
      find: "const isSecure = url.protocol === 'https:' ||",
      put: "const isSecure = url.protocol !== 'http:' ||",
    },
    { file: TRUST, find: ' && LOOPBACK.has(url.hostname)', put: '' },
    { file: TRUST, find: " && url.username === '' && url.password === ''", put: '' },
  ],
  '…past the list of hosts': [
    { file: TRUST, find: 'hosts.length === 0 || hosts.includes(url.host)', put: 'true' },
    { file: TRUST, find: 'hosts.includes(url.host)', put: 'hosts.some((host) => url.host.endsWith(host))' },
    { file: TRUST, find: 'hosts.includes(url.host)', put: 'hosts.some((host) => url.host.startsWith(host))' },
    { file: TRUST, find: 'hosts.includes(url.host)', put: 'hosts.includes(url.hostname)' },
  ],
  '…past the proxy': [
    { file: 'widget/links.ts', find: "protocol === 'https:' || (protocol === 'http:' && loopback)", put: 'protocol' },
  ],
  'Run code through the link to the wallet': [
    { file: TRUST, find: ' || NEVER_LINKED.has(url.protocol)', put: '' },
    {
      file: TRUST,
      find: 'isSafeWebUrl(url) ? url.href : undefined;\n  return url.href',
      put: 'url.href;\n  return url.href',
    },
  ],
  "Run code through the code's image": [
    { file: TRUST, find: "'\\x89PNG\\r\\n\\x1a\\n'", put: "'\\x89P'" },
    { file: TRUST, find: '/^RIFF....WEBP/s', put: '/^RIFF/' },
    { file: TRUST, find: '/^(<\\?xml[^>]*>\\s*)?(<!--[^]*?-->\\s*)?<svg[\\s>]/i', put: '/<svg/i' },
  ],
  '…that the widget is given': [
    { file: QR_CODE, find: '(png|jpeg|gif|webp|svg\\+xml);base64,', put: '' },
    { file: QR_CODE, find: ';base64,/', put: '/' },
  ],
  '…or through its size': [
    { file: TRUST, find: ' || bytes.length > MAX_IMAGE_BYTES', put: '' },
    { file: TRUST, find: 'if (bytes.length > MAX_QR_TEXT_BYTES) return undefined;', put: '' },
  ],
  '…or of the whole answer': [
    { file: HTTP, find: "if (length > MAX_ANSWER_BYTES) throw new Error('answer too large');", put: '' },
  ],
  'Stand between us and the gateway': [
    {
      file: HTTP,
      find: '{ timeout: CONNECT_TIMEOUT_MS }',
      put: '{ timeout: CONNECT_TIMEOUT_MS, rejectUnauthorized: false }',
    },
  ],
  '…by a redirect': [
    [
      { file: HTTP, find: 'import { Agent, request,', put: 'import { Agent, interceptors, request,' },
      {
        file: HTTP,
        find: 'connections: MAX_CONNECTIONS, pipelining: 1 });',
        put: 'connections: MAX_CONNECTIONS, pipelining: 1 }).compose(interceptors.redirect({ maxRedirections: 2 }));',
      },
    ],
  ],
  '…with the checks switched off': [{ file: CONFIG, find: "env.NODE_TLS_REJECT_UNAUTHORIZED !== '0'", put: 'true' }],
  "Reach into the operator's network": [
    {
      file: WEBHOOKS,
      find: 'isLoopback ? addresses : addresses.filter(({ address }) => isPublicAddress(address))',
      put: 'addresses',
    },
    { file: ADDRESSES, find: "  ['127.0.0.0', 8],\n", put: '' },
  ],
  '…by another writing of it': [
    { file: WEBHOOKS, find: 'isIP(host) !== 0 && !isLoopback && !isPublicAddress(host)', put: 'false' },
    { file: ADDRESSES, find: "handedOutV6.check(address, 'ipv6') && ", put: '' },
    { file: ADDRESSES, find: "  ['2002::', 16],\n", put: '' },
    { file: ADDRESSES, find: "  ['169.254.0.0', 16],\n", put: '' },
  ],
  "…by the endpoint's redirect": [
    [
      { file: WEBHOOKS, find: 'import { Agent, request,', put: 'import { Agent, interceptors, request,' },
      {
        file: WEBHOOKS,
        find: 'headers, body, signal, dispatcher });',
        put: 'headers, body, signal, dispatcher: dispatcher.compose(interceptors.redirect({ maxRedirections: 2 })) });',
      },
    ],
  ],
  'Forge a webhook': [
    { file: WEBHOOKS, find: 'signer.sign(id, at, body)', put: "signer.sign(id, at, '')" },
    { file: WEBHOOKS, find: 'signer.sign(id, at, body)', put: "signer.sign('', at, body)" },
  ],
  '…by guessing its secret': [
    { file: CONFIG, find: 'bytes >= 24 && ', put: '' },
    { file: CONFIG, find: ' && bytes <= 64', put: '' },
  ],
  'Read secrets from a log or an error': [
    { file: APP, find: "${error.name}${code}${place ?? ''}", put: '${error.message}' },
    { file: APP, find: "'Something went wrong here. Nothing is lost; ask again.'", put: 'error.message' },
    {
      file: 'backend-proxy/routes/problem.ts',
      find: 'detail: message,',
      put: 'detail: String(refusal.cause ?? message),',
    },
  ],
  "…or from the start's message": [
    {
      file: CONFIG,
      find: "`${path.join('.')}: ${message}`",
      put: "`${path.join('.')}: ${message}: ${given[String(path[0])]}`",
    },
  ],
  'Write lines into the log': [
    {
      file: 'backend-proxy/start.ts',
      find: 'logger[level]({ event, ...fields })',
      put: 'console.log(level, event, ...Object.values(fields))',
    },
  ],
  '…or words, in an Origin': [
    { file: APP, find: "originOf(c.req.header('Origin') ?? '')", put: "c.req.header('Origin')" },
  ],
  "…or in a field's name": [{ file: APP, find: "kind === 'invalid_request' ? { code: kind } : ", put: '' }],
  'Exhaust memory by a body': [
    { file: APP, find: 'MAX_BODY_BYTES = 16 * 1024;', put: 'MAX_BODY_BYTES = 16 * 1024 * 1024;' },
  ],
  '…by depth': [{ file: JSON_TEXT, find: 'if (depth > MAX_DEPTH) return true;', put: '' }],
  'Exhaust time by a pattern': [
    {
      file: TRUST,
      find: "base64.replace(/\\s/g, '');\n  if (!/^[A-Za-z0-9+/]+={0,2}$/",
      put: 'base64;\n  if (!/^[A-Za-z0-9+/\\s]+={0,2}\\s{0,999}$/',
    },
  ],
  'Hold connections': [
    { file: SERVER, find: 'headersTimeout: limits.headersMs,', put: 'headersTimeout: 0,' },
    { file: SERVER, find: 'connectionsCheckingInterval: limits.lookEveryMs,', put: '' },
  ],
  '…by a slow body': [
    { file: SERVER, find: 'requestTimeout: limits.requestMs,', put: 'requestTimeout: 0,' },
    { file: SERVER, find: 'connectionsCheckingInterval: limits.lookEveryMs,', put: '' },
  ],
  '…by asking ahead': [{ file: SERVER, find: 'if (count > most)', put: 'if (count < 0)' }],
  '…as a reader who never reads': [{ file: SERVER, find: 'server.setTimeout(limits.idleMs);', put: '' }],
  '…by a stream that nobody reads': [{ file: EVENTS, find: 'beatDue || now() >= endsAt', put: 'now() >= endsAt' }],
  '…by many streams': [{ file: EVENTS, find: ' ||\n      byOrder.of(orderId) >= MOST.perOrder', put: '' }],
  '…from one place': [{ file: EVENTS, find: ' ||\n      byAddress.of(address) >= MOST.perAddress', put: '' }],
  '…from everywhere': [{ file: EVENTS, find: 'ends.size >= MOST.inAll ||', put: '' }],
  'Watch on after the right has ended': [{ file: EVENTS, find: ' || now() >= endsAt', put: '' }],
  'Take files from the server': [
    {
      file: OPERATIONS,
      find: "TYPES[name.split('.').at(-1) ?? '']",
      put: "TYPES[name.split('.').at(-1) ?? ''] ?? 'text/plain'",
    },
    {
      file: OPERATIONS,
      find: "const file = files.get(c.req.param('file'));",
      put:
        "const path = join(widgetFolder, c.req.param('file'));\n" +
        "const file = readWidgetFiles(join(path, '..')).get(path.split('/').at(-1) ?? '');",
    },
  ],
  'Change the widget on its way': [
    { file: OPERATIONS, find: "'Access-Control-Allow-Origin': '*',", put: '' },
    { file: OPERATIONS, find: "'Cross-Origin-Resource-Policy': 'cross-origin',", put: '' },
    { file: OPERATIONS, find: "  json: 'application/json',\n", put: '' },
  ],
  '…in a script without a hash': [
    { file: 'vite.config.ts', find: ', integrity()]', put: ']' },
    { file: 'widget/build/plugins.ts', find: "file.endsWith('.js')", put: "file === 'widget.js'" },
  ],
  'Learn about orders from the metrics': [
    { file: 'backend-proxy/metrics.ts', find: "METHODS.has(method) ? method : 'other'", put: 'method' },
    { file: APP, find: 'route: routePath(c)', put: 'route: c.req.path' },
  ],
  'Lose what was acknowledged': [
    { file: 'backend-proxy/ledger/sqlite.ts', find: 'journal_mode = WAL', put: 'journal_mode = DELETE' },
    { file: 'backend-proxy/ledger/sqlite.ts', find: 'synchronous = FULL', put: 'synchronous = NORMAL' },
  ],
  '…by a careless PostgreSQL': [
    { file: 'backend-proxy/ledger/postgres.ts', find: 'await refuseWithoutFsync(db);', put: '' },
  ],
  '…by a 200 before the commit': [
    { file: 'backend-proxy/routes/ipn.ts', find: 'await ledger.receiveIpn(', put: 'void ledger.receiveIpn(' },
  ],
  'Lay code for the next start': [
    {
      file: 'backend-proxy/main.ts',
      find: "enableCompileCache(fileURLToPath(new URL('../node_modules/.cache/proxy', import.meta.url)))",
      put: 'enableCompileCache()',
    },
  ],
};
