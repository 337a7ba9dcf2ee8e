// The end of the road for this token: what happened, whether money moved, what to do. Nothing to press, for nothing would help.
import { html, type TemplateResult } from 'lit';
import type { Say } from '../language.ts';
import type { Trouble } from '../view.ts';
import { troubleKey } from './choose.ts';
import { heading, icon, reference } from './pieces.ts';

export function trouble({ code, retryable, requestId }: Trouble, say: Say): TemplateResult {
  return html`<div class="picture">${icon('failed')}</div>
    ${heading(say('stopped'))}
    <p part="error">${say(troubleKey({ code, retryable }))}</p>
    ${reference(say, requestId)}`;
}
