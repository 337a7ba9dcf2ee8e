// Saves or shares the code as a picture file, for a wallet app that reads codes from pictures or for a second device.
// The picture is drawn on a canvas from the same path as on the screen. It leaves the page only when the shopper
// clicks.
import { QUIET_ZONE, decode } from './qr-code.ts';

const PIXELS_PER_MODULE = 8;

/** Data URL of a PNG; null if the browser provides no canvas. */
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

/** Whether this browser can share pictures with other apps. */
export function canShare(): boolean {
  const file = new File([], 'payment-code.png', { type: 'image/png' });
  return (navigator as Partial<Navigator>).canShare?.({ files: [file] }) ?? false;
}

export function shareImage(dataUrl: string): void {
  const [, type = '', base64 = ''] = /^data:(.*);base64,(.*)$/.exec(dataUrl) ?? [];
  const files = [new File([decode(base64)], nameOf(dataUrl), { type })];
  // The shopper canceled, or the type is not supported; neither needs a message.
  navigator.share({ files }).catch(() => {});
}

/** Named by its type, because a gateway's picture is not always a PNG. */
function nameOf(dataUrl: string): string {
  return `payment-code.${/\w+(?=[+;])/.exec(dataUrl)?.[0]}`;
}
