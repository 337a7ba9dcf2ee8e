// Waiting for a payment: with nothing to do in this page (a request in the wallet, an answer, an outcome), at the
// hosted checkout, or by a code. The link to a checkout stays visible, so that a shopper who comes back, also by the
// back-forward cache, can go on. A touch device that has a link to the app shows the link, and the code is folded, for
// another device; a media query decides this, not the user agent. The code is on a light background in every theme.
// Printed, only the code remains, with the amount, the order and the shop (flow.styles.ts). Once the time of a page, a
// code or a request is up, the shopper may start a new one; until the proxy says how the old one ended, the panel says
// that it is being checked.
import type { TemplateResult } from 'lit';
import { PAYS_BY, type Method, type QrCode } from '../../backend-proxy/protocol/wire.ts';
import type { PanelContext } from '../shell/choose.ts';
import { targetOf, appLink, checkoutLink } from './checkout-window.ts';
import {
  asksOnlyForWallet,
  button,
  copyButton,
  againButton,
  onePaymentNote,
  orderName,
  otherMethodButton,
  othersOf,
  sign,
  space,
  startedPayment,
  timeBar,
  waitingStatus,
  waysOut,
  type Rank,
} from './parts.ts';
import { asksWalletId, heading, html, icon, nameOf, opensApp } from './provided.ts';
import { QUIET_ZONE, drawPng, qrImage, qrPath, saveImage } from './qr-code.ts';
import type { Limit, Shown } from './view.ts';

export function wallet(shown: Extract<Shown, { panel: 'wallet' }>, context: PanelContext): TemplateResult {
  const { say } = context;
  const { last4 } = shown;
  const link = opensApp('QR') && appLink(shown.appUrl);
  return html`${phone(shown)}${heading(say('direct'))}
    <p>${say('direct_help', approved(context))}</p>
    ${link ? appButton(link, 'primary', context) : ''}
    ${waitingStatus(context, last4 ? say('sentTo', { last4: `\u2066••••\u00a0${last4}\u2069` }) : say('waiting'), shown)}
    ${otherWays('DIRECT', context)}`;
}

/** To the wallet ID that was typed for a request, and to the other methods. `rank`: of the first one. */
const otherWays = (asked: Method, context: PanelContext, rank: Rank = 'quiet'): TemplateResult =>
  html`${asksWalletId(asked, context.state.claims) && !asksOnlyForWallet(context.state) ? otherMethodButton(context, rank, 'otherWallet') : ''}
  ${otherMethodButton(context)}`;

/** What the request asks for; only the whole of it is named. */
function approved({ money, amount, state }: PanelContext): Record<string, string> | undefined {
  const merchant = state.claims?.merchant;
  // Isolated, because the name may be written in another direction than the text around it.
  return merchant === undefined ? undefined : { amount: money(amount), merchant: `\u2068${merchant}\u2069` };
}

/** A request on a phone; the ring around it is the time that is left. Drawn by attributes alone, for a strict CSP. */
function phone({ remainingMs, totalMs }: Limit): TemplateResult {
  const left = remainingMs && totalMs ? Math.min(1, remainingMs / totalMs) : 0;
  return html`<svg class="phone" part="icon" viewBox="0 0 132 132" aria-hidden="true">
    <circle cx="66" cy="66" r="62" />
    <rect x="42" y="24" width="48" height="84" rx="10" />
    <circle
      class="ring"
      part="bar"
      cx="66"
      cy="66"
      r="62"
      pathLength="1"
      opacity=${Math.sign(left)}
      stroke-dasharray="${left} 2"
      transform="rotate(-90 66 66)"
    />
    <path d="M50 49h32v27H50zm6 9h18m-18 8h11m-8 27h14" />
  </svg>`;
}

export function fetching(
  { method, isLong }: Extract<Shown, { panel: 'fetching' }>,
  context: PanelContext,
): TemplateResult {
  const { say } = context;
  return html`${icon(method)}${heading(say('sending'))}
  ${waitingStatus(context, say(isLong ? 'slow' : 'safe'))}${otherMethodButton(context)}`;
}

