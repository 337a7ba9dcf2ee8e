// The shapes of the tables in public/themes.js, which the browser loads as it is. The server draws the theme page's controls from
// the same tables, so they are loaded here too, and typed here, as a script for browsers cannot say its types itself.

export type Scheme = 'light' | 'dark';
export type Shades = Record<Scheme, string>;

interface Dial {
  /** `--payment-…` */
  name: string;
  /** The name without its prefix. */
  key: string;
  label: string;
  hint: string;
}

export interface ColorDial extends Dial {
  kind: 'color';
  default: Shades;
}

export interface LengthDial extends Dial {
  kind: 'length';
  unit: 'px' | 'rem';
  min: number;
  max: number;
  /** Null: the widget works it out. */
  default: number | null;
  /** Where the control stands while the widget works it out. */
  otherwise?: number;
}

export interface FontDial extends Dial {
  kind: 'font';
  default: null;
}

export type Property = ColorDial | LengthDial | FontDial;

/** What differs from the defaults, by `key`. */
export type Theme = Record<string, Shades | number | { family: string; size: number }>;

export interface ReadyTheme {
  id: string;
  label: string;
  note: string;
  theme: Theme;
}

interface Tables {
  PROPERTIES: readonly Property[];
  FONTS: Readonly<Record<string, { label: string; stack: string }>>;
  TEXT_SIZE: Readonly<Record<'min' | 'max' | 'default', number>>;
  THEMES: readonly ReadyTheme[];
}

export const { PROPERTIES, FONTS, TEXT_SIZE, THEMES } = (await import(
  new URL('public/themes.js', import.meta.url).href
)) as Tables;
