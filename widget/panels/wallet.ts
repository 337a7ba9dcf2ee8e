// Waiting with nothing to do here: for the confirmation in the wallet (DIRECT), or for the proxy to learn what became of a start.
import { html, type TemplateResult } from 'lit';
import { awaiting, heading, icon, otherButton, type Surroundings } from './pieces.ts';

export function wallet(around: Surroundings): TemplateResult {
  const { say } = around;
  return html`<div class="picture">${icon('DIRECT')}</div>
    ${heading(say('direct'))}
    <p>${say('direct_help')}</p>
    ${awaiting(say('waiting'))} ${otherButton(around)}`;
}

/** Nothing to press: as long as the outcome is unknown, another payment could be one too many. */
export function checking({ say }: Surroundings): TemplateResult {
  return html`${heading(say('checking'))}${awaiting(say('checking_help'))}`;
}