/** A code or a page that never arrived cannot be paid, but a request may have reached the wallet. */
export function unanswered({ method }: Extract<Shown, { panel: 'unanswered' }>, context: PanelContext): TemplateResult {
  const { say, state } = context;
  const { payment } = state.order;
  const isPrompt = PAYS_BY[method] === 'prompt';
  const rank = isPrompt || othersOf(state)[0] ? 'second' : 'primary';
  return html`${
    isPrompt && payment
      ? html`${icon(method)}${heading(say('lostRequest'))}
          <p>${startedPayment(payment, context)}</p>
          <p>${say('lostRequest_help')}</p>
          ${waitingStatus(context, say('waiting'), undefined, true)}`
      : html`${sign('ended')}${heading(say('NOT_CREATED'))}
        ${onePaymentNote(context, false) || html`<p>${say('NOT_CREATED_help')}</p>`}`
  }
  ${againButton(method, context, rank)} ${otherMethodButton(context)}`;
}

/** No button: while the outcome is unknown, another payment might be paid as well. No spinner: it may take days. */
export function checking(context: PanelContext): TemplateResult {
  const { say, state } = context;
  // Not while a reloaded page awaits its first view.
  const isKnown = state.order.version >= 0;
  return html`${sign('clock')}${heading(say('checking'))}
    <p>${say('checking_help')}</p>
    ${state.disconnected ? waitingStatus(context, '') : ''}
    ${
      isKnown
        ? html`<p class="note warning">${say('doNotPay')}</p>
            <small>${orderName(context)}</small>${waysOut('help', context)}`
        : ''
    }`;
}

export function redirect(shown: Extract<Shown, { panel: 'redirect' }>, context: PanelContext): TemplateResult {
  const { say, target, run, state } = context;
  const { asked, url } = shown;
  const link = checkoutLink(url);
  // An address that is not safe to open; the proxy refuses those, too.
  if (!link) return unanswered({ panel: 'unanswered', method: 'CHECKOUT' }, context);
  const isOther = PAYS_BY[asked] === 'prompt';
  // What was typed for this payment; another ID may have been typed since the shopper went to the website.
  const id = state.unopened.at(-1) === state.order.payment?.createdAt ? state.form.customer : '';
  return html`${icon('CHECKOUT')}${heading(say('redirect'))}
    <p>${isOther ? say('notDirect', { id }) + space(context) : ''}${say('redirect_help')}</p>
    <a
      part="checkout"
      class="primary"
      href=${link}
      target=${targetOf(target)}
      rel="noopener noreferrer"
      @click=${(event: Event) => run((session) => session.leaveForCheckout(event, link))}
      >${say('redirectOpen')}</a
    >
    ${waitingStatus(context, say('waiting'), shown)} ${otherWays(asked, context, 'second')}`;
}

export function timeUp({ method }: Extract<Shown, { panel: 'timeUp' }>, context: PanelContext): TemplateResult {
  const { say } = context;
  return html`${sign('clock')}${heading(say('EXPIRED'))}
    <p>${say('counts')}</p>
    ${waitingStatus(context, say('timeUp_help'), undefined, true)} ${againButton(method, context)}
    ${otherMethodButton(context)}`;
}

type Scan = Extract<Shown, { panel: 'scan' }>;

const SAVE_ICON = 'M12 4v11m-4.5-4 4.5 4.5 4.5-4.5M5 20h14';

export function scan(shown: Scan, context: PanelContext): TemplateResult {
  const { say, state } = context;
  const label = say('scanLabel', { amount: context.money(state.order.amount) });
  const code = shown.code && pictureOf(shown.code, label);
  const link = appLink(shown.appUrl);
  // A phone cannot scan its own screen: what leads into the wallet on this device comes first.
  const isAppFirst = !code || (opensApp('QR') && link);
  return html`${isAppFirst ? appPanel(shown, code, link, context) : codePanel(shown, code, link, context)}
    <p class="print-only">${orderName(context)} · <bdi dir="ltr">${location.host}</bdi></p>
    ${otherMethodButton(context)}`;
}

