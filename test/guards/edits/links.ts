// The edits for the attacks under "Links and pictures from the gateway" in SECURITY.md.
import type { Edits } from '../apply.ts';

const LINKS = 'backend-proxy/gateway/links.ts';
const QR_CONTENT = 'backend-proxy/gateway/qr-content.ts';
const GATEWAY_HTTP = 'backend-proxy/gateway/http.ts';
const QR_CODE = 'widget/flow/qr-code.ts';
const IMAGE_SIZE = 'backend-proxy/gateway/image-size.ts';

export const links: Edits = {
  'Phish through the checkout URL': [
    {
      file: LINKS,
      find: "const isSecure = url.protocol === 'https:' ||",
      put: "const isSecure = url.protocol !== 'http:' ||",
    },
    { file: LINKS, find: ' && LOOPBACK.has(url.hostname)', put: '' },
    { file: LINKS, find: " && url.username === '' && url.password === ''", put: '' },
  ],
  '…past the list of hosts': [
    { file: LINKS, find: 'hosts.length === 0 || hosts.includes(url.host)', put: 'true' },
    { file: LINKS, find: 'hosts.includes(url.host)', put: 'hosts.some((host) => url.host.endsWith(host))' },
    { file: LINKS, find: 'hosts.includes(url.host)', put: 'hosts.some((host) => url.host.startsWith(host))' },
    { file: LINKS, find: 'hosts.includes(url.host)', put: 'hosts.includes(url.hostname)' },
  ],
  '…past the proxy': [
    {
      file: 'widget/flow/links.ts',
      find: "return parse(url).protocol === 'https:' || isLocal(url) ? url : null;",
      put: 'return url;',
    },
    { file: 'widget/flow/links.ts', find: '127(\\.\\d+){3}|\\[::1\\])$/', put: '127(\\.\\d+){3}|\\[::1\\])/' },
  ],
  'Run code through the link to the wallet': [
    { file: LINKS, find: 'schemes.includes(url.protocol.slice(0, -1))', put: '!/^https?:$/.test(url.protocol)' },
  ],
  '…or phish through it': [
    {
      file: LINKS,
      find: 'checkoutUrlOf(text, hosts);\n}\n\nfunction parse',
      put: 'checkoutUrlOf(text, []);\n}\n\nfunction parse',
    },
  ],
  "Run code through the code's image": [
    { file: IMAGE_SIZE, find: '/^GIF8[79]a/.test(head)', put: '/GIF8[789]a/.test(head)' },
    { file: QR_CONTENT, find: '/^(<\\?xml[^>]*>\\s*)?(<!--[^]*?-->\\s*)?<svg[\\s>]/i', put: '/<svg/i' },
  ],
  '…that the widget is given': [
    { file: QR_CODE, find: '(png|jpeg|gif|webp|svg\\+xml);base64,', put: '' },
    { file: QR_CODE, find: ';base64,/', put: '/' },
  ],
  '…or through its size': [
    { file: QR_CONTENT, find: ' || bytes.length > MAX_IMAGE_BYTES', put: '' },
    { file: QR_CONTENT, find: ' && Buffer.byteLength(content) <= MAX_QR_TEXT_BYTES', put: '' },
  ],
  '…or of the whole answer': [
    { file: GATEWAY_HTTP, find: "if (length > MAX_ANSWER_BYTES) throw new Error('answer too large');", put: '' },
  ],
  '…or through its pixels': [
    { file: QR_CONTENT, find: ' && Math.max(width, height) <= MAX_IMAGE_SIDE', put: '' },
    {
      file: IMAGE_SIZE,
      find: 'width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20)',
      put: 'width: 1, height: 1',
    },
  ],
  '…or through its shapes': [
    {
      file: 'backend-proxy/gateway/plain-svg.ts',
      find: 'if (!ELEMENTS.has(name) || !areAllPlain(attributes)) return false;',
      put: '',
    },
  ],
  '…or past the proxy': [{ file: QR_CODE, find: 'if (isLarge &&', put: 'if (false &&' }],
};
