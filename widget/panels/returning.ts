// What the choice says of a payment that is open, or of a start that takes long; and the way back to the open payment.
// Apart from choose.ts because the first paint knows of neither.
import type { TemplateResult } from 'lit';
import type { Choice } from '../choice.ts';
import type { SessionState } from '../state.ts';
import type { Surroundings } from './pieces.ts';

/** There is a payment that the shopper can go back to. */
export function canReturn({ stage, order }: SessionState): boolean {
  return stage.at === 'choosing' && order.payment?.status === 'PROCESSING';
}

export const notes = ({ busy }: Choice, { tools: { html }, say, state }: Surroundings): TemplateResult =>
  html`${canReturn(state) ? html`<p class="note grave" part="status">${say('open')}</p>` : ''}
  ${busy === 'slow' ? html`<p class="note spoken" part="status">${say(navigator.onLine ? 'slow' : 'lost')}</p>` : ''}`;

export const backButton = ({ tools: { html }, say, run, state }: Surroundings): TemplateResult | '' =>
  canReturn(state)
    ? html`<button part="back" class="quiet" type="button" @click=${() => run((session) => session.follow())}>
        ${say('back')}
      </button>`
    : '';
