// Where the shopper can go if nothing is left to do here: to the shop's help, and back to the shop.
import type { TemplateResult } from 'lit';
import type { PanelContext } from '../../shell/panel.ts';
import { targetOf } from '../checkout-window.ts';
import { returnLink, supportLink } from '../links.ts';
import { html } from '../lit.ts';

/** Each only if there is such a link. `first` is the more useful one; without help it is the way to the shop. */
export const waysOut = (first: 'help' | 'shop', context: PanelContext): TemplateResult =>
  first === 'help'
    ? html`${helpLink('second', context)} ${shopLink(helpUrl(context) ? 'quiet' : 'second', context)}`
    : html`${shopLink('second', context)} ${helpLink('quiet', context)}`;

/** The page's content in slot `help`, else a link to the shop's help; from the token until the first view arrives. */
export function helpLink(rank: 'second' | 'quiet', context: PanelContext): TemplateResult {
  const link = helpUrl(context);
  return html`<slot name="help"
    >${link ? html`<a part="support" class=${rank} href=${link} target="_blank" rel="noopener">${context.say('support')}</a>` : ''}</slot
  >`;
}

const helpUrl = ({ state }: PanelContext) => supportLink(state.order.supportUrl ?? state.claims?.supportUrl);

/** To the token's `returnUrl`, out of a frame if need be. */
export function shopLink(rank: 'second' | 'quiet', { say, state }: PanelContext): TemplateResult | '' {
  const link = returnLink(state);
  const { merchant } = state.claims ?? {};
  const text = merchant ? say('toMerchant', { merchant: `\u2068${merchant}\u2069` }) : say('toShop');
  return link ? html`<a part="return" class=${rank} href=${link} target=${targetOf('_self')}>${text}</a>` : '';
}
