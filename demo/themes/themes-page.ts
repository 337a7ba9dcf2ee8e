// The markup of the theme editor: two widgets (light and dark), their states, the ready themes, a control for each
// `--payment-*` property, and the CSS to copy. The theme is kept in the address’s fragment; a ready theme is a link.
import { readFileSync, readdirSync } from 'node:fs';
import { html } from 'hono/html';
import { page, type Markup, type Site } from '../shop/page.ts';
import type { StateName } from '../../widget/testing/fake-proxy.ts';
import { PROPERTIES, type Property, type Scheme } from './theme.ts';

const SCHEMES: Record<Scheme, string> = { light: 'Light', dark: 'Dark' };

/** Together they show every property. `error`: the choice, sent too early; `other`: the choice beside a payment. */
const STATES = {
  choosing: 'Choose',
  error: 'No wallet ID',
  requested: 'Wait',
  code: 'Code',
  other: 'A payment is open',
  paid: 'Paid',
  paidTwice: 'Paid twice',
  declined: 'Failed',
  checking: 'Checking',
} satisfies Partial<Record<StateName | 'error' | 'other', string>>;

const READY = new URL('../../widget/themes/', import.meta.url);
const LOGO = `data:image/svg+xml;base64,${readFileSync(new URL('../shop/public/icon.svg', import.meta.url), 'base64')}`;
/** What a shop's order tokens say of shop and wallet. */
const CLAIMS = [
  { claim: 'merchant', label: 'Name', value: 'Stillwater Coffee', max: 60, hint: '' },
  { claim: 'logo', label: 'Logo', value: LOGO, max: 5_500, hint: 'https: or data:' },
  { claim: 'walletName', label: 'Wallet', value: '', max: 30, hint: 'Such as Jeton' },
];

/** What most shops set. */
const FIRST = ['color-accent', 'color-surface', 'color-text', 'radius', 'font'];

export function themesPage(proxyUrl: string, site: Site): Markup {
  const scripts = ['/themes/assets/theme-editor.js', `${proxyUrl}/widget.js`];
  return page({ title: 'Themes', place: 'themes', styles: ['/themes/assets/themes.css'], scripts, site }, editor);
}

const editor: Markup = html`<h1>Make the widget yours</h1>
  <p class="quiet">Start from a theme, change it, look at nine states in light and dark, and copy the CSS.</p>
  <ul class="ready" aria-label="Ready themes">
    ${readyThemes()}
  </ul>
  <div class="desk">
    <div class="editor">
      <div class="looks">
        <div class="bar" role="group" aria-label="State of the widget">
          ${Object.entries(STATES).map(
            ([id, label]) => html`<button class="button plain" type="button" data-state="${id}">${label}</button>`,
          )}
        </div>
        <div class="previews card">
          ${Object.keys(SCHEMES).map(
            (scheme) =>
              html`<section class="${scheme}" aria-label="The widget, ${scheme}">
                <payment-widget></payment-widget>
              </section>`,
          )}
        </div>
      </div>
      <form autocomplete="off" spellcheck="false" aria-label="Properties">
        <p class="message" role="status" data-verdict></p>
        ${section('Colors', 'More colors', ['color'], SCHEMES)}
        ${section('Shape and type', 'More sizes', ['length', 'font'])}
        <details>
          <summary>Name and logo, in the order token</summary>
          ${CLAIMS.map(
            ({ claim, label, value, max, hint }) =>
              html`<label class="property"
                ><span class="name"><b>${label}</b> ${hint && html`<small>${hint}</small>`}</span>
                <span class="controls"><input data-claim="${claim}" value="${value}" maxlength="${max}" /></span>
              </label>`,
          )}
        </details>
      </form>
    </div>
    <section class="rule" aria-labelledby="rule">
      <div class="bar">
        <h2 id="rule">The CSS</h2>
        <a data-undo hidden></a>
        <p role="status" data-copied></p>
        <button class="button" type="button" data-copy>Copy CSS</button>
      </div>
      <pre data-css></pre>
      <p class="quiet">For your page’s style sheet. This page’s address holds it, too.</p>
    </section>
  </div>`;

