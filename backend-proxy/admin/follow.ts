// The one script of the operator's page: a page that says of when it is follows by itself. Without it a link reloads.

/** Runs in the browser: it uses nothing outside itself. */
function follow(): void {
  const main = document.querySelector('main') ?? document.body;
  const pause = () => document.querySelector<HTMLElement>('.follow');
  if (pause() === null) return;
  let [isPaused, isAsking] = [false, false];
  const timer = setInterval(() => void ask(), 10_000);

  const setPaused = (to: boolean) => {
    isPaused = to;
    const button = pause();
    if (button !== null) button.textContent = to ? 'Resume' : 'Pause';
    if (!to) void ask();
  };
  const isBusy = () =>
    isPaused ||
    document.hidden ||
    main.querySelector(':focus:not(.follow), [open]') ||
    getSelection()?.type === 'Range';

  /** Changes only what differs, so that nobody loses the place where they read. */
  function change(shown: ChildNode, fresh: ChildNode): void {
    if (shown.isEqualNode(fresh)) return;
    if (!shown.cloneNode().isEqualNode(fresh.cloneNode())) return shown.replaceWith(fresh);
    const [before, after] = [[...shown.childNodes], [...fresh.childNodes]];
    for (const child of before.slice(after.length)) child.remove();
    after.forEach((child, at) => (before[at] ? change(before[at], child) : shown.appendChild(child)));
  }

  /** A session that has ended leads to another page. */
  async function ask(): Promise<void> {
    if (isAsking || isBusy()) return;
    isAsking = true;
    const text = await fetch(location.href)
      .then((answer) => (answer.ok && new URL(answer.url).pathname === location.pathname ? answer.text() : ''))
      .catch(() => '');
    isAsking = false;
    const fresh = new DOMParser().parseFromString(text, 'text/html');
    const next = fresh.querySelector('main');
    if (next === null) pause()?.replaceWith('No longer updated');
    else if (isBusy()) return;
    else {
      const hadFocus = document.activeElement === pause();
      document.title = fresh.title;
      change(main, next);
      if (hadFocus) pause()?.focus();
    }
    if (pause() === null) clearInterval(timer);
  }

  main.addEventListener('input', () => setPaused(true));
  main.addEventListener('click', ({ target }) => target === pause() && setPaused(!isPaused));
  document.addEventListener('visibilitychange', () => void ask());
}

export const FOLLOW = `(${String(follow)})();`;
