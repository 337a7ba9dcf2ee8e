// Converts a theme to text and back: the CSS rule that a merchant copies, and the fragment of the address that keeps a
// theme for a reload or a link. Anyone can write an address, so values that are not exactly of a property's kind are
// ignored, and the CSS is always composed here.
import { FONTS, PROPERTIES, SETTINGS, SHEETS, TEXT_SIZE } from './themes.js';

const ROOT_PX = 16;

/** The rules with what differs from the defaults; `` if nothing does. */
export function cssOf(theme) {
  return [propertiesCss(theme, 'payment-widget'), ...sheetRules(theme)].filter((rule) => rule !== '').join('\n');
}

/** The rule with the properties that differ from the defaults; `` if none does. */
export function propertiesCss(theme, selector) {
  const lines = PROPERTIES.filter(({ key }) => key in theme).map((property) => line(property, theme[property.key]));
  return lines.length === 0 ? '' : ruleOf(selector, lines);
}

function sheetRules(theme) {
  if (!('sheet' in theme)) return [];
  const { share, rules } = SHEETS[theme.sheet];
  const surface = theme['color-surface'] ?? PROPERTIES.find(({ key }) => key === 'color-surface').default;
  const covering = (scheme) => `${surface[scheme]}${Math.round(share[scheme] * 255).toString(16)}`;
  const background = `background: light-dark(${covering('light')}, ${covering('dark')})`;
  return [
    ruleOf(
      'payment-widget::part(sheet)',
      [background, ...rules].map((rule) => `  ${rule};`),
    ),
    ruleOf(':has(> payment-widget)', [`  background: ${behindOf(theme.sheet)};`]),
  ];
}

/** The background that a sheet stands on: a glow in three corners. */
export function behindOf(sheet) {
  const { light, dark } = SHEETS[sheet].behind;
  const [ground, ...glows] = light.map((color, index) => `light-dark(${color}, ${dark[index]})`);
  const corners = ['0% 0%', '100% 20%', '30% 100%'];
  return [
    ...glows.map((color, index) => `radial-gradient(at ${corners[index]}, ${color}, transparent 65%)`),
    ground,
  ].join(', ');
}

/** The rule with all default values. */
export function defaultsCss(selector) {
  const known = PROPERTIES.filter((property) => property.default !== null);
  return ruleOf(
    selector,
    known.map((property) => line(property, property.default)),
  );
}

/** The theme with this value set, in the order of the properties; null or the default removes it. */
export function withValue(theme, key, value) {
  const entries = SETTINGS.flatMap((property) => {
    const wanted = property.key === key ? value : (theme[property.key] ?? null);
    return wanted === null || isDefault(property, wanted) ? [] : [[property.key, wanted]];
  });
  return Object.fromEntries(entries);
}

/** `#aabbcc` in lower case, from text that people paste; undefined if it is not a color. */
export function parseHex(text) {
  const digits = /^\s*#?([\da-f]{3}|[\da-f]{6})\s*$/i.exec(text)?.[1]?.toLowerCase();
  if (digits === undefined) return undefined;
  return `#${digits.length === 3 ? digits.replaceAll(/./g, '$&$&') : digits}`;
}

/** `#color-accent=2f5a3f-a9cf9f&radius=4&font=old-style-17`; `` for the defaults. */
export function hashOf(theme) {
  const parts = SETTINGS.filter(({ key }) => key in theme).map(
    ({ key, kind }) => `${key}=${CODES[kind].write(theme[key])}`,
  );
  return parts.length === 0 ? '' : `#${parts.join('&')}`;
}

/** The theme in a fragment; undefined if the fragment names a place on the page. */
export function themeOf(hash) {
  const text = hash.replace(/^#/, '');
  if (text !== '' && !text.includes('=')) return undefined;
  const given = new URLSearchParams(text);
  return SETTINGS.reduce((theme, property) => {
    const code = given.get(property.key);
    const value = code === null ? undefined : CODES[property.kind].read(code, property);
    return value === undefined ? theme : withValue(theme, property.key, value);
  }, {});
}

const CODES = {
  color: {
    write: ({ light, dark }) => `${light.slice(1)}-${dark.slice(1)}`,
    read: (code) => {
      const [light, dark] = code.split('-').map(parseHex);
      return light && dark && { light, dark };
    },
  },
  length: {
    write: String,
    read: (code, { min, max }) => wholeNumber(code, min, max),
  },
  font: {
    write: ({ family, size }) => `${family}-${size}`,
    read: (code) => {
      const [, family = '', digits = ''] = /^([a-z-]+)-(\d+)$/.exec(code) ?? [];
      const size = wholeNumber(digits, TEXT_SIZE.min, TEXT_SIZE.max);
      return Object.hasOwn(FONTS, family) && size !== undefined ? { family, size } : undefined;
    },
  },
  sheet: {
    write: String,
    read: (code) => (Object.hasOwn(SHEETS, code) ? code : undefined),
  },
};

const VALUES = {
  color: ({ light, dark }) => (light === dark ? light : `light-dark(${light}, ${dark})`),
  length: (value, { unit }) => `${value}${unit}`,
  font: ({ family, size }) => `${size / ROOT_PX}rem ${FONTS[family].stack}`,
};

function wholeNumber(digits, min, max) {
  const value = /^\d{1,3}$/.test(digits) ? Number(digits) : NaN;
  return value >= min && value <= max ? value : undefined;
}

function valueText(property, value) {
  return VALUES[property.kind](value, property);
}

function isDefault(property, value) {
  return property.default !== null && valueText(property, value) === valueText(property, property.default);
}

function line(property, value) {
  return `  ${property.name}: ${valueText(property, value)};`;
}

function ruleOf(selector, lines) {
  return `${selector} {\n${lines.join('\n')}\n}`;
}
