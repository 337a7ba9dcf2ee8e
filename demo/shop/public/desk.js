// Refreshes the desk's list every two seconds while the page is visible and not paused, keeps the focus, and hides the
// rows that do not have all the words that are looked for, or that a link asks for by `?find=`. The markup comes from
// the shop's server, which escapes all values in it.

const live = document.querySelector('[data-live]');
const pause = document.querySelector('.head button');
const field = document.querySelector('[type="search"]');
const said = document.querySelector('output');
const policy = window.trustedTypes?.createPolicy('desk', { createHTML: (markup) => markup });
/** Links of two rows may be the same. */
const placeOf = (link) => link && `${link.closest('li')?.id} ${link.outerHTML}`;
const nameOf = (part) => part.closest('section').ariaLabel;
let shown = '';
let isPaused = false;

function filter() {
  const typed = field.value.toLowerCase().replace(/(\d),(\d\d)(?!\d)/g, '$1.$2');
  const words = typed.split(/\s+/).filter(Boolean);
  // Of a wallet's id the row has only the end.
  const wallet = /^[\d\s\p{Pd}]{5,}$/u.test(typed) && typed.replace(/\D/g, '');
  const rows = [...live.querySelectorAll('li')];
  for (const row of rows) {
    const text = `${nameOf(row)} ${row.id} ${row.querySelector('time').title} ${row.textContent}`.toLowerCase();
    const isWallet = wallet && [...text.matchAll(/•\s(\d+)/g)].some(([, end]) => wallet.endsWith(end));
    row.hidden = !isWallet && !words.every((word) => text.includes(word));
  }
  for (const fold of live.querySelectorAll('details')) fold.open ||= words.length > 0;
  const found = rows.filter((row) => !row.hidden).length;
  const none = 'Nothing found. Type an order, goods, an amount, a day, or a wallet’s last digits.';
  for (const part of live.querySelectorAll('.totals, h2 small, [role="status"]')) part.hidden = words.length > 0;
  said.value = words.length === 0 ? '' : found === 0 ? none : `${found} found`;
}

async function refresh() {
  const markup = await fetch(`/desk/list${location.search}`)
    .then((response) => (response.ok ? response.text() : undefined))
    .catch(() => undefined);
  if (markup === undefined) [shown, said.value] = ['', 'This list is not up to date: the shop does not answer.'];
  if (!markup || markup === shown || isPaused) return;
  shown = markup;
  const focused = placeOf(live.querySelector(':focus'));
  const open = [...live.querySelectorAll('[open]')].map(nameOf);
  live.innerHTML = policy ? policy.createHTML(markup) : markup;
  for (const fold of live.querySelectorAll('details')) fold.open ||= open.includes(nameOf(fold));
  [...live.querySelectorAll('a')].find((link) => placeOf(link) === focused)?.focus();
  filter();
}

if (field) {
  field.hidden = false;
  field.value = new URLSearchParams(location.search).get('find') ?? '';
  field.addEventListener('input', filter);
  filter();
}
if (live) {
  pause.hidden = false;
  pause.addEventListener('click', () => {
    isPaused = !isPaused;
    pause.textContent = isPaused ? 'Resume updates' : 'Pause updates';
    if (!isPaused) void refresh();
  });
  setInterval(() => void (document.hidden || isPaused || refresh()), 2000);
}
