// Reads the text of a drawn code: paints the widget's SVG path into pixels and decodes them with a decoder that shares
// no code with the encoder.
import { readQrCodes } from '../../qr-reader.ts';

const DOTS_PER_MODULE = 4;

/** Empty if it cannot be read. */
export async function readDrawing(path: string): Promise<string> {
  const runs = [...path.matchAll(/M(\d+) (\d+)h(\d+)/g)].map(([, x, y, length]) => [
    Number(x),
    Number(y),
    Number(length),
  ]);
  // The last row has a dark module, and the margin after it equals the margin before the first row.
  const margin = Math.min(...runs.map(([, y = 0]) => y));
  const side = Math.max(...runs.map(([, y = 0]) => y)) + 1 + margin;
  const width = side * DOTS_PER_MODULE;
  const data = new Uint8ClampedArray(width * width * 4).fill(255);
  for (const [x = 0, y = 0, length = 0] of runs) {
    for (let row = y * DOTS_PER_MODULE; row < (y + 1) * DOTS_PER_MODULE; row++) {
      const [from, to] = [x, x + length].map((column) => (row * width + column * DOTS_PER_MODULE) * 4);
      for (let dot = from ?? 0; dot < (to ?? 0); dot += 4) data.fill(0, dot, dot + 3);
    }
  }
  const [found] = await readQrCodes({ data, width, height: width, colorSpace: 'srgb' });
  return found?.text ?? '';
}
