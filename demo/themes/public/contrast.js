// Where the colors of a theme can be read, by WCAG 2.2: every pair of them that meets in the widget, and how far apart they must be.
// Pure. Tints are worked out as the widget mixes them, so a color that is fine on the surface and not on the chosen row is found.
// The quiet lines are not judged: nothing depends on seeing them.
import { PROPERTIES } from './themes.js';

const TEXT = 4.5;
const GRAPHIC = 3;

/** The shares are the widget's. `of` on `on`, each a color or [one, its share, on the other]. A shortfall is told at `of`, or at its first color. */
export const PAIRS = [
  { of: 'text', on: 'surface', where: 'on the surface', atLeast: TEXT },
  { of: 'text', on: ['accent', 0.08, 'surface'], where: 'on the chosen row', atLeast: TEXT },
  { of: 'text', on: ['text', 0.08, 'surface'], where: 'in a note', atLeast: TEXT },
  { of: 'muted', on: 'surface', where: 'on the surface', atLeast: TEXT },
  { of: 'muted', on: ['accent', 0.08, 'surface'], where: 'on the chosen row', atLeast: TEXT },
  { of: 'muted', on: ['text', 0.08, 'surface'], where: 'in a note', atLeast: TEXT },
  { of: 'muted', on: ['danger', 0.08, 'surface'], where: 'in an error', atLeast: TEXT },
  { of: 'field', on: 'surface', where: 'on the surface', atLeast: GRAPHIC },
  { of: 'accent', on: 'surface', where: 'on the surface', atLeast: TEXT },
  { of: 'accent', on: ['accent', 0.08, 'surface'], where: 'on the chosen row', atLeast: TEXT },
  { of: ['accent', 0.75, 'surface'], on: 'surface', where: 'as the ring of focus', atLeast: GRAPHIC },
  { of: 'on-accent', on: 'accent', where: 'on the button', atLeast: TEXT },
  { of: 'on-accent', on: ['accent', 0.88, 'text'], where: 'on the button under the pointer', atLeast: TEXT },
  { of: 'on-accent', on: ['accent', 0.76, 'text'], where: 'on the pressed button', atLeast: TEXT },
  { of: 'success', on: ['success', 0.14, 'surface'], where: 'in its sign', atLeast: GRAPHIC },
  { of: 'danger', on: 'surface', where: 'on the surface', atLeast: TEXT },
  { of: 'danger', on: ['danger', 0.08, 'surface'], where: 'in an error', atLeast: TEXT },
  { of: 'danger', on: ['danger', 0.12, 'surface'], where: 'in its sign', atLeast: GRAPHIC },
];

const COLORS = PROPERTIES.filter(({ kind }) => kind === 'color');

/** What falls short in a theme: for each color and scheme the pair that is furthest from what it needs. */
export function shortfalls(theme) {
  return ['light', 'dark'].flatMap((scheme) => {
    const colors = Object.fromEntries(COLORS.map((each) => [each.key, (theme[each.key] ?? each.default)[scheme]]));
    const worst = new Map();
    for (const { of, on, where, atLeast } of PAIRS) {
      const key = `color-${typeof of === 'string' ? of : of[0]}`;
      const ratio = contrast(colorOf(of, colors), colorOf(on, colors));
      const lack = ratio / atLeast;
      if (lack < Math.min(1, worst.get(key)?.lack ?? 1)) worst.set(key, { key, scheme, ratio, atLeast, where, lack });
    }
    return [...worst.values()];
  });
}

/** From 1 to 21. */
export function contrast(one, other) {
  const [dark = 0, light = 0] = [luminance(one), luminance(other)].toSorted((a, b) => a - b);
  return (light + 0.05) / (dark + 0.05);
}

/** `share` of the one, the rest of the other: what `color-mix(in srgb, …)` makes, and a tint over its background. */
export function mix(one, share, other) {
  const under = channels(other);
  const mixed = channels(one).map((value, index) => Math.round(value * share + under[index] * (1 - share)));
  return `#${mixed.map((value) => value.toString(16).padStart(2, '0')).join('')}`;
}

function colorOf(told, colors) {
  if (typeof told === 'string') return colors[`color-${told}`];
  const [one, share, other] = told;
  return mix(colorOf(one, colors), share, colorOf(other, colors));
}

function channels(hex) {
  return [1, 3, 5].map((start) => Number.parseInt(hex.slice(start, start + 2), 16));
}

function luminance(hex) {
  const [red, green, blue] = channels(hex).map((value) => {
    const part = value / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}
