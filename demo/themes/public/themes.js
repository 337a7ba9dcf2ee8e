// The theme editor's tables, for server and browser: each `--payment-*` property with its control and default, the
// fonts, the sheets, and the ready themes. A theme has only the values that differ from the defaults: a pair of colors,
// a number in the property's unit, a font and its size, or the name of a sheet.

/** `default: null`: the widget computes the value; `otherwise` is the slider's position until then. */
export const PROPERTIES = [
  color('text', 'Text', 'Headings, labels', '#14171f', '#f1f3f7'),
  color('muted', 'Muted', 'Help, icons', '#596070', '#a6adbb'),
  color('surface', 'Surface', 'Background', '#ffffff', '#16181e'),
  color('line', 'Line', 'Subtle borders', '#dfe2e9', '#343945'),
  color('field', 'Field', 'Borders of fields', '#858c9b', '#737b8b'),
  color('accent', 'Accent', 'Button, choice, links', '#2348d5', '#94abff'),
  color('on-accent', 'On accent', 'Text on the button', '#ffffff', '#0c1230'),
  color('success', 'Success', 'Paid', '#0a7540', '#56cc8d'),
  color('danger', 'Danger', 'Errors, failure', '#b3231b', '#ff978e'),
  color('warning', 'Warning', 'Not to pay twice', '#7a4b00', '#f5c56b'),
  length('radius', 'Corners', 'Rows, buttons', { unit: 'px', min: 0, max: 32, default: 12 }),
  length('space', 'Space', 'Unit of gaps', { unit: 'px', min: 6, max: 28, default: 16 }),
  length('padding', 'Padding', 'Inside the sheet', { unit: 'px', min: 0, max: 56, default: null, otherwise: 24 }),
  { name: '--payment-font', key: 'font', label: 'Font', hint: 'Family and size', kind: 'font', default: null },
  length('max-width', 'Width', 'Maximum', { unit: 'rem', min: 16, max: 48, default: 40 }),
];

/** Not a property of the widget: rules for its part `sheet` and for the element around it. */
const SHEET = {
  name: '::part(sheet)',
  key: 'sheet',
  label: 'Sheet',
  hint: 'Border, what is behind',
  kind: 'sheet',
  default: null,
};

/** What a theme can set. */
export const SETTINGS = [...PROPERTIES, SHEET];

/**
 * `share`: how much of the surface's color covers what is behind it. `behind`: the colors there, by scheme: the first
 * is the ground, the others shine from the corners. `rules`: other declarations for the sheet.
 */
export const SHEETS = {
  glass: {
    label: 'Glass over a glow',
    share: { light: 0.8, dark: 0.72 },
    behind: {
      light: ['#ffb38a', '#ff7aa8', '#7f8cff', '#ffd76e'],
      dark: ['#2a1052', '#7a1f5c', '#12428f', '#4a2391'],
    },
    rules: ['border: 0', 'box-shadow: 0 24px 64px #1a063333', 'backdrop-filter: blur(28px)'],
  },
};

/** Text sizes, px. */
export const TEXT_SIZE = { min: 13, max: 20, default: 16 };

/** Font stacks of devices: no font is loaded, so the content security policy needs no exception. */
export const FONTS = {
  system: { label: 'System', stack: 'system-ui, sans-serif' },
  grotesque: { label: 'Grotesque', stack: "Inter, 'Helvetica Neue', 'Arial Nova', Arial, sans-serif" },
  humanist: { label: 'Humanist', stack: "Seravek, 'Gill Sans Nova', Ubuntu, Calibri, 'DejaVu Sans', sans-serif" },
  rounded: {
    label: 'Rounded',
    stack: "ui-rounded, 'Hiragino Maru Gothic ProN', Quicksand, Comfortaa, 'Arial Rounded MT Bold', sans-serif",
  },
  'old-style': {
    label: 'Old-style serif',
    stack: "'Iowan Old Style', 'Palatino Linotype', 'URW Palladio L', P052, Georgia, serif",
  },
  slab: { label: 'Slab serif', stack: "Rockwell, 'Rockwell Nova', 'Roboto Slab', 'DejaVu Serif', serif" },
  mono: {
    label: 'Monospace',
    stack: "ui-monospace, 'Cascadia Code', 'SF Mono', Menlo, Consolas, 'DejaVu Sans Mono', monospace",
  },
};

