// Connects the controls, the theme and the fragment of the address. The theme is the only state; the page is drawn
// from it. The previews use the same CSS rule that is shown for copying, as a constructed style sheet, and a fake proxy
// each. theme-text.js converts a theme to text, contrast.js checks its colors.
import { darkOf, fixed, isFitted, onAccentOf, shortfalls } from './contrast.js';
import { FakeProxy, paymentOf } from './fake-proxy.js';
import { cssOf, hashOf, themeOf, withValue } from './theme-text.js';
import { PROPERTIES } from './themes.js';

/** Browsers limit how often the address may change, and each letter of a name would be two widgets. */
const PAUSE_MS = 300;
const ORDER = { amount: '30.00', description: '2\u00a0×\u00a0Dawn Chorus', methods: ['DIRECT', 'QR'] };
const NEEDS = { 1.2: 'a button', 3: 'a border or icon', 4.5: 'text' };
/** Said beside a wrong value. The theme keeps the value before. */
const WANTED = { color: 'Type a color such as #2348d5', font: 'Type a font such as 1rem Georgia, serif' };

const find = (selector, within = document) => within.querySelector(selector);
const all = (selector, within = document) => [...within.querySelectorAll(selector)];
const form = find('form');
const rows = PROPERTIES.map((property) => ({ property, row: find(`[data-key="${property.key}"]`, form) }));
const ACCENT = PROPERTIES.find(({ key }) => key === 'color-accent');
const propertyOf = (input) => rows.find(({ row }) => row.contains(input)).property;
const styles = new CSSStyleSheet();

const links = all('.ready a');
const PLAIN = links.find(({ hash }) => hashOf(themeOf(hash)) === '');

let theme = {};
/** The link to the ready theme that the changes started from. */
let start = PLAIN;
let state = 'choosing';
let addressTimer;
let brandTimer;
/** One more for each pair of previews, because the widget remembers what was started for an order. */
let count = 0;
let release = [];

function show() {
  const css = cssOf(theme);
  styles.replaceSync(css);
  find('[data-css]').textContent = css || '/* Plain needs no CSS. */';
  find('[data-copy]').disabled = css === '';
  say('[data-copied]', '');
  for (const { property, row } of rows) showValue(row, property, valueOf(property));
  const same = links.find((link) => hashOf(themeOf(link.hash)) === hashOf(theme));
  start = same ?? start;
  for (const link of links) link.ariaCurrent = String(link === same);
  const undo = find('[data-undo]');
  undo.hidden = same !== undefined;
  undo.href = start.hash;
  undo.textContent = `Reset to ${find('strong', start).textContent}`;
  showVerdict();
  clearTimeout(addressTimer);
  addressTimer = setTimeout(writeAddress, PAUSE_MS);
}

function showVerdict() {
  const found = shortfalls(theme);
  const before = themeOf(start.hash);
  for (const { property, row } of rows) {
    const { key, kind, hint } = property;
    const isChanged = JSON.stringify(theme[key]) !== JSON.stringify(before[key]);
    const isWrong = find(':invalid', row) !== null;
    find('[data-reset]', row).hidden = !isChanged && !isWrong;
    const help = property === ACCENT && darkFollows() ? `${hint}. Dark\u00a0follows\u00a0light` : hint;
    say(`[data-key=${key}] small`, isWrong ? WANTED[kind] : help);
    for (const input of all('input', row)) {
      const isShort = found.some((each) => each.key === key && each.scheme === input.dataset.scheme);
      input.ariaInvalid = String(isShort || !input.validity.valid);
    }
  }
  find('[data-verdict]').className = `message ${found.length === 0 ? 'good' : 'warn'}`;
  const lines = found.length === 0 ? [['All text meets WCAG AA, light and dark.']] : found.map(lineOf);
  if (isFitted(theme))
    lines.push(['Links and text use a darker or lighter shade of the accent if it is hard to read.']);
  say('[data-verdict]', ...lines.flatMap((line, at) => (at === 0 ? line : ['\n', ...line])));
}

