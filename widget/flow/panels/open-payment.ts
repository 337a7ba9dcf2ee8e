// What the choice says of a payment that is open, or of a start that takes long; and the way back to the open payment.
// Apart from choose.ts because the first paint knows of neither.
import type { TemplateResult } from 'lit';
import type { Choice } from '../../shell/choice.ts';
import type { MessageKey } from '../../locales/en.ts';
import { FOLLOWING, type SessionState } from '../../shell/state.ts';
import { show } from '../view.ts';
import type { Surroundings } from '../../shell/panel.ts';

/** There is a payment that the shopper can go back to. */
export function canReturn(state: SessionState, now = Date.now()): boolean {
  const isOpen = /^(INITIALIZED|PROCESSING)$/.test(state.order.payment?.status ?? '');
  return isOpen && state.stage.at === 'choosing' && show({ ...state, stage: FOLLOWING }, now)?.panel !== 'trouble';
}

export const notes = ({ busy }: Choice, { tools: { html }, say, state }: Surroundings): TemplateResult =>
  html`${canReturn(state) ? html`<p class="note grave" part="status">${say('open')}</p>` : ''}
  ${busy === 'slow' ? html`<p class="note spoken" part="status">${say(slowness(state))}</p>` : ''}`;

function slowness({ stage }: SessionState): MessageKey {
  if (!navigator.onLine) return 'lost';
  return stage.at === 'sending' && stage.slow === 'again' ? 'slow' : 'long';
}

export const backButton = ({ tools: { html }, say, run, state }: Surroundings): TemplateResult | '' =>
  canReturn(state)
    ? html`<button part="back" class="quiet" type="button" @click=${() => run((session) => session.follow())}>
        ${say('back')}
      </button>`
    : '';
