// The edits for the attacks under "Memory, time and connections" in docs/threats.md.
import type { Edits } from '../apply.ts';

const QR_CONTENT = 'backend-proxy/gateway/qr-content.ts';
const EXACT_JSON = 'backend-proxy/protocol/exact-json.ts';
const BODY_LIMIT = 'backend-proxy/http/body-limit.ts';
const SERVER = 'backend-proxy/http/server.ts';
const EVENTS = 'backend-proxy/routes/events.ts';

export const memory: Edits = {
  'Exhaust memory by a large body': [
    { file: BODY_LIMIT, find: 'MAX_BODY_BYTES = 16 * 1024;', put: 'MAX_BODY_BYTES = 16 * 1024 * 1024;' },
    { file: BODY_LIMIT, find: '> MAX_BODY_BYTES ? refuse() : next()', put: '< 0 ? refuse() : next()' },
    { file: BODY_LIMIT, find: 'return countBody(c, next);', put: 'return next();' },
    { file: BODY_LIMIT, find: "c.req.method === 'OPTIONS' ? next() : countBody(c, next)", put: 'next()' },
  ],
  'Exhaust memory by a nested body': [{ file: EXACT_JSON, find: 'if (depth > MAX_DEPTH) return true;', put: '' }],
  'Exhaust time by a regular expression': [
    {
      file: QR_CONTENT,
      find: "base64.replace(/\\s/g, '');\n  if (!/^[A-Za-z0-9+/]+={0,2}$/",
      put: 'base64;\n  if (!/^[A-Za-z0-9+/\\s]+={0,2}\\s{0,9999}$/',
    },
  ],
  'Hold connections by slow headers': [
    { file: SERVER, find: 'headersTimeout: limits.headersMs,', put: 'headersTimeout: 0,' },
    { file: SERVER, find: 'connectionsCheckingInterval: limits.checkEveryMs,', put: '' },
  ],
  'Hold connections by a slow body': [
    { file: SERVER, find: 'requestTimeout: limits.requestMs,', put: 'requestTimeout: 0,' },
    { file: SERVER, find: 'connectionsCheckingInterval: limits.checkEveryMs,', put: '' },
  ],
  'Hold connections by requests sent ahead': [{ file: SERVER, find: 'if (count > most)', put: 'if (count < 0)' }],
  'Hold connections without reading': [{ file: SERVER, find: 'server.setTimeout(limits.idleMs);', put: '' }],
  'Make views that nobody reads': [{ file: EVENTS, find: "if (stream.state === 'late') {", put: 'if (now() < 0) {' }],
  'Open many streams for one order': [
    { file: EVENTS, find: ' ||\n      feeds.countOf(orderId) >= MAX_STREAMS.perOrder', put: '' },
  ],
  'Open many streams from one address': [
    { file: EVENTS, find: ' ||\n      byAddress.of(address) >= MAX_STREAMS.perAddress', put: '' },
  ],
  'Open many streams from everywhere': [{ file: EVENTS, find: 'size >= MAX_STREAMS.inAll ||', put: '' }],
};
