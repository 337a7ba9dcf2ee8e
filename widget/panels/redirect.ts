// Waiting for a hosted checkout: the link is always there, so a shopper who comes back, by button or by bfcache, is never stuck.
// The time left is for the eye; that it ran out is the proxy's to say, and until it does this panel says "checking".
import type { TemplateResult } from 'lit';
import { checkoutLink } from '../links.ts';
import type { Shown } from '../view.ts';
import { awaiting, otherButton } from './awaiting.ts';
import type { Surroundings } from './pieces.ts';

export function redirect(
  { asked, url, remainingMs }: Extract<Shown, { panel: 'redirect' }>,
  around: Surroundings,
): TemplateResult {
  const { say, target, tools, language, run } = around;
  const { html, heading, icon, problem } = tools;
  const link = checkoutLink(url);
  if (remainingMs === 0)
    return html`${heading(say('timeUp'))}${awaiting(around, say('timeUp_help'))}${otherButton(around)}`;
  if (!link)
    return html`${heading(say('redirect'))}${problem({ code: 'redirectUnsafe', retryable: false }, say)}${otherButton(around)}`;
  const seconds = Math.ceil((remainingMs ?? 0) / 1000);
  const digits = (value: number, least: number) =>
    new Intl.NumberFormat(language, { minimumIntegerDigits: least }).format(value);
  const time = `${digits(Math.floor(seconds / 60), 1)}:${digits(seconds % 60, 2)}`;
  return html`${icon('CHECKOUT')}${heading(say('redirect'))}
    <p>${say(asked === 'DIRECT' ? 'notDirect' : 'redirect_help')}</p>
    <a
      part="checkout"
      class="primary"
      href=${link}
      target=${target}
      rel="noopener noreferrer"
      @click=${(event: Event) => run((session) => session.leave(event, link))}
      >${say('redirectOpen')}</a
    >
    ${awaiting(
      around,
      say('waiting'),
      seconds ? html`<span part="countdown" class="countdown" role="timer">${say('timeLeft', { time })}</span>` : '',
    )}
    ${otherButton(around)}`;
}
