// The edits for the attacks under "Memory, time and connections" in SECURITY.md.
import type { Edits } from '../apply.ts';

const QR_CONTENT = 'backend-proxy/gateway/qr-content.ts';
const EXACT_JSON = 'backend-proxy/exact-json.ts';
const APP = 'backend-proxy/app.ts';
const SERVER = 'backend-proxy/server.ts';
const EVENTS = 'backend-proxy/routes/events.ts';

export const memory: Edits = {
  'Exhaust memory by a body': [
    { file: APP, find: 'MAX_BODY_BYTES = 16 * 1024;', put: 'MAX_BODY_BYTES = 16 * 1024 * 1024;' },
  ],
  '…by depth': [{ file: EXACT_JSON, find: 'if (depth > MAX_DEPTH) return true;', put: '' }],
  'Exhaust time by a pattern': [
    {
      file: QR_CONTENT,
      find: "base64.replace(/\\s/g, '');\n  if (!/^[A-Za-z0-9+/]+={0,2}$/",
      put: 'base64;\n  if (!/^[A-Za-z0-9+/\\s]+={0,2}\\s{0,9999}$/',
    },
  ],
  'Hold connections': [
    { file: SERVER, find: 'headersTimeout: limits.headersMs,', put: 'headersTimeout: 0,' },
    { file: SERVER, find: 'connectionsCheckingInterval: limits.checkEveryMs,', put: '' },
  ],
  '…by a slow body': [
    { file: SERVER, find: 'requestTimeout: limits.requestMs,', put: 'requestTimeout: 0,' },
    { file: SERVER, find: 'connectionsCheckingInterval: limits.checkEveryMs,', put: '' },
  ],
  '…by asking ahead': [{ file: SERVER, find: 'if (count > most)', put: 'if (count < 0)' }],
  '…as a reader who never reads': [{ file: SERVER, find: 'server.setTimeout(limits.idleMs);', put: '' }],
  '…by a stream that nobody reads': [{ file: EVENTS, find: 'beatDue || now() >= endsAt', put: 'now() >= endsAt' }],
  '…by many streams': [{ file: EVENTS, find: ' ||\n      byOrder.of(orderId) >= MAX_STREAMS.perOrder', put: '' }],
  '…from one place': [{ file: EVENTS, find: ' ||\n      byAddress.of(address) >= MAX_STREAMS.perAddress', put: '' }],
  '…from everywhere': [{ file: EVENTS, find: 'ends.size >= MAX_STREAMS.inAll ||', put: '' }],
};