function codePanel(limit: Scan, picture: Picture, link: string | null, context: PanelContext): TemplateResult {
  return html`${heading(nameOf(limit.method, context))}${pair(picture, context, limit)}
    ${waitingStatus(context, context.say('waiting'), limit)}
    <details part="this-device" ?open=${opensApp('QR')}>
      <summary>${context.say('thisDevice')}</summary>
      <div class="row">
        ${link && checkoutLink(link) ? appButton(link, 'quiet', context) : ''} ${codeButtons(picture, context)}
      </div>
    </details>`;
}

/** What to do, and the code. */
const pair = (picture: Picture, context: PanelContext, limit?: Limit): TemplateResult =>
  html`<div class="pair">
    <p>${context.say('scan_help')}</p>
    ${picture.tile} ${limit ? timeBar(limit) : ''}
  </div>`;

function appPanel(shown: Scan, picture: Picture | null, link: string | null, context: PanelContext): TemplateResult {
  const { say, state } = context;
  // Whether the app opened, a page cannot know.
  const isOpened = link && state.openedAppLink === link;
  return html`${phone(shown)}${heading(say('app'))}
    <p>${say('app_help')}</p>
    ${link ? appButton(link, 'primary', context) : ''}
    ${
      isOpened
        ? html`<p part="status" class="note announce">
            <b>${say('appHelp')}</b>
            ${picture?.text ? html`${say('appHelp_scan')}<br />` : ''}${say('appHelp_browser')}
          </p>`
        : ''
    }
    ${waitingStatus(context, say('waiting'), shown)}
    ${
      picture
        ? html`<details part="other-device" ?open=${isOpened}>
            <summary>${say('otherDevice')}</summary>
            ${pair(picture, context)}
            <div class="row">${codeButtons(picture, context)}</div>
          </details>`
        : ''
    }`;
}

function appButton(link: string, rank: 'primary' | 'quiet', { say, run }: PanelContext): TemplateResult {
  const open = () => run((session) => session.appLinkOpened(link));
  // Beside a mouse, a page of the wallet must not replace the code, and an app is on another device.
  const target = rank === 'quiet' ? '_blank' : '_self';
  return html`<a part="app-link" class=${rank} href=${link} target=${target} rel="noopener" @click=${open}
    >${say('appOpen')}</a
  >`;
}

const codeButtons = (picture: Picture, context: PanelContext): TemplateResult => {
  const save = () => {
    const image = picture.image();
    if (image) saveImage(image);
  };
  return html`${picture.text ? copyButton(picture.text, 'copy', context) : ''}
  ${button('save', 'quiet', html`${icon('', SAVE_ICON)}${context.say('save')}`, save)}`;
};

interface Picture {
  tile: TemplateResult;
  text?: string;
  /** Data URL. */
  image(): string | null;
}

/** Null for a code that cannot be drawn; the shopper then still has the app and the text. */
function pictureOf(code: QrCode, label: string): Picture | null {
  const image = qrImage(code);
  if (image)
    return {
      tile: html`<div part="code" class="code"><img src=${image} alt=${label} /></div>`,
      image: () => image,
    };
  const path = 'modules' in code && qrPath(code);
  if (!path) return null;
  const side = code.size + 2 * QUIET_ZONE;
  return {
    // The proxy's codes can lose 15% of their codewords and are still read. The mark covers 3% of the picture: of the
    // modules 6% in the smallest code, and less in a larger one.
    tile: html`<div part="code" class="code">
      <svg viewBox="0 0 ${side} ${side}" role="img" aria-label=${label}><path d=${path} /></svg>
      <slot name="mark"></slot>
    </div>`,
    text: code.text,
    image: () => drawPng(path, code.size),
  };
}
