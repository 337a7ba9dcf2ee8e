// Images for tests, made byte by byte: valid headers over one row of pixels or none.
import { crc32, deflateSync } from 'node:zlib';

type Pair = readonly [number, number];

const u16be = (...values: number[]) => Buffer.from(values.flatMap((value) => [value >> 8, value & 0xff]));
const u16le = (...values: number[]) => Buffer.from(values.flatMap((value) => [value & 0xff, value >> 8]));
const u32be = (value: number) => Buffer.from(Uint32Array.of(value).buffer).swap32();
const ascii = (text: string) => Buffer.from(text, 'latin1');

function chunk(name: string, data: Buffer): Buffer {
  const named = Buffer.concat([ascii(name), data]);
  return Buffer.concat([u32be(data.length), named, u32be(crc32(named))]);
}

/** A complete image of one bit per pixel, all black: deflate compresses it 1,000 to 1. */
export function png(width: number, height: number, between: Buffer = Buffer.alloc(0)): Buffer {
  const header = Buffer.concat([u32be(width), u32be(height), Buffer.from([1, 0, 0, 0, 0])]);
  const rows = Buffer.alloc(height * (1 + Math.ceil(width / 8)));
  const parts = [
    chunk('IHDR', header),
    between,
    chunk('IDAT', deflateSync(rows, { level: 9 })),
    chunk('IEND', ascii('')),
  ];
  return Buffer.concat([ascii('\x89PNG\r\n\x1a\n'), ...parts]);
}

export function animatedPng(width: number, height: number): Buffer {
  return png(width, height, chunk('acTL', Buffer.concat([u32be(2), u32be(0)])));
}

export function segment(marker: number, data: Buffer): Buffer {
  return Buffer.concat([Buffer.from([0xff, marker]), u16be(data.length + 2), data]);
}

export function jpeg(width: number, height: number, { frame = 0xc0, scans = 1 } = {}): Buffer {
  const size = Buffer.concat([Buffer.from([8]), u16be(height, width), Buffer.from([1, 1, 0x11, 0])]);
  const scan = segment(0xda, Buffer.from([1, 1, 0, 0, 63, 0]));
  return Buffer.concat([
    Buffer.from([0xff, 0xd8]),
    segment(0xe0, ascii('JFIF\0\x01\x01\0\0\x01\0\x01\0\0')),
    segment(frame, size),
    ...Array.from({ length: scans }, () => scan),
    Buffer.from([0, 0xff, 0xd9]),
  ]);
}

interface Gif {
  screen: Pair;
  frame?: Pair;
  offset?: Pair;
  frames?: number;
  before?: number[];
}

export function gif({ screen, frame = screen, offset = [0, 0], frames = 1, before = [] }: Gif): Buffer {
  const image = [0x2c, ...u16le(...offset, ...frame), 0, 2, 2, 0x4c, 0x01, 0];
  return Buffer.concat([
    ascii('GIF89a'),
    u16le(...screen),
    Buffer.from([0x80, 0, 0, 0, 0, 0, 255, 255, 255, ...before]),
    Buffer.from(Array.from({ length: frames }, () => image).flat()),
    Buffer.from([0x3b]),
  ]);
}

export function webp(kind: 'VP8 ' | 'VP8L' | 'VP8X', width: number, height: number): Buffer {
  const u24 = (value: number) => [value & 0xff, (value >> 8) & 0xff, value >> 16];
  const bits = ((height - 1) << 14) | (width - 1);
  const data = {
    'VP8 ': () => [0x30, 1, 0, 0x9d, 1, 0x2a, ...u16le(width, height)],
    VP8L: () => [0x2f, bits & 0xff, (bits >> 8) & 0xff, (bits >> 16) & 0xff, (bits >> 24) & 0xff],
    VP8X: () => [0, 0, 0, 0, ...u24(width - 1), ...u24(height - 1)],
  }[kind]();
  const body = Buffer.concat([ascii('WEBP'), ascii(kind), Buffer.from([data.length, 0, 0, 0]), Buffer.from(data)]);
  return Buffer.concat([ascii('RIFF'), Buffer.from([body.length, 0, 0, 0]), body]);
}
