// Waiting for a scan (JETGO, QR): what to do, the code on a light background in every theme, and below it the icons
// that copy and save it, with words where there is room, or where saving is what to do. A touch device that has a link
// to the app shows the link; the code is folded, for another device. This is decided by a media query rather than by
// the user agent. Printed, only the code remains, with the amount, the order and the shop (flow.styles.ts). A code
// whose time is up stays in its place, where nothing can read it.
import type { TemplateResult } from 'lit';
import type { QrCode } from '../../../backend-proxy/protocol/wire.ts';
import type { PanelContext } from '../../shell/panel.ts';
import { appLink } from '../links.ts';
import { heading, html, icon } from '../lit.ts';
import { QUIET_ZONE, qrImage, qrPath, removeIfTooLarge } from '../qr-code.ts';
import { canShare, drawPng, saveImage, shareImage } from '../save-code.ts';
import type { Limit, Shown } from '../view.ts';
import { button } from './button.ts';
import { copyButton } from './copy.ts';
import { space } from './space.ts';
import { otherMethodButton, timeBar, waitingStatus } from './waiting-status.ts';

type Scan = Extract<Shown, { panel: 'scan' }>;

const ICONS = {
  app: 'M8 4h8a2 2 0 0 1 2 2v12a2 2 0 0 1-2 2H8a2 2 0 0 1-2-2V6a2 2 0 0 1 2-2m2.5 13h3',
  save: 'M12 4v11m-4.5-4 4.5 4.5 4.5-4.5M5 20h14',
  share: 'M12 15V4M8 7.5 12 4l4 3.5M6 12v6a2 2 0 0 0 2 2h8a2 2 0 0 0 2-2v-6',
};

export function scan(shown: Scan, context: PanelContext): TemplateResult {
  const { say, state } = context;
  const label = say('scanLabel', { amount: context.money(state.order.amount) });
  const code = shown.code && pictureOf(shown.code, label);
  const link = appLink(shown.appUrl);
  const isTouch = matchMedia('(pointer: coarse)').matches;
  // A phone cannot scan its own screen. If the wallet is probably on this device, the link to it comes first.
  const isAppFirst = !code || (link && isTouch);
  return html`${isAppFirst ? appPanel(shown, code, link, context) : codePanel(shown, code, link, isTouch, context)}
    <p class="print-only">
      ${say('order')}: <bdi dir="ltr">${state.order.orderId}</bdi> · <bdi dir="ltr">${location.host}</bdi>
    </p>
    ${waitingStatus(context, say('waiting'), shown)} ${otherMethodButton(context)}`;
}

/** The code that was drawn, faded, with the heading across it: our codes can be read without 15% of their modules. */
export function coveredCode(code: QrCode, title: TemplateResult): TemplateResult | null {
  const picture = 'modules' in code && pictureOf(code, '');
  return picture
    ? html`<div class="covered">
        <div aria-hidden="true">${picture.tile}</div>
        ${title}
      </div>`
    : null;
}

function codePanel(
  limit: Scan,
  picture: Picture,
  link: string | null,
  isTouch: boolean,
  context: PanelContext,
): TemplateResult {
  return html`${heading(context.say('scan'))}${pair(picture, isTouch ? 'scanOnPhone' : 'scan_help', context, limit)}
  ${link ? appButton(link, 'quiet', context) : ''} ${appHelp(link, true, context)}`;
}

/** What to do, the code, and what else can be done with it; in words where that is what to do. */
const pair = (
  picture: Picture,
  help: 'scan_help' | 'scanOnPhone' | 'scanOther',
  context: PanelContext,
  limit?: Limit,
): TemplateResult =>
  html`<div class="pair">
    <p>${context.say(help)}</p>
    ${picture.tile} ${limit ? timeBar(limit) : ''}
    <div class=${help === 'scanOnPhone' ? 'row' : 'row icons'}>${codeButtons(picture, context)}</div>
  </div>`;

function appPanel({ code }: Scan, picture: Picture | null, link: string | null, context: PanelContext): TemplateResult {
  const { say, state } = context;
  const text = code && 'text' in code ? code.text : null;
  return html`${icon('', ICONS.app)}${heading(say('app'))}
    <p>${say('app_help')}</p>
    ${link ? appButton(link, 'primary', context) : ''} ${appHelp(link, !!picture, context)}
    ${
      picture
        ? html`<details part="other-device">
            <summary>${say('otherDevice')}</summary>
            ${pair(picture, 'scanOther', context)}
          </details>`
        : html`<div class="row">
            ${text ? copyButton(text, 'copy', context) : ''}
            ${!text && link && state.openedAppLink === link ? copyButton(link, 'copyLink', context) : ''}
          </div>`
    }`;
}

function appButton(link: string, rank: 'primary' | 'quiet', { say, run }: PanelContext): TemplateResult {
  const open = () => run((session) => session.appLinkOpened(link));
  return html`<a part="app-link" class=${rank} href=${link} rel="noopener" @click=${open}>${say('appOpen')}</a>`;
}

/** Alternatives for an app that did not open, which a page cannot know. Shown once the link was opened. */
function appHelp(link: string | null, hasPicture: boolean, context: PanelContext): TemplateResult | '' {
  const { say, state } = context;
  if (!link || state.openedAppLink !== link) return '';
  return html`<p part="status" class="note announce">
    <b>${say('appHelp')}</b> ${hasPicture ? say('appHelp_scan') + space(context) : ''}${say('appHelp_browser')}
  </p>`;
}

/** Buttons to copy, save and share the code. */
function codeButtons(picture: Picture, context: PanelContext): TemplateResult {
  const imageButton = (key: 'save' | 'share', act: (image: string) => void) => {
    const name = context.say(key);
    const press = () => {
      const image = picture.image();
      if (image) act(image);
    };
    return button(key, 'quiet', html`${icon('', ICONS[key])}<span>${name}</span>`, press, name);
  };
  return html`${picture.text ? copyButton(picture.text, 'copy', context) : ''} ${imageButton('save', saveImage)}
  ${canShare() ? imageButton('share', shareImage) : ''}`;
}

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
      tile: html`<div part="code" class="code"><img src=${image} alt=${label} @load=${removeIfTooLarge} /></div>`,
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
