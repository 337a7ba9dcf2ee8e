// The second bundle: everything that the first paint does not need. payment-widget.ts fetches it as soon as
// the element is in the page. Attaches session, announcer and styles to an element, runs the countdown, asks the page's
// terms, and chooses the panel for what view.ts decides to show.
import type { ReactiveControllerHost, ReactiveElement, TemplateResult } from 'lit';
import type { PanelContext } from '../shell/choose.ts';
import type { Trouble } from '../shell/state.ts';
import { Announcer } from './announcer.ts';
import { flowStyles } from './flow.styles.ts';
import { checking, fetching, redirect, scan, timeUp, unanswered, wallet } from './pay.ts';
import { amountBundle } from './provided.ts';
import { closed, failed, paid, trouble } from './result.ts';
import { Session, type SessionHost } from './session.ts';
import { groupedWalletId } from './start-payment.ts';
import { seen, type Outcome, type Shown } from './view.ts';

export { amountBundle, provide } from './provided.ts';
export { notesAboveMethods, helpOf, notesAbovePay, notesBelowPay, payRank, testBadge } from './choice-notes.ts';
export { formAmount } from './start-payment.ts';
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
      const isCounting = shown.panel === 'fetching' ? !shown.isLong : 'remainingMs' in shown && !!shown.remainingMs;
      countDown(element, element.isConnected && isCounting);
      if (!element.shadowRoot) return;
      const isNew = announcer.update(element.shadowRoot, shown, hadFocus, context.say);
      // Not each browser focuses a button that is touched. Before any touch the page stays where it is, but a shopper
      // who comes back from the wallet is at its top.
      const isForShopper = shown.panel === 'paid' || navigator.userActivation.hasBeenActive;
      if (isNew && isForShopper && matchMedia('(pointer: coarse)').matches)
        requestAnimationFrame(() => element.scrollIntoView({ block: 'nearest' }));
    },
  };
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
  paid: (_, context) => paid(context),
  failed,
  trouble: (shown, context) => trouble(shown.trouble, context),
};

export const panel = (shown: Outcome, context: PanelContext): TemplateResult =>
  PANELS[shown.panel](shown as never, { ...context, state: seen(context.state) });

const TICK_MS = 1_000;

/** The widgets of the page that count down. Without any there is no timer. */
const counting = new Set<ReactiveControllerHost>();
let timer: ReturnType<typeof setInterval> | undefined;

/**
 * While on, the host's requestUpdate() is called every second. The remaining time is computed from the proxy's clock at
 * each paint, so a late or missed tick does no harm.
 */
export function countDown(host: ReactiveControllerHost, on: boolean): void {
  if (on) counting.add(host);
  else counting.delete(host);
  if (counting.size) timer ??= setInterval(() => counting.forEach((each) => each.requestUpdate()), TICK_MS);
  else {
    clearInterval(timer);
    timer = undefined;
  }
}

/**
 * The page's controls in the slot `terms`, such as a required check box, hold the press until they are valid. Of the
 * first that is not, what the widget has to say: null if the browser said it and focused the control; its message if it
 * takes no focus, because nobody can see it. Undefined if all are valid.
 */
export function troubleOfTerms(root: ShadowRoot | null): Trouble | null | undefined {
  const slot = root?.querySelector<HTMLSlotElement>('slot[name=terms]');
  const elements = slot?.assignedElements({ flatten: true }) ?? [];
  const all: (Element & Partial<HTMLInputElement>)[] = elements.flatMap((each) => [
    each,
    ...each.querySelectorAll('*'),
  ]);
  const wrong = all.find((control) => control.reportValidity?.() === false);
  if (!wrong) return undefined;
  const isFocused = (wrong.getRootNode() as Document).activeElement === wrong;
  return isFocused ? null : { code: 'invalid_request', retryable: false, message: wrong.validationMessage ?? '' };
}
