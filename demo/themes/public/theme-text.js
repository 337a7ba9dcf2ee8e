// Converts a theme to text and back: the CSS rule that a merchant copies, and the fragment of the address that keeps a
// theme for a reload or a link. Anyone can write an address, so values that are not exactly of a property's kind are
// ignored, and the CSS is always composed here.
import { PROPERTIES } from './themes.js';

/** The rule with the properties that differ from the defaults; `` if none does. */
export function cssOf(theme) {
  const set = PROPERTIES.filter(({ key }) => key in theme);
  const lines = set.map((property) => `  ${property.name}: ${valueText(property, theme[property.key])};`);
  return lines.length === 0 ? '' : `payment-widget {\n${lines.join('\n')}\n}`;
}

/** The theme with this value set, in the order of the properties; null or the default removes it. */
export function withValue(theme, key, value) {
  const entries = PROPERTIES.flatMap((property) => {
    const wanted = property.key === key ? value : (theme[property.key] ?? null);
    return wanted === null || isDefault(property, wanted) ? [] : [[property.key, wanted]];
  });
  return Object.fromEntries(entries);
}

/** `#color-accent=2f5a3f-a9cf9f&radius=4`; `` for the defaults. */
export function hashOf(theme) {
  const set = PROPERTIES.filter(({ key }) => key in theme);
  const parts = set.map(({ key, kind }) => `${key}=${encodeURIComponent(CODES[kind].write(theme[key]))}`);
  return parts.length === 0 ? '' : `#${parts.join('&')}`;
}

/** The theme in a fragment; undefined if the fragment names a place on the page. */
export function themeOf(hash) {
  const text = hash.replace(/^#/, '');
  if (text !== '' && !text.includes('=')) return undefined;
  const given = new URLSearchParams(text);
  return PROPERTIES.reduce((theme, property) => {
    const code = given.get(property.key);
    const value = code === null ? undefined : CODES[property.kind].read(code, property);
    return value === undefined ? theme : withValue(theme, property.key, value);
  }, {});
}

const CODES = {
  color: {
    write: ({ light, dark }) => `${light.slice(1)}-${dark.slice(1)}`,
    read: (code) => {
      const [, light, dark] = /^([\da-f]{6})-([\da-f]{6})$/.exec(code) ?? [];
      return light && { light: `#${light}`, dark: `#${dark}` };
    },
  },
  length: {
    write: String,
    read: (code, { min, max }) => (/^\d{1,3}$/.test(code) && code >= min && code <= max ? Number(code) : undefined),
  },
  font: { write: String, read: (code) => (/^[\w .,'-]{1,200}$/.test(code) ? code : undefined) },
};

function valueText({ kind, unit }, value) {
  if (kind === 'font') return value;
  if (kind === 'length') return `${value}${unit}`;
  return value.light === value.dark ? value.light : `light-dark(${value.light}, ${value.dark})`;
}

const isDefault = (property, value) =>
  property.default !== null && valueText(property, value) === valueText(property, property.default);
