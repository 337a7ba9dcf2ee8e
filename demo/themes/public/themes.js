// The theme editor's table, for server and browser: each `--payment-*` property with its control and default. A theme
// has only the values that differ from the defaults: a pair of colors, a number in the property's unit, or a font.

/** `default: null`: the widget computes the value. */
export const PROPERTIES = [
  color('text', 'Text', 'Headings, labels', '#14171f', '#f1f3f7'),
  color('muted', 'Muted', 'Help, icons', '#596070', '#a6adbb'),
  color('surface', 'Surface', 'Background', '#ffffff', '#16181e'),
  color('line', 'Line', 'Subtle borders', '#d3d7e0', '#525969'),
  color('field', 'Field', 'Borders of fields', '#858c9b', '#737b8b'),
  color('accent', 'Accent', 'Button and links', '#2348d5', '#3f63ee'),
  color('on-accent', 'On accent', 'Text on the button. Empty: automatic'),
  color('success', 'Success', 'Paid', '#0a7540', '#43b97b'),
  color('danger', 'Danger', 'Errors', '#b3231b', '#ff978e'),
  color('warning', 'Warning', 'Not to pay twice', '#7a4b00', '#ffc04d'),
  length('radius', 'Corners', 'Rows, buttons', { unit: 'px', min: 0, max: 32, default: 12 }),
  length('space', 'Space', 'Unit of gaps', { unit: 'px', min: 6, max: 28, default: 16 }),
  length('padding', 'Padding', 'Inside the sheet', { unit: 'px', min: 0, max: 56, default: null }),
  { ...length('font', 'Font', 'Such as 1rem Georgia, serif', { default: null }), kind: 'font' },
  length('max-width', 'Width', 'Maximum', { unit: 'rem', min: 16, max: 48, default: 32 }),
];

function color(part, label, hint, light, dark) {
  const key = `color-${part}`;
  return { name: `--payment-${key}`, key, label, hint, kind: 'color', default: light ? { light, dark } : null };
}

function length(key, label, hint, range) {
  return { name: `--payment-${key}`, key, label, hint, kind: 'length', ...range };
}
