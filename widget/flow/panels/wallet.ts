// Waiting with nothing to do in this page: for the confirmation in the wallet (DIRECT), for the gateway's answer to a
// start, for the proxy to learn the outcome, or for a person to confirm it. Also what the shopper can do if the
// gateway's answer is lost.
import type { TemplateResult } from 'lit';
import { PAYS_BY } from '../../../backend-proxy/protocol/methods.ts';
import type { Method } from '../../../backend-proxy/protocol/wire.ts';
import type { MessageKey } from '../../locales/en.ts';
import type { PanelContext } from '../../shell/panel.ts';
import { heading, html, icon } from '../lit.ts';
import type { Shown } from '../view.ts';
import { helpLink } from './result.ts';
import { sign } from './sign.ts';
import { newAttemptButton, onePaymentNote, otherMethodButton, waitingStatus } from './waiting-status.ts';

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
  return html`${icon('DIRECT')}${heading(say('direct'))}
    <p>${say('direct_help')}</p>
    ${last4 ? html`<p class="fact">${say('wallet')}: <bdi>…${last4}</bdi></p>` : ''}
    ${waitingStatus(context, say('waiting'), shown)} ${otherMethodButton(context)}`;
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
    <p>${say(isPrompt ? 'lostRequest_help' : 'missed_help')}</p>
    ${isPrompt ? waitingStatus(context, say('waiting')) : ''} ${onePaymentNote(method, context)}
    ${newAttemptButton(method, context)} ${otherMethodButton(context)}`;
}

/** No button: while the outcome is unknown, another payment might be paid as well. No spinner: it may take days. */
export function checking(context: PanelContext): TemplateResult {
  const { say, state } = context;
  return html`${sign('clock')}${heading(say('checking'))}
    <p>${say('checking_help')}</p>
    ${state.disconnected ? waitingStatus(context, '') : ''} ${state.order.checking ? helpLink('second', context) : ''}`;
}
