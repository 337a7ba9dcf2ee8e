// What of a gateway's answer may reach a shopper's browser: where to send it, what to draw, which application to open.
// Pure. Each function gives the checked value, or undefined for what is not as documented; the caller then treats the
// whole answer as undocumented.

const MAX_URL_LENGTH = 2048;
/** What a code of a size that phones can scan may hold. */
const MAX_QR_TEXT_BYTES = 1024;
const MAX_IMAGE_BYTES = 64 * 1024;
const LOOPBACK = new Set(['localhost', '127.0.0.1', '[::1]']);
/** Schemes that would run or show something inside the page instead of opening an application. */
const NEVER_LINKED = new Set([
  'javascript:',
  'data:',
  'vbscript:',
  'blob:',
  'file:',
  'filesystem:',
  'about:',
  'view-source:',
]);

/** https, or http on loopback; no credentials in it. */
export function isSafeWebUrl(url: URL): boolean {
  const isSecure = url.protocol === 'https:' || (url.protocol === 'http:' && LOOPBACK.has(url.hostname));
  return isSecure && url.username === '' && url.password === '';
}

/** An absolute web URL on one of `hosts` (host, with its port where it has one); an empty list allows any host. */
export function checkoutUrlOf(text: string, hosts: readonly string[]): string | undefined {
  const url = parse(text);
  if (url === undefined || !isSafeWebUrl(url)) return undefined;
  return hosts.length === 0 || hosts.includes(url.host) ? url.href : undefined;
}

/** A link that opens the wallet application: an application's own scheme, or a web URL as above. */
export function appUrlOf(text: string): string | undefined {
  const url = parse(text);
  if (url === undefined || NEVER_LINKED.has(url.protocol)) return undefined;
  if (url.protocol === 'http:' || url.protocol === 'https:') return isSafeWebUrl(url) ? url.href : undefined;
  return url.href;
}

/** What a base64 code decodes to: an image as a `data:` URL (to be shown by an <img> only), or text (to be drawn as a code). */
export function qrOf(base64: string): string | undefined {
  // White space out first: a pattern that allows it before and after the padding takes quadratic time on a hostile text.
  const text = base64.replace(/\s/g, '');
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(text)) return undefined;
  const bytes = Buffer.from(text, 'base64');
  if (bytes.length === 0 || bytes.length > MAX_IMAGE_BYTES) return undefined;
  const type = imageTypeOf(bytes);
  if (type !== undefined) return `data:${type};base64,${bytes.toString('base64')}`;
  return drawableText(bytes);
}

function parse(text: string): URL | undefined {
  return text.length <= MAX_URL_LENGTH && URL.canParse(text) ? new URL(text) : undefined;
}

function imageTypeOf(bytes: Buffer): string | undefined {
  const head = bytes.toString('latin1', 0, 12);
  if (head.startsWith('\x89PNG\r\n\x1a\n')) return 'image/png';
  if (head.startsWith('\xff\xd8\xff')) return 'image/jpeg';
  if (/^GIF8[79]a/.test(head)) return 'image/gif';
  if (/^RIFF....WEBP/s.test(head)) return 'image/webp';
  const start = bytes
    .toString('utf8', 0, 512)
    .replace(/^\uFEFF/, '')
    .trimStart();
  return /^(<\?xml[^>]*>\s*)?(<!--[^]*?-->\s*)?<svg[\s>]/i.test(start) ? 'image/svg+xml' : undefined;
}

function drawableText(bytes: Buffer): string | undefined {
  if (bytes.length > MAX_QR_TEXT_BYTES) return undefined;
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes).trim();
    // Unassigned, private and control characters: not the text of a link, so it is some other kind of file.
    return text === '' || /[\p{Cc}\p{Cn}\p{Co}]/u.test(text) ? undefined : text;
  } catch {
    return undefined;
  }
}
