// The theme editor's tables and functions, compared with the widget's sources: the same properties, defaults and tints,
// and enough contrast in each ready theme; and its page.
import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import { describe, it } from 'node:test';
import { createThemes } from '../../../demo/themes/app.ts';
import { PROPERTIES, type Property, type Scheme, type Theme } from '../../../demo/themes/theme.ts';

interface Shortfall {
  key: string;
  scheme: Scheme;
  ratio: number;
  where: string;
}

type Mixed = string | [one: string, share: number, other: string];

const PUBLIC = new URL('../../../demo/themes/public/', import.meta.url);
const { cssOf, hashOf, themeOf, withValue } = (await import(new URL('theme-text.js', PUBLIC).href)) as {
  cssOf(theme: Theme): string;
  hashOf(theme: Theme): string;
  themeOf(hash: string): Theme | undefined;
  withValue(theme: Theme, key: string, value: Theme[string] | null): Theme;
};
const { PAIRS, contrast, darkOf, shortfalls } = (await import(new URL('contrast.js', PUBLIC).href)) as {
  PAIRS: { of: Mixed; on: Mixed }[];
  contrast(one: string, other: string): number;
  darkOf(theme: Theme, light: string): string;
  shortfalls(theme: Theme): Shortfall[];
};

const read = (file: string) => readFileSync(new URL(`../../../widget/${file}`, import.meta.url), 'utf8');
const STYLES = read('shell/shell.styles.ts') + read('flow/flow.styles.ts');

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
      const usual = property.default;
      if (name === '--payment-color-on-accent') {
        assert.match(STYLES, /--payment-color-on-accent,\s+color\(from var\(--_fill\)/, 'it follows from the accent');
      } else if (name === '--payment-color-accent') {
        // The button's. Lines and texts are lighter in the dark.
        assert.ok(STYLES.includes(`--_accent: var(${name}, light-dark(#2348d5, #94abff))`), name);
        assert.ok(STYLES.includes(`--_fill: var(${name}, light-dark(#2348d5, #3f63ee))`), name);
        assert.deepEqual(usual, { light: '#2348d5', dark: '#3f63ee' });
      } else if (typeof usual === 'number') {
        // The space grows with the page's text.
        assert.match(expected(property), new RegExp(`^(max\\()?${usual}${property.unit}\\b`), name);
      } else if (usual !== null) {
        assert.equal(expected(property), `light-dark(${usual.light}, ${usual.dark})`, name);
      } else {
        // The widget computes it, so there is no default value to compare.
        assert.doesNotMatch(expected(property), /^[\d.]+(px|rem)$|^$/, name);
      }
    }
  });

  it('PAIRS have the tints that the widget mixes', () => {
    const mixed = [...STYLES.matchAll(/color-mix\(in srgb, [^;]+? (\d+)%/g)].map(([, percent]) => Number(percent));
    const [, placeholder] = /::placeholder \{\s+color: var\(--_text\);\s+opacity: ([\d.]+)/.exec(STYLES) ?? [];
    mixed.push(Number(placeholder) * 100);
    const judged = PAIRS.flatMap(({ of, on }) => [of, on])
      .filter((color) => typeof color !== 'string')
      .map(([, share]) => Math.round(share * 100));
    assert.deepEqual(new Set(judged), new Set(mixed));
  });
});

const themes = createThemes('https://pay.shop.example', {});
const page = await (await themes.request('/')).text();