export const THEMES = [
  { id: 'plain', label: 'Plain', note: 'As it comes', theme: {} },
  {
    id: 'parchment',
    label: 'Parchment',
    note: 'Warm colors, serif font',
    theme: {
      'color-text': { light: '#2b2118', dark: '#f1e7d6' },
      'color-muted': { light: '#685a49', dark: '#b8aa94' },
      'color-surface': { light: '#fffaf0', dark: '#1f1b15' },
      'color-line': { light: '#e6dac4', dark: '#40382b' },
      'color-field': { light: '#91815f', dark: '#8a7e69' },
      'color-accent': { light: '#2f5a3f', dark: '#a9cf9f' },
      'color-on-accent': { light: '#fffaf0', dark: '#14240f' },
      'color-success': { light: '#2b6b34', dark: '#8fd08a' },
      'color-danger': { light: '#9c2f1f', dark: '#f3a48d' },
      radius: 4,
      space: 18,
      font: { family: 'old-style', size: 17 },
    },
  },
  {
    id: 'console',
    label: 'Console',
    note: 'Dense, always dark',
    theme: {
      'color-text': { light: '#edf0f5', dark: '#e4e8ee' },
      'color-muted': { light: '#aab2c0', dark: '#98a1ae' },
      'color-surface': { light: '#21252d', dark: '#11141a' },
      'color-line': { light: '#3d4451', dark: '#2b313b' },
      'color-field': { light: '#838c9b', dark: '#69727f' },
      'color-accent': { light: '#b5ec57', dark: '#b5ec57' },
      'color-on-accent': { light: '#172200', dark: '#172200' },
      'color-success': { light: '#5fe0a0', dark: '#5fe0a0' },
      'color-danger': { light: '#ffa198', dark: '#ff978e' },
      'color-warning': { light: '#f5c56b', dark: '#f5c56b' },
      radius: 3,
      space: 10,
      padding: 14,
      font: { family: 'mono', size: 14 },
      'max-width': 24,
    },
  },
  {
    id: 'sorbet',
    label: 'Sorbet',
    note: 'Bold and round',
    theme: {
      'color-text': { light: '#35082a', dark: '#ffeaf7' },
      'color-muted': { light: '#7b476b', dark: '#d6a9c8' },
      'color-surface': { light: '#fff5fb', dark: '#270b20' },
      'color-line': { light: '#f5cbe4', dark: '#57274a' },
      'color-field': { light: '#b3699a', dark: '#a3648c' },
      'color-accent': { light: '#bd0f7b', dark: '#ff8fd0' },
      'color-on-accent': { light: '#ffffff', dark: '#3d0228' },
      'color-success': { light: '#0b7347', dark: '#74dfae' },
      'color-danger': { light: '#a82a00', dark: '#ffa37d' },
      radius: 28,
      space: 18,
      font: { family: 'rounded', size: 17 },
    },
  },
  {
    id: 'aurora',
    label: 'Aurora',
    note: 'Glass, no border',
    theme: {
      'color-text': { light: '#1a0633', dark: '#f8f2ff' },
      'color-muted': { light: '#553b6b', dark: '#d3c2e8' },
      'color-surface': { light: '#ffffff', dark: '#160a2b' },
      'color-line': { light: '#ead7ec', dark: '#4d3a72' },
      'color-field': { light: '#8a6b99', dark: '#a48fc4' },
      'color-accent': { light: '#6a11cb', dark: '#ffc46b' },
      'color-on-accent': { light: '#ffffff', dark: '#2b1500' },
      'color-success': { light: '#0a6b3d', dark: '#6fe3ab' },
      'color-danger': { light: '#a3123a', dark: '#ffa3b5' },
      radius: 26,
      font: { family: 'grotesque', size: 17 },
      sheet: 'glass',
    },
  },
];

function color(part, label, hint, light, dark) {
  const key = `color-${part}`;
  return { name: `--payment-${key}`, key, label, hint, kind: 'color', default: { light, dark } };
}

function length(key, label, hint, range) {
  return { name: `--payment-${key}`, key, label, hint, kind: 'length', ...range };
}
