// Waiting for a scan (JETGO, QR): the code on a light tile in every theme, its text to copy, and the way into the app.
// On a touch device the app comes first, by a media query and not by guessing from the user agent; elsewhere it stands beside.
import { html, nothing, svg, type TemplateResult } from 'lit';
import type { QrCode } from '../../backend-proxy/protocol/wire.ts';
import { QUIET_ZONE, qrImage, qrPath } from '../qr-code.ts';
import type { Shown } from '../view.ts';
import { awaiting, heading, otherButton, type Surroundings } from './pieces.ts';

export function scan({ code, appUrl }: Extract<Shown, { panel: 'scan' }>, around: Surroundings): TemplateResult {
  const { say, copied, act } = around;
  const text = code && 'text' in code ? code.text : null;
  const picture = code && drawn(code, say('scanLabel', { amount: around.money(around.order.amount) }));
  return html`${heading(say(picture ? 'scan' : 'app'))}
    <div class="scan">
      ${picture ? html`<div part="code" class="code">${picture}</div>` : nothing}
      <div class="beside">
        <p>${say(picture ? 'scan_help' : 'app_help')}</p>
        ${appUrl ? html`<a part="app-link" class="second" href=${appUrl} rel="noopener">${say('appOpen')}</a>` : nothing}
        ${
          text
            ? html`<button part="copy" class="second" type="button" @click=${() => act.copy(text)}>
                ${say(copied ? 'copied' : 'copy')}
              </button>`
            : nothing
        }
        ${awaiting(say('waiting'))}
      </div>
    </div>
    ${otherButton(around)}`;
}

function drawn(code: QrCode, label: string): TemplateResult | null {
  const image = qrImage(code);
  if (image) return html`<img src=${image} alt=${label} />`;
  const path = 'modules' in code && qrPath(code);
  if (!path) return null;
  const side = code.size + 2 * QUIET_ZONE;
  return html`<svg viewBox="0 0 ${side} ${side}" role="img" aria-label=${label}>${svg`<path d=${path} />`}</svg>`;
}
