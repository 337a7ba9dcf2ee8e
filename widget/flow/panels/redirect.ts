// Waiting for a hosted checkout: the link is always there, so a shopper who comes back, by button or by bfcache, is never stuck.
// Once the time of a page, a code or a request is over, a new one takes its place; how the old one ended is the proxy's to say, and
// until it does this says that it is looked after.
import { ANSWER } from '../../../backend-proxy/protocol/methods.ts';
import type { TemplateResult } from 'lit';
import { targetOf } from '../checkout-window.ts';
import { checkoutLink } from '../links.ts';
import type { Shown } from '../view.ts';
import { awaiting, newButton, onlyOne, otherButton } from './waiting-status.ts';
import type { Surroundings } from '../../shell/panel.ts';

export function redirect(
  { asked, url, remainingMs }: Extract<Shown, { panel: 'redirect' }>,
  around: Surroundings,
): TemplateResult {
  const { say, target, tools, run } = around;
  const { html, heading, icon, problem } = tools;
  const link = checkoutLink(url);
  if (!link)
    return html`${heading(say('redirect'))}${problem({ code: 'redirectUnsafe', retryable: false }, say)}${otherButton(around)}`;
  return html`${icon('CHECKOUT')}${heading(say('redirect'))}
    <p>${say(ANSWER[asked] === 'prompt' ? 'notDirect' : 'redirect_help')}</p>
    <a
      part="checkout"
      class="primary"
      href=${link}
      target=${targetOf(target)}
      rel="noopener noreferrer"
      @click=${(event: Event) => run((session) => session.leave(event, link))}
      >${say('redirectOpen')}</a
    >
    ${awaiting(around, say('waiting'), remainingMs)} ${otherButton(around)}`;
}

export function over({ method }: Extract<Shown, { panel: 'over' }>, around: Surroundings): TemplateResult {
  const { say, tools } = around;
  const { html, heading } = tools;
  return html`${heading(say('timeUp'))}
    <p>${say('timeUp_counts')}</p>
    ${awaiting(around, say('timeUp_help'))} ${onlyOne(method, around)} ${newButton(method, around)}
    ${otherButton(around)}`;
}
