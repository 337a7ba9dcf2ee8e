// Waiting for a scan (JETGO, QR): the code on a light background in every theme, its text to copy, and the link to
// the app. On a touch device the app comes first, by a media query rather than by the user agent; elsewhere it is
// beside the code. Printed, only the code remains, with the amount, the order and the shop (flow.styles.ts).
import type { TemplateResult } from 'lit';
import type { QrCode } from '../../../backend-proxy/protocol/wire.ts';
import type { PanelContext } from '../../shell/panel.ts';
import { appLink } from '../links.ts';
import { heading, html } from '../lit.ts';
import { QUIET_ZONE, qrImage, qrPath, removeIfTooLarge } from '../qr-code.ts';
import { canShare, drawPng, saveImage, shareImage } from '../save-code.ts';
import type { Shown } from '../view.ts';
import { otherMethodButton, waitingStatus } from './waiting-status.ts';

type Scan = Extract<Shown, { panel: 'scan' }>;

export function scan({ code, appUrl, remainingMs }: Scan, context: PanelContext): TemplateResult {
  const { say, state, run } = context;
  const picture = code && pictureOf(code, context);
  const link = appLink(appUrl);
  // A phone cannot scan its own screen. If the wallet is probably on this device, the link to it comes first.
  const isAppFirst = !picture || (link && matchMedia('(pointer: coarse)').matches);
  return html`${heading(say(isAppFirst ? 'app' : 'scan'))}
    <div class="pair">
      ${picture ? html`<div part="code" class="code">${picture.drawing}</div>` : ''}
      <div class="beside">
        <p>${say(isAppFirst ? 'app_help' : 'scan_help')}</p>
        ${
          link
            ? html`<a
                part="app-link"
                class=${picture ? 'second' : 'primary'}
                href=${link}
                rel="noopener"
                @click=${() => run((session) => session.appLinkOpened(link))}
                >${say('appOpen')}</a
              >`
            : ''
        }
        ${isAppFirst && picture ? html`<small>${say('scanOther')}</small>` : ''}
        ${codeButtons(code, link, picture, context)}
      </div>
    </div>
    ${link && state.openedAppLink === link ? appHelp(!!picture, context) : ''}
    <p class="print-only">
      ${say('order')}: <bdi dir="ltr">${state.order.orderId}</bdi> · <bdi dir="ltr">${location.host}</bdi>
    </p>
    ${waitingStatus(context, say('waiting'), remainingMs)} ${otherMethodButton(context)}`;
}

/** Alternatives for an app that did not open, which a page cannot know. Shown once the link was opened. */
function appHelp(hasPicture: boolean, { say }: PanelContext): TemplateResult {
  return html`<p part="status" class="note announce">
    <b>${say('appHelp')}</b> ${hasPicture ? say('appHelp_scan') : ''} ${say('appHelp_browser')}
  </p>`;
}

/** Buttons to copy, save and share the code; without a code, to copy the link once it was opened. */
function codeButtons(
  code: QrCode | null,
  link: string | null,
  picture: Picture | null,
  context: PanelContext,
): TemplateResult | '' {
  const { say, state } = context;
  const copiesLink = !picture && state.openedAppLink === link;
  const text = code && 'text' in code ? code.text : copiesLink && link;
  const button = (part: string, key: 'save' | 'share', act: (image: string) => void) => {
    const click = () => {
      const image = picture?.image();
      if (image) act(image);
    };
    return html`<button part=${part} class="second" type="button" @click=${click}>${say(key)}</button>`;
  };
  // Without access to the clipboard there is no button.
  const copy = text && navigator.clipboard ? copyButton(text, code ? 'copy' : 'copyLink', context) : '';
  if (!copy && !picture) return '';
  return html`<div class="row">
    ${copy} ${picture ? button('save', 'save', saveImage) : ''}
    ${picture && canShare() ? button('share', 'share', shareImage) : ''}
  </div>`;
}

function copyButton(text: string, key: 'copy' | 'copyLink', context: PanelContext): TemplateResult {
  const { say, state, run } = context;
  const isCopied = state.copied === text;
  const copy = () =>
    void navigator.clipboard.writeText(text).then(
      () => run((session) => session.copied(text)),
      () => {},
    );
  return html`<button part="copy" class="second" type="button" @click=${copy}>
    <span class=${isCopied ? 'announce' : ''}>${say(isCopied ? 'copied' : key)}</span>
  </button>`;
}

interface Picture {
  drawing: TemplateResult;
  /** Data URL. */
  image(): string | null;
}

/** Null for a code that cannot be drawn; the shopper then still has the app and the text. */
function pictureOf(code: QrCode, { say, money, state }: PanelContext): Picture | null {
  const label = say('scanLabel', { amount: money(state.order.amount) });
  const image = qrImage(code);
  if (image) return { drawing: html`<img src=${image} alt=${label} @load=${removeIfTooLarge} />`, image: () => image };
  const path = 'modules' in code && qrPath(code);
  if (!path) return null;
  const side = code.size + 2 * QUIET_ZONE;
  return {
    drawing: html`<svg viewBox="0 0 ${side} ${side}" role="img" aria-label=${label}><path d=${path} /></svg>`,
    image: () => drawPng(path, code.size),
  };
}
