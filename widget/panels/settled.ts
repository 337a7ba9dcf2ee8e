// How it ended: paid, quietly and with the facts; or failed, with the reason, what became of the money, and two ways on.
import type { TemplateResult } from 'lit';
import type { Shown } from '../view.ts';
import { otherButton } from './awaiting.ts';
import type { Surroundings } from './pieces.ts';

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
  const { say, run, tools, state } = around;
  const { html, heading, icon } = tools;
  // A reason that came later than this file ended the payment all the same.
  const key = reason && reason !== 'RESOLVED' && say(reason) ? reason : 'DECLINED';
  // Who typed nothing here has no details to check.
  const isTyped = state.draft.customer || state.draft.amount;
  const help = key === 'REJECTED' && !isTyped ? 'DECLINED' : key;
  return html`${icon('failed', WARNING)}${heading(say(key))}
    <p part="error">${say(`${help}_help`)}</p>
    <button part="again" class="primary" type="button" @click=${() => run((session) => session.again(method))}>
      ${say('again')}
    </button>
    ${otherButton(around)}`;
}

/** By the shopper's own clock and calendar. */
function formatTime(iso: string, language: string): string {
  const time = Date.parse(iso);
  return time ? new Intl.DateTimeFormat(language, { dateStyle: 'medium', timeStyle: 'short' }).format(time) : '';
}
