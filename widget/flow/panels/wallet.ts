// Waiting with nothing to do here: for the confirmation in the wallet (DIRECT), for the gateway's answer to a start, or for the proxy
// to learn what became of one. And what there is to do where that answer is lost.
import { ANSWER } from '../../../backend-proxy/protocol/methods.ts';
import type { TemplateResult } from 'lit';
import type { Method } from '../../../backend-proxy/protocol/wire.ts';
import type { MessageKey } from '../../locales/en.ts';
import { awaiting, newButton, onlyOne, otherButton } from './waiting-status.ts';
import type { Shown } from '../view.ts';
import type { Surroundings } from '../../shell/panel.ts';

/** What is fetched, and what is said once it did not arrive. */
const MEANS = {
  DIRECT: ['fetchRequest', 'lostRequest'],
  CHECKOUT: ['fetchPage', 'lostPage'],
  JETGO: ['fetchCode', 'lostCode'],
  QR: ['fetchCode', 'lostCode'],
} as const satisfies Record<Method, [MessageKey, MessageKey]>;

export function wallet(
  { last4, remainingMs }: Extract<Shown, { panel: 'wallet' }>,
  around: Surroundings,
): TemplateResult {
  const { say, tools } = around;
  const { html, heading, icon } = tools;
  return html`${icon('DIRECT')}${heading(say('direct'))}
    <p>${say('direct_help')}</p>
    ${last4 ? html`<p>${say('wallet')}: <bdi>…${last4}</bdi></p>` : ''} ${awaiting(around, say('waiting'), remainingMs)}
    ${otherButton(around)}`;
}

export function fetching(
  { method, isLong }: Extract<Shown, { panel: 'fetching' }>,
  around: Surroundings,
): TemplateResult {
  const { say, tools } = around;
  const { html, heading, icon } = tools;
  return html`${icon(method)}${heading(say(MEANS[method][0]))}
  ${awaiting(around, say(isLong ? 'long' : 'sending'))}${otherButton(around)}`;
}

/** Of a code or a page that nobody has seen nothing can be paid; a request may be in the wallet all the same. */
export function missed({ method }: Extract<Shown, { panel: 'missed' }>, around: Surroundings): TemplateResult {
  const { say, tools } = around;
  const { html, heading, icon } = tools;
  const isDirect = ANSWER[method] === 'prompt';
  return html`${icon(method)}${heading(say(MEANS[method][1]))}
    <p>${say(isDirect ? 'lostRequest_help' : 'missed_help')}</p>
    ${isDirect ? awaiting(around, say('waiting')) : ''} ${onlyOne(method, around)} ${newButton(method, around)}
    ${otherButton(around)}`;
}

/** Nothing to press: as long as the outcome is unknown, another payment could be one too many. */
export function checking(around: Surroundings): TemplateResult {
  const { say, tools } = around;
  return tools.html`${tools.heading(say('checking'))}${awaiting(around, say('checking_help'))}`;
}
