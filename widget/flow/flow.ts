// All that the first paint does not need, as one module that payment-widget.ts fetches right after it: the session and its
// connection, the panels of waiting and ending, their styles and words. Owns the switch from what view.ts decides to a panel.
import type { ReactiveElement, TemplateResult } from 'lit';
import { Attention } from './announcer.ts';
import { Countdown } from './countdown.ts';
import { Session, type SessionHost } from './session.ts';
import { laterStyles } from './flow.styles.ts';
import type { Surroundings } from '../shell/panel.ts';
import { over, redirect } from './panels/redirect.ts';
import { scan } from './panels/scan.ts';
import { failed, paid } from './panels/result.ts';
import { trouble } from './panels/trouble.ts';
import { checking, fetching, missed, wallet } from './panels/wallet.ts';
import type { Outcome, Shown } from './view.ts';

export { draftAmount } from './start-form.ts';
export { backButton, notes } from './panels/open-payment.ts';
export { show } from './view.ts';
export { later as english } from '../locales/en-flow.ts';

/** `:state(…)` by panel. */
export const STATES: Record<Outcome['panel'], 'waiting' | 'paid' | 'failed' | null> = {
  checking: 'waiting',
  fetching: 'waiting',
  missed: 'waiting',
  redirect: 'waiting',
  scan: 'waiting',
  wallet: 'waiting',
  over: 'waiting',
  paid: 'paid',
  failed: 'failed',
  trouble: null,
};

export interface Engine {
  session: Session;
  /** After each paint. */
  painted(shown: Shown, around: Surroundings, hadFocus: boolean): void;
}

/** Gives a widget the parts that the first paint could do without. */
export function start(host: SessionHost & { element: ReactiveElement }): Engine {
  const { element } = host;
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(laterStyles);
  element.shadowRoot?.adoptedStyleSheets.push(sheet);
  // A page may change its language at any time.
  const languages = new MutationObserver(() => element.requestUpdate());
  element.addController({
    hostConnected() {
      languages.observe(document, { attributeFilter: ['lang'], subtree: true });
      // A move may have brought another language, and stopped the countdown.
      element.requestUpdate();
    },
    hostDisconnected: () => languages.disconnect(),
  });
  const session = new Session(host);
  const countdown = new Countdown(element);
  const attention = new Attention();
  // Taking away what has the focus makes the browser lay the page out with half a panel, and scroll to where that ends.
  let held: HTMLElement | null | undefined;
  element.addController({
    hostUpdate() {
      held = scrollY ? element.shadowRoot?.querySelector<HTMLElement>('.sheet') : null;
      if (held) held.style.minBlockSize = `${held.offsetHeight}px`;
    },
    // Nothing is measured here: that would be the layout to be spared.
    hostUpdated() {
      if (held) held.style.minBlockSize = '';
    },
  });
  return {
    session,
    painted(shown, around, hadFocus) {
      if (around.state.stage.at === 'sending') rehearse(around);
      const isCounting = shown.panel === 'fetching' ? !shown.isLong : 'remainingMs' in shown && !!shown.remainingMs;
      countdown.run(element.isConnected && isCounting);
      if (element.shadowRoot) attention.follow(element.shadowRoot, shown, hadFocus, around.say);
    },
  };
}

let isRehearsed = false;

/** While the answer is awaited the code's panel is drawn once out of sight: the first time costs a slow phone 10 ms. */
function rehearse(around: Surroundings): void {
  if (isRehearsed) return;
  isRehearsed = true;
  const code = { text: 'A', size: 21, modules: 'A'.repeat(75) };
  const shown = { panel: 'scan', code, appUrl: null, remainingMs: null } as const;
  setTimeout(() => around.tools.render(scan(shown, around), new DocumentFragment()));
}

export function panel(shown: Outcome, around: Surroundings): TemplateResult {
  switch (shown.panel) {
    case 'checking':
      return checking(around);
    case 'fetching':
      return fetching(shown, around);
    case 'missed':
      return missed(shown, around);
    case 'redirect':
      return redirect(shown, around);
    case 'scan':
      return scan(shown, around);
    case 'wallet':
      return wallet(shown, around);
    case 'over':
      return over(shown, around);
    case 'paid':
      return paid(shown, around);
    case 'failed':
      return failed(shown, around);
    case 'trouble':
      return trouble(shown.trouble, around);
    default:
      return shown satisfies never;
  }
}
