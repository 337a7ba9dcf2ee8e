// The markup of the theme editor: two widgets (light and dark), the states that they can show, the ready themes, a
// control for each `--payment-*` property, and the CSS to copy. theme-editor.js makes it work. The theme is kept in the
// fragment of the address and never sent to the server. In the shop the page is one of its pages and has a real order;
// by itself it has neither.
import { html } from 'hono/html';
import { page, type Markup, type Site } from '../shop/page.ts';
import { STATES } from './preview.ts';
import {
  FONTS,
  PROPERTIES,
  SETTINGS,
  SHEETS,
  TEXT_SIZE,
  THEMES,
  type ColorProperty,
  type FontProperty,
  type LengthProperty,
  type Property,
  type ReadyTheme,
  type Scheme,
  type SheetSetting,
} from './theme.ts';

const SCHEMES: Record<Scheme, string> = { light: 'Light', dark: 'Dark' };

/** The shop's order that the widgets can show. */
export interface RealOrder {
  token: string;
  proxyUrl: string;
  site: Site;
}

const STYLES = ['/themes/assets/themes.css'];
const EDITOR = '/themes/assets/theme-editor.js';

/** A page of the shop. */
export function themesPage(order: RealOrder): Markup {
  const scripts = [EDITOR, `${order.proxyUrl}/widget.js`];
  return page({ title: 'Themes', place: 'themes', styles: STYLES, scripts, site: order.site }, editor(order));
}

