// The types of the table in public/themes.js, which browser and server load, and which is a plain script without types.

export type Scheme = 'light' | 'dark';
type Shades = Record<Scheme, string>;

export interface Property {
  /** `--payment-…`; `key` is it without this prefix. */
  name: string;
  key: string;
  label: string;
  hint: string;
  kind: 'color' | 'length' | 'font';
  /** Null: the widget computes it. */
  default: Shades | number | null;
  unit?: 'px' | 'rem';
  min?: number;
  max?: number;
}

/** The values that differ from the defaults, by `key`. */
export type Theme = Record<string, Shades | number | string>;

export const { PROPERTIES } = (await import(new URL('public/themes.js', import.meta.url).href)) as {
  PROPERTIES: readonly Property[];
};
