// Waiting with nothing to do in this page: for the confirmation in the wallet (DIRECT), for the gateway's answer to a
// start, for the proxy to learn the outcome, or for a person to confirm it. Also what the shopper can do if the
// gateway's answer is lost.
import type { TemplateResult } from 'lit';
import { PAYS_BY } from '../../../backend-proxy/protocol/methods.ts';
import type { Method } from '../../../backend-proxy/protocol/wire.ts';
import type { MessageKey } from '../../locales/en.ts';
import type { PanelContext } from '../../shell/panel.ts';
import { heading, html, icon } from '../lit.ts';
import type { Limit, Shown } from '../view.ts';
import { sign } from './sign.ts';
import { space } from './space.ts';
import { newAttemptButton, onePaymentNote, otherMethodButton, waitingStatus } from './waiting-status.ts';
import { waysOut } from './ways-out.ts';

/** Headings while the answer is awaited, and once it is lost. None for a method newer than this file. */
const HEADINGS = {
  DIRECT: ['fetchRequest', 'lostRequest'],
  CHECKOUT: ['fetchPage', 'lostPage'],
  JETGO: ['fetchCode', 'lostCode'],
  QR: ['fetchCode', 'lostCode'],
} as const satisfies Record<Method, [MessageKey, MessageKey]>;

export function wallet(shown: Extract<Shown, { panel: 'wallet' }>, context: PanelContext): TemplateResult {
  const { say } = context;
  const { last4 } = shown;
  return html`${phone(shown)}${heading(say('direct'))}
    <p>${say('direct_help', approved(context))}</p>
    ${last4 ? html`<p class="fact">${say('wallet')}: <bdi dir="ltr">····${last4}</bdi></p>` : ''}
    ${waitingStatus(context, say('waiting'), shown)} ${otherMethodButton(context)}`;
}

/** What the request asks for; only the whole of it is named. */
function approved({ money, amount, state }: PanelContext): Record<string, string> | undefined {
  const merchant = state.claims?.merchant;
  // Isolated, because the name may be written in another direction than the text around it.
  return merchant === undefined ? undefined : { amount: money(amount), merchant: `\u2068${merchant}\u2069` };
}

/** A request on a phone; the ring around it is the time that is left. Drawn by attributes alone, for a strict CSP. */
function phone({ remainingMs, totalMs }: Limit): TemplateResult {
  const left = remainingMs && totalMs ? Math.min(1, remainingMs / totalMs) : 0;
  return html`<svg class="phone" part="icon" viewBox="0 0 132 132" aria-hidden="true">
    <circle cx="66" cy="66" r="62" />
    <rect x="42" y="24" width="48" height="84" rx="10" />
    <path d="M60 32h12" />
    <circle
      class="ring"
      part="bar"
      cx="66"
      cy="66"
      r="62"
      pathLength="1"
      opacity=${Math.sign(left)}
      stroke-dasharray="${left} 2"
      transform="rotate(-90 66 66)"
    />
    <path d="M50 49h32v27H50zm6 9h18m-18 8h11m-8 27h14" />
  </svg>`;
}

export function fetching(
  { method, isLong }: Extract<Shown, { panel: 'fetching' }>,
  context: PanelContext,
): TemplateResult {
  const { say } = context;
  return html`${icon(method)}${heading(say(Object.hasOwn(HEADINGS, method) ? HEADINGS[method][0] : 'sending'))}
  ${waitingStatus(context, say(isLong ? 'long' : 'sending'))}${otherMethodButton(context)}`;
}

/** A code or a page that never arrived cannot be paid, but a request may have reached the wallet. */
export function unanswered({ method }: Extract<Shown, { panel: 'unanswered' }>, context: PanelContext): TemplateResult {
  const { say } = context;
  const isPrompt = PAYS_BY[method] === 'prompt';
  return html`${icon(method)}${heading(say(HEADINGS[method][1]))}
    <p>${say(isPrompt ? 'lostRequest_help' : 'NOT_CREATED_help')}</p>
    ${isPrompt ? waitingStatus(context, say('waiting')) : ''} ${onePaymentNote(method, context)}
    ${newAttemptButton(method, context)} ${otherMethodButton(context)}`;
}

/** No button: while the outcome is unknown, another payment might be paid as well. No spinner: it may take days. */
export function checking(context: PanelContext): TemplateResult {
  const { say, state } = context;
  const isReviewed = state.order.checking;
  return html`${sign('clock')}${heading(say('checking'))}
    <p class=${isReviewed ? 'note warning' : ''}>
      ${say('checking_help')}${isReviewed ? space(context) + say('closePage') : ''}
    </p>
    ${state.disconnected ? waitingStatus(context, '') : ''} ${isReviewed ? waysOut('help', context) : ''}`;
}
