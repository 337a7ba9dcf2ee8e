// What panels of waiting have in common: the quiet sign that something is awaited, which never looks like a result, the time that is
// left, and the ways on. Where the proxy cannot be heard, that is said here and nowhere else: only to someone who waits does it matter.
import { ANSWER } from '../../../backend-proxy/protocol/methods.ts';
import type { TemplateResult } from 'lit';
import type { Method } from '../../../backend-proxy/protocol/wire.ts';
import type { MessageKey } from '../../locales/en.ts';
import type { Surroundings } from '../../shell/panel.ts';

export function awaiting(around: Surroundings, text: string, remainingMs: number | null = null): TemplateResult {
  const { tools, say, state, run } = around;
  const { html } = tools;
  if (!state.lost)
    return html`<p part="status" class="status"><i></i><span>${text}</span>${countdown(around, remainingMs)}</p>`;
  return html`<div part="status" class="note">
    <span class="spoken">${say('lost')}</span>
    <button part="retry" class="quiet" type="button" @click=${() => run((session) => session.refresh())}>
      ${say('retry')}
    </button>
  </div>`;
}

/** For the eye; that the time ran out is the proxy's to say. */
function countdown({ tools, say, language }: Surroundings, remainingMs: number | null): TemplateResult | '' {
  if (!remainingMs) return '';
  const seconds = Math.ceil(remainingMs / 1000);
  const digits = (value: number, least: number) =>
    new Intl.NumberFormat(language, { minimumIntegerDigits: least }).format(value);
  const time = `${digits(Math.floor(seconds / 60), 1)}:${digits(seconds % 60, 2)}`;
  return tools.html`<span part="countdown" class="countdown" role="timer">${say('timeLeft', { time })}</span>`;
}

/** What a new try brings. */
const NEW = {
  DIRECT: 'newRequest',
  CHECKOUT: 'redirectOpen',
  JETGO: 'newCode',
  QR: 'newCode',
} as const satisfies Record<Method, MessageKey>;

/** A new payment in the place of the one that ended, or will not come. */
export const newButton = (method: Method, around: Surroundings): TemplateResult | '' =>
  againButton(method, around.say(NEW[method]), around);

export const againButton = (
  method: Method,
  text: string,
  { tools: { html }, run, state }: Surroundings,
): TemplateResult | '' =>
  state.closed
    ? ''
    : html`<button part="again" class="primary" type="button" @click=${() => run((session) => session.again(method))}>
        ${text}
      </button>`;

/** Beside a new request, where the one before may still be in the wallet. */
export const onlyOne = (method: Method, { tools: { html }, say, state }: Surroundings): TemplateResult | '' =>
  ANSWER[method] === 'prompt' && !state.closed ? html`<p class="note grave">${say('onlyOne')}</p>` : '';

export const otherButton = ({ tools: { html }, say, run, state }: Surroundings): TemplateResult | '' =>
  state.closed
    ? ''
    : html`<button part="other" class="quiet" type="button" @click=${() => run((session) => session.reset())}>
        ${say('other')}
      </button>`;
