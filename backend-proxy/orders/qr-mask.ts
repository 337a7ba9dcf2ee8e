// Chooses the mask of a QR code: of the eight symbols that a text allows, the first one with the lowest penalty
// (ISO/IEC 18004, 7.8.3). `qrcode` counts the penalties module by module, in three quarters of its time. Here 32
// modules are one number, and the lines above and below are compared with it at once; for the other direction the
// symbol is kept by columns too.

/** The modules of a symbol, one bit each: `words` numbers a line, the first module in the lowest bit. */
export interface QrSymbol {
  size: number;
  words: number;
  rows: Int32Array;
  columns: Int32Array;
}

/** `modules`: row by row, dark ones not 0. */
export function symbolOf(modules: ArrayLike<number>, size: number): QrSymbol {
  const words = Math.ceil(size / 32);
  const rows = new Int32Array(size * words);
  const columns = new Int32Array(size * words);
  for (let row = 0, at = 0; row < size; row += 1) {
    for (let column = 0; column < size; column += 1, at += 1) {
      if (!modules[at]) continue;
      const inRow = row * words + (column >> 5);
      const inColumn = column * words + (row >> 5);
      rows[inRow] = (rows[inRow] ?? 0) | (1 << (column & 31));
      columns[inColumn] = (columns[inColumn] ?? 0) | (1 << (row & 31));
    }
  }
  return { size, words, rows, columns };
}

/** Where two symbols differ; also applies such a difference. */
export function difference(one: QrSymbol, other: QrSymbol): QrSymbol {
  return { ...one, rows: xor(one.rows, other.rows), columns: xor(one.columns, other.columns) };
}

function xor(one: Int32Array, other: Int32Array): Int32Array {
  const result = new Int32Array(one.length);
  for (let at = 0; at < one.length; at += 1) result[at] = (one[at] ?? 0) ^ (other[at] ?? 0);
  return result;
}

/** The symbol with the lowest penalty, the first of equal ones. */
export function best(symbols: readonly QrSymbol[]): QrSymbol | undefined {
  let chosen: QrSymbol | undefined;
  let lowest = Infinity;
  for (const symbol of symbols) {
    const penalty = penaltyOf(symbol);
    if (penalty < lowest) [chosen, lowest] = [symbol, penalty];
  }
  return chosen;
}

function penaltyOf({ size, words, rows, columns }: QrSymbol): number {
  let points = darkPenalty(rows, size);
  for (let word = 0; word < words; word += 1) {
    points += blockPenalty(rows, size, words, word);
    points += runPenalty(rows, size, words, word) + runPenalty(columns, size, words, word);
    points += finderPenalty(rows, size, words, word) + finderPenalty(columns, size, words, word);
  }
  return points;
}

/** The bits of this word that are modules. */
function inside(size: number, word: number): number {
  const bits = Math.min(size - word * 32, 32);
  return bits === 32 ? -1 : (1 << bits) - 1;
}

/** 3 points for five equal modules in a line, and 1 for each further one. */
function runPenalty(lines: Int32Array, size: number, words: number, word: number): number {
  const within = inside(size, word);
  let points = 0;
  let last = lines[word] ?? 0;
  // Columns in which the last two, three, four and five modules are equal.
  let two = 0;
  let three = 0;
  let four = 0;
  let five = 0;
  for (let line = 1; line < size; line += 1) {
    const next = lines[line * words + word] ?? 0;
    const equal = ~(last ^ next) & within;
    const further = five & equal;
    five = four & equal;
    four = three & equal;
    three = two & equal;
    two = equal;
    if (five !== 0) points += 3 * count(five & ~further) + count(further);
    last = next;
  }
  return points;
}

/** 3 points for each square of four equal modules. */
function blockPenalty(rows: Int32Array, size: number, words: number, word: number): number {
  const within = inside(size - 1, word);
  let points = 0;
  const hasMore = word + 1 < words;
  for (let at = word; at + words < rows.length; at += words) {
    const here = rows[at] ?? 0;
    const below = rows[at + words] ?? 0;
    const right = (here >>> 1) | ((hasMore ? (rows[at + 1] ?? 0) : 0) << 31);
    const belowRight = (below >>> 1) | ((hasMore ? (rows[at + words + 1] ?? 0) : 0) << 31);
    points += 3 * count(~(here ^ right) & ~(here ^ below) & ~(here ^ belowRight) & within);
  }
  return points;
}

/** 40 points for dark and light modules as in a finder pattern (1011101), for four light ones before and after it. */
function finderPenalty(lines: Int32Array, size: number, words: number, word: number): number {
  const within = inside(size, word);
  const at = (line: number) => lines[line * words + word] ?? 0;
  let points = 0;
  for (let line = 0; line + 7 <= size; line += 1) {
    const ends = at(line) & at(line + 6) & ~at(line + 1) & ~at(line + 5);
    const found = ends & at(line + 2) & at(line + 3) & at(line + 4) & within;
    if (found === 0) continue;
    if (line >= 4) points += count(found & ~(at(line - 1) | at(line - 2) | at(line - 3) | at(line - 4)));
    if (line + 11 <= size) points += count(found & ~(at(line + 7) | at(line + 8) | at(line + 9) | at(line + 10)));
  }
  return 40 * points;
}

/** 10 points for each 5 % by which the share of dark modules differs from a half. */
function darkPenalty(rows: Int32Array, size: number): number {
  let dark = 0;
  for (const word of rows) dark += count(word);
  return 10 * Math.abs(Math.ceil((dark * 100) / (size * size) / 5) - 10);
}

/** The number of bits that are 1. */
function count(bits: number): number {
  const pairs = bits - ((bits >>> 1) & 0x5555_5555);
  const fours = (pairs & 0x3333_3333) + ((pairs >>> 2) & 0x3333_3333);
  return Math.imul((fours + (fours >>> 4)) & 0x0f0f_0f0f, 0x0101_0101) >>> 24;
}
