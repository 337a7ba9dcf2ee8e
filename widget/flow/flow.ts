// The second bundle: everything that the first paint does not need. payment-widget.ts fetches it as soon as
// the element is in the page. Attaches session, countdown, announcer and styles to an element, and chooses the panel
// for what view.ts decides to show.
import type { ReactiveElement, TemplateResult } from 'lit';
import type { PanelContext } from '../shell/panel.ts';
import { Announcer } from './announcer.ts';
import { countDown } from './countdown.ts';
import { flowStyles } from './flow.styles.ts';
import { render } from './lit.ts';
import { amountBundle } from './open-amount.ts';
import { showPaidNews } from './paid-news.ts';
import { redirect, timeUp } from './panels/redirect.ts';
import { closed, failed, paid } from './panels/result.ts';
import { scan } from './panels/scan.ts';
import { trouble } from './panels/trouble.ts';
import { checking, fetching, unanswered, wallet } from './panels/wallet.ts';
import { Session, type SessionHost } from './session.ts';
import { groupedWalletId } from './start-form.ts';
import { troubleOfTerms } from './terms.ts';
import type { Outcome, Shown } from './view.ts';

export { amountBundle, amountField } from './open-amount.ts';
export { provide } from './lit.ts';
export { assurance, notesAbovePay, notesBelowPay, testBadge } from './panels/choice-notes.ts';
export { formAmount } from './start-form.ts';
export { show } from './view.ts';
export { enFlow } from '../locales/en-flow.ts';

/** The element's `:state(…)` for a panel; null for those that are neither waiting nor a result. */
export function stateOf({ panel }: Outcome): 'waiting' | 'paid' | 'failed' | null {
  if (panel === 'paid' || panel === 'failed') return panel;
  return panel === 'closed' || panel === 'trouble' ? null : 'waiting';
}

export interface Flow {
  session: Session;
  /** Called after each paint. */
  painted(shown: Shown, context: PanelContext, hadFocus: boolean): void;
}

export function start(host: SessionHost & { element: ReactiveElement }): Flow {
  const { element } = host;
  const adopt = (styles: string) => {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(styles);
    element.shadowRoot?.adoptedStyleSheets.push(sheet);
  };
  adopt(flowStyles);
  let hasAmountStyles = false;
  // A page may change its language at any time.
  const languages = new MutationObserver(() => element.requestUpdate());
  element.addController({
    hostConnected() {
      languages.observe(document, { attributeFilter: ['lang'], subtree: true });
      // After a move the language may differ, and the countdown has to run again.
      element.requestUpdate();
    },
    hostDisconnected() {
      languages.disconnect();
      countDown(element, false);
    },
  });
  const session = new Session({ ...host, troubleOfTerms: () => troubleOfTerms(element.shadowRoot) });
  element.shadowRoot?.addEventListener('change', ({ target }) => {
    const { name, value } = target as HTMLInputElement;
    if (name === 'wallet') session.edit({ customer: groupedWalletId(value) });
  });
  const announcer = new Announcer();
  // When the focused element is removed, the browser lays the page out with half a panel and scrolls to the end of
  // that. The old height is kept until the new panel is complete.
  let kept: HTMLElement | null | undefined;
  element.addController({
    hostUpdate() {
      if (amountBundle && !hasAmountStyles) {
        hasAmountStyles = true;
        adopt(amountBundle.amountStyles);
      }
      kept = scrollY ? element.shadowRoot?.querySelector<HTMLElement>('.sheet') : null;
      if (kept) kept.style.minBlockSize = `${kept.offsetHeight}px`;
    },
    // Measuring here would cause the very layout that is to be avoided.
    hostUpdated() {
      if (kept) kept.style.minBlockSize = '';
    },
  });
  return {
    session,
    painted(shown, context, hadFocus) {
      if (context.state.activity.at === 'sending') drawScanAhead(context);
      const isCounting = shown.panel === 'fetching' ? !shown.isLong : 'remainingMs' in shown && !!shown.remainingMs;
      countDown(element, element.isConnected && isCounting);
      if (!element.shadowRoot) return;
      if (shown.panel === 'paid') showPaidNews(element.shadowRoot, context.state.order.orderId);
      announcer.update(element.shadowRoot, shown, hadFocus, context.say);
    },
  };
}

let isScanDrawn = false;

/** Draws the code's panel once off screen while the answer is awaited: the first time takes 10 ms on a slow phone. */
function drawScanAhead(context: PanelContext): void {
  if (isScanDrawn) return;
  isScanDrawn = true;
  const code = { text: 'A', size: 21, modules: 'A'.repeat(75) };
  const shown = { panel: 'scan', code, appUrl: null, remainingMs: null, totalMs: null } as const;
  setTimeout(() => render(scan(shown, context), new DocumentFragment()));
}

type Panels = {
  [Name in Outcome['panel']]: (shown: Extract<Outcome, { panel: Name }>, context: PanelContext) => TemplateResult;
};

const PANELS: Panels = {
  checking: (_, context) => checking(context),
  fetching,
  unanswered,
  redirect,
  scan,
  wallet,
  timeUp,
  closed: (_, context) => closed(context),
  paid,
  failed,
  trouble: (shown, context) => trouble(shown.trouble, context),
};

export const panel = (shown: Outcome, context: PanelContext): TemplateResult =>
  PANELS[shown.panel](shown as never, context);
