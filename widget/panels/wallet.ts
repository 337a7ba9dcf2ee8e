// Waiting with nothing to do here: for the confirmation in the wallet (DIRECT), or for the proxy to learn what became of a start.
import type { TemplateResult } from 'lit';
import { awaiting, otherButton } from './awaiting.ts';
import type { Shown } from '../view.ts';
import type { Surroundings } from './pieces.ts';

export function wallet({ last4 }: Extract<Shown, { panel: 'wallet' }>, around: Surroundings): TemplateResult {
  const { say, tools } = around;
  const { html, heading, icon } = tools;
  return html`${icon('DIRECT')}${heading(say('direct'))}
    <p>${say('direct_help')}</p>
    ${last4 ? html`<p>${say('wallet')}: <bdi>…${last4}</bdi></p>` : ''} ${awaiting(around, say('waiting'))}
    ${otherButton(around)}`;
}

/** Nothing to press: as long as the outcome is unknown, another payment could be one too many. */
export function checking(around: Surroundings): TemplateResult {
  const { say, tools } = around;
  return tools.html`${tools.heading(say('checking'))}${awaiting(around, say('checking_help'))}`;
}
