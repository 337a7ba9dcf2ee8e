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
    [SHARED, "const isSecure = protocol === 'https:' ||", "const isSecure = protocol !== 'http:' ||"],
    [SHARED, ' && LOOPBACK.includes(hostname)', ''],
    [SHARED, " && username === '' && password === ''", ''],
  ],
  'Phish past the list of hosts': [
    [LINKS, 'hosts.length === 0 || hosts.includes(url.host)', 'true'],
    [LINKS, 'hosts.includes(url.host)', 'hosts.some((host) => url.host.endsWith(host))'],
    [LINKS, 'hosts.includes(url.host)', 'hosts.some((host) => url.host.startsWith(host))'],
    [LINKS, 'hosts.includes(url.host)', 'hosts.includes(url.hostname)'],
  ],
  'Phish past the proxy': [
    ['widget/flow/links.ts', 'return parsed && isSafeWebUrl(parsed) ? url : null;', 'return url;'],
    [SHARED, '&& LOOPBACK.includes(hostname)', '&& LOOPBACK.some((name) => hostname.startsWith(name))'],
  ],
  'Run code through the link to the wallet': [
    [LINKS, 'schemes.includes(url.protocol.slice(0, -1))', '!/^https?:$/.test(url.protocol)'],
  ],
  'Phish through the link to the wallet': [
    [LINKS, 'checkoutUrlOf(text, hosts);\n}\n\nfunction parse', 'checkoutUrlOf(text, []);\n}\n\nfunction parse'],
  ],
  'Run code through the image of a code': [
    [IMAGE_SIZE, '/^GIF8[79]a/.test(head)', '/GIF8[789]a/.test(head)'],
    [QR_CONTENT, '/^(<\\?xml[^>]*>\\s*)?(<!--[^]*?-->\\s*)?<svg[\\s>]/i', '/<svg/i'],
  ],
  'Run code through an image in the widget': [
    [QR_CODE, '(png|jpeg|gif|webp|svg\\+xml);base64,', ''],
    [QR_CODE, ';base64,/', '/'],
  ],
  'Exhaust memory by a large image': [
    [QR_CONTENT, ' || bytes.length > MAX_IMAGE_BYTES', ''],
    [QR_CONTENT, ' && Buffer.byteLength(content) <= MAX_QR_TEXT_BYTES', ''],
  ],
  'Exhaust memory by an endless answer': [
    [GATEWAY_HTTP, 'readBody(answer.body, MAX_ANSWER_BYTES)', 'readBody(answer.body, Infinity)'],
  ],
  'Exhaust memory by pixels': [
    [QR_CONTENT, ' && Math.max(width, height) <= MAX_IMAGE_SIDE', ''],
    [IMAGE_SIZE, 'width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20)', 'width: 1, height: 1'],
  ],
  'Exhaust time by shapes': [
    ['backend-proxy/gateway/plain-svg.ts', 'if (!ELEMENTS.has(name) || !areAllPlain(attributes)) return false;', ''],
  ],
  'Exhaust memory by an image that the proxy has not checked': [[QR_CODE, 'if (isLarge &&', 'if (false &&']],
};
