// Tells the server the browser's time zone, and refreshes the desk's list every two seconds while the page is visible.
// Keeps the opened rows and the focus. The markup comes from the shop's server, which escapes all values in it.
const EVERY_MS = 2000;
const YEAR_S = 31_536_000;

const live = document.querySelector('[data-live]');
const policy = window.trustedTypes?.createPolicy('desk', { createHTML: (markup) => markup });
const { timeZone } = new Intl.DateTimeFormat().resolvedOptions();
let shown = '';

function show(markup) {
  const rowOf = (element) => element.closest('[data-key]')?.dataset.key;
  const open = new Set([...live.querySelectorAll('details[open]')].map(rowOf));
  const focused = live.contains(document.activeElement) ? document.activeElement : undefined;
  const row = focused && rowOf(focused);
  const address = focused?.getAttribute('href');
  live.innerHTML = policy ? policy.createHTML(markup) : markup;
  for (const entry of live.querySelectorAll('[data-key]')) {
    entry.querySelector('details').open = open.has(entry.dataset.key);
    if (focused?.localName === 'summary' && entry.dataset.key === row) entry.querySelector('summary').focus();
  }
  if (address) live.querySelector(`a[href="${CSS.escape(address)}"]`)?.focus();
}

async function refresh() {
  if (document.hidden) return;
  const markup = await fetch(`/desk/tables${location.search}`)
    .then((response) => (response.ok ? response.text() : undefined))
    .catch(() => undefined);
  if (markup === undefined || markup === shown) return;
  shown = markup;
  show(markup);
}

document.cookie = `zone=${timeZone}; path=/desk; max-age=${YEAR_S}; samesite=strict`;
if (live.querySelector('[data-zone]')?.dataset.zone !== timeZone) void refresh();
setInterval(() => void refresh(), EVERY_MS);
document.addEventListener('visibilitychange', () => void refresh());
