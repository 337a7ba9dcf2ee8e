// Refreshes the desk's tables every two seconds while the page is visible, and keeps the opened rows and the focus. The
// markup comes from the shop's server, which escapes all values in it.
const EVERY_MS = 2000;

const live = document.querySelector('[data-live]');
const policy = window.trustedTypes?.createPolicy('desk', { createHTML: (markup) => markup });
let shown = '';

function show(markup) {
  const rowOf = (element) => element.closest('[data-key]')?.dataset.key;
  const open = new Set([...live.querySelectorAll('details[open]')].map(rowOf));
  const focused = live.contains(document.activeElement) ? document.activeElement : undefined;
  const focusedRow = focused && rowOf(focused);
  live.innerHTML = policy ? policy.createHTML(markup) : markup;
  for (const row of live.querySelectorAll('[data-key]')) {
    row.querySelector('details').open = open.has(row.dataset.key);
    if (row.dataset.key === focusedRow) (row.querySelector(focused.localName) ?? row.querySelector('summary')).focus();
  }
}

async function refresh() {
  if (document.hidden) return;
  const markup = await fetch('/desk/tables')
    .then((response) => (response.ok ? response.text() : undefined))
    .catch(() => undefined);
  if (markup === undefined || markup === shown) return;
  shown = markup;
  show(markup);
}

setInterval(() => void refresh(), EVERY_MS);
document.addEventListener('visibilitychange', () => void refresh());
