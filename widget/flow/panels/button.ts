// A button of a panel. Its rank: what to do now, the next best, or one of several.
import type { TemplateResult } from 'lit';
import { html } from '../lit.ts';

export const button = (
  part: string,
  rank: 'primary' | 'second' | 'quiet',
  content: string | TemplateResult,
  press: () => void,
  title = '',
): TemplateResult =>
  html`<button part=${part} class=${rank} type="button" @click=${press} title=${title}>${content}</button>`;
