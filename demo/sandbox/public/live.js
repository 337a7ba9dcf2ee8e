// Keeps a page of the sandbox up to date; each page works without it. Counts down `data-countdown` (seconds left),
// runs `data-clock` (ms since 1970), and once a second asks the `data-live` address for changes: it answers 204, or the
// new HTML of each region by id, or 205: load the page again. Only regions that differ are replaced, and the focus and
// opened details are kept. The clock is the server's, never this machine's; its time zone may be.

const loadedAt = performance.now();
const startedAt = new WeakMap();
// A form leads to the next page, which a reload would replace.
let isSent = false;
addEventListener('submit', () => (isSent = true));
addEventListener('pagehide', () => (isSent = false));

/** Milliseconds since the element appeared. */
function age(element) {
  if (!startedAt.has(element)) startedAt.set(element, document.readyState === 'loading' ? loadedAt : performance.now());
  return performance.now() - startedAt.get(element);
}

function tick() {
  for (const element of document.querySelectorAll('[data-countdown]')) {
    const left = Math.ceil(Number(element.dataset.countdown) - age(element) / 1000);
    element.textContent = `${Math.floor(Math.max(0, left) / 60)}:${String(Math.max(0, left) % 60).padStart(2, '0')}`;
  }
  for (const element of document.querySelectorAll('[data-clock]')) {
    const time = new Date(Number(element.dataset.clock) + age(element)).toISOString();
    element.textContent = time.slice(11, 19);
  }
}

/** Writes times in the reader's time zone. */
function localize(root) {
  for (const time of root.querySelectorAll('[data-local]')) {
    time.textContent = new Date(time.dateTime).toLocaleString('en', { dateStyle: 'medium', timeStyle: 'short' });
  }
}

function replace(id, html) {
  const region = document.getElementById(id);
  const fresh = document.createElement('div');
  fresh.innerHTML = html;
  localize(fresh);
  if (!region || region.innerHTML === fresh.innerHTML) return;
  const focused = region.contains(document.activeElement) ? document.activeElement.id : '';
  const open = [...region.querySelectorAll('details[open]')].map((details) => details.id);
  region.replaceChildren(...fresh.childNodes);
  for (const details of open) document.getElementById(details)?.setAttribute('open', '');
  if (focused) document.getElementById(focused)?.focus();
}

async function refresh(live) {
  const address = new URL(live.dataset.live, location.href);
  address.searchParams.set('since', live.dataset.version);
  const response = await fetch(address);
  if (response.status === 205 && !isSent) location.reload();
  if (response.status !== 200) return;
  const { version, regions } = await response.json();
  for (const [id, html] of Object.entries(regions)) replace(id, html);
  live.dataset.version = version;
  tick();
}

async function follow(live) {
  for (;;) {
    await new Promise((resolve) => setTimeout(resolve, 1000));
    // While the sandbox restarts, the page stays as it is.
    if (!document.hidden) await refresh(live).catch(() => {});
  }
}

// The phone shows the code in two halves; the field has a place for each digit.
addEventListener('input', ({ target }) => {
  if (target.autocomplete === 'one-time-code' && /\D/.test(target.value))
    target.value = target.value.replace(/\D/g, '');
});

/** A way that is taken by itself, once the page has been read. */
const onward = document.querySelector('[data-onward]');
if (onward) setTimeout(() => location.replace(onward.href), 2000);

localize(document);
tick();
setInterval(tick, 1000);
for (const live of document.querySelectorAll('[data-live]')) void follow(live);
