// Draws how cost grows as an SVG picture: both axes logarithmic, a line for each request, its name at the right end.
// The colors suit light and dark pages; a page in the dark gets light text.
export interface Line {
  name: string;
  /** Milliseconds for each number of payments; NaN leaves a gap. */
  ms: number[];
}

const WIDTH = 980;
const HEIGHT = 460;
const PLOT = { left: 64, right: 620, top: 48, bottom: 404 };
const NAME_HEIGHT = 16;
const COLORS = ['#2f7de1', '#d9622b', '#2c9c69', '#a35bd6', '#c4961a', '#d6457f', '#17a2b8', '#7d8590'];

export function drawGrowth(sizes: readonly number[], lines: readonly Line[]): string {
  const all = lines.flatMap(({ ms }) => ms).filter(Number.isFinite);
  const [low, high] = [Math.floor(Math.log10(Math.min(...all))), Math.ceil(Math.log10(Math.max(...all)))];
  const [least = 1, most = 10] = [sizes[0], sizes.at(-1)];
  const x = (size: number) => scale(Math.log10(size / least) / Math.log10(most / least), PLOT.left, PLOT.right);
  const y = (ms: number) => scale((Math.log10(ms) - low) / (high - low), PLOT.bottom, PLOT.top);
  const decades = Array.from({ length: high - low + 1 }, (_, at) => 10 ** (low + at));
  const ends = spreadOut(lines.map(({ ms }) => y(ms.findLast(Number.isFinite) ?? 1)));

  const grid = [
    ...decades.map((ms) => `<path class="grid" d="M${PLOT.left} ${round(y(ms))}H${PLOT.right}"/>`),
    ...sizes.map((size) => `<path class="grid" d="M${round(x(size))} ${PLOT.top}V${PLOT.bottom}"/>`),
  ];
  const labels = [
    ...decades.map((ms) => text(PLOT.left - 8, y(ms) + 4, ms.toLocaleString('en'), 'end')),
    ...sizes.map((size) => text(x(size), PLOT.bottom + 20, size.toLocaleString('en'), 'middle')),
    text((PLOT.left + PLOT.right) / 2, HEIGHT - 12, 'payments in the database', 'middle'),
    text(16, 28, 'ms a request, one at a time (median)', 'start'),
  ];
  const drawn = lines.flatMap(({ name, ms }, at) => {
    const color = COLORS[at % COLORS.length] ?? '';
    const dash = at < COLORS.length ? '' : ' stroke-dasharray="6 4"';
    const points = sizes.flatMap((size, index) => {
      const value = ms[index] ?? NaN;
      return Number.isFinite(value) ? [{ x: round(x(size)), y: round(y(value)) }] : [];
    });
    const path = points.map((point, index) => `${index === 0 ? 'M' : 'L'}${point.x} ${point.y}`).join('');
    const end = round(ends[at] ?? 0);
    return [
      `<path d="${path}" fill="none" stroke="${color}" stroke-width="2"${dash}/>`,
      ...points.map((point) => `<circle cx="${point.x}" cy="${point.y}" r="3" fill="${color}"/>`),
      `<path d="M${PLOT.right + 6} ${points.at(-1)?.y}L${PLOT.right + 22} ${end}" stroke="${color}"/>`,
      text(PLOT.right + 26, end + 4, `${name}: ${last(ms)} ms`, 'start'),
    ];
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img">
<title>Milliseconds a request, by the number of payments in the database</title>
<style>
  text { font: 13px system-ui, sans-serif; fill: #24292f }
  .grid { stroke: #8c959f; stroke-opacity: 0.35 }
  @media (prefers-color-scheme: dark) { text { fill: #e6edf3 } }
</style>
${[...grid, ...labels, ...drawn].join('\n')}
</svg>
`;
}

function scale(share: number, from: number, to: number): number {
  return from + share * (to - from);
}

/** Moves names apart that would overlap, in their order, within the picture. */
function spreadOut(wanted: readonly number[]): number[] {
  const order = wanted.map((_, at) => at).toSorted((a, b) => (wanted[a] ?? 0) - (wanted[b] ?? 0));
  const placed: number[] = [];
  let free = PLOT.top - 20;
  for (const [index, at] of order.entries()) {
    const latest = PLOT.bottom - (order.length - 1 - index) * NAME_HEIGHT;
    const end = Math.min(latest, Math.max(free, wanted[at] ?? 0));
    placed[at] = end;
    free = end + NAME_HEIGHT;
  }
  return placed;
}

function text(x: number, y: number, content: string, anchor: 'start' | 'middle' | 'end'): string {
  const safe = content.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
  return `<text x="${round(x)}" y="${round(y)}" text-anchor="${anchor}">${safe}</text>`;
}

function last(ms: readonly number[]): string {
  const value = ms.findLast(Number.isFinite) ?? NaN;
  return value < 10 ? value.toFixed(1) : Math.round(value).toLocaleString('en');
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
