// What the choice adds: above the methods, that a payment is open already, with the way back to it; around the button,
// that a start was refused or is slow; and below a method's name, what the shopper does next.
// Apart from shell/choose.ts because the first paint needs none of it.
import type { TemplateResult } from 'lit';
import { PAYS_BY, type Method } from '../../backend-proxy/protocol/wire.ts';
import { CHECKOUT_LIFETIME_MS } from '../../backend-proxy/protocol/schedule.ts';
import type { MessageKey } from '../locales/en.ts';
import type { Choice } from '../shell/choice.ts';
import type { PanelContext } from '../shell/choose.ts';
import type { SessionState, Trouble } from '../shell/state.ts';
import { timeInWords } from './announcer.ts';
import { button, isOpen, nothingIn, otherNote, othersOf, reference, space, type Rank } from './parts.ts';
import { amountField, html, opensApp } from './provided.ts';
import { BACK, show } from './view.ts';

/** Whether there is an open payment that the shopper can return to. */
export function canReturn(state: SessionState, now = Date.now()): boolean {
  const { activity, order, unopened } = state;
  const open = activity.at === 'choosing' && isOpen(order.payment) ? order.payment : order.openPayment;
  const isAway = activity.at === 'choosing' || activity.at === 'following';
  const isKnown = isAway && open && !unopened.includes(open.createdAt);
  return !!isKnown && show({ ...state, activity: BACK }, now)?.panel !== 'trouble';
}

export function notesAboveMethods(shown: Choice, context: PanelContext): TemplateResult {
  return html`${otherNote('onlyOne', context)} ${backButton(context)}
  ${shown.askAmount ? amountField(shown, context) : ''}`;
}

/** The class `announce` makes a screen reader read the text when it changes (announcer.ts). */
export const notesAbovePay = ({ trouble }: Choice, context: PanelContext): TemplateResult | '' =>
  trouble ? html`<p class="note wrong announce" part="error">${textOf(trouble, context)}</p>` : '';

/** The text, and that a repeated press is one payment: that is not said of two, because each could be paid. */
const onceOnly = (text: string, context: PanelContext): TemplateResult =>
  html`${text}${othersOf(context.state)[0] ? '' : space(context) + context.say('once')}`;

/** A code newer than this file gets a text that says to try again. */
function textOf({ code, message }: Trouble, context: PanelContext): string | TemplateResult {
  const { say } = context;
  const { nothing } = nothingIn(context);
  if (code === 'method_unavailable') return html`<span>${say('unavailable')}<br />${nothing}</span>`;
  const text = message || say(code as MessageKey, { nothing });
  return text && code !== 'network' ? text : onceOnly(text || say('tryLater'), context);
}

/** At the upper edge of the sheet, above each panel. */
export const testBadge = ({ say, state }: PanelContext): TemplateResult | '' =>
  state.order.test ? html`<strong part="test">${say('test')}</strong>` : '';

/** What the shopper does next. The page is left at once for the wallet's website, so its limit is shown before. */
export function helpOf(method: Method, { say, state, language }: PanelContext): string {
  if (PAYS_BY[method] === 'prompt') return say('DIRECT_help');
  if (PAYS_BY[method] === 'code') return say(opensApp(method) ? 'app_help' : 'scan_help');
  const seconds = Math.min(CHECKOUT_LIFETIME_MS / 1000, state.claims?.payWithin ?? Infinity);
  return say('checkoutTime', { time: timeInWords(seconds - (seconds % 60), language) });
}

export function notesBelowPay({ busy, trouble }: Choice, context: PanelContext): TemplateResult {
  const { say } = context;
  // Below the button, so that it does not move under the finger that has just pressed it.
  return html`${busy === 'slow' ? html`<p class="note announce" part="status">${onceOnly(say(navigator.onLine ? 'slow' : 'lost'), context)}</p>` : ''}
  ${reference(trouble?.requestId, context)}`;
}

/** The press that could pay twice is not the first that the eye finds. */
export const payRank = ({ state }: PanelContext): Rank => (othersOf(state)[0] ? 'second' : 'primary');

export const backButton = ({ say, run, state }: PanelContext): TemplateResult | '' =>
  canReturn(state) ? button('back', 'primary', say('back'), () => run((session) => session.showOpenPayment())) : '';
