// What all panels of waiting have: the quiet sign that something is awaited, which never looks like a result, and the way out.
// Where the proxy cannot be heard, that is said here and nowhere else: only to someone who waits does it matter.
import type { TemplateResult } from 'lit';
import type { Surroundings } from './pieces.ts';

export function awaiting(around: Surroundings, text: string, more: TemplateResult | '' = ''): TemplateResult {
  const { tools, say, state, run } = around;
  const { html } = tools;
  if (!state.lost) return html`<p part="status" class="status"><i></i><span>${text}</span>${more}</p>`;
  return html`<div part="status" class="note">
    <span class="spoken">${say('lost')}</span>
    <button part="retry" class="quiet" type="button" @click=${() => run((session) => session.refresh())}>
      ${say('retry')}
    </button>
  </div>`;
}

export const otherButton = ({ tools: { html }, say, run }: Surroundings): TemplateResult =>
  html`<button part="other" class="quiet" type="button" @click=${() => run((session) => session.reset())}>
    ${say('other')}
  </button>`;
