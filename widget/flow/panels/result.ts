// How it ended: paid, quietly and with the facts; or failed, with the reason, what became of the money, and two ways on.
import type { TemplateResult } from 'lit';
import type { Method } from '../../../backend-proxy/protocol/wire.ts';
import type { Shown } from '../view.ts';
import { supportLink } from '../links.ts';
import { againButton, newButton, onlyOne, otherButton } from './waiting-status.ts';
import type { Surroundings } from '../../shell/panel.ts';

/** The hands of a clock. */
const CLOCK = 'M12 6v6.5l4 2.5';

/** An exclamation mark. */
export const WARNING = 'M12 6v7.5m0 4h.01';

export function paid(
  { payment }: Extract<Shown, { panel: 'paid' }>,
  { say, order, tools, language }: Surroundings,
): TemplateResult {
  const { html, heading, icon } = tools;
  const fact = (name: string, value: string | TemplateResult) =>
    html`<dt>${name}</dt>
      <dd>${value}</dd>`;
  const warning = order.surplus ? 'surplus' : order.otherOpen && 'otherOpen';
  return html`${icon('paid', 'm5 12.5 4.5 4.5L19 7.5')}${heading(say('paid'))}
    ${warning ? html`<p class="note grave spoken">${say(warning)}</p>` : ''}
    <dl part="details">
      ${payment ? fact(say('method'), say(payment.method)) : ''}
      ${fact(say('order'), html`<bdi dir="ltr">${order.orderId}</bdi>`)}
      ${payment?.paidAt ? fact(say('date'), formatTime(payment.paidAt, language)) : ''}
    </dl>
    <slot name="success"></slot>`;
}

export function failed({ method, reason }: Extract<Shown, { panel: 'failed' }>, around: Surroundings): TemplateResult {
  const { say, tools, state } = around;
  const { html, heading, icon } = tools;
  // A reason that came later than this file ended the payment all the same.
  const key = reason && say(reason) ? reason : 'DECLINED';
  // Who typed nothing here has no details to check.
  const isTyped = state.draft.customer || state.draft.amount;
  const help = key === 'REJECTED' && !isTyped ? 'DECLINED' : key;
  return html`${key === 'EXPIRED' ? icon('expired', CLOCK) : icon('failed', WARNING)}${heading(say(key))}
    <p part="error">${say(`${help}_help`)}</p>
    <slot name="failed"></slot>
    ${waysOn[key === 'EXPIRED' || key === 'RESOLVED' ? key : 'again'](method, around)} ${otherButton(around)}
    ${key === 'RESOLVED' ? '' : helpLink('quiet', around)}`;
}

const waysOn = {
  EXPIRED: (method: Method, around: Surroundings) =>
    around.tools.html`${onlyOne(method, around)} ${newButton(method, around)}`,
  // Whether the shop wants another try is for the shop to say.
  RESOLVED: (_: Method, around: Surroundings) => helpLink('second', around),
  again: (method: Method, around: Surroundings) => againButton(method, around.say('again'), around),
};

/** Where the shop can be asked: what the page has put there, else the token's link. Before the first view it is the claim's. */
export function helpLink(
  rank: 'second' | 'quiet',
  { say, tools: { html }, order, state }: Surroundings,
): TemplateResult {
  const link = supportLink(order.supportUrl ?? state.claims?.supportUrl);
  return html`<slot name="help"
    >${link ? html`<a part="support" class=${rank} href=${link} target="_blank" rel="noopener">${say('support')}</a>` : ''}</slot
  >`;
}

/** By the shopper's own clock and calendar. */
function formatTime(iso: string, language: string): string {
  const time = Date.parse(iso);
  return time ? new Intl.DateTimeFormat(language, { dateStyle: 'medium', timeStyle: 'short' }).format(time) : '';
}
