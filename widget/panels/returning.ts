// What the choice says of a payment that is there already, or of a start that takes long; and the way back to the open payment.
import type { TemplateResult } from 'lit';
import type { Choice } from '../choice.ts';
import type { Surroundings } from './pieces.ts';

export const notes = ({ canReturn, busy }: Choice, { tools: { html }, say }: Surroundings): TemplateResult =>
  html`${canReturn ? html`<p class="note grave" part="status">${say('open')}</p>` : ''}
  ${busy === 'slow' ? html`<p class="note spoken" part="status">${say(navigator.onLine ? 'slow' : 'lost')}</p>` : ''}`;

export const backButton = ({ canReturn }: Choice, { tools: { html }, say, run }: Surroundings): TemplateResult | '' =>
  canReturn
    ? html`<button part="back" class="quiet" type="button" @click=${() => run((session) => session.follow())}>
        ${say('back')}
      </button>`
    : '';
