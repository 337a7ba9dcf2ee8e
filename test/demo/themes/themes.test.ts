// The theme editor's tables and functions, compared with the widget's sources: the same properties, defaults and tints,
// and enough contrast in each ready theme. The page is in theme-page.test.ts.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { FONTS, PROPERTIES, THEMES, type Property, type Scheme, type Theme } from '../../../demo/themes/theme.ts';

interface Shortfall {
  key: string;
  scheme: Scheme;
  ratio: number;
  where: string;
}

type Mixed = string | [one: string, share: number, other: string];

const PUBLIC = new URL('../../../demo/themes/public/', import.meta.url);
const { cssOf, defaultsCss, hashOf, parseHex, themeOf, withValue } = (await import(
  new URL('theme-text.js', PUBLIC).href
)) as {
  cssOf(theme: Theme): string;
  defaultsCss(selector: string): string;
  hashOf(theme: Theme): string;
  parseHex(text: string): string | undefined;
  themeOf(hash: string): Theme | undefined;
  withValue(theme: Theme, key: string, value: Theme[string] | null): Theme;
};
const { PAIRS, contrast, mix, shortfalls } = (await import(new URL('contrast.js', PUBLIC).href)) as {
  PAIRS: { of: Mixed; on: Mixed }[];
  contrast(one: string, other: string): number;
  mix(one: string, share: number, other: string): string;
  shortfalls(theme: Theme): Shortfall[];
};

const read = (file: string) => readFileSync(new URL(`../../../widget/${file}`, import.meta.url), 'utf8');
const STYLES = read('shell/shell.styles.ts') + read('flow/flow.styles.ts') + read('flow/amount/amount.styles.ts');