/** A page by itself. */
export function themesPageAlone(widgetUrl: string): Markup {
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>Themes of the payment widget</title>
        <link rel="icon" href="data:," />
        ${['/assets/shop.css', ...STYLES].map((style) => html`<link rel="stylesheet" href="${style}" />`)}
        ${[EDITOR, widgetUrl].map((script) => html`<script type="module" src="${script}"></script>`)}
      </head>
      <body class="themes">
        <a class="skip" href="#main">Skip to the content</a>
        <main id="main">${editor()}</main>
      </body>
    </html>`;
}

function editor(order?: RealOrder): Markup {
  const given = order ? html` data-order="${order.token}"` : '';
  return html`<h1>Make the widget yours</h1>
    <p class="quiet">
      ${PROPERTIES.length} CSS properties style it, in light and dark. Start from a theme, change what you like, look at
      each state${order ? ', pay with it (no money moves)' : ''}, and copy the CSS.
    </p>
    <ul class="ready" aria-label="Ready themes">
      ${THEMES.map(themeCard)}
    </ul>
    <div class="editor stack">
      <div class="stack">
        <div class="previews card" ${given}>${preview('light', order)} ${preview('dark', order)}</div>
        <div class="bar">
          <div class="states" role="group" aria-label="State of the widget">
            ${order ? state('order', 'Real order', true) : ''}
            ${Object.entries(STATES).map(([id, { label }]) => state(id, label, false))}
          </div>
          <p class="quiet" role="status" data-renewed></p>
          ${order ? html`<button class="button plain" type="button" data-renew>New order</button>` : ''}
        </div>
        <div class="bar">
          <h2 id="rule">The CSS</h2>
          <button class="button plain" type="button" data-copy>Copy</button>
          <p class="quiet" role="status" data-copied></p>
          <p class="quiet">
            Only what differs from the defaults; <code>light-dark()</code> follows the page's <code>color-scheme</code>.
            This page's address holds the theme, too.
          </p>
        </div>
        <pre class="rule" tabindex="0" role="group" aria-labelledby="rule"><code data-css></code></pre>
      </div>
      <form autocomplete="off" aria-label="Properties">
        <p class="message" role="status" data-verdict></p>
        <section aria-labelledby="colors">
          <div class="property">
            <h2 id="colors">Colors</h2>
            <div class="controls">
              ${Object.values(SCHEMES).map((label) => html`<small aria-hidden="true">${label}</small>`)}
            </div>
          </div>
          ${PROPERTIES.filter(({ kind }) => kind === 'color').map(row)}
        </section>
        <section aria-labelledby="shape">
          <div class="property"><h2 id="shape">Shape and type</h2></div>
          ${SETTINGS.filter(({ kind }) => kind !== 'color').map(row)}
        </section>
      </form>
    </div>`;
}

/** A button with samples of the theme in light and dark, styled by the theme's own properties. */
function themeCard({ id, label, note }: ReadyTheme): Markup {
  const sample = (scheme: Scheme) => html`<span class="${scheme}"><b>Aa</b><i></i><i></i><i></i></span>`;
  return html`<li>
    <button class="theme card" type="button" data-theme="${id}" aria-pressed="false">
      <span class="samples" aria-hidden="true">${sample('light')}${sample('dark')}</span>
      <strong>${label}</strong><small>${note}</small>
    </button>
  </li>`;
}

function state(id: string, label: string, isShown: boolean): Markup {
  return html`<button type="button" data-state="${id}" aria-pressed="${String(isShown)}">${label}</button>`;
}

function preview(scheme: Scheme, order?: RealOrder): Markup {
  const token = order ? html` order="${order.token}"` : '';
  return html`<section class="${scheme}" aria-label="The widget, ${scheme}">
    <payment-widget${token} methods="DIRECT QR" checkout-target="_blank"></payment-widget>
  </section>`;
}

function row(property: Property | SheetSetting): Markup {
  const { key, label, hint } = property;
  return html`<div class="property" role="group" data-key="${key}" aria-label="${label}, ${property.name}">
    <div class="name">
      <b>${label}</b>
      <button type="button" data-reset aria-label="Reset ${label}" title="Reset" hidden>↺</button>
      <small>${hint}</small>
    </div>
    <div class="controls">${controls(property)}</div>
    <p class="message caution" id="shortfall-${key}" hidden></p>
  </div>`;
}

function controls(property: Property | SheetSetting): Markup {
  switch (property.kind) {
    case 'color':
      return colorControls(property);
    case 'length':
      return lengthControl(property);
    case 'font':
      return fontControls(property);
    case 'sheet':
      return sheetControl(property);
    default:
      return property satisfies never;
  }
}

function colorControls({ key, label, default: shades }: ColorProperty): Markup {
  return html`${Object.entries(SCHEMES).map(([scheme, name]) => {
    const shade = shades[scheme as Scheme];
    const where = `${label}, ${name.toLowerCase()}`;
    return html`<span class="color">
      <input
        type="color"
        data-scheme="${scheme}"
        value="${shade}"
        aria-label="${where}"
        aria-describedby="shortfall-${key}"
      />
      <input
        type="text"
        data-scheme="${scheme}"
        value="${shade}"
        maxlength="9"
        spellcheck="false"
        aria-label="${where}, hex code"
        aria-describedby="shortfall-${key}"
      />
    </span>`;
  })}`;
}

function lengthControl({ label, unit, min, max, default: usual, otherwise = min }: LengthProperty): Markup {
  return slider(label, { unit, min, max, value: usual ?? otherwise });
}

function fontControls({ label }: FontProperty): Markup {
  return html`<select aria-label="${label}">
      <option value="">The page's own</option>
      ${Object.entries(FONTS).map(([family, font]) => html`<option value="${family}">${font.label}</option>`)}
    </select>
    ${slider('Size of the text', { ...TEXT_SIZE, unit: 'px', value: TEXT_SIZE.default })}`;
}

function sheetControl({ label }: SheetSetting): Markup {
  return html`<select aria-label="${label}">
    <option value="">Plain, with a border</option>
    ${Object.entries(SHEETS).map(([id, sheet]) => html`<option value="${id}">${sheet.label}</option>`)}
  </select>`;
}

function slider(
  label: string,
  { unit, min, max, value }: Pick<LengthProperty, 'unit' | 'min' | 'max'> & { value: number },
): Markup {
  return html`<input
      type="range"
      min="${min}"
      max="${max}"
      value="${value}"
      data-unit="${unit}"
      aria-label="${label}"
    /><span class="value" aria-hidden="true"></span>`;
}
