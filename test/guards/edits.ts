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
const QR_CODE = 'widget/flow/qr-code.ts';
const SCHEDULE = 'backend-proxy/protocol/schedule.ts';
const REFUSAL = 'backend-proxy/gateway/refusal.ts';
const ANSWERS = 'backend-proxy/gateway/answers.ts';
const PICTURE = 'backend-proxy/gateway/picture.ts';
const PAYOUTS = 'backend-proxy/payouts.ts';
const BOOKS = 'backend-proxy/ledger/books.ts';
const BIND = 'backend-proxy/bind.ts';
const PROOF = 'backend-proxy/proof.ts';
const SQLITE = 'backend-proxy/ledger/sqlite.ts';
const CONNECTION = 'backend-proxy/ledger/connection.ts';
const COMMITTING = 'backend-proxy/ledger/committing.ts';
const MERCHANT = 'backend-proxy/routes/merchant.ts';
const MAIN = 'backend-proxy/main.ts';
const LOG = 'backend-proxy/log.ts';

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
    { file: PAYMENTS, find: '= order?.payments.length ? order : terms;', put: '= terms;' },
  ],
  'Pay by an older token': [
    { file: OPENING, find: 'if (isOlder && payment.terms !== order.seen_terms) {', put: 'if (false) {' },
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
  'Forge an IPN': [{ file: 'backend-proxy/reconcile.ts', find: 'if (status === undefined) {', put: 'if (true) {' }],
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
  '…without saying which': [
    { file: VERIFY, find: " || (outcome === 'succeeded' && !isOurs)", put: '' },
    { file: VERIFY, find: 'paymentId === expected.answeredId', put: 'paymentId === expected.paymentId' },
  ],
  "Be paid with another's money": [
    { file: OBSERVING, find: "if (look.row.answer === 'duplicate') return applyToMarked(p, look, seen);", put: '' },
  ],
  '…said in other words': [
    { file: REFUSAL, find: ' || (is4xx && saysDuplicate)', put: '' },
    { file: REFUSAL, find: '[code, fields?.[refusal.message]]', put: '[code]' },
  ],
  '…by books of another gateway': [
    {
      file: BIND,
      find: 'if (theirs.gateway !== ours.gateway && theirs.gateway !== renamedFrom) {',
      put: 'if (false) {',
    },
  ],
  '…by the key of another account': [{ file: BIND, find: "if (kind === 'unknown') {", put: 'if (false) {' }],
  '…by a process started beside': [
    { file: BOOKS, find: 'if (bound !== undefined) difference = differenceOf(bound, await readBinding(db));', put: '' },
    {
      file: BOOKS,
      find: 'if (difference !== undefined)\n      throw new Refusal',
      put: 'if (false)\n      throw new Refusal',
    },
    { file: BOOKS, find: 'difference !== undefined || !(await isAnyDue(db, at))', put: '!(await isAnyDue(db, at))' },
  ],
  'Pay out to another wallet': [
    { file: VERIFY, find: '!isSameWallet(expected.customer, report.customer)', put: 'false' },
    { file: VERIFY, find: 'return ours === theirs;', put: 'return asked === reported;' },
  ],
  'Turn time back': [{ file: POSTING, find: "    .where('rank', '<', rank)\n", put: '' }],
  'Silence a ring by a clock': [
    { file: OBSERVING, find: 'rings_heard: Math.max(row.rings_heard, claim.rings)', put: 'rings_heard: row.rings' },
    {
      file: SCHEDULE,
      find: 'isRinging(t) ? allowed(t, t.rungAt',
      put: 'isRinging(t) && (t.rungAt ?? 0) > (t.checkedAt ?? 0) ? allowed(t, t.rungAt',
    },
  ],
  '…and end what is being paid': [{ file: OBSERVING, find: ' && !isUnheard', put: '' }],
  'Set the clock': [
    { file: BOOKS, find: 'if (Math.abs(step) <= STEP_MS) {', put: 'if (true) {' },
    { file: 'backend-proxy/ledger/checks.ts', find: '      waits_from: p.now,\n', put: '' },
  ],
  "Take a stranger's word": [
    { file: 'backend-proxy/ledger/resolving.ts', find: "    .where('needs_review', '=', 1)\n", put: '' },
  ],
  '…without the key': [{ file: MERCHANT, find: "'/payouts', '/transactions', '/ipns'", put: "'/payouts', '/ipns'" }],
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
    [
      { file: PAYOUTS, find: "if (payout.stage !== 'created') return payout;", put: '' },
      {
        file: PAYOUTS,
        find: "if (!(await ledger.record(payout, { stage: 'sending', sentBy: self }, 'merchant'))) return;",
        put: "await ledger.record(payout, { stage: 'sending', sentBy: self }, 'merchant');",
      },
    ],
    [
      { file: PAYOUTS, find: "if (payout.stage !== 'created') return payout;", put: '' },
      { file: POSTING, find: "    .where('rank', '<', rank)\n", put: '' },
    ],
  ],
  '…after a FAILED that does not last': [
    { file: OBSERVING, find: "(row.type === 'PAYOUT' && !(await isSecondFailure(p, look)))", put: 'false' },
    {
      file: OBSERVING,
      find: "!(seen.kind === 'verified' && seen.outcome === 'failed') && { failed_at: null }",
      put: 'false && { failed_at: null }',
    },
  ],
  'Be paid out twice by a wrong path': [
    {
      file: ANSWERS,
      find: 'includes(status) && fields) {',
      put: "includes(status)) {\n    if (!fields) return { kind: 'unknown', isOwnWord: false };",
    },
  ],
  '…by a JSON 404 of a framework': [
    {
      file: PROOF,
      find: "if (kind === 'found') await found(type, beganAt);",
      put: "if (kind !== 'unavailable') await found(type, beganAt);",
    },
  ],
  '…before anything was found': [
    { file: PROOF, find: 'if (isOwnWord) await ledger', put: 'if (isOwnWord || true) await ledger' },
  ],
  '…though it was seen': [
    {
      file: OBSERVING,
      find: 'row.payment_id !== null || row.found_at !== null || row.rings > 0;',
      put: 'row.payment_id !== null || row.rings > 0;',
    },
    {
      file: OBSERVING,
      find: 'row.payment_id !== null || row.found_at !== null || row.rings > 0;',
      put: 'row.payment_id !== null || row.found_at !== null;',
    },
  ],
  '…by a status check that lags': [
    { file: SCHEDULE, find: 'lost: { PAY: SOON, PAYOUT: SLOW }', put: 'lost: { PAY: SOON, PAYOUT: SOON }' },
    {
      file: SCHEDULE,
      find: 'foreign: { PAY: ANSWERED, PAYOUT: SLOW }',
      put: 'foreign: { PAY: ANSWERED, PAYOUT: SOON }',
    },
  ],
  '…by books that went back': [
    { file: PAYOUTS, find: 'if (await ledger.isBack()) {', put: 'if (false) {' },
    {
      file: PAYOUTS,
      find: "if (checked.kind === 'found') {",
      put: "if (checked.kind === 'found') {\n      if (payout.id !== '') return undefined;",
    },
    { file: PAYOUTS, find: '(await isPathProven()) ? undefined', put: 'true ? undefined' },
  ],
  '…by a box on the way': [
    [
      {
        file: PAYOUTS,
        find: "return { stage: 'uncertain', answer: sent.kind, why: sent.why, needsReview };",
        put: "return { stage: 'rejected', answer: 'refused', why: sent.why };",
      },
      { file: POSTING, find: "return row?.type === 'PAY' && row.payment_id", put: 'return row?.payment_id' },
    ],
  ],
  '…by a box that speaks for the gateway': [
    { file: REFUSAL, find: "isCode ? 'refused' : 'foreign'", put: "'refused'" },
  ],
  '…by an error that is no end': [
    { file: 'backend-proxy/gateway/profile.ts', find: "ERROR: 'error',", put: "ERROR: 'failed'," },
    { file: ANSWERS, find: "type === 'PAY' ? 'failed' : 'pending'", put: "'failed'" },
  ],
  "Spam a stranger's phone": [
    { file: OPENING, find: 'if (prompts.length < inAll && own.length < perCustomer) return;', put: 'return;' },
  ],
  '…to shut its owner out': [
    { file: OPENING, find: ' && own.length < perCustomer', put: '' },
    { file: OPENING, find: 'prompts.length < inAll && ', put: '' },
    { file: OPENING, find: 'customer_ref === customerReferenceNo', put: 'true' },
  ],
  'Fill the books': [
    { file: 'backend-proxy/routes/address-limit.ts', find: 'if (count > most)', put: 'if (count < 0)' },
  ],
  '…by one order': [
    { file: OPENING, find: 'counted.length >= limits.perOrder', put: 'counted.length < 0' },
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
    {
      file: 'widget/flow/links.ts',
      find: 'return parsed && isSafeWebUrl(parsed) ? url : null;',
      put: 'return url;',
    },
    {
      file: 'backend-proxy/protocol/links.ts',
      find: 'LOOPBACK.includes(hostname)',
      put: 'LOOPBACK.some((name) => hostname.startsWith(name))',
    },
  ],
  'Run code through the link to the wallet': [
    { file: TRUST, find: 'schemes.includes(url.protocol.slice(0, -1))', put: '!/^https?:$/.test(url.protocol)' },
  ],
  '…or phish through it': [
    {
      file: TRUST,
      find: 'checkoutUrlOf(text, hosts);\n}\n\n/** What a base64',
      put: 'checkoutUrlOf(text, []);\n}\n\n/** What a base64',
    },
  ],
  "Run code through the code's image": [
    { file: PICTURE, find: '/^GIF8[79]a/.test(head)', put: '/GIF8[789]a/.test(head)' },
    { file: TRUST, find: '/^(<\\?xml[^>]*>\\s*)?(<!--[^]*?-->\\s*)?<svg[\\s>]/i', put: '/<svg/i' },
  ],
  '…that the widget is given': [
    { file: QR_CODE, find: '(png|jpeg|gif|webp|svg\\+xml);base64,', put: '' },
    { file: QR_CODE, find: ';base64,/', put: '/' },
  ],
  '…or through its size': [
    { file: TRUST, find: ' || bytes.length > MAX_IMAGE_BYTES', put: '' },
    { file: TRUST, find: ' && Buffer.byteLength(content) <= MAX_QR_TEXT_BYTES', put: '' },
  ],
  '…or of the whole answer': [
    { file: HTTP, find: "if (length > MAX_ANSWER_BYTES) throw new Error('answer too large');", put: '' },
  ],
  '…or through its pixels': [
    { file: TRUST, find: ' && Math.max(width, height) <= MAX_IMAGE_SIDE', put: '' },
    {
      file: PICTURE,
      find: 'width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20)',
      put: 'width: 1, height: 1',
    },
  ],
  '…or through its shapes': [
    {
      file: 'backend-proxy/gateway/drawing.ts',
      find: 'if (!ELEMENTS.has(name) || !areAllPlain(attributes)) return false;',
      put: '',
    },
  ],
  '…or past the proxy': [{ file: QR_CODE, find: 'if (isLarge &&', put: 'if (false &&' }],
  'Stop settling by a hanging endpoint': [{ file: HTTP, find: ': ownPools();', put: ': sharedPool(ownPools().pay);' }],
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
        find: 'connections, pipelining: 1 });',
        put: 'connections, pipelining: 1 }).compose(interceptors.redirect({ maxRedirections: 2 }));',
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
      put: 'base64;\n  if (!/^[A-Za-z0-9+/\\s]+={0,2}\\s{0,9999}$/',
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
  '…by a careless PostgreSQL': [{ file: CONNECTION, find: "fsync: 'on', transaction", put: 'transaction' }],
  '…by a 200 before the commit': [
    { file: 'backend-proxy/routes/ipn.ts', find: 'await ledger.receiveIpn(', put: 'void ledger.receiveIpn(' },
  ],
  '…by a commit of unknown outcome': [
    {
      file: COMMITTING,
      find: 'if (done.unknown === undefined || (await wasCommitted(url, done.begun))) return',
      put: 'if (done.unknown === undefined) return',
    },
  ],
  '…by another run of the server': [
    { file: COMMITTING, find: "return said['server'] === server ? 'kept' : 'never known';", put: "return 'kept';" },
  ],
  '…by dropping the answer in hand': [
    {
      file: 'backend-proxy/recorder.ts',
      find: 'const mayRetry = error instanceof Refusal',
      put: 'const mayRetry = false && error instanceof Refusal',
    },
  ],
  'Write to a server that no longer may': [{ file: CONNECTION, find: 'isWrong ||= isOfWrongServer(error);', put: '' }],
  '…or that has vanished': [{ file: CONNECTION, find: 'const SILENT_MS = 12_000;', put: 'const SILENT_MS = 900_000;' }],
  'Stop all by a lock': [
    { file: SQLITE, find: '{ timeout: 0 }', put: '{ timeout: 5_000 }' },
    { file: SQLITE, find: 'if (primaryCode(refused) === SQLITE_BUSY) {', put: 'if (false) {' },
  ],
  'Lay code for the next start': [
    {
      file: 'backend-proxy/main.ts',
      find: "enableCompileCache(fileURLToPath(new URL('../node_modules/.cache/proxy', import.meta.url)))",
      put: 'enableCompileCache()',
    },
  ],
  'Read a secret while building': [{ file: 'widget/build/main.ts', find: "import './no-secrets.mjs';", put: '' }],
  '…or while installing': [{ file: 'demo/install.mjs', find: "import '../widget/build/no-secrets.mjs';", put: '' }],
  "…at the proxy's start": [
    {
      file: 'backend-proxy/start.ts',
      find: "if (!existsSync(new URL('../dist/widget/widget.js', import.meta.url))) {",
      put: 'if (false) {',
    },
    {
      file: MAIN,
      find: "const isMissing = 'code' in error && error.code === 'ERR_MODULE_NOT_FOUND';",
      put: 'const isMissing = false;',
    },
  ],
  '…in the demo': [
    { file: 'demo/widget-build.ts', find: 'env: inheritedEnvironment()', put: 'env: process.env' },
    { file: 'demo/child.ts', find: '.filter(([key]) => INHERITED.test(key))', put: '' },
  ],
  'Read the books as another user': [
    { file: MAIN, find: 'process.umask(0o077);', put: '' },
    { file: 'backend-proxy/private-files.ts', find: 'chmodSync(path, modeOf(path) & 0o777 & ~OTHERS);', put: '' },
  ],
  'Stop us by the log': [
    { file: LOG, find: '// Whatever it is: there is no other place to tell it.', put: "throw new Error('the log');" },
    { file: LOG, find: 'lost = isBegun ? 0 : lost + 1;', put: 'lost = 0;' },
  ],
  'Be counted as somebody else each time': [
    { file: GUARDS, find: "withoutPort(hops.at(-trustedProxies) ?? '')", put: "hops.at(-trustedProxies) ?? ''" },
    { file: ADDRESSES, find: "return `${all.slice(0, 4).join(':')}::/64`;", put: 'return address;' },
  ],
  '…with words that are no address': [
    {
      file: ADDRESSES,
      find: 'if (isIP(address) !== 6) return undefined;',
      put: 'if (isIP(address) !== 6) return address;',
    },
  ],
  'Send money from a desk that is abroad': [
    { file: 'demo/shop/staff.ts', find: 'return isLoopback(new URL(publicUrl).hostname) ?', put: 'return publicUrl ?' },
  ],
  'Push paid orders out of the shop': [
    { file: 'demo/shop/order-book.ts', find: '(other) => other.paidAt === null', put: '() => true' },
  ],
  'Show people another text': [
    { file: ORDERS, find: '[^\\p{Cc}\\u202A-\\u202E\\u2066-\\u2069]*$/u', put: '[^\\p{Cc}]*$/u' },
    {
      file: ORDERS,
      find: '[^\\p{Cc}\\u202A-\\u202E\\u2066-\\u2069]*$/u',
      put: '[^\\u202A-\\u202E\\u2066-\\u2069]*$/u',
    },
  ],
  'Have a cache name another host': [
    { file: APP, find: "new URL('.', c.req.url).pathname", put: "new URL('.', c.req.url).href" },
  ],
};