describe('PROPERTIES', () => {
  it('PROPERTIES are those that the widget documents, in its order', () => {
    const documented = [...read('payment-widget.ts').matchAll(/@cssprop (--payment-[\w-]+)/g)].map(([, name]) => name);
    assert.ok(documented.length > 10);
    const names = PROPERTIES.map(({ name }) => name);
    assert.deepEqual(names, documented);
  });

  it("PROPERTIES have the widget's defaults", () => {
    // The first counts: the tint of a warning has a brighter default than its sign.
    const defaults = new Map(
      Array.from(
        STYLES.matchAll(/var\((--payment-[\w-]+), ((?:[^()]|\((?:[^()]|\([^()]*\))*\))+)\)/g),
        ([, name = '', text = '']) => [name, text] as const,
      ).toReversed(),
    );
    const expected = (property: Property) => {
      const text = defaults.get(property.name) ?? '';
      return text.replaceAll(/#([\da-f]{3})\b(?![\da-f])/g, (_, short: string) => `#${short.replaceAll(/./g, '$&$&')}`);
    };
    for (const property of PROPERTIES) {
      const { name } = property;
      if (property.kind === 'color') {
        assert.equal(expected(property), `light-dark(${property.default.light}, ${property.default.dark})`, name);
      } else if (property.kind === 'length' && property.default !== null) {
        assert.equal(expected(property), `${property.default}${property.unit}`, name);
      } else {
        // The widget computes it, so there is no default value to compare.
        assert.doesNotMatch(expected(property), /^[\d.]+(px|rem)$|^$/, name);
      }
    }
  });

  it('PAIRS have the tints that the widget mixes', () => {
    const mixed = [...STYLES.matchAll(/color-mix\(in srgb, [^;]+? (\d+)%/g)].map(([, percent]) => Number(percent));
    const judged = PAIRS.flatMap(({ of, on }) => [of, on])
      .filter((color) => typeof color !== 'string')
      .map(([, share]) => Math.round(share * 100));
    assert.deepEqual(new Set(judged), new Set(mixed));
  });
});

describe('a ready theme', () => {
  it('the five ready themes differ', () => {
    assert.equal(new Set(THEMES.map(({ theme }) => hashOf(theme))).size, 5);
  });

  for (const { id, label, note, theme } of THEMES) {
    it(`the theme ${id} passes WCAG AA in light and dark`, () => {
      assert.deepEqual(shortfalls(theme), []);
    });

    it(`the theme ${id} has only known properties, none with its default`, () => {
      const rebuilt = Object.entries(theme).reduce<Theme>((all, [key, value]) => withValue(all, key, value), {});
      assert.deepEqual(rebuilt, theme);
    });

    it(`the file of the theme ${id} has the editor's CSS; that of the defaults, all of them`, () => {
      const css = cssOf(theme) || defaultsCss('payment-widget');
      const spaced = (text: string) => text.replaceAll(/\s+/g, ' ').trim();
      assert.equal(spaced(read(`themes/${id}.css`)), spaced(`/* ${label}: ${note.toLowerCase()}. */ ${css}`));
    });

    it(`the theme ${id} is unchanged after a round trip through an address`, () => {
      assert.deepEqual(themeOf(hashOf(theme)), theme);
    });
  }
});

describe('the CSS rule', () => {
  it('cssOf() writes the values that differ from the defaults, with light-dark() if light and dark differ', () => {
    const accent = withValue({}, 'color-accent', { light: '#0a7540', dark: '#94abff' });
    const danger = withValue(accent, 'color-danger', { light: '#990000', dark: '#990000' });
    const theme = withValue(withValue(danger, 'radius', 4), 'space', 16);
    assert.equal(
      cssOf(theme),
      `payment-widget {
  --payment-color-accent: light-dark(#0a7540, #94abff);
  --payment-color-danger: #990000;
  --payment-radius: 4px;
}`,
    );
  });

  it('cssOf() is empty if no value differs, also after a change was undone', () => {
    assert.equal(cssOf({}), '');
    assert.equal(cssOf(withValue(withValue({}, 'radius', 4), 'radius', 12)), '');
    assert.equal(cssOf(withValue(withValue({}, 'padding', 4), 'padding', null)), '');
  });

  it('cssOf() writes text sizes in rem, so that they follow the reader’s text size', () => {
    const css = cssOf({ font: { family: 'mono', size: 14 } });
    assert.ok(css.includes(`--payment-font: 0.875rem ${FONTS['mono']?.stack};`), css);
  });
});

describe('a sheet of glass', () => {
  it('cssOf() writes the surface as a veil over what is behind the sheet, and adds the rules of both', () => {
    const surface = { light: '#ffffff', dark: '#102030' };
    const css = cssOf({ 'color-surface': surface, sheet: 'glass' });
    assert.match(
      css,
      /^payment-widget::part\(sheet\) \{\n {2}background: light-dark\(#ffffff[\da-f]{2}, #102030[\da-f]{2}\);/m,
    );
    assert.match(css, /^:has\(> payment-widget\) \{\n {2}background: radial-gradient\(/m);
  });

  it('shortfalls() finds a color that passes on the surface and fails on what shines through it', () => {
    const named = (theme: Theme) => shortfalls(theme).map(({ key, scheme }) => `${key} ${scheme}`);
    const theme = { 'color-text': { light: '#5c5c5c', dark: '#f1f3f7' } };
    assert.ok(!named(theme).includes('color-text light'));
    assert.ok(named({ ...theme, sheet: 'glass' }).includes('color-text light'));
  });
});

describe('an address', () => {
  it('themeOf() ignores values that are not exactly of their kind', () => {
    const hostile = [
      'color-text=14171f;}body{display:none}-ffffff',
      'color-accent=red-blue',
      'color-danger=990000',
      'radius=1e1',
      'space=9999',
      'padding=-4',
      'font=constructor-16',
      'max-width=url(x)',
      'sheet=constructor',
      '__proto__=1',
    ];
    assert.deepEqual(themeOf(`#${hostile.join('&')}`), {});
    assert.deepEqual(themeOf(`#${hostile.join('&')}&color-line=000-112233`), {
      'color-line': { light: '#000000', dark: '#112233' },
    });
  });

  it('themeOf() is undefined for a place on the page, and the default for an empty fragment', () => {
    assert.equal(themeOf('#main'), undefined);
    assert.deepEqual(themeOf(''), {});
  });
});

describe('a color', () => {
  it('parseHex() accepts colors as people paste them', () => {
    assert.equal(parseHex(' #2F5A3F '), '#2f5a3f');
    assert.equal(parseHex('09c'), '#0099cc');
    for (const text of ['', '#12345', 'red', '#gggggg', '#11223344']) assert.equal(parseHex(text), undefined, text);
  });

  it('contrast() computes the contrast of WCAG', () => {
    assert.equal(contrast('#000000', '#ffffff'), 21);
    assert.equal(contrast('#777777', '#ffffff').toFixed(2), '4.48');
    assert.equal(contrast('#ffffff', '#767676').toFixed(2), '4.54');
  });

  it('mix() mixes colors as color-mix() does in sRGB', () => {
    assert.equal(mix('#000000', 0.25, '#ffffff'), '#bfbfbf');
  });

  it('shortfalls() names the color and the scheme that fail', () => {
    const found = shortfalls({ 'color-muted': { light: '#777777', dark: '#a6adbb' } });
    const fails = found.map(({ key, scheme }) => `${key} ${scheme}`);
    assert.deepEqual(fails, ['color-muted light']);
    const border = shortfalls({ 'color-field': { light: '#858c9b', dark: '#30343c' } });
    const bordersThatFail = border.map(({ key, scheme }) => `${key} ${scheme}`);
    assert.deepEqual(bordersThatFail, ['color-field dark']);
  });

  it('shortfalls() finds a color that passes on the surface and fails on the chosen row', () => {
    const light = '#757575';
    assert.ok(contrast(light, '#ffffff') > 4.5);
    const [found] = shortfalls({ 'color-muted': { light, dark: '#a6adbb' } });
    assert.notEqual(found?.where, 'on the surface');
    assert.ok((found?.ratio ?? 5) < 4.5);
  });
});
