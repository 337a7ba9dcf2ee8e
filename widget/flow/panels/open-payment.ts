// What the choice adds while a payment is open or a start is slow: a note, and the button back to the open payment.
// Apart from shell/choose.ts because the first paint needs neither.
import type { TemplateResult } from 'lit';
import type { MessageKey } from '../../locales/en.ts';
import type { Choice } from '../../shell/choice.ts';
import type { PanelContext } from '../../shell/panel.ts';
import { FOLLOWING, type SessionState } from '../../shell/state.ts';
import { html } from '../lit.ts';
import { show } from '../view.ts';

/** Whether there is an open payment that the shopper can return to. */
export function canReturn(state: SessionState, now = Date.now()): boolean {
  const isOpen = /^(INITIALIZED|PROCESSING)$/.test(state.order.payment?.status ?? '');
  return (
    isOpen && state.activity.at === 'choosing' && show({ ...state, activity: FOLLOWING }, now)?.panel !== 'trouble'
  );
}

export const choiceNotes = ({ busy }: Choice, { say, state }: PanelContext): TemplateResult =>
  html`${canReturn(state) ? html`<p class="note warning" part="status">${say('open')}</p>` : ''}
  ${busy === 'slow' ? html`<p class="note announce" part="status">${say(slownessText(state))}</p>` : ''}`;

function slownessText({ activity }: SessionState): MessageKey {
  if (!navigator.onLine) return 'lost';
  return activity.at === 'sending' && activity.slow === 'again' ? 'slow' : 'long';
}

export const backButton = ({ say, run, state }: PanelContext): TemplateResult | '' =>
  canReturn(state)
    ? html`<button part="back" class="quiet" type="button" @click=${() => run((session) => session.showOpenPayment())}>
        ${say('back')}
      </button>`
    : '';
