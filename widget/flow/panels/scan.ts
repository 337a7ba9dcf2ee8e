// Waiting for a scan (JETGO, QR): the code on a light tile in every theme, its text to copy, and the way into the app.
// On a touch device the app comes first, by a media query and not by guessing from the user agent; elsewhere it stands beside.
// On paper the code stands alone, with the amount, the order and the shop (flow.styles.ts).
import type { TemplateResult } from 'lit';
import type { QrCode } from '../../../backend-proxy/protocol/wire.ts';
import { appLink } from '../links.ts';
import { QUIET_ZONE, dropIfLarge, qrImage, qrPath } from '../qr-code.ts';
import { canShare, paintPath, saveImage, shareImage } from '../save-code.ts';
import type { Shown } from '../view.ts';
import { awaiting, otherButton } from './waiting-status.ts';
import type { Surroundings } from '../../shell/panel.ts';

type Scan = Extract<Shown, { panel: 'scan' }>;

export function scan({ code, appUrl, remainingMs }: Scan, around: Surroundings): TemplateResult {
  const { say, tools, order, run } = around;
  const { html, heading } = tools;
  const picture = code && pictureOf(code, around);
  const link = appLink(appUrl);
  // Nobody scans the screen that shows the code: where the wallet is likely to be on this device, its link is the way.
  const inApp = !picture || (link && matchMedia('(pointer: coarse)').matches);
  return html`${heading(say(inApp ? 'app' : 'scan'))}
    <div class="pair">
      ${picture ? html`<div part="code" class="code">${picture.drawing}</div>` : ''}
      <div class="beside">
        <p>${say(inApp ? 'app_help' : 'scan_help')}</p>
        ${
          link
            ? html`<a
                part="app-link"
                class=${picture ? 'second' : 'primary'}
                href=${link}
                rel="noopener"
                @click=${() => run((session) => session.pressed(link))}
                >${say('appOpen')}</a
              >`
            : ''
        }
        ${inApp && picture ? html`<small>${say('scanOther')}</small>` : ''} ${handles(code, link, picture, around)}
      </div>
    </div>
    ${link && around.state.pressed === link ? unopened(!!picture, around) : ''}
    <p class="paper">${say('order')}: <bdi dir="ltr">${order.orderId}</bdi> · <bdi dir="ltr">${location.host}</bdi></p>
    ${awaiting(around, say('waiting'), remainingMs)} ${otherButton(around)}`;
}

/** No page is told whether an app opened: who still reads this after the press finds the other ways here. */
function unopened(hasPicture: boolean, { tools: { html }, say }: Surroundings): TemplateResult {
  return html`<p part="status" class="note spoken">
    <b>${say('appHelp')}</b> ${hasPicture ? say('appHelp_scan') : ''} ${say('appHelp_browser')}
  </p>`;
}

/** What can be done with the code besides scanning it; without one, with the link. */
function handles(
  code: QrCode | null,
  link: string | null,
  picture: Picture | null,
  around: Surroundings,
): TemplateResult | '' {
  const { say, tools, state } = around;
  const { html } = tools;
  const isLink = !picture && state.pressed === link;
  const text = code && 'text' in code ? code.text : isLink && link;
  const button = (part: string, key: 'save' | 'share', act: (image: string) => void) => {
    const press = () => {
      const image = picture?.image();
      if (image) act(image);
    };
    return html`<button part=${part} class="second" type="button" @click=${press}>${say(key)}</button>`;
  };
  // Where a page may not write to the clipboard there is nothing to press.
  const copy = text && navigator.clipboard ? copyButton(text, code ? 'copy' : 'copyLink', around) : '';
  if (!copy && !picture) return '';
  return html`<div class="row">
    ${copy} ${picture ? button('save', 'save', saveImage) : ''}
    ${picture && canShare() ? button('share', 'share', shareImage) : ''}
  </div>`;
}

function copyButton(text: string, key: 'copy' | 'copyLink', around: Surroundings): TemplateResult {
  const { tools, say, state, run } = around;
  const isCopied = state.copied === text;
  const copy = () =>
    void navigator.clipboard.writeText(text).then(
      () => run((session) => session.copied(text)),
      () => {},
    );
  return tools.html`<button part="copy" class="second" type="button" @click=${copy}>
    <span class=${isCopied ? 'spoken' : ''}>${say(isCopied ? 'copied' : key)}</span>
  </button>`;
}

interface Picture {
  drawing: TemplateResult;
  /** Data URL. */
  image(): string | null;
}

/** Null for a code that cannot be drawn: then the app and the text remain. */
function pictureOf(code: QrCode, { tools: { html }, say, money, order }: Surroundings): Picture | null {
  const label = say('scanLabel', { amount: money(order.amount) });
  const image = qrImage(code);
  if (image) return { drawing: html`<img src=${image} alt=${label} @load=${dropIfLarge} />`, image: () => image };
  const path = 'modules' in code && qrPath(code);
  if (!path) return null;
  const side = code.size + 2 * QUIET_ZONE;
  return {
    drawing: html`<svg viewBox="0 0 ${side} ${side}" role="img" aria-label=${label}><path d=${path} /></svg>`,
    image: () => paintPath(path, code.size),
  };
}
