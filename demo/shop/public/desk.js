// Refreshes the desk's list every two seconds while the page is visible, and keeps the focus. The markup comes from the
// shop's server, which escapes all values in it.
const EVERY_MS = 2000;

const live = document.querySelector('[data-live]');
const policy = window.trustedTypes?.createPolicy('desk', { createHTML: (markup) => markup });
let shown = '';

async function refresh() {
  if (document.hidden) return;
  const markup = await fetch(`/desk/list${location.search}`)
    .then((response) => (response.ok ? response.text() : undefined))
    .catch(() => undefined);
  if (markup === undefined || markup === shown) return;
  shown = markup;
  const address = live.contains(document.activeElement) ? document.activeElement.getAttribute('href') : null;
  live.innerHTML = policy ? policy.createHTML(markup) : markup;
  if (address) live.querySelector(`a[href="${CSS.escape(address)}"]`)?.focus();
}

if (live) setInterval(() => void refresh(), EVERY_MS);
