// Decodes the QR code of an answer into an image or text that is safe to show. Pure; undefined if it is not as
// documented, and then the whole answer counts as undocumented.

/** The most text in a code that phones can still scan. */
const MAX_QR_TEXT_BYTES = 1024;
const MAX_IMAGE_BYTES = 64 * 1024;
/** The first bytes of each format, as Latin-1. */
const IMAGES = {
  'image/png': /^\x89PNG\r\n\x1A\n/,
  'image/jpeg': /^\xFF\xD8\xFF/,
  'image/gif': /^GIF8[79]a/,
  'image/webp': /^RIFF....WEBP/s,
};

/** Decodes base64 to an image as a `data:` URL, to be shown only by an <img>, or to the text of a code. */
export function qrContentOf(base64: string): string | undefined {
  // Whitespace is removed first: a pattern that allows it around the padding takes quadratic time.
  const text = base64.replace(/\s/g, '');
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(text)) return undefined;
  const bytes = Buffer.from(text, 'base64');
  if (bytes.length === 0 || bytes.length > MAX_IMAGE_BYTES) return undefined;
  const start = bytes.toString('latin1', 0, 16);
  const image = Object.entries(IMAGES).find(([, pattern]) => pattern.test(start));
  if (image !== undefined) return dataUrl(image[0], bytes);
  const content = decodeText(bytes);
  if (content === undefined) return undefined;
  // An <img> runs no script of it and loads nothing.
  if (isSvg(content)) return dataUrl('image/svg+xml', bytes);
  return drawableText(content);
}

function dataUrl(type: string, bytes: Buffer): string {
  return `data:${type};base64,${bytes.toString('base64')}`;
}

/** Undefined if the bytes are not UTF-8. Keeps a byte order mark. */
function decodeText(bytes: Buffer): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

/** Whether a browser would treat the content as an SVG; such content is never shown as text. */
function isSvg(content: string): boolean {
  const start = content
    .slice(0, 512)
    .replace(/^\uFEFF/, '')
    .trimStart();
  return /^(<\?xml[^>]*>\s*)?(<!--[^]*?-->\s*)?<svg[\s>]/i.test(start);
}

function drawableText(content: string): string | undefined {
  const text = content.trim();
  // Unassigned, private and control characters do not occur in links: it is another kind of file.
  const isText = text !== '' && !/[\p{Cc}\p{Cn}\p{Co}]/u.test(text);
  return isText && Buffer.byteLength(content) <= MAX_QR_TEXT_BYTES ? text : undefined;
}
