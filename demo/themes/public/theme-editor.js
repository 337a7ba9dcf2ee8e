// Connects the controls, the theme and the fragment of the address. The theme is the only state; the page is drawn
// from it. The previews use the same CSS rule that is shown for copying, as a constructed style sheet. theme-text.js
// converts a theme to text, contrast.js checks its colors.
import { shortfalls } from './contrast.js';
import { answerPreviews, previewOf } from './preview.js';
import { behindOf, cssOf, defaultsCss, hashOf, parseHex, propertiesCss, themeOf, withValue } from './theme-text.js';
import { SETTINGS, TEXT_SIZE, THEMES } from './themes.js';

/** Browsers limit how often the address may change, so a moving slider must wait. */
const ADDRESS_AFTER_MS = 300;
const NEEDS = { 3: 'a border or icon', 4.5: 'text' };

const find = (selector, within = document) => within.querySelector(selector);
const all = (selector, within = document) => [...within.querySelectorAll(selector)];
const form = find('form');
const rows = SETTINGS.map((property) => ({ property, row: find(`[data-key="${property.key}"]`, form) }));
const previewStyles = new CSSStyleSheet();
const sampleStyles = new CSSStyleSheet();

let theme = themeOf(location.hash) ?? {};
let addressTimer;

/** How each kind of control shows a value, and reads it after a change; undefined if it is not valid yet. */
const CONTROLS = {
  color: {
    show(row, value) {
      for (const input of all('input', row)) {
        // Do not overwrite the field while the visitor types.
        if (input.type === 'text' && input === document.activeElement) continue;
        input.value = value[input.dataset.scheme];
        input.removeAttribute('aria-invalid');
      }
    },
    read(row, value, moved) {
      const hex = parseHex(moved.value);
      moved.toggleAttribute('aria-invalid', false);
      if (hex === undefined) moved.setAttribute('aria-invalid', 'true');
      return hex && { ...value, [moved.dataset.scheme]: hex };
    },
  },
  length: {
    show(row, value, { otherwise }) {
      showLength(row, value ?? otherwise, value === null ? 'auto' : undefined);
    },
    read: (row) => Number(find('input', row).value),
  },
  font: {
    show(row, value) {
      find('select', row).value = value?.family ?? '';
      find('input', row).disabled = value === null;
      showLength(row, value?.size ?? TEXT_SIZE.default, value === null ? "the page's" : undefined);
    },
    read(row) {
      const family = find('select', row).value;
      return family === '' ? null : { family, size: Number(find('input', row).value) };
    },
  },
  sheet: {
    show(row, value) {
      find('select', row).value = value ?? '';
    },
    read: (row) => find('select', row).value || null,
  },
};

function showLength(row, value, words) {
  const input = find('input', row);
  const text = words ?? `${value} ${input.dataset.unit}`;
  input.value = String(value);
  input.setAttribute('aria-valuetext', text);
  find('.value', row).textContent = text;
}

function valueOf({ key, default: usual }) {
  return theme[key] ?? usual;
}

function show() {
  const css = cssOf(theme);
  previewStyles.replaceSync(css);
  find('[data-css]').textContent = css || '/* The defaults: nothing to write. */';
  say('[data-copied]', '');
  for (const { property, row } of rows) {
    CONTROLS[property.kind].show(row, valueOf(property), property);
    find('[data-reset]', row).hidden = !(property.key in theme);
  }
  for (const button of all('[data-theme]')) {
    const { theme: ready } = THEMES.find(({ id }) => id === button.dataset.theme);
    button.setAttribute('aria-pressed', String(hashOf(ready) === hashOf(theme)));
  }
  showShortfalls(shortfalls(theme));
}

function showShortfalls(found) {
  for (const { property, row } of rows) {
    const words = found.filter(({ key }) => key === property.key).map(wordsOf);
    const warning = find('.caution', row);
    warning.hidden = words.length === 0;
    warning.textContent = words.join(' ');
  }
  const count = new Set(found.map(({ key }) => key)).size;
  find('[data-verdict]').classList.toggle('good', count === 0);
  find('[data-verdict]').classList.toggle('caution', count > 0);
  say('[data-verdict]', verdictOf(count));
}

function verdictOf(count) {
  if (count === 0) return 'Every text has the contrast of WCAG AA, light and dark.';
  return count === 1 ? '1 color falls short of WCAG AA.' : `${count} colors fall short of WCAG AA.`;
}

