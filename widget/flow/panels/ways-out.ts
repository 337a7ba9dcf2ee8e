// Where the shopper can go if nothing is left to do here: to the shop's help, and back to the shop.
import type { TemplateResult } from 'lit';
import type { PanelContext } from '../../shell/panel.ts';
import { targetOf } from '../checkout-window.ts';
import { returnLink, supportLink } from '../links.ts';
import { html } from '../lit.ts';

/** Each only if there is such a link; `first` is the more useful one. */
export const waysOut = (first: 'help' | 'shop', context: PanelContext): TemplateResult =>
  first === 'help'
    ? html`${helpLink('second', context)} ${shopLink('quiet', context)}`
    : html`${shopLink('second', context)} ${helpLink('quiet', context)}`;

/** The page's content in slot `help`, else a link to the shop's help; from the token until the first view arrives. */
export function helpLink(rank: 'second' | 'quiet', { say, state }: PanelContext): TemplateResult {
  const link = supportLink(state.order.supportUrl ?? state.claims?.supportUrl);
  return html`<slot name="help"
    >${link ? html`<a part="support" class=${rank} href=${link} target="_blank" rel="noopener">${say('support')}</a>` : ''}</slot
  >`;
}

/** To the token's `returnUrl`, out of a frame if need be. */
export function shopLink(rank: 'second' | 'quiet', { say, state }: PanelContext): TemplateResult | '' {
  const link = returnLink(state);
  const { merchant } = state.claims ?? {};
  const text = merchant ? say('toMerchant', { merchant: `\u2068${merchant}\u2069` }) : say('toShop');
  return link ? html`<a part="return" class=${rank} href=${link} target=${targetOf('_self')}>${text}</a>` : '';
}
