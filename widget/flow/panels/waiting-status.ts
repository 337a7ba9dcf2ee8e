// What the panels of waiting share: the status line with the remaining time, and the buttons and notes for another
// try. The status line never looks like a result. If the connection is lost, only this line says so: it matters only
// to who is waiting.
import type { TemplateResult } from 'lit';
import { PAYS_BY } from '../../../backend-proxy/protocol/methods.ts';
import type { Method } from '../../../backend-proxy/protocol/wire.ts';
import type { MessageKey } from '../../locales/en.ts';
import type { PanelContext } from '../../shell/panel.ts';
import { html } from '../lit.ts';
import type { Limit } from '../view.ts';
import { button } from './button.ts';

export function waitingStatus(context: PanelContext, text: string, limit?: Limit): TemplateResult {
  const { say, state, run } = context;
  if (!state.disconnected)
    return html`<p part="status" class="status">
      <i></i><span>${text}</span>${limit ? countdown(context, limit) : ''}
    </p>`;
  return html`<div part="status" class="note">
    <span class="announce">${say('lost')}</span>
    ${button('retry', 'quiet', say('retry'), () => run((session) => session.reconnect()))}
  </div>`;
}

/** Only shows the time, as digits. That it is over is for the proxy to say. */
function countdown({ say, language }: PanelContext, { remainingMs, totalMs }: Limit): TemplateResult | '' {
  if (!remainingMs || !totalMs) return '';
  const seconds = Math.ceil(remainingMs / 1000);
  const digits = (value: number, least: number) =>
    new Intl.NumberFormat(language, { minimumIntegerDigits: least }).format(value);
  const time = `${digits(Math.floor(seconds / 60), 1)}:${digits(seconds % 60, 2)}`;
  return html`<span part="countdown" class="countdown" role="timer">${say('timeLeft', { time })}</span>`;
}

/** The same time as a bar, below what it is for. */
export const timeBar = ({ remainingMs, totalMs }: Limit): TemplateResult | '' =>
  remainingMs && totalMs
    ? html`<svg part="bar" class="bar" viewBox="0 0 1 1" preserveAspectRatio="none" aria-hidden="true">
        <rect width=${Math.min(1, remainingMs / totalMs)} height="1" />
      </svg>`
    : '';

/** The button's text for a new payment of each method. */
const NEW_ATTEMPT = {
  DIRECT: 'newRequest',
  CHECKOUT: 'redirectOpen',
  JETGO: 'newCode',
  QR: 'newCode',
} as const satisfies Record<Method, MessageKey>;

/** Starts a new payment in place of one that expired or cannot be paid. */
export const newAttemptButton = (method: Method, context: PanelContext): TemplateResult | '' =>
  againButton(method, context.say(Object.hasOwn(NEW_ATTEMPT, method) ? NEW_ATTEMPT[method] : 'again'), context);

export const againButton = (method: Method, text: string, { run, state }: PanelContext): TemplateResult | '' =>
  state.blocked ? '' : button('again', 'primary', text, () => run((session) => session.again(method)));

/** Beside the button for a new request, because the previous request may still be in the wallet. */
export const onePaymentNote = (method: Method, { say, state }: PanelContext): TemplateResult | '' =>
  PAYS_BY[method] === 'prompt' && !state.blocked ? html`<p class="note warning">${say('onlyOne')}</p>` : '';

export const otherMethodButton = (
  { say, run, state }: PanelContext,
  rank: 'second' | 'quiet' = 'quiet',
): TemplateResult | '' =>
  state.blocked ? '' : button('other', rank, say('other'), () => run((session) => session.reset()));
