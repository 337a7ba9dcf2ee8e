// Compares two pictures of one state. Another processor may round the edges of letters differently, so a little is
// allowed: two steps of 255 for each pixel, and a few pixels more.
import pixelmatch from 'pixelmatch';
import { PNG } from 'pngjs';

export interface Difference {
  /** What differs, in words. */
  words: string;
  /** The differing pixels, in red on the drawn picture. */
  picture: PNG;
}

/** Of pixelmatch, from 0 to 1: finds a change of 3 steps in gray, or of 8 steps in blue alone. */
const THRESHOLD = 0.01;
const MAX_PIXELS = 8;

export function compare(kept: PNG, drawn: PNG): Difference | undefined {
  const width = Math.max(kept.width, drawn.width);
  const height = Math.max(kept.height, drawn.height);
  const isSameSize = [kept, drawn].every((picture) => picture.width === width && picture.height === height);
  const picture = new PNG({ width, height });
  const [before, after] = [kept, drawn].map((each) => enlarged(each, width, height).data) as [Buffer, Buffer];
  const options = { threshold: THRESHOLD, includeAA: true, alpha: 0.3 };
  const pixels = pixelmatch(before, after, picture.data, width, height, options);
  if (isSameSize && pixels <= MAX_PIXELS) return undefined;
  const words = isSameSize ? `${pixels} pixels differ` : `${sizeOf(drawn)} px, kept ${sizeOf(kept)} px`;
  return { words, picture };
}

function sizeOf({ width, height }: PNG): string {
  return `${width} × ${height}`;
}

/** What is added is transparent. */
function enlarged(picture: PNG, width: number, height: number): PNG {
  const larger = new PNG({ width, height, fill: true });
  PNG.bitblt(picture, larger, 0, 0, picture.width, picture.height);
  return larger;
}