const valueOf = ({ key, default: usual }) => (key === 'color-on-accent' ? onAccentOf(theme) : (theme[key] ?? usual));

function showValue(row, { kind, unit, min }, value) {
  for (const input of all('input', row)) {
    // Do not overwrite the field while the visitor types.
    if (input.type === 'text' && input === document.activeElement) continue;
    input.value = kind === 'color' ? value[input.dataset.scheme] : (value ?? min ?? '');
    input.setCustomValidity('');
  }
  if (kind !== 'length') return;
  const text = value === null ? 'auto' : `${value} ${unit}`;
  find('input', row).setAttribute('aria-valuetext', text);
  find('.value', row).textContent = text;
}

const buttonOf = (textContent, onclick) => Object.assign(document.createElement('button'), { textContent, onclick });

/** Buttons show the color, and set one with enough contrast. The ratio is rounded down: 4.49 is not shown as 4.5. */
function lineOf({ key, scheme, ratio, atLeast, where, state: shownIn }) {
  const property = PROPERTIES.find((each) => each.key === key);
  const showColor = () => {
    showState(shownIn);
    const field = find(`[data-key=${key}] [type=text][data-scheme=${scheme}]`, form);
    field.closest('details')?.setAttribute('open', '');
    field.focus();
  };
  const fix = fixed(theme, { key, scheme }, valueOf(property));
  const use = () => {
    theme = withValue(theme, key, colorIn(property, fix, scheme));
    show();
    showColor();
  };
  const said = `: ${(Math.floor(ratio * 10) / 10).toFixed(1)} to 1 ${where}; ${NEEDS[atLeast]} needs ${atLeast}.`;
  const more = fix ? [' ', buttonOf(`Use ${fix}`, use)] : [];
  return [buttonOf(`${property.label}, ${scheme}`, showColor), said, ...more];
}

/** Fills a live region only if its text changes, because screen readers speak each change. */
function say(selector, ...parts) {
  const region = find(selector);
  const text = parts.map((part) => part.textContent ?? part).join('');
  if (region.textContent !== text) region.replaceChildren(...parts);
}

const isFont = (value = '') => value.trim() === '' || CSS.supports('font', value);

/** A new light accent sets the dark one, too, until the visitor sets that. */
function darkFollows() {
  const { light, dark } = valueOf(ACCENT);
  const ready = links.map(({ hash }) => (themeOf(hash)[ACCENT.key] ?? ACCENT.default).dark);
  return [...ready, light, darkOf(theme, light)].includes(dark);
}

