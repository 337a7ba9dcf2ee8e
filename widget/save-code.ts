// Hands the shopper the code as a picture file: for a wallet app that reads codes from pictures, or for a second device.
// Drawn anew on a canvas from the same path as on the screen; nothing leaves the page.
import { QUIET_ZONE } from './qr-code.ts';

const PIXELS_PER_MODULE = 8;

export function savePath(path: string, size: number): void {
  const side = (size + 2 * QUIET_ZONE) * PIXELS_PER_MODULE;
  const canvas = document.createElement('canvas');
  canvas.width = canvas.height = side;
  const context = canvas.getContext('2d');
  if (!context) return;
  context.fillStyle = '#fff';
  context.fillRect(0, 0, side, side);
  context.scale(PIXELS_PER_MODULE, PIXELS_PER_MODULE);
  context.fillStyle = '#000';
  // oxlint-disable-next-line unicorn/no-array-fill-with-reference-type -- a canvas, not an array
  context.fill(new Path2D(path));
  saveImage(canvas.toDataURL());
}

export function saveImage(dataUrl: string): void {
  const link = document.createElement('a');
  // A gateway's picture is not always a PNG.
  link.download = `payment-code.${/\w+(?=[+;])/.exec(dataUrl)?.[0]}`;
  link.href = dataUrl;
  link.click();
}
