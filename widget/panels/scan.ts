// Waiting for a scan (JETGO, QR): the code on a light tile in every theme, its text to copy, and the way into the app.
// On a touch device the app comes first, by a media query and not by guessing from the user agent; elsewhere it stands beside.
import type { TemplateResult } from 'lit';
import type { QrCode } from '../../backend-proxy/protocol/wire.ts';
import { appLink } from '../links.ts';
import { QUIET_ZONE, dropIfLarge, qrImage, qrPath } from '../qr-code.ts';
import { saveImage, savePath } from '../save-code.ts';
import type { Shown } from '../view.ts';
import { awaiting, otherButton } from './awaiting.ts';
import type { Surroundings } from './pieces.ts';

export function scan({ code, appUrl }: Extract<Shown, { panel: 'scan' }>, around: Surroundings): TemplateResult {
  const { say, tools } = around;
  const { html, heading } = tools;
  const picture = code && pictureOf(code, around);
  // Where a page may not write to the clipboard there is nothing to press.
  const text = navigator.clipboard && code && 'text' in code && code.text;
  const link = appLink(appUrl);
  // Nobody scans the screen that shows the code: where the wallet is likely to be on this device, its link is the way.
  const inApp = !picture || (link && matchMedia('(pointer: coarse)').matches);
  return html`${heading(say(inApp ? 'app' : 'scan'))}
    <div class="pair">
      ${picture ? html`<div part="code" class="code">${picture.drawing}</div>` : ''}
      <div class="beside">
        <p>${say(inApp ? 'app_help' : 'scan_help')}</p>
        ${link ? html`<a part="app-link" class=${picture ? 'second' : 'primary'} href=${link} rel="noopener">${say('appOpen')}</a>` : ''}
        ${inApp && picture ? html`<small>${say('scanOther')}</small>` : ''}
        ${
          picture || text
            ? html`<div class="row">
                ${text ? copyButton(text, around) : ''}
                ${picture ? html`<button part="save" class="second" type="button" @click=${picture.save}>${say('save')}</button>` : ''}
              </div>`
            : ''
        }
      </div>
    </div>
    ${awaiting(around, say('waiting'))} ${otherButton(around)}`;
}

function copyButton(text: string, { tools: { html }, say, state, run }: Surroundings): TemplateResult {
  const isCopied = state.copied === text;
  const copy = () =>
    void navigator.clipboard.writeText(text).then(
      () => run((session) => session.copied(text)),
      () => {},
    );
  return html`<button part="copy" class="second" type="button" @click=${copy}>
    <span class=${isCopied ? 'spoken' : ''}>${say(isCopied ? 'copied' : 'copy')}</span>
  </button>`;
}

/** Null for a code that cannot be drawn: then the app and the text remain. */
function pictureOf(
  code: QrCode,
  { tools: { html }, say, money, order }: Surroundings,
): { drawing: TemplateResult; save: () => void } | null {
  const label = say('scanLabel', { amount: money(order.amount) });
  const image = qrImage(code);
  if (image)
    return { drawing: html`<img src=${image} alt=${label} @load=${dropIfLarge} />`, save: () => saveImage(image) };
  const path = 'modules' in code && qrPath(code);
  if (!path) return null;
  const side = code.size + 2 * QUIET_ZONE;
  return {
    drawing: html`<svg viewBox="0 0 ${side} ${side}" role="img" aria-label=${label}><path d=${path} /></svg>`,
    save: () => savePath(path, code.size),
  };
}
