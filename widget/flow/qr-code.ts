// Turns a code's modules into one SVG path, or an image into a source that an <img> may have.
// The matrix is made by the proxy (it has the encoder; the page is spared 6 kB); here it is only drawn, with the quiet
// zone of four modules that scanners need. Anything that is not as promised gives null: the text and the link remain.
import type { QrCode } from '../../backend-proxy/protocol/wire.ts';

/** Modules of light margin on each side (ISO/IEC 18004). */
export const QUIET_ZONE = 4;

/** The dark modules as a path of rows of runs, in units of one module, moved inward by the quiet zone; null if the matrix is not whole. */
export function qrPath({ size, modules }: { size: number; modules: string }): string | null {
  const bits = decode(modules);
  // 21 to 177 modules a side are all the sizes a QR code has.
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

/** 64 KB in base64, and the type before it. */
const MAX_IMAGE_CHARACTERS = 90_000;
const MAX_IMAGE_SIDE = 2048;

/**
 * The data URL, if it is an image by base64 and so can do nothing but be drawn by the <img> that it is for. What drawing it costs the
 * proxy has made sure of, from the picture's header and each element of an SVG (gateway/trust.ts); to read those again would
 * be more bytes for every shopper than all of this file. Here it is only held to what can be seen for nothing.
 */
export function qrImage(code: QrCode): string | null {
  const isDrawn =
    'image' in code &&
    code.image.length <= MAX_IMAGE_CHARACTERS &&
    /^data:image\/(png|jpeg|gif|webp|svg\+xml);base64,/.test(code.image);
  return isDrawn ? code.image : null;
}

/** For an <img>'s `load`, which mostly comes before its pixels are decoded: lets go of one that has too many. An SVG has none. */
export function dropIfLarge({ target }: { target: unknown }): void {
  const image = target as HTMLImageElement;
  const isLarge = Math.max(image.naturalWidth, image.naturalHeight) > MAX_IMAGE_SIDE;
  if (isLarge && !image.src.startsWith('data:image/svg')) image.removeAttribute('src');
}

function decode(modules: string): Uint8Array {
  try {
    const binary = atob(modules.replaceAll('-', '+').replaceAll('_', '/'));
    return Uint8Array.from(binary, (character) => character.charCodeAt(0));
  } catch {
    return new Uint8Array();
  }
}
