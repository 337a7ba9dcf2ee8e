// Waiting for a hosted checkout. The link stays visible, so that a shopper who comes back, also by the back-forward
// cache, can go on. Once the time of a page, a code or a request is up, the shopper may start a new one; until the
// proxy says how the old one ended, the panel says that it is being checked.
import type { TemplateResult } from 'lit';
import { PAYS_BY } from '../../../backend-proxy/protocol/methods.ts';
import type { PanelContext } from '../../shell/panel.ts';
import { targetOf } from '../checkout-window.ts';
import { checkoutLink } from '../links.ts';
import { heading, html, icon } from '../lit.ts';
import type { Shown } from '../view.ts';
import { coveredCode } from './scan.ts';
import { sign } from './sign.ts';
import { newAttemptButton, onePaymentNote, otherMethodButton, waitingStatus } from './waiting-status.ts';

export function redirect(shown: Extract<Shown, { panel: 'redirect' }>, context: PanelContext): TemplateResult {
  const { say, target, run, state } = context;
  const { asked, url } = shown;
  const link = checkoutLink(url);
  if (!link)
    return html`${sign('wrong')}${heading(say('redirectUnsafe'))}
      <p part="error">${say(state.order.otherOpen ? 'open' : 'redirectUnsafe_help')}</p>
      ${otherMethodButton(context)}`;
  return html`${icon('CHECKOUT')}${heading(say('redirect'))}
    <p>${say(PAYS_BY[asked] === 'prompt' ? 'notDirect' : 'redirect_help')}</p>
    <a
      part="checkout"
      class="primary"
      href=${link}
      target=${targetOf(target)}
      rel="noopener noreferrer"
      @click=${(event: Event) => run((session) => session.leaveForCheckout(event, link))}
      >${say('redirectOpen')}</a
    >
    ${waitingStatus(context, say('waiting'), shown)} ${otherMethodButton(context)}`;
}

export function timeUp({ method, code }: Extract<Shown, { panel: 'timeUp' }>, context: PanelContext): TemplateResult {
  const { say } = context;
  const title = heading(say('EXPIRED'));
  return html`${(code && coveredCode(code, title)) ?? html`${sign('clock')}${title}`}
    <p>${say('timeUp_counts')}</p>
    ${waitingStatus(context, say('timeUp_help'))} ${onePaymentNote(method, context)}
    ${newAttemptButton(method, context)} ${otherMethodButton(context)}`;
}
