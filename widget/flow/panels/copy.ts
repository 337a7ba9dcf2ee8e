// Copies a text: the code, a link, or a reference for the shop's help, of which only the beginning is shown.
import type { TemplateResult } from 'lit';
import type { PanelContext } from '../../shell/panel.ts';
import { html, icon } from '../lit.ts';
import { button } from './button.ts';

const ICONS = {
  copy: 'M9 9h9a2 2 0 0 1 2 2v7a2 2 0 0 1-2 2h-7a2 2 0 0 1-2-2zm6-5H6a2 2 0 0 0-2 2v9',
  copied: 'm5 12.5 4.5 4.5L19 7.5',
};

/** Without access to the clipboard there is no button. */
export function copyButton(
  text: string,
  key: 'copy' | 'copyLink' | 'copyReference',
  { say, state, run }: PanelContext,
): TemplateResult | '' {
  if (!navigator.clipboard) return '';
  const isCopied = state.copied === text;
  const copy = () =>
    void navigator.clipboard.writeText(text).then(
      () => run((session) => session.copied(text)),
      () => {},
    );
  const name = say(isCopied ? 'copied' : key);
  const content = html`${icon('', ICONS[isCopied ? 'copied' : 'copy'])}
    <span class=${isCopied ? 'announce' : ''}>${name}</span>`;
  return button('copy', 'quiet', content, copy, name);
}

/** A request's id at the proxy, as in `3F0F-21B5`, which Arabic would otherwise write with its halves exchanged. */
export function reference(id: string | undefined, context: PanelContext): TemplateResult | '' {
  if (!id) return '';
  const start = id.replaceAll(/\W|_/g, '').slice(0, 8).toUpperCase();
  const short = start.replace(/^.{4}(?=.)/, '$&-');
  return html`<div class="row" part="reference">
    <small>${context.say('reference', { id: `\u2066${short}\u2069` })}</small>
    ${copyButton(id, 'copyReference', context)}
  </div>`;
}
