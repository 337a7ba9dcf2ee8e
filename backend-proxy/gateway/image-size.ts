// Reads the pixel size of an image from its header, before anything decodes it: deflate compresses up to 1,000 to 1,
// so 48 KB can ask a browser for 2 GB. Supports PNG, JPEG, GIF and WebP by their first bytes. Animations are
// rejected, because each frame costs as much again. Pure; a truncated header gives no size, so the image is rejected.

export interface Size {
  width: number;
  height: number;
}

interface Format {
  type: string;
  matches: (head: string) => boolean;
  sizeOf: (bytes: Buffer) => Size | undefined;
}

const FORMATS: readonly Format[] = [
  { type: 'image/png', matches: (head) => head.startsWith('\x89PNG\r\n\x1a\n'), sizeOf: pngSize },
  { type: 'image/jpeg', matches: (head) => head.startsWith('\xff\xd8\xff'), sizeOf: jpegSize },
  { type: 'image/gif', matches: (head) => /^GIF8[79]a/.test(head), sizeOf: gifSize },
  { type: 'image/webp', matches: (head) => /^RIFF....WEBP/s.test(head), sizeOf: webpSize },
];

/** The image's type, and its size if it is a still image with a complete header; undefined if it is no known image. */
export function imageSizeOf(bytes: Buffer): { type: string; size: Size | undefined } | undefined {
  const format = FORMATS.find(({ matches }) => matches(bytes.toString('latin1', 0, 12)));
  if (format === undefined) return undefined;
  try {
    return { type: format.type, size: format.sizeOf(bytes) };
  } catch (error) {
    // Buffer throws this on a read past the end.
    if (error instanceof RangeError) return { type: format.type, size: undefined };
    throw error;
  }
}

/** Chunks of (length, name, data, checksum). IHDR is the first; acTL before the pixels marks an animation. */
function pngSize(bytes: Buffer): Size | undefined {
  if (bytes.toString('latin1', 12, 16) !== 'IHDR') return undefined;
  for (let at = 8; ; at += 12 + bytes.readUInt32BE(at)) {
    const name = bytes.toString('latin1', at + 4, at + 8);
    if (name === 'acTL') return undefined;
    if (name === 'IDAT') return { width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) };
  }
}

/** A progressive JPEG has about ten scans; each costs a pass over all pixels. */
const MAX_SCANS = 32;

/** Segments allowed before the frame: tables (C4, CC, DB, DD), application data (E0 to EF) and comments (FE). */
const isSegment = (marker: number) => [0xc4, 0xcc, 0xdb, 0xdd, 0xfe].includes(marker) || marker >> 4 === 0xe;
const isFrame = (marker: number) => marker >> 4 === 0xc && !isSegment(marker) && marker !== 0xc8;

/**
 * Segments of (FF, marker, length, data). Filler bytes and a length under 2 are rejected: decoders skip or repair
 * them and could then find another frame.
 */
function jpegSize(bytes: Buffer): Size | undefined {
  if (bytes.toString('latin1').split('\xff\xda').length - 1 > MAX_SCANS) return undefined;
  for (let at = 2; ; at += 2 + bytes.readUInt16BE(at + 2)) {
    const [lead, marker, length] = [bytes.readUInt8(at), bytes.readUInt8(at + 1), bytes.readUInt16BE(at + 2)];
    if (lead !== 0xff || length < 2) return undefined;
    if (isFrame(marker)) return { height: bytes.readUInt16BE(at + 5), width: bytes.readUInt16BE(at + 7) };
    if (!isSegment(marker)) return undefined;
  }
}

/** Extensions of a still GIF: graphic control, application and comment, with the length that each must start with. */
const GIF_EXTENSIONS: ReadonlyMap<number, number | null> = new Map([
  [0xf9, 4],
  [0xff, 11],
  [0xfe, null],
]);

/** Blocks follow the screen size. Only one frame is allowed; the larger of its size and the screen counts. */
function gifSize(bytes: Buffer): Size | undefined {
  let size: Size | undefined;
  let at = 13 + tableBytes(bytes.readUInt8(10));
  for (let block = bytes.readUInt8(at); block !== 0x3b; block = bytes.readUInt8(at)) {
    if (block === 0x21) {
      const length = GIF_EXTENSIONS.get(bytes.readUInt8(at + 1));
      if (length === undefined || (length !== null && length !== bytes.readUInt8(at + 2))) return undefined;
      at = afterBlocks(bytes, at + 2);
    } else if (block === 0x2c && size === undefined) {
      size = { width: gifEdge(bytes, at, 0), height: gifEdge(bytes, at, 2) };
      at = afterBlocks(bytes, at + 11 + tableBytes(bytes.readUInt8(at + 9)));
    } else return undefined;
  }
  return size;
}

/** The edge of the screen, or of the frame if it extends beyond. */
function gifEdge(bytes: Buffer, frame: number, axis: 0 | 2): number {
  const end = bytes.readUInt16LE(frame + 1 + axis) + bytes.readUInt16LE(frame + 5 + axis);
  return Math.max(bytes.readUInt16LE(6 + axis), end);
}

function tableBytes(flags: number): number {
  return flags & 0x80 ? 3 * 2 ** ((flags & 7) + 1) : 0;
}

function afterBlocks(bytes: Buffer, from: number): number {
  let at = from;
  while (bytes.readUInt8(at) !== 0) at += 1 + bytes.readUInt8(at);
  return at + 1;
}

const WEBP_ANIMATED = 0x02;

/**
 * The first chunk names the format: lossy, lossless, or extended; pixels of the extended format must match the canvas
 * size.
 */
function webpSize(bytes: Buffer): Size | undefined {
  const chunk = bytes.toString('latin1', 12, 16);
  if (chunk === 'VP8 ' && bytes.readUIntBE(23, 3) === 0x9d012a) {
    return { width: bytes.readUInt16LE(26) & 0x3fff, height: bytes.readUInt16LE(28) & 0x3fff };
  }
  if (chunk === 'VP8L' && bytes.readUInt8(20) === 0x2f) {
    const bits = bytes.readUInt32LE(21);
    return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 };
  }
  if (chunk !== 'VP8X' || bytes.readUInt8(20) & WEBP_ANIMATED) return undefined;
  return { width: bytes.readUIntLE(24, 3) + 1, height: bytes.readUIntLE(27, 3) + 1 };
}
