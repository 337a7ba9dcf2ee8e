// Moves the theme page: controls ⇄ one theme ⇄ the address's fragment. The theme is the one state; everything on the page is drawn
// from it. The previews are dressed by the very rule that is shown for copying, as a style sheet made by script, so what is
// printed is what is seen. What a theme is as text, and which colors fall short, other files know.
import { shortfalls } from './contrast.js';
import { cssOf, defaultsCss, hashOf, parseHex, themeOf, withValue } from './theme-text.js';
import { PROPERTIES, TEXT_SIZE, THEMES } from './themes.js';

/** Browsers refuse an address that is rewritten at every step of a slider. */
const ADDRESS_AFTER_MS = 300;
const NEEDS = { 3: 'a border or sign', 4.5: 'text' };

const find = (selector, within = document) => within.querySelector(selector);
const all = (selector, within = document) => [...within.querySelectorAll(selector)];
const form = find('form');
const dials = PROPERTIES.map((property) => ({ property, row: find(`[data-key="${property.key}"]`, form) }));
const dressing = new CSSStyleSheet();
const cards = new CSSStyleSheet();

let theme = themeOf(location.hash) ?? {};
let addressTimer;

/** How each kind of control shows a value, and what it says when it is moved: undefined, nothing that can be used yet. */
const CONTROLS = {
  color: {
    show(row, value) {
      for (const input of all('input', row)) {
        // Not under the hands of someone who is typing.
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
      showLength(row, value ?? otherwise, value === null ? 'by space' : undefined);
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
  dressing.replaceSync(css);
  find('[data-css]').textContent = css || '/* The defaults: nothing to write. */';
  say('[data-copied]', '');
  for (const { property, row } of dials) {
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
  for (const { property, row } of dials) {
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

/** Rounded down: 4.49 is not 4.5. */
function wordsOf({ scheme, ratio, atLeast, where }) {
  const shown = (Math.floor(ratio * 10) / 10).toFixed(1);
  const named = scheme === 'light' ? 'Light' : 'Dark';
  return `${named}: ${shown} to 1 ${where}; ${NEEDS[atLeast]} needs ${atLeast}.`;
}

/** A live region is spoken when its text changes. */
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

/** A step in the history, so that the back button brings back what was edited before. */
function wear(ready) {
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
    say('[data-copied]', 'Selected, ready to be copied by hand.');
  }
}

async function renew() {
  const answer = await fetch('/themes/orders', { method: 'POST' })
    .then((response) => (response.ok ? response.json() : undefined))
    .catch(() => undefined);
  say('[data-renewed]', answer ? 'There it is.' : 'The shop does not answer. Try again.');
  if (answer) for (const widget of all('payment-widget')) widget.order = answer.token;
}

form.addEventListener('submit', (event) => event.preventDefault());
form.addEventListener('input', ({ target }) => {
  const { property, row } = dials.find((each) => each.row.contains(target));
  const value = CONTROLS[property.kind].read(row, valueOf(property), target);
  if (value !== undefined) edit(property.key, value);
});
// Whatever was typed, the field ends as the color that counts.
form.addEventListener('focusout', ({ target }) => {
  if (target.type === 'text') queueMicrotask(show);
});
form.addEventListener('click', ({ target }) => {
  if (!('reset' in target.dataset)) return;
  const { property, row } = dials.find((each) => each.row.contains(target));
  edit(property.key, null);
  find('input, select', row).focus();
});
for (const button of all('[data-theme]')) {
  const { theme: ready } = THEMES.find(({ id }) => id === button.dataset.theme);
  button.addEventListener('click', () => wear(ready));
}
find('[data-copy]').addEventListener('click', () => void copy());
find('[data-renew]').addEventListener('click', () => void renew());
window.addEventListener('pagehide', writeAddress);
window.addEventListener('hashchange', () => {
  // A link within the page is no theme: the address gets its own back.
  theme = themeOf(location.hash) ?? theme;
  writeAddress();
  show();
});

cards.replaceSync(
  [
    defaultsCss('.samples'),
    ...THEMES.map(({ id, theme: ready }) => cssOf(ready, `[data-theme='${id}'] .samples`)),
  ].join('\n'),
);
document.adoptedStyleSheets.push(dressing, cards);
show();
