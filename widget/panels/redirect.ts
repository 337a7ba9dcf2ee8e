// Waiting for a hosted checkout: the link is always there, so a shopper who comes back, by button or by bfcache, is never stuck.
// The time left is for the eye; that it ran out is the proxy's to say, and until it does this panel says "checking".
import { html, nothing, type TemplateResult } from 'lit';
import type { Shown } from '../view.ts';
import { awaiting, heading, otherButton, type Surroundings } from './pieces.ts';

export function redirect(
  { url, remainingMs }: Extract<Shown, { panel: 'redirect' }>,
  around: Surroundings,
): TemplateResult {
  const { say, target } = around;
  if (remainingMs === 0) return html`${heading(say('timeUp'))}${awaiting(say('timeUp_help'))}${otherButton(around)}`;
  if (!url)
    return html`${heading(say('redirect'))}
      <p class="note wrong" part="error">${say('redirectUnsafe')}</p>
      ${otherButton(around)}`;
  return html`${heading(say('redirect'))}
    <p>${say('redirect_help')}</p>
    <a part="checkout" class="primary" href=${url} target=${target} rel="noopener noreferrer">${say('redirectOpen')}</a>
    ${remainingMs === null ? nothing : countdown(remainingMs, around)} ${awaiting(say('waiting'))}
    ${otherButton(around)}`;
}

function countdown(remainingMs: number, { say }: Surroundings): TemplateResult {
  const seconds = Math.ceil(remainingMs / 1000);
  const time = `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
  return html`<p part="countdown" class="countdown" role="timer">${say('timeLeft', { time })}</p>`;
}
