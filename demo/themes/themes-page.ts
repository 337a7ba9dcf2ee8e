// The markup of the theme editor: two widgets with one order (light and dark), four ready themes, a control for each
// `--payment-*` property, and the CSS rule to copy. theme-editor.js makes it work. The theme is kept in the fragment of
// the address and never sent to the server.
import { html } from 'hono/html';
import { page, type Markup, type Site } from '../shop/page.ts';
import {
  FONTS,
  PROPERTIES,
  TEXT_SIZE,
  THEMES,
  type ColorProperty,
  type FontProperty,
  type LengthProperty,
  type Property,
  type ReadyTheme,
  type Scheme,
} from './theme.ts';

const SCHEMES: Record<Scheme, string> = { light: 'Light', dark: 'Dark' };

export interface ThemesPage {
  token: string;
  proxyUrl: string;
  site: Site;
}

export function themesPage({ token, proxyUrl, site }: ThemesPage): Markup {
  const styles = ['/themes/assets/themes.css'];
  const scripts = ['/themes/assets/theme-editor.js', `${proxyUrl}/widget.js`];
  return page(
    { title: 'Themes', place: 'themes', styles, scripts, site },
    html`<h1>Make the widget yours</h1>
      <p class="quiet">
        ${PROPERTIES.length} CSS properties style it, in light and dark. Start from a theme, change what you like, pay
        with it, and copy the CSS rule.
      </p>
      <ul class="ready" aria-label="Ready themes">
        ${THEMES.map(themeCard)}
      </ul>
      <div class="editor stack">
        <div class="stack">
          <div class="previews card">${preview('light', token)} ${preview('dark', token)}</div>
          <div class="bar">
            <p class="quiet">One real order, shown twice. Pay it with the wallet phone: no money moves.</p>
            <p class="quiet" role="status" data-renewed></p>
            <button class="button plain" type="button" data-renew>New order</button>
          </div>
          <div class="bar">
            <h2 id="rule">The CSS</h2>
            <button class="button plain" type="button" data-copy>Copy</button>
            <p class="quiet" role="status" data-copied></p>
            <p class="quiet">
              Only what differs from the defaults; <code>light-dark()</code> follows the page's
              <code>color-scheme</code>. This page's address holds the theme, too.
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
            ${PROPERTIES.filter(({ kind }) => kind !== 'color').map(row)}
          </section>
        </form>
      </div>`,
  );
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

function preview(scheme: Scheme, token: string): Markup {
  return html`<section class="${scheme}" aria-label="The widget, ${scheme}">
    <payment-widget order="${token}" methods="DIRECT QR" checkout-target="_blank"></payment-widget>
  </section>`;
}

function row(property: Property): Markup {
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

function controls(property: Property): Markup {
  switch (property.kind) {
    case 'color':
      return colorControls(property);
    case 'length':
      return lengthControl(property);
    case 'font':
      return fontControls(property);
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
