// How it ended: paid, quietly and with the facts; or failed, with the reason, what became of the money, and two ways on.
import { html, nothing, type TemplateResult } from 'lit';
import type { Shown } from '../view.ts';
import { heading, icon, otherButton, type Surroundings } from './pieces.ts';

export function paid(
  { method, late }: Extract<Shown, { panel: 'paid' }>,
  { say, order }: Surroundings,
): TemplateResult {
  return html`<div class="picture">${icon('paid')}</div>
    ${heading(say('paid'))} ${late ? html`<p>${say('paidLate')}</p>` : nothing}
    <dl part="details">
      ${
        method
          ? html`<dt>${say('method')}</dt>
              <dd>${say(method)}</dd>`
          : nothing
      }
      <dt>${say('order')}</dt>
      <dd>${order.orderId}</dd>
    </dl>
    <slot name="success"></slot>`;
}

export function failed({ method, reason }: Extract<Shown, { panel: 'failed' }>, around: Surroundings): TemplateResult {
  const { say, act } = around;
  const key = reason ?? 'DECLINED';
  return html`<div class="picture">${icon('failed')}</div>
    ${heading(say(key))}
    <p part="error">${say(`${key}_help`)}</p>
    <button part="again" class="primary" type="button" @click=${() => act.again(method)}>${say('again')}</button>
    ${otherButton(around)}`;
}
