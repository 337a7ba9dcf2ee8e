// Checks a theme's contrast by WCAG 2.2 for each pair of colors that the widget shows together. Tints are mixed as the
// widget mixes them, because a color can pass on the surface and fail on the chosen row. Quiet lines are not checked,
// because they carry no information.
import { PROPERTIES } from './themes.js';

const TEXT = 4.5;
const GRAPHIC = 3;
/** WCAG asks nothing of a button whose text can be read; below this nobody sees that it is one. */
const SHAPE = 1.2;

/**
 * `of` is the foreground and `on` the background: a color, or [color, its share, color below].
 * A shortfall is reported for the first color in `of`. `state`: which shows it, if not the choice.
 */
export const PAIRS = [
  { of: 'text', on: 'surface', where: 'on the surface', atLeast: TEXT },
  { of: 'text', on: ['accent', 0.11, 'surface'], where: 'on the chosen row', atLeast: TEXT },
  { of: 'text', on: ['text', 0.08, 'surface'], where: 'in a note (no connection)', atLeast: TEXT },
  { of: 'text', on: ['warning', 0.16, 'surface'], where: 'in a warning', atLeast: TEXT, state: 'checking' },
  { of: ['text', 0.6, 'surface'], on: 'surface', where: 'as an example in a field', atLeast: TEXT },
  { of: 'muted', on: 'surface', where: 'on the surface', atLeast: TEXT },
  { of: 'muted', on: ['accent', 0.11, 'surface'], where: 'on the chosen row', atLeast: TEXT },
  { of: 'muted', on: ['text', 0.08, 'surface'], where: 'in a note (no connection)', atLeast: TEXT },
  { of: 'muted', on: ['warning', 0.16, 'surface'], where: 'in a warning', atLeast: TEXT, state: 'checking' },
  { of: 'text', on: ['danger', 0.16, 'surface'], where: 'in an error', atLeast: TEXT, state: 'error' },
  { of: 'field', on: 'surface', where: 'on the surface', atLeast: GRAPHIC },
  { of: 'accent', on: 'surface', where: 'on the surface', atLeast: TEXT },
  { of: 'accent', on: ['accent', 0.11, 'surface'], where: 'on the chosen row', atLeast: TEXT },
  { of: ['accent', 0.75, 'surface'], on: 'surface', where: 'as the focus ring', atLeast: GRAPHIC },
  { of: 'fill', on: 'surface', where: 'as the button', atLeast: SHAPE },
  { of: 'on-accent', on: 'fill', where: 'on the button', atLeast: TEXT },
  { of: 'on-accent', on: ['fill', 0.88, 'press'], where: 'on the hovered button', atLeast: TEXT },
  { of: 'text', on: ['text', 0.16, 'surface'], where: 'in a gray sign', atLeast: GRAPHIC, state: 'declined' },
  { of: 'success', on: 'surface', where: 'as the sign of success', atLeast: GRAPHIC, state: 'paid' },
  { of: 'danger', on: 'surface', where: 'on the surface', atLeast: TEXT, state: 'error' },
  { of: 'danger', on: ['accent', 0.11, 'surface'], where: 'on the chosen row', atLeast: TEXT, state: 'error' },
  { of: 'danger', on: ['danger', 0.16, 'surface'], where: 'in its icon', atLeast: GRAPHIC, state: 'error' },
  { of: 'warning', on: ['warning', 0.16, 'surface'], where: 'as its sign', atLeast: GRAPHIC, state: 'checking' },
];

const COLORS = PROPERTIES.filter(({ kind }) => kind === 'color');

/** What the widget draws its lines and texts in while no accent is set. */
const LINES = { light: '#2348d5', dark: '#94abff' };

/** An accent without a surface of the page's own: as a line or text it is drawn as light as the surface needs. */
export const isFitted = (theme) => 'color-accent' in theme && !('color-surface' in theme);

/** The first failing pair for each color and scheme. */
export function shortfalls(theme) {
  return ['light', 'dark'].flatMap((scheme) => {
    const colors = Object.fromEntries(COLORS.map((each) => [each.key, (theme[each.key] ?? each.default)?.[scheme]]));
    colors['color-fill'] = colors['color-accent'];
    if (!('color-accent' in theme)) colors['color-accent'] = LINES[scheme];
    colors['color-on-accent'] = onAccentOf(theme)[scheme];
    colors['color-press'] = hexOf(channels(colors['color-on-accent']).map((value) => 255 - value));
    const found = new Map();
    for (const { of, on, where, atLeast, state = 'choosing' } of PAIRS) {
      const name = typeof of === 'string' ? of : of[0];
      if (isFitted(theme) && name === 'accent') continue;
      const key = `color-${name === 'fill' ? 'accent' : name}`;
      const ratio = contrast(colorOf(of, colors), colorOf(on, colors));
      if (ratio < atLeast && !found.has(key)) found.set(key, { key, scheme, ratio, atLeast, where, state });
    }
    return [...found.values()];
  });
}

/** The nearest of this color's shades that has enough contrast, on the button black or white; or undefined. */
export function fixed(theme, { key, scheme }, shades) {
  const { length } = shortfalls(theme);
  const shares = Array.from({ length: key === 'color-on-accent' ? 1 : 20 }, (_, at) => at / 20).toReversed();
  const colors = shares.flatMap((share) => ['#000000', '#ffffff'].map((end) => mix(shades[scheme], share, end)));
  return colors.find((color) => {
    const left = shortfalls({ ...theme, [key]: { ...shades, [scheme]: color } });
    return left.length < length && !left.some((one) => one.key === key && one.scheme === scheme);
  });
}

/** The dark accent, as long as nobody chose one: the light one, with the contrast that the dark surface needs. */
export function darkOf(theme, light) {
  const [key, shades] = ['color-accent', { light, dark: light }];
  return fixed({ ...theme, [key]: shades }, { key, scheme: 'dark' }, shades) ?? light;
}

/** The text on the button as the widget draws it: white or black, unless the theme has its own. */
export function onAccentOf(theme) {
  const accent = theme['color-accent'] ?? COLORS.find(({ key }) => key === 'color-accent').default;
  return theme['color-on-accent'] ?? { light: readableOn(accent.light), dark: readableOn(accent.dark) };
}

/** White or black, as the widget chooses the text on an accent that comes alone. */
const readableOn = (accent) => (contrast(accent, '#ffffff') > contrast(accent, '#000000') ? '#ffffff' : '#000000');

/** The contrast ratio, from 1 to 21. */
export function contrast(one, other) {
  const [dark = 0, light = 0] = [luminance(one), luminance(other)].toSorted((a, b) => a - b);
  return (light + 0.05) / (dark + 0.05);
}

/** Mixes `share` of one color with the other, as `color-mix(in srgb, …)` does. */
export function mix(one, share, other) {
  const under = channels(other);
  return hexOf(channels(one).map((value, index) => Math.round(value * share + under[index] * (1 - share))));
}

const hexOf = (values) => `#${values.map((value) => value.toString(16).padStart(2, '0')).join('')}`;

function colorOf(mixed, colors) {
  if (typeof mixed === 'string') return colors[`color-${mixed}`];
  const [one, share, other] = mixed;
  return mix(colorOf(one, colors), share, colorOf(other, colors));
}

const channels = (hex) => [1, 3, 5].map((start) => Number.parseInt(hex.slice(start, start + 2), 16));

function luminance(hex) {
  const [red, green, blue] = channels(hex).map((value) => {
    const part = value / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}
