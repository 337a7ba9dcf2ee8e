// What the panels share: signs, buttons, links out, the line of waiting, and what copies a text. Each is a function of
// the context, like a panel.
import type { TemplateResult } from 'lit';
import { PAYS_BY, type Method, type OtherPaymentView, type PaymentView } from '../../backend-proxy/protocol/wire.ts';
import type { MessageKey } from '../locales/en.ts';
import type { PanelContext } from '../shell/choose.ts';
import type { SessionState } from '../shell/state.ts';
import { returnLink, supportLink, targetOf } from './checkout-window.ts';
import { asksWalletId, html, icon, offeredMethods, opensApp } from './provided.ts';
import type { Limit } from './view.ts';

const SIGNS = {
  paid: 'm5 12.5 4.5 4.5L19 7.5',
  warning: 'M12 5v8.5m0 5h.01',
  wrong: 'M12 5v8.5m0 5h.01',
  clock: 'M12 3.5a8.5 8.5 0 1 1 0 17 8.5 8.5 0 0 1 0-17m0 4V12l3 2',
  ended: 'm7 7 10 10m0-10L7 17',
};

/**
 * Above a panel's heading: what kind of news it is, before any word is read. Only what the shopper has to act on is
 * red, and amber what somebody else has to. What the shopper or the clock ended is gray.
 */
export const sign = (name: keyof typeof SIGNS, drawn = name): TemplateResult => icon(name, SIGNS[drawn]);

/** What to do now, the next best, or one of several. */
export type Rank = 'primary' | 'second' | 'quiet';

export const button = (part: string, rank: Rank, content: string | TemplateResult, press: () => void): TemplateResult =>
  html`<button part=${part} class=${rank} type="button" @click=${press}>${content}</button>`;

/** Between two sentences of one paragraph: Chinese and Japanese have no space there. */
export const space = ({ language }: PanelContext): string => (/^(ja|zh)/.test(language) ? '' : ' ');

/** Two sentences of one paragraph. */
export const both = (first: MessageKey, second: MessageKey, context: PanelContext): TemplateResult =>
  html`${context.say(first)}${space(context) + context.say(second)}`;

export const isOpen = (payment: PaymentView | null | undefined): boolean =>
  payment?.status === 'INITIALIZED' || payment?.status === 'PROCESSING';

const COPY_ICONS = {
  copy: 'M9 9h11v11H9zm-4 6H4V4h11v1',
  copied: 'm5 12.5 4.5 4.5L19 7.5',
};

/** Copies the code or a reference. Without access to the clipboard there is no button. */
export function copyButton(
  text: string,
  key: 'copy' | 'copyReference',
  { say, state, run }: PanelContext,
): TemplateResult | '' {
  if (!navigator.clipboard) return '';
  const isCopied = state.copied === text;
  const copy = () =>
    void navigator.clipboard.writeText(text).then(
      () => run((session) => session.copied(text)),
      () => {},
    );
  const content = html`${icon('', COPY_ICONS[isCopied ? 'copied' : 'copy'])}
    <span class=${isCopied ? 'announce' : ''}>${say(isCopied ? 'copied' : key)}</span>`;
  return button('copy', 'quiet', content, copy);
}

/** A request's id at the proxy, for the shop's help. Only its beginning is shown. */
export function reference(id: string | undefined, context: PanelContext): TemplateResult | '' {
  if (!id) return '';
  const start = id.slice(0, 8).toUpperCase();
  return html`<div class="row" part="reference">
    <small>${context.say('reference', { id: start })}</small>
    ${copyButton(id, 'copyReference', context)}
  </div>`;
}

/** What the shop needs to know to help. */
export const orderName = ({ say, state }: PanelContext): TemplateResult =>
  html`${say('order')}: <bdi dir="ltr">${state.order.orderId}</bdi>`;

/** What the text of a problem names. While nothing was open before, nothing can be charged. */
export function nothingIn({ say, state }: PanelContext): { nothing: string } {
  const { version, payment } = state.order;
  return { nothing: say(version < 0 || payment || othersOf(state)[0] ? 'notStarted' : 'notTaken') };
}

/**
 * The status line with the remaining time. It never looks like a result. If the connection is lost, only this line says
 * so: it matters only to who is waiting. `isOffered`: the panel offers another payment.
 */
export function waitingStatus(
  context: PanelContext,
  text: string | TemplateResult,
  limit?: Limit,
  isOffered = false,
): TemplateResult {
  const { say, state, run } = context;
  const left = countdown(context, limit);
  const line = state.disconnected
    ? html`<div part="status" class="note">
        <span class="announce">${say('lost')}</span>
        ${left && html`<div>${text} ${left}</div>`}
        ${button('retry', 'quiet', say('reconnect'), () => run((session) => session.reconnect()))}
      </div>`
    : html`<p part="status" class="status"><i></i><span>${text}</span> ${left}</p>`;
  return html`${line} ${onePaymentNote(context, isOffered)}`;
}

