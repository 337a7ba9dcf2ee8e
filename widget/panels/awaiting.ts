// What all panels of waiting have: the quiet sign that something is awaited, which never looks like a result, and the way out.
import type { TemplateResult } from 'lit';
import type { Surroundings } from './pieces.ts';

export const awaiting = ({ tools: { html } }: Surroundings, text: string, more?: TemplateResult | ''): TemplateResult =>
  html`<p part="status" class="status"><i></i><span>${text}</span>${more}</p>`;

export const otherButton = ({ tools: { html }, say, run }: Surroundings): TemplateResult =>
  html`<button part="other" class="quiet" type="button" @click=${() => run((session) => session.reset())}>
    ${say('other')}
  </button>`;
