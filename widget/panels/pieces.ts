// What panels have in common: the surroundings they are given, the heading that takes the focus, the icons.
// A panel is a function from (what to show, surroundings) to a template; it holds nothing and decides nothing.
import { html, nothing, type TemplateResult } from 'lit';
import type { Method, OrderView } from '../../backend-proxy/protocol/wire.ts';
import type { Say } from '../language.ts';
import type { SessionState } from '../view.ts';

export interface Surroundings {
  say: Say;
  /** A decimal string in the order's currency, as the language writes it; `` for none. */
  money(amount: string | null | undefined): string;
  /** BCP 47. */
  language: string;
  order: OrderView;
  claims: SessionState['claims'];
  draft: SessionState['draft'];
  /** The amount to pay, as far as it is known and valid. */
  amount: string | null;
  /** Where checkout links open. */
  target: '_self' | '_blank';
  /** The code was copied a moment ago. */
  copied: boolean;
  act: {
    edit(draft: Partial<SessionState['draft']>): void;
    pay(event?: Event): void;
    again(method: Method): void;
    reset(): void;
    follow(): void;
    copy(text: string): void;
  };
}

/** Each panel has one heading; it takes the focus when the panel before it held the focus. */
export const heading = (text: string): TemplateResult => html`<h2 part="heading" tabindex="-1">${text}</h2>`;

export const otherButton = ({ say, act }: Surroundings): TemplateResult =>
  html`<button part="other" class="quiet" type="button" @click=${act.reset}>${say('other')}</button>`;

/** The quiet sign that something is awaited; it never looks like a result. */
export const awaiting = (text: string): TemplateResult =>
  html`<p part="status" class="status"><i class="spinner"></i>${text}</p>`;

export const reference = (say: Say, id: string | undefined): TemplateResult | typeof nothing =>
  id ? html`<small class="reference">${say('reference', { id })}</small>` : nothing;

const PATHS = {
  DIRECT: 'M4 8V7a2 2 0 0 1 2-2h11v3M4 8v9a2 2 0 0 0 2 2h14V8zm12 5.5h.01',
  CHECKOUT: 'M3 5h18v14H3zM3 9h18m-9 7 3-2-3-2m3 2H8',
  JETGO: 'M7 2.5h10v19H7zM13 7l-3 5h4l-3 5',
  QR: 'M4 4h6v6H4zm10 0h6v6h-6zM4 14h6v6H4zm10 0h2v2h-2zm4 4h2v2h-2zm0-4h2m-6 6h2M7 7h.01M17 7h.01M7 17h.01',
  paid: 'm5 12.5 4.5 4.5L19 7.5',
  failed: 'M12 6v7.5m0 4h.01',
} satisfies Record<Method | 'paid' | 'failed', string>;

export const icon = (name: keyof typeof PATHS): TemplateResult =>
  html`<svg class="icon ${name}" part="icon" viewBox="0 0 24 24" aria-hidden="true"><path d=${PATHS[name]} /></svg>`;