describe('a ready theme', () => {
  const links = [...page.matchAll(/href="(#[^"]+=[^"]*)"/g)].map(([, hash = '']) =>
    hash.replaceAll('&amp;', '&').replaceAll('&#39;', "'"),
  );
  const files = readdirSync(new URL('../../../widget/themes/', import.meta.url));

  it('the page has a link to each theme of the widget, and they differ', () => {
    assert.equal(links.length, files.length);
    assert.equal(new Set(links.map((hash) => hashOf(themeOf(hash) ?? {}))).size, files.length);
  });

  for (const [at, file] of files.entries()) {
    const theme = themeOf(links[at] ?? '') ?? {};

    it(`the theme ${file} passes WCAG AA in light and dark`, () => {
      assert.deepEqual(shortfalls(theme), []);
    });

    it(`a new accent is readable in the dark with the theme ${file}`, () => {
      for (const light of ['#8a1c5b', '#ffd400', '#16181e', '#2348d5', '#d00000']) {
        const dark = darkOf(theme, light);
        const found = shortfalls({ ...theme, 'color-accent': { light, dark } });
        assert.deepEqual(
          found.filter(({ scheme }) => scheme === 'dark'),
          [],
          `${light}, ${dark}`,
        );
      }
      assert.equal(darkOf(theme, '#ffd400'), '#ffd400', 'as it is, if it can be');
    });

    it(`the link to the theme ${file} has each value of the file that is not a default`, () => {
      const declared = (css: string) =>
        [...css.matchAll(/(--payment-[\w-]+):\s+([^;]+);/g)].map(([, name, value]) => `${name}: ${value}`);
      const usual = declared(read('themes/plain.css'));
      const own = declared(read(`themes/${file}`)).filter((line) => !usual.includes(line));
      assert.deepEqual(declared(cssOf(theme)), own);
    });
  }
});

describe('the page', () => {
  it('the page has labeled controls for each property, nothing inline, and loads only files that are served', async () => {
    const groups = page.split('data-key="').slice(1);
    const keys = groups.map((group) => group.slice(0, group.indexOf('"')));
    assert.deepEqual(keys.toSorted(), PROPERTIES.map(({ key }) => key).toSorted());
    for (const group of groups) assert.match(group, /<input[^>]*aria-label="[A-Z][^"]+"/);
    assert.doesNotMatch(page, /<script(?![^>]* src=)|<style|\sstyle=|\son\w+=/);
    const wanted = [...page.matchAll(/"\/themes(\/assets\/[\w.-]+)"/g)].map(([, path = '']) => path);
    for (const path of wanted) {
      const response = await themes.request(path);
      assert.equal(response.status, 200, path);
      const text = await response.text();
      wanted.push(...[...text.matchAll(/from '\.\/([\w.-]+)'/g)].map(([, name]) => `/assets/${name}`));
    }
    assert.ok(wanted.length > 4);
  });
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
      'font=1rem serif;}body{display:none}',
      'max-width=url(x)',
      '__proto__=1',
    ];
    assert.deepEqual(themeOf(`#${hostile.join('&')}`), {});
    assert.deepEqual(themeOf(`#${hostile.join('&')}&color-line=000000-112233`), {
      'color-line': { light: '#000000', dark: '#112233' },
    });
  });
});

describe('a color', () => {
  it('contrast() computes the contrast of WCAG', () => {
    assert.equal(contrast('#000000', '#ffffff'), 21);
    assert.equal(contrast('#777777', '#ffffff').toFixed(2), '4.48');
    assert.equal(contrast('#ffffff', '#767676').toFixed(2), '4.54');
  });

  it('shortfalls() names the color and the scheme that fail', () => {
    const found = shortfalls({ 'color-muted': { light: '#777777', dark: '#a6adbb' } });
    const fails = found.map(({ key, scheme }) => `${key} ${scheme}`);
    assert.deepEqual(fails, ['color-muted light']);
    const placeholder = shortfalls({ 'color-text': { light: '#2b2b2b', dark: '#f1f3f7' } });
    assert.deepEqual(
      placeholder.map(({ key, scheme, where }) => `${key} ${scheme} ${where}`),
      ['color-text light as an example in a field'],
    );
    const border = shortfalls({ 'color-field': { light: '#858c9b', dark: '#30343c' } });
    const bordersThatFail = border.map(({ key, scheme }) => `${key} ${scheme}`);
    assert.deepEqual(bordersThatFail, ['color-field dark']);
    const accent = { light: '#ffd400', dark: '#0b7a4b' };
    assert.deepEqual(shortfalls({ 'color-accent': accent }), [], 'the widget fits it to its own surface');
    const own = { 'color-accent': accent, 'color-surface': { light: '#fffaf0', dark: '#16181f' } };
    const fitted = shortfalls(own).map(({ key, scheme }) => `${key} ${scheme}`);
    assert.deepEqual(fitted, ['color-accent light', 'color-accent dark']);
    assert.deepEqual(shortfalls({ 'color-surface': { light: '#ffffff', dark: '#101216' } }), []);
  });
});