/** Its first properties, and a fold with the others. `columns`: what is above the controls. */
function section(title: string, more: string, kinds: Property['kind'][], columns?: object): Markup {
  const all = PROPERTIES.filter(({ kind }) => kinds.includes(kind));
  const first = FIRST.flatMap((key) => all.filter((each) => each.key === key));
  return html`<section aria-label="${title}">
    <div class="property">
      <h2>${title}</h2>
      ${
        columns &&
        html`<div class="controls">
          ${Object.values(columns).map((label) => html`<small aria-hidden="true">${label}</small>`)}
        </div>`
      }
    </div>
    ${first.map(row)}
    <details>
      <summary>${more}</summary>
      ${all.filter((each) => !first.includes(each)).map(row)}
    </details>
  </section>`;
}

function row({ key, name, label, hint, kind, unit, default: usual, min = 0, max = 0 }: Property): Markup {
  return html`<div class="property" role="group" data-key="${key}" aria-label="${name}" aria-describedby="${key}">
    <div class="name">
      <b>${label}</b> <button type="button" data-reset aria-label="Reset ${label}" hidden>Reset</button>
      <small id="${key}" role="status">${hint}</small>
    </div>
    <div class="controls">
      ${
        kind === 'color'
          ? Object.keys(SCHEMES).map(
              (scheme) =>
                html`<input type="color" data-scheme="${scheme}" aria-label="${label}, ${scheme}" />
                  <input
                    type="text"
                    data-scheme="${scheme}"
                    aria-label="${label}, ${scheme}, as #rrggbb"
                    pattern="#([0-9A-Fa-f]{3}){1,2}"
                  />`,
            )
          : kind === 'font'
            ? html`<input type="text" maxlength="200" aria-label="${label}" placeholder="The page’s font" />`
            : html`<input type="range" min="${min}" max="${max}" aria-label="${label}" />
                <span class="value" aria-hidden="true">${usual} ${unit}</span>`
      }
    </div>
  </div>`;
}

/** The widget's own themes, each as a link to its values. */
function readyThemes(): Markup[] {
  return readdirSync(READY).map((file) => {
    const css = readFileSync(new URL(file, READY), 'utf8').replaceAll(/\s+/g, ' ');
    const [, label = ''] = /^\/\* (.+?):/.exec(css) ?? [];
    const codes = new Map(
      Array.from(css.matchAll(/--payment-([\w-]+): ([^;]+);/g), ([, key = '', value = '']) => [key, codeOf(value)]),
    );
    const hash = Array.from(codes, ([key, code]) => `${key}=${encodeURIComponent(code)}`).join('&');
    return html`<li>
      <a class="card" href="#${hash}">${sample(codes)}<strong>${label}</strong></a>
    </li>`;
  });
}

/** A theme's surface, text and button, light beside dark. */
function sample(codes: Map<string, string>): Markup {
  const colors = ['color-surface', 'color-text', 'color-accent'].map((key) => {
    const usual = Object.values(PROPERTIES.find((property) => property.key === key)?.default ?? {});
    return (codes.get(key) ?? codeOf(usual.join(' '))).split('-');
  });
  const family = codes.get('font')?.replace(/^\S+ /, '') ?? '';
  return html`<svg viewBox="0 0 72 44" aria-hidden="true">
    ${[0, 1].map((at) => {
      const [surface, text, accent] = colors.map((shades) => `#${shades[at]}`);
      return html`<g transform="translate(${at * 36})">
        <path fill="${surface}" d="M0 0h36v44H0z"></path>
        <text x="18" y="22" fill="${text}" font-family="${family}">Aa</text>
        <rect x="7" y="29" width="22" height="8" rx="${Number(codes.get('radius') ?? 12) / 6}" fill="${accent}"></rect>
      </g>`;
    })}
  </svg>`;
}

/** `light-dark(#aabbcc, #ddeeff)` → `aabbcc-ddeeff`, `4px` → `4`; a font as it is. */
function codeOf(value: string): string {
  const [light, dark = light] = [...value.matchAll(/#([\da-f]{6})/g)].map(([, hex]) => hex);
  return light === undefined ? value.replace(/^(\d+)(px|rem)$/, '$1') : `${light}-${dark}`;
}
