// The end of the road for this token: what happened, whether money moved, what to do. Where a new page helps, a button loads it; where
// only a new payment is refused, the open one is a step back.
import type { TemplateResult } from 'lit';
import type { Trouble } from '../../shell/state.ts';
import type { Surroundings } from '../../shell/panel.ts';
import { backButton } from './open-payment.ts';
import { helpLink, WARNING } from './result.ts';

export function trouble(refused: Trouble, around: Surroundings): TemplateResult {
  const { say, tools, order, state } = around;
  // What is open may have been paid by now, and nobody hears of it here any more: a new page does.
  const isUnheard = state.stage.at === 'stopped' && order.payment && order.payment.status !== 'FAILED';
  const what = isUnheard ? { ...refused, code: 'token_expired' } : refused;
  const { html, heading, icon, problem } = tools;
  return html`${icon('failed', WARNING)}${heading(say('stopped'))}${problem(what, say)}
  ${
    what.code === 'token_expired'
      ? html`<button part="again" class="primary" type="button" @click=${() => location.reload()}>
          ${say('reload')}
        </button>`
      : ''
  }
  ${helpLink('second', around)} ${backButton(around)}`;
}
