// The edits for the attacks under "Memory, time and connections" in docs/threats.md.
import type { Edits } from '../apply.ts';

const QR_CONTENT = 'backend-proxy/gateway/qr-content.ts';
const EXACT_JSON = 'backend-proxy/protocol/exact-json.ts';
const BODY_LIMIT = 'backend-proxy/http/body-limit.ts';
const SERVER = 'backend-proxy/http/server.ts';
const EVENTS = 'backend-proxy/routes/events.ts';

export const memory: Edits = {
  'Exhaust memory by a large body': [
    [BODY_LIMIT, 'MAX_BODY_BYTES = 16 * 1024;', 'MAX_BODY_BYTES = 16 * 1024 * 1024;'],
    [BODY_LIMIT, '> MAX_BODY_BYTES ? refuse() : next()', '< 0 ? refuse() : next()'],
    [BODY_LIMIT, 'return countBody(c, next);', 'return next();'],
    [BODY_LIMIT, "c.req.method === 'OPTIONS' ? next() : countBody(c, next)", 'next()'],
  ],
  'Exhaust memory by a nested body': [[EXACT_JSON, 'if (depth > MAX_DEPTH) return true;', '']],
  'Exhaust time by a regular expression': [
    [
      QR_CONTENT,
      "base64.replace(/\\s/g, '');\n  if (!/^[A-Za-z0-9+/]+={0,2}$/",
      'base64;\n  if (!/^[A-Za-z0-9+/\\s]+={0,2}\\s{0,9999}$/',
    ],
  ],
  'Hold connections by slow headers': [
    [SERVER, 'headersTimeout: limits.headersMs,', 'headersTimeout: 0,'],
    [SERVER, 'connectionsCheckingInterval: limits.checkEveryMs,', ''],
  ],
  'Hold connections by a slow body': [
    [SERVER, 'requestTimeout: limits.requestMs,', 'requestTimeout: 0,'],
    [SERVER, 'connectionsCheckingInterval: limits.checkEveryMs,', ''],
  ],
  'Hold connections by requests sent ahead': [[SERVER, 'if (count > most)', 'if (count < 0)']],
  'Hold connections without reading': [[SERVER, 'server.setTimeout(limits.idleMs);', '']],
  'Make views that nobody reads': [[EVENTS, "if (stream.state === 'late') {", 'if (now() < 0) {']],
  'Open many streams for one order': [[EVENTS, ' ||\n      feeds.countOf(orderId) >= MAX_STREAMS.perOrder', '']],
  'Open many streams from one address': [[EVENTS, ' ||\n      byAddress.of(address) >= MAX_STREAMS.perAddress', '']],
  'Open many streams from everywhere': [[EVENTS, 'size >= MAX_STREAMS.inAll ||', '']],
};
