// The end of the road for this token: what happened, whether money moved, what to do. Where a new page helps, a button loads it.
import type { TemplateResult } from 'lit';
import type { Trouble } from '../state.ts';
import type { Surroundings } from './pieces.ts';
import { WARNING } from './settled.ts';

export function trouble(refused: Trouble, { say, tools, order }: Surroundings): TemplateResult {
  // What is open may have been paid by now: then it is not said that no money was taken.
  const isOpen = order.payment && order.payment.status !== 'FAILED';
  const what = isOpen ? { ...refused, code: 'token_expired' } : refused;
  const { html, heading, icon, problem } = tools;
  return html`${icon('failed', WARNING)}${heading(say('stopped'))}${problem(what, say)}
  ${
    what.code === 'token_expired'
      ? html`<button part="again" class="primary" type="button" @click=${() => location.reload()}>
          ${say('reload')}
        </button>`
      : ''
  }`;
}
