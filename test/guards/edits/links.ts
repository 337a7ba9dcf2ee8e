// The edits for the attacks under "Links and pictures from the gateway" in docs/threats.md.
import type { Edits } from '../apply.ts';

const LINKS = 'backend-proxy/gateway/links.ts';
const SHARED = 'backend-proxy/protocol/links.ts';
const QR_CONTENT = 'backend-proxy/gateway/qr-content.ts';
const GATEWAY_HTTP = 'backend-proxy/gateway/http.ts';
const QR_CODE = 'widget/flow/qr-code.ts';
const IMAGE_SIZE = 'backend-proxy/gateway/image-size.ts';

export const links: Edits = {
  'Phish through the checkout URL': [
    {
      file: SHARED,
      find: "const isSecure = protocol === 'https:' ||",
      put: "const isSecure = protocol !== 'http:' ||",
    },
    { file: SHARED, find: ' && LOOPBACK.includes(hostname)', put: '' },
    { file: SHARED, find: " && username === '' && password === ''", put: '' },
  ],
  'Phish past the list of hosts': [
    { file: LINKS, find: 'hosts.length === 0 || hosts.includes(url.host)', put: 'true' },
    { file: LINKS, find: 'hosts.includes(url.host)', put: 'hosts.some((host) => url.host.endsWith(host))' },
    { file: LINKS, find: 'hosts.includes(url.host)', put: 'hosts.some((host) => url.host.startsWith(host))' },
    { file: LINKS, find: 'hosts.includes(url.host)', put: 'hosts.includes(url.hostname)' },
  ],
  'Phish past the proxy': [
    {
      file: 'widget/flow/links.ts',
      find: 'return parsed && isSafeWebUrl(parsed) ? url : null;',
      put: 'return url;',
    },
    {
      file: SHARED,
      find: '&& LOOPBACK.includes(hostname)',
      put: '&& LOOPBACK.some((name) => hostname.startsWith(name))',
    },
  ],
  'Run code through the link to the wallet': [
    { file: LINKS, find: 'schemes.includes(url.protocol.slice(0, -1))', put: '!/^https?:$/.test(url.protocol)' },
  ],
  'Phish through the link to the wallet': [
    {
      file: LINKS,
      find: 'checkoutUrlOf(text, hosts);\n}\n\nfunction parse',
      put: 'checkoutUrlOf(text, []);\n}\n\nfunction parse',
    },
  ],
  'Run code through the image of a code': [
    { file: IMAGE_SIZE, find: '/^GIF8[79]a/.test(head)', put: '/GIF8[789]a/.test(head)' },
    { file: QR_CONTENT, find: '/^(<\\?xml[^>]*>\\s*)?(<!--[^]*?-->\\s*)?<svg[\\s>]/i', put: '/<svg/i' },
  ],
  'Run code through an image in the widget': [
    { file: QR_CODE, find: '(png|jpeg|gif|webp|svg\\+xml);base64,', put: '' },
    { file: QR_CODE, find: ';base64,/', put: '/' },
  ],
  'Exhaust memory by a large image': [
    { file: QR_CONTENT, find: ' || bytes.length > MAX_IMAGE_BYTES', put: '' },
    { file: QR_CONTENT, find: ' && Buffer.byteLength(content) <= MAX_QR_TEXT_BYTES', put: '' },
  ],
  'Exhaust memory by an endless answer': [
    { file: GATEWAY_HTTP, find: 'readBody(answer.body, MAX_ANSWER_BYTES)', put: 'readBody(answer.body, Infinity)' },
  ],
  'Exhaust memory by pixels': [
    { file: QR_CONTENT, find: ' && Math.max(width, height) <= MAX_IMAGE_SIDE', put: '' },
    {
      file: IMAGE_SIZE,
      find: 'width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20)',
      put: 'width: 1, height: 1',
    },
  ],
  'Exhaust time by shapes': [
    {
      file: 'backend-proxy/gateway/plain-svg.ts',
      find: 'if (!ELEMENTS.has(name) || !areAllPlain(attributes)) return false;',
      put: '',
    },
  ],
  'Exhaust memory by an image that the proxy has not checked': [
    { file: QR_CODE, find: 'if (isLarge &&', put: 'if (false &&' },
  ],
};
