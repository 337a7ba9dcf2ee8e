// Hostile values for fuzzing: numbers that lose digits, strings that break parsers and logs, keys that pollute
// prototypes, mutated texts. All are drawn from one seed.
import type { Random } from './random.ts';

const STRINGS = [
  '',
  ' ',
  '0',
  '-1',
  '1e3',
  '10.10',
  '10.100',
  '0x10',
  '١٢',
  'Infinity',
  'NaN',
  'null',
  'SUCCESS',
  'FAILED',
  'PAY',
  'PAYOUT',
  'EUR',
  'eur',
  'XXX',
  '__proto__',
  'constructor',
  '../../etc/passwd',
  "' or 1=1 --",
  '"; drop table transactions; --',
  '<script>alert(1)</script>',
  'javascript:alert(1)',
  'https://user:pass@evil.example/',
  'http://169.254.169.254/latest',
  '\u0000',
  'line\r\nX-Injected: yes',
  '\u202Egnp.exe',
  '\uD800',
  '\u{1F4B8}'.repeat(20),
  '%00%2f%2e%2e',
] as const;
const NUMBERS = [
  '0',
  '-0',
  '-1',
  '1',
  '10.10',
  '1e3',
  '1e400',
  '-1e-400',
  '0.1',
  '9007199254740993',
  '99999999999999999999999',
  '10.100000000000000001',
];

export function junkText(random: Random): string {
  if (random.chance(0.1)) return 'x'.repeat(random.between(1, 3_000));
  return random.chance(0.2) ? random.bytes(random.between(1, 40)).toString('latin1') : random.pick(STRINGS);
}

/** JSON source text, so that its numbers keep their digits. */
export function junkJson(random: Random, depth = 0): string {
  const kind = random.between(0, depth > 3 ? 4 : 7);
  if (kind === 0) return random.pick(['null', 'true', 'false']);
  if (kind <= 2) return random.pick(NUMBERS as [string, ...string[]]);
  if (kind <= 4) return JSON.stringify(junkText(random));
  const items = Array.from({ length: random.between(0, 4) }, () => junkJson(random, depth + 1));
  if (kind === 5) return `[${items.join(',')}]`;
  return `{${items.map((item) => `${JSON.stringify(random.pick(['orderId', 'type', 'status', 'amount', '__proto__', 'x']))}:${item}`).join(',')}}`;
}

/** JSON source text of one message, with some fields removed, replaced, repeated or added. */
export function mutatedMessage(fields: Record<string, unknown>, random: Random): string {
  const entries = Object.entries(fields).map(([name, value]) => [name, JSON.stringify(value)] as const);
  const mutated = entries.flatMap(([name, value]) => {
    if (random.chance(0.08)) return [];
    if (random.chance(0.15)) return [[name, junkJson(random)] as const];
    return random.chance(0.04) ? [[name, value] as const, [name, junkJson(random)] as const] : [[name, value] as const];
  });
  if (random.chance(0.2)) mutated.push([junkText(random), junkJson(random)]);
  return `{${random
    .shuffled(mutated)
    .map(([name, value]) => `${JSON.stringify(name)}:${value}`)
    .join(',')}}`;
}

/** The text's bytes with one changed, some inserted, the end removed or a part repeated. */
export function mutatedBytes(text: string, random: Random): Buffer {
  const bytes = Buffer.from(text);
  const at = random.between(0, Math.max(bytes.length - 1, 0));
  switch (random.between(0, 3)) {
    case 0:
      bytes[at] = random.between(0, 255);
      return bytes;
    case 1:
      return bytes.subarray(0, at);
    case 2:
      return Buffer.concat([bytes.subarray(0, at), random.bytes(random.between(1, 6)), bytes.subarray(at)]);
    default:
      return Buffer.concat([bytes, bytes.subarray(at)]);
  }
}

/** Valid JSON, nested this deep. */
export function nested(depth: number): string {
  return '{"a":'.repeat(depth) + '1' + '}'.repeat(depth);
}