/** The ratio is rounded down, so that 4.49 is not shown as 4.5. */
function wordsOf({ scheme, ratio, atLeast, where }) {
  const shown = (Math.floor(ratio * 10) / 10).toFixed(1);
  const named = scheme === 'light' ? 'Light' : 'Dark';
  return `${named}: ${shown} to 1 ${where}; ${NEEDS[atLeast]} needs ${atLeast}.`;
}

/** Sets the text of a live region only if it changes, because screen readers speak each change. */
function say(selector, text) {
  const region = find(selector);
  if (region.textContent !== text) region.textContent = text;
}

function edit(key, value) {
  theme = withValue(theme, key, value);
  show();
  clearTimeout(addressTimer);
  addressTimer = setTimeout(writeAddress, ADDRESS_AFTER_MS);
}

function writeAddress() {
  clearTimeout(addressTimer);
  if (location.hash !== hashOf(theme)) history.replaceState(null, '', addressOf(theme));
}

function addressOf(shown) {
  return `${location.pathname}${location.search}${hashOf(shown)}`;
}

/** Adds a history entry, so that the back button restores the previous theme. */
function apply(ready) {
  writeAddress();
  if (hashOf(ready) === hashOf(theme)) return;
  theme = ready;
  history.pushState(null, '', addressOf(theme));
  show();
}

async function copy() {
  const code = find('[data-css]');
  try {
    await navigator.clipboard.writeText(code.textContent);
    say('[data-copied]', 'Copied.');
  } catch {
    getSelection().selectAllChildren(code);
    say('[data-copied]', 'Selected. Copy it with the keyboard.');
  }
}

async function renew() {
  const answer = await fetch('/themes/orders', { method: 'POST' })
    .then((response) => (response.ok ? response.json() : undefined))
    .catch(() => undefined);
  say('[data-renewed]', answer ? 'Here it is.' : 'The shop does not answer. Try again.');
  if (!answer) return;
  find('.previews').dataset.order = answer.token;
  for (const widget of all('payment-widget')) widget.order = answer.token;
}

/** Shows a state in both previews: `order` is the shop's order, the others need no proxy. */
function showState(state) {
  const isOrder = state === 'order';
  for (const widget of all('payment-widget')) {
    const fresh = isOrder ? document.createElement('payment-widget') : previewOf(state);
    if (isOrder) fresh.setAttribute('order', find('.previews').dataset.order);
    fresh.setAttribute('methods', widget.getAttribute('methods'));
    fresh.setAttribute('checkout-target', '_blank');
    widget.replaceWith(fresh);
  }
  for (const button of all('[data-state]')) {
    button.setAttribute('aria-pressed', String(button.dataset.state === state));
  }
  const renewal = find('[data-renew]');
  if (renewal) renewal.hidden = !isOrder;
  say('[data-renewed]', '');
}

form.addEventListener('submit', (event) => event.preventDefault());
form.addEventListener('input', ({ target }) => {
  const { property, row } = rows.find((each) => each.row.contains(target));
  const value = CONTROLS[property.kind].read(row, valueOf(property), target);
  if (value !== undefined) edit(property.key, value);
});
// After the edit the field shows the color in use again, even if the typed text was not a color.
form.addEventListener('focusout', ({ target }) => {
  if (target.type === 'text') queueMicrotask(show);
});
form.addEventListener('click', ({ target }) => {
  if (!('reset' in target.dataset)) return;
  const { property, row } = rows.find((each) => each.row.contains(target));
  edit(property.key, null);
  find('input, select', row).focus();
});
for (const button of all('[data-theme]')) {
  const { theme: ready } = THEMES.find(({ id }) => id === button.dataset.theme);
  button.addEventListener('click', () => apply(ready));
}
find('[data-copy]').addEventListener('click', () => void copy());
find('[data-renew]')?.addEventListener('click', () => void renew());
for (const button of all('[data-state]')) button.addEventListener('click', () => showState(button.dataset.state));
answerPreviews();
if (!('order' in find('.previews').dataset)) showState('choose');
window.addEventListener('pagehide', writeAddress);
window.addEventListener('hashchange', () => {
  // The fragment of a link within the page is not a theme: restore the theme's fragment.
  theme = themeOf(location.hash) ?? theme;
  writeAddress();
  show();
});

sampleStyles.replaceSync(
  [
    defaultsCss('.samples'),
    ...THEMES.map(({ id, theme: ready }) => propertiesCss(ready, `[data-theme='${id}'] .samples`)),
    ...THEMES.filter(({ theme: ready }) => 'sheet' in ready).map(
      ({ id, theme: ready }) => `[data-theme='${id}'] .samples > * { background: ${behindOf(ready.sheet)}; }`,
    ),
  ].join('\n'),
);
document.adoptedStyleSheets.push(previewStyles, sampleStyles);
show();