/** An emptied color is the usual one again. */
function colorIn(property, value, scheme) {
  const usual = property.default ?? onAccentOf({ ...theme, [property.key]: undefined });
  const typed = value.toLowerCase().replace(/^#(.)(.)(.)$/, '#$1$1$2$2$3$3');
  const shades = { ...valueOf(property), [scheme]: typed || usual[scheme] };
  if (property === ACCENT && scheme === 'light' && darkFollows())
    shades.dark = typed ? darkOf(theme, typed) : usual.dark;
  return typed === '' && shades.light === usual.light && shades.dark === usual.dark ? null : shades;
}

function valueIn(property, { value, dataset }) {
  if (property.kind === 'color') return colorIn(property, value, dataset.scheme);
  return property.kind === 'length' ? Number(value) : value.trim() || null;
}

function writeAddress() {
  clearTimeout(addressTimer);
  const hash = hashOf(theme);
  if (location.hash !== hash) history.replaceState(null, '', `${location.pathname}${hash}`);
}

/** The fragment of a link within the page is not a theme: it is replaced by the theme's. */
function readAddress() {
  const given = themeOf(location.hash);
  if (given !== undefined) [theme, start] = [isFont(given.font) ? given : withValue(given, 'font', null), PLAIN];
  show();
  // Nothing is to be written, and a write could come after the back button is pressed.
  if (location.hash === hashOf(theme)) clearTimeout(addressTimer);
}

async function copy() {
  const code = find('[data-css]');
  try {
    await navigator.clipboard.writeText(code.textContent);
    say('[data-copied]', 'Copied.');
  } catch {
    getSelection().selectAllChildren(code);
    say('[data-copied]', 'Selected: copy it.');
  }
}

/** The form of a widget is a landmark, and two need different names: this one gets that of the section around it too. */
async function prepareForm(widget) {
  await customElements.whenDefined('payment-widget');
  await widget.updateComplete;
  if (!widget.isConnected) return;
  const choice = find('form', widget.shadowRoot);
  choice?.setAttribute('aria-label', `${widget.parentElement.ariaLabel}: ${choice.ariaLabel}`);
  if (state === 'error') choice.requestSubmit();
}

/** Two new widgets, in the state and with the names and logo that are chosen. */
function showState(wanted = state) {
  state = wanted;
  const given = all('[data-claim]').map(({ dataset, value }) => [dataset.claim, value.trim()]);
  const brand = Object.fromEntries(given.filter(([, value]) => value !== ''));
  for (const end of release.toReversed()) end();
  count += 1;
  release = all('payment-widget').map((widget, index) => {
    const proxy = new FakeProxy({ orderId: `TH-${count}`, ...ORDER, ...brand });
    const open = paymentOf('QR', { createdAt: new Date().toISOString() });
    // With a link to the app, a phone would show that and no code.
    const own = { code: { payment: open }, error: {}, other: { otherPayments: [open], openPayment: open } }[state];
    const change = state === 'paidTwice' ? { surplusAmount: ORDER.amount, owedAmount: ORDER.amount } : own;
    proxy.become(own ? 'choosing' : state, change);
    const fresh = document.createElement('payment-widget');
    fresh.setAttribute('proxy', `https://preview${count}-${index}.invalid/`);
    fresh.setAttribute('order', proxy.token);
    widget.replaceWith(fresh);
    void prepareForm(fresh);
    return proxy.install(fresh.getAttribute('proxy'));
  });
  for (const button of all('[data-state]')) button.ariaPressed = String(button.dataset.state === state);
  // On a phone they are a row that scrolls.
  const pressed = find('[data-state][aria-pressed=true]');
  pressed.parentElement.scrollLeft = pressed.offsetLeft - pressed.parentElement.clientWidth / 3;
}

form.addEventListener('submit', (event) => event.preventDefault());
form.addEventListener('input', ({ target }) => {
  if ('claim' in target.dataset) {
    clearTimeout(brandTimer);
    brandTimer = setTimeout(showState, PAUSE_MS);
    return;
  }
  const property = propertyOf(target);
  if (property.kind === 'font') target.setCustomValidity(isFont(target.value) ? '' : WANTED.font);
  if (!target.validity.valid) return showVerdict();
  theme = withValue(theme, property.key, valueIn(property, target));
  show();
});
// A color that was emptied or has three digits, as the CSS has it.
form.addEventListener('change', ({ target }) => {
  if (target.dataset.scheme && target.validity.valid) target.value = valueOf(propertyOf(target))[target.dataset.scheme];
});
for (const { property, row } of rows)
  find('[data-reset]', row).addEventListener('click', () => {
    theme = withValue(theme, property.key, themeOf(start.hash)[property.key] ?? null);
    show();
    // The button is gone.
    find('input', row).focus();
  });
find('[data-copy]').addEventListener('click', () => void copy());
for (const button of all('[data-state]')) button.addEventListener('click', () => showState(button.dataset.state));
// A link to the address of before leads nowhere while the changes are not in the address.
for (const link of all('.ready a, [data-undo]')) link.addEventListener('click', writeAddress);
window.addEventListener('pagehide', writeAddress);
window.addEventListener('hashchange', readAddress);

showState();
document.adoptedStyleSheets.push(styles);
readAddress();
