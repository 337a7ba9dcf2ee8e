// Nothing more can be done with this token, or no new payment is accepted: says what happened, whether money moved,
// and what to do. If a new page helps, a button reloads it; if only new payments are refused, another button returns
// to the open one.
import type { TemplateResult } from 'lit';
import type { MessageKey } from '../../locales/en.ts';
import type { PanelContext } from '../../shell/panel.ts';
import type { Trouble } from '../../shell/state.ts';
import { heading, html } from '../lit.ts';
import { button } from './button.ts';
import { backButton } from './choice-notes.ts';
import { reference } from './copy.ts';
import { sign } from './sign.ts';
import { waysOut } from './ways-out.ts';

export function trouble(refused: Trouble, context: PanelContext): TemplateResult {
  const { say, state } = context;
  const { payment } = state.order;
  // The open payment may be paid by now, but this page no longer receives views. A reloaded page does.
  const mayBePaid = state.activity.at === 'stopped' && payment && payment.status !== 'FAILED';
  const shown = mayBePaid ? { ...refused, code: 'token_expired' } : refused;
  if (shown.code === 'already_paid')
    return html`${sign('paid')}${heading(say('already_paid'))}
      <p>${say('already_paid_help')}</p>
      ${waysOut('shop', context)}`;
  return html`${sign('wrong')}${heading(say('stopped'))}
    <p class="announce" part="error">
      ${say(shown.code as MessageKey) || say(shown.retryable ? 'tryLater' : 'tryNever')}
    </p>
    ${reference(shown.requestId, context)}
    ${shown.code === 'token_expired' ? button('again', 'primary', say('reload'), () => location.reload()) : ''}
    ${waysOut(shown.code === 'order_changed' ? 'shop' : 'help', context)} ${backButton(context)}`;
}
