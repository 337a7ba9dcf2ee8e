// What all panels share: the context they are given, the heading, the icons.
// A panel is a function of (what to show, context) that returns a template; it keeps no state and decides nothing.
import { html, type TemplateResult } from 'lit';
import type { Method } from '../../backend-proxy/protocol/wire.ts';
import type { Say } from './language.ts';
import type { SessionState } from './state.ts';

/** What the shopper can do in a panel. Done by the session (flow/session.ts). */
export interface Actions {
  pay(by?: Method): void;
  again(method: Method): void;
  reset(): void;
  edit(change: Partial<SessionState['form']>): void;
  showOpenPayment(): void;
  reconnect(): void;
  leaveForCheckout(event: Event, url: string): void;
  copied(text: string): void;
  appLinkOpened(link: string): void;
}

export interface PanelContext {
  say: Say;
  /** A decimal string in the order's currency, as the language writes it; empty if there is none. */
  money(amount: string | null | undefined): string;
  /** BCP 47 tag. */
  language: string;
  state: SessionState;
  /** The amount to pay, as far as it is known and valid. */
  amount: string | null;
  /** Where checkout links open. */
  target: '_self' | '_blank' | '_top';
  /** Runs `act` now, or as soon as the session is loaded. */
  run(act: (session: Actions) => void): void;
}

/** The heading of a panel. It takes the focus if the previous panel had it. */
export const heading = (text: string): TemplateResult => html`<h2 part="heading" tabindex="-1">${text}</h2>`;

const PATHS = {
  DIRECT: 'M4 8V7a2 2 0 0 1 2-2h11v3M4 8v9a2 2 0 0 0 2 2h14V8zm12 5.5h.5',
  CHECKOUT:
    'M5 4.5h14a2 2 0 0 1 2 2v11a2 2 0 0 1-2 2H5a2 2 0 0 1-2-2v-11a2 2 0 0 1 2-2M3 9h18m-8.5 7.5 2.5-2.5-2.5-2.5M15 14H8',
  JETGO: 'M8.5 2.5h7a2 2 0 0 1 2 2v15a2 2 0 0 1-2 2h-7a2 2 0 0 1-2-2v-15a2 2 0 0 1 2-2M13 7l-3 5h4l-3 5',
  QR: 'M4 4h6v6H4zm10 0h6v6h-6zM4 14h6v6H4zm11 1h.5m4 0h.5m-5 4.5h.5m4 0h.5',
} satisfies Record<Method, string>;

/** A method's icon, or one with the given path. */
export const icon = (name: string, path: string = PATHS[name as Method]): TemplateResult =>
  html`<svg class="icon ${name}" part="icon" viewBox="0 0 24 24" aria-hidden="true"><path d=${path} /></svg>`;
