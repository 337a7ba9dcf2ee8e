// Draws a QR code's modules as one SVG path, or accepts an image for an <img>. The proxy encodes the code, which
// saves the page 6 kB; here it is only drawn, with the quiet zone of four modules that scanners need. Invalid data
// returns null; the shopper then still has the text and the link. Also saves the code as a picture file, for a
// wallet app that reads codes from pictures or for a second device.
import type { QrCode } from '../../backend-proxy/protocol/wire.ts';

/** Modules of light margin on each side (ISO/IEC 18004). */
export const QUIET_ZONE = 4;

/** The dark modules as a path, in units of one module, offset by the quiet zone; null if the matrix is incomplete. */
export function qrPath({ size, modules }: { size: number; modules: string }): string | null {
  const bits = decode(modules);
  // A QR code has 21 to 177 modules per side.
  if (!(size >= 21 && size <= 177) || bits.length !== Math.ceil((size * size) / 8)) return null;
  const dark = (x: number, y: number) => {
    const index = y * size + x;
    return x < size && ((bits[index >> 3] ?? 0) >> (7 - (index & 7))) & 1;
  };
  let path = '';
  for (let y = 0; y < size; y++) {
    for (let x = 0; x < size; x++) {
      const start = x;
      while (dark(x, y)) x++;
      if (x > start) path += `M${start + QUIET_ZONE} ${y + QUIET_ZONE}h${x - start}v1H${start + QUIET_ZONE}z`;
    }
  }
  return path;
}

/** 64 KB in base64, plus the type. */
const MAX_IMAGE_CHARACTERS = 90_000;

/**
 * The data URL, if it is an image in base64, which an <img> draws and never runs. The proxy has already limited what
 * drawing it costs, from the picture's header and each element of an SVG; repeating that here would take more code
 * than all of this file.
 */
export function qrImage(code: QrCode): string | null {
  const isImage =
    'image' in code &&
    code.image.length <= MAX_IMAGE_CHARACTERS &&
    /^data:image\/(png|jpeg|gif|webp|svg\+xml);base64,/.test(code.image);
  return isImage ? code.image : null;
}

/** The bytes of base64, also of its variant for URLs; none if it is invalid. */
export function decode(base64: string): Uint8Array<ArrayBuffer> {
  try {
    const binary = atob(base64.replaceAll('-', '+').replaceAll('_', '/'));
    return Uint8Array.from(binary, (character) => character.charCodeAt(0));
  } catch {
    return new Uint8Array();
  }
}

const PIXELS_PER_MODULE = 8;

/** From the same path as on the screen, the data URL of a PNG; null if the browser provides no canvas. */
export function drawPng(path: string, size: number): string | null {
  const side = (size + 2 * QUIET_ZONE) * PIXELS_PER_MODULE;
  const canvas = document.createElement('canvas');
  canvas.width = canvas.height = side;
  const context = canvas.getContext('2d');
  if (!context) return null;
  context.fillStyle = '#fff';
  context.fillRect(0, 0, side, side);
  context.scale(PIXELS_PER_MODULE, PIXELS_PER_MODULE);
  context.fillStyle = '#000';
  // oxlint-disable-next-line unicorn/no-array-fill-with-reference-type -- a canvas, not an array
  context.fill(new Path2D(path));
  return canvas.toDataURL();
}

export function saveImage(dataUrl: string): void {
  const link = document.createElement('a');
  link.download = nameOf(dataUrl);
  link.href = dataUrl;
  link.click();
}

/** Named by its type, because a gateway's picture is not always a PNG. */
function nameOf(dataUrl: string): string {
  return `payment-code.${/\w+(?=[+;])/.exec(dataUrl)?.[0]}`;
}