/** Only shows the time, as digits. That it is over is for the proxy to say. */
function countdown(
  { say, language }: PanelContext,
  { remainingMs, totalMs }: Partial<Limit> = {},
): TemplateResult | '' {
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

/** Starts a new payment in place of one that ended or cannot be paid; not in the first rank below a warning. */
export function againButton(method: Method, context: PanelContext, rank: Rank = 'second'): TemplateResult | '' {
  const { say, run, state } = context;
  // What was rejected has to be changed first.
  const isRequest = PAYS_BY[method] === 'prompt' && state.order.payment?.reason !== 'REJECTED';
  const text = say(isRequest ? 'newRequest' : 'again');
  return state.blocked ? '' : button('again', rank, text, () => run((session) => session.again(method)));
}

/** The payments that can be paid as well as the one that the shopper waits for or is about to start. */
export function othersOf({ order, activity, unopened }: SessionState): OtherPaymentView[] {
  const own = activity.at === 'sending' ? activity.before : order.payment;
  // A proxy of the version before has no list.
  return [order.otherPayments, activity.at !== 'following' && isOpen(own) && own]
    .flat()
    .filter((each): each is OtherPaymentView => !!each && !unopened.includes(each.createdAt));
}

/** An earlier payment may still be in the wallet, or this one will be once another is started. */
export const onePaymentNote = (context: PanelContext, isOffered: boolean): TemplateResult | '' => {
  const { say, state } = context;
  if (state.order.checking) return '';
  return (
    otherNote('onlyOne', context) ||
    (isOffered && !state.blocked ? html`<p class="note warning">${say('onlyOne')}</p>` : '')
  );
};

/** That other payments can still be confirmed, which they are, and what follows from it. */
export function otherNote(advice: MessageKey, context: PanelContext): TemplateResult | '' {
  const others = othersOf(context.state);
  return others[0]
    ? html`<p class="note warning announce">
        <span
          >${context.say('otherOpen')}
          ${others.map((each) => html`<b>${startedPayment(each, context)}</b>`)}${context.say(advice)}</span
        >
      </p>`
    : '';
}

/** Which of the shopper's payments it is: by what it is paid, and at what time of the day it was started. */
export const startedPayment = (payment: OtherPaymentView, context: PanelContext): TemplateResult =>
  html`${payName(payment, context)} (<bdi>${timeOf(payment.createdAt, context, {})}</bdi>)`;

/** By what a payment is paid, as the choice on this device called it. */
export const payName = (
  { method, walletLast4 }: Pick<PaymentView, 'method' | 'walletLast4'>,
  { say, state }: PanelContext,
): TemplateResult =>
  html`<bdi
    >${state.claims?.methodNames?.[method] ?? say(opensApp(method) ? 'DIRECT' : method)}${
      walletLast4 ? html`${' '}<bdi dir="ltr">••••&nbsp;${walletLast4}</bdi>` : ''
    }</bdi
  >`;

/** In the shopper's own time zone and calendar, by default with the day. It may wrap after a comma only. */
export function timeOf(
  iso: string | null,
  { language }: PanelContext,
  style: Intl.DateTimeFormatOptions = { dateStyle: 'medium' },
): string {
  const time = Date.parse(iso ?? '');
  if (!time) return '';
  const text = new Intl.DateTimeFormat(language, { timeStyle: 'short', ...style }).format(time);
  return text.replaceAll(/(?<![,،、]) /g, '\u00a0');
}

/** Where there is one method, it leads to the wallet ID that was typed for it. */
export const otherMethodButton = (
  { say, run, state }: PanelContext,
  rank: Rank = 'quiet',
  key: MessageKey = asksOnlyForWallet(state) ? 'otherWallet' : 'other',
): TemplateResult | '' =>
  state.blocked || (asksOnlyForWallet(state) === false && state.claims?.amount)
    ? ''
    : button('other', rank, say(key), () =>
        run((session) => session.payAnotherWay(key === 'other' ? undefined : 'DIRECT')),
      );

/** Whether the only method asks for a wallet ID; undefined if there is another one. */
export function asksOnlyForWallet(state: SessionState): boolean | undefined {
  const [method, other] = offeredMethods(state);
  return other ? undefined : asksWalletId(method as Method, state.claims);
}

/**
 * Where the shopper can go if nothing is left to do here, each only if there is such a link. `first` is the more useful
 * one; without help it is the way to the shop.
 */
export const waysOut = (first: 'help' | 'shop', context: PanelContext): TemplateResult =>
  first === 'help'
    ? html`${helpLink('second', context)} ${shopLink(helpUrl(context) ? 'quiet' : 'second', context)}`
    : html`${shopLink('primary', context)} ${helpLink('quiet', context)}`;

/** The page's content in slot `help`, else a link to the shop's help; from the token until the first view arrives. */
export function helpLink(rank: 'second' | 'quiet', context: PanelContext): TemplateResult {
  const link = helpUrl(context);
  return html`<slot name="help"
    >${link ? html`<a part="support" class=${rank} href=${link} target="_blank" rel="noopener">${context.say('support')}</a>` : ''}</slot
  >`;
}

const helpUrl = ({ state }: PanelContext) => supportLink(state.order.supportUrl ?? state.claims?.supportUrl);

/** To the token's `returnUrl`, out of a frame if need be. */
export function shopLink(rank: Rank, { say, state }: PanelContext): TemplateResult | '' {
  const link = returnLink(state);
  const { merchant } = state.claims ?? {};
  const text = merchant ? say('toMerchant', { merchant: `\u2068${merchant}\u2069` }) : say('toShop');
  return link ? html`<a part="return" class=${rank} href=${link} target=${targetOf('_self')}>${text}</a>` : '';
}
