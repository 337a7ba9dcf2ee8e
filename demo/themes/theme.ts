// The types of the tables in public/themes.js. Browser and server load the same file, and a plain script has no types.

export type Scheme = 'light' | 'dark';
export type Shades = Record<Scheme, string>;

interface Control {
  /** `--payment-…`; of the sheet, its part. */
  name: string;
  /** The name without its prefix. */
  key: string;
  label: string;
  hint: string;
}

export interface ColorProperty extends Control {
  kind: 'color';
  default: Shades;
}

export interface LengthProperty extends Control {
  kind: 'length';
  unit: 'px' | 'rem';
  min: number;
  max: number;
  /** Null: the widget computes it. */
  default: number | null;
  /** The slider's position while the widget computes it. */
  otherwise?: number;
}

export interface FontProperty extends Control {
  kind: 'font';
  default: null;
}

export type Property = ColorProperty | LengthProperty | FontProperty;

export interface SheetSetting extends Control {
  kind: 'sheet';
  default: null;
}

/** The values that differ from the defaults, by `key`. */
export type Theme = Record<string, Shades | number | string | { family: string; size: number }>;

export interface ReadyTheme {
  id: string;
  label: string;
  note: string;
  theme: Theme;
}

interface Tables {
  PROPERTIES: readonly Property[];
  SETTINGS: readonly (Property | SheetSetting)[];
  SHEETS: Readonly<Record<string, { label: string }>>;
  FONTS: Readonly<Record<string, { label: string; stack: string }>>;
  TEXT_SIZE: Readonly<Record<'min' | 'max' | 'default', number>>;
  THEMES: readonly ReadyTheme[];
}

export const { PROPERTIES, SETTINGS, SHEETS, FONTS, TEXT_SIZE, THEMES } = (await import(
  new URL('public/themes.js', import.meta.url).href
)) as Tables;
