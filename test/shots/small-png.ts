// Writes a picture as a PNG with a palette, a third of the size of one without: the repository keeps hundreds. Colors
// that differ by two steps of 255 become one, so that 256 are enough for the edges of letters; compare.ts allows that.
// Large areas keep their color exactly.
import { crc32, deflateSync } from 'node:zlib';
import { PNG } from 'pngjs';

type Color = readonly [red: number, green: number, blue: number];

const MOST_COLORS = 256;
const MOST_STEPS = 2;
const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);

export function smallPng({ width, height, data }: PNG): Buffer {
  const colors = Array.from({ length: width * height }, (_, at) => data.readUInt32BE(at * 4) >>> 8);
  const { palette, places } = paletteOf(colors);
  const isSmall = palette.length <= MOST_COLORS;
  const bytes = isSmall ? 1 : 3;
  // Each line begins with its filter: 0, none.
  const lines = Buffer.alloc((width * bytes + 1) * height);
  for (const [at, color] of colors.entries()) {
    const place = places.get(color) ?? 0;
    const to = at * bytes + Math.floor(at / width) + 1;
    if (isSmall) lines[to] = place;
    else lines.set(palette[place] ?? [], to);
  }
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, isSmall ? 3 : 2], 8);
  return Buffer.concat([
    SIGNATURE,
    chunk('IHDR', header),
    ...(isSmall ? [chunk('PLTE', Buffer.from(palette.flat()))] : []),
    chunk('IDAT', deflateSync(lines, { level: 9, memLevel: 9 })),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

/** The most frequent colors first: rarer ones that are close take their place. */
function paletteOf(colors: readonly number[]): { palette: Color[]; places: Map<number, number> } {
  const counts = new Map<number, number>();
  for (const color of colors) counts.set(color, (counts.get(color) ?? 0) + 1);
  const palette: Color[] = [];
  const places = new Map<number, number>();
  for (const [color] of [...counts].toSorted(([, one], [, other]) => other - one)) {
    const channels: Color = [color >> 16, (color >> 8) & 255, color & 255];
    const near = palette.findIndex((known) =>
      known.every((value, at) => Math.abs(value - channels[at]!) <= MOST_STEPS),
    );
    places.set(color, near === -1 ? palette.push(channels) - 1 : near);
  }
  return { palette, places };
}

/** Length, type, content, checksum. */
function chunk(type: string, content: Buffer): Buffer {
  const typed = Buffer.concat([Buffer.from(type), content]);
  const ends = Buffer.alloc(8);
  ends.writeUInt32BE(content.length, 0);
  ends.writeUInt32BE(crc32(typed), 4);
  return Buffer.concat([ends.subarray(0, 4), typed, ends.subarray(4)]);
}
