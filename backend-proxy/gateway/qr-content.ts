// What of a gateway's answer may reach a shopper's browser: where to send it, what to draw, which application to open.
// Pure. Each function gives the checked value, or undefined for what is not as documented; the caller then treats the
// whole answer as undocumented.
import { isPlainSvg } from './plain-svg.ts';
import { imageSizeOf, type Size } from './image-size.ts';

const MAX_URL_LENGTH = 2048;
/** What a code of a size that phones can scan may hold. */
const MAX_QR_TEXT_BYTES = 1024;
const MAX_IMAGE_BYTES = 64 * 1024;
/** Pixels a side; 16 MB once it is decoded. A code for a phone is a tenth of it. */
const MAX_IMAGE_SIDE = 2048;
const LOOPBACK = new Set(['localhost', '127.0.0.1', '[::1]']);
/** https, or http on loopback; no credentials in it. */
export function isWebLink(url: URL): boolean {
  const isSecure = url.protocol === 'https:' || (url.protocol === 'http:' && LOOPBACK.has(url.hostname));
  return isSecure && url.username === '' && url.password === '';
}

/** An absolute web URL on one of `hosts` (host, with its port where it has one); an empty list allows any host. */
export function checkoutUrlOf(text: string, hosts: readonly string[]): string | undefined {
  const url = parse(text);
  if (url === undefined || !isWebLink(url)) return undefined;
  return hosts.length === 0 || hosts.includes(url.host) ? url.href : undefined;
}

/**
 * A link that opens the wallet application: one of its own `schemes`, listed and not excluded, because what a scheme does on
 * somebody's device nobody knows; or a web URL as above, on one of the same hosts.
 */
export function appUrlOf(text: string, hosts: readonly string[], schemes: readonly string[]): string | undefined {
  const url = parse(text);
  return url && schemes.includes(url.protocol.slice(0, -1)) ? url.href : checkoutUrlOf(text, hosts);
}

/** What a base64 code decodes to: an image as a `data:` URL (to be shown by an <img> only), or text (to be drawn as a code). */
export function qrContentOf(base64: string): string | undefined {
  // White space out first: a pattern that allows it before and after the padding takes quadratic time on a hostile text.
  const text = base64.replace(/\s/g, '');
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(text)) return undefined;
  const bytes = Buffer.from(text, 'base64');
  if (bytes.length === 0 || bytes.length > MAX_IMAGE_BYTES) return undefined;
  const picture = imageSizeOf(bytes);
  if (picture !== undefined) return picture.size && isSmall(picture.size) ? dataUrl(picture.type, bytes) : undefined;
  const content = decodeText(bytes);
  if (content === undefined) return undefined;
  if (isDrawing(content)) return isPlainSvg(content) ? dataUrl('image/svg+xml', bytes) : undefined;
  return drawableText(content);
}

function parse(text: string): URL | undefined {
  return text.length <= MAX_URL_LENGTH && URL.canParse(text) ? new URL(text) : undefined;
}

function isSmall({ width, height }: Size): boolean {
  return Math.min(width, height) > 0 && Math.max(width, height) <= MAX_IMAGE_SIDE;
}

function dataUrl(type: string, bytes: Buffer): string {
  return `data:${type};base64,${bytes.toString('base64')}`;
}

/** Undefined where it is not UTF-8, a byte order mark kept. */
function decodeText(bytes: Buffer): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

/** Whether it begins as an SVG does: what a browser would take for one is never text for us. */
function isDrawing(content: string): boolean {
  const start = content
    .slice(0, 512)
    .replace(/^\uFEFF/, '')
    .trimStart();
  return /^(<\?xml[^>]*>\s*)?(<!--[^]*?-->\s*)?<svg[\s>]/i.test(start);
}

function drawableText(content: string): string | undefined {
  const text = content.trim();
  // Unassigned, private and control characters: not the text of a link, so it is some other kind of file.
  const isText = text !== '' && !/[\p{Cc}\p{Cn}\p{Co}]/u.test(text);
  return isText && Buffer.byteLength(content) <= MAX_QR_TEXT_BYTES ? text : undefined;
}
