// What panels have in common: the surroundings they are given, the heading that takes the focus, the icons, a problem's text.
// A panel is a function from (what to show, surroundings) to a template; it holds nothing and decides nothing. Panels that come
// after the first paint take their tools from the surroundings, Lit's `html` too: so their bundle imports nothing of the first
// one, and no byte is loaded twice, whatever URL the page gave that one.
import { html, render, type TemplateResult } from 'lit';
import type { Method, OrderView } from '../../backend-proxy/protocol/wire.ts';
import type { Session } from '../flow/session.ts';
import type { Say } from './language.ts';
import type { MessageKey } from '../locales/en.ts';
import type { SessionState, Trouble } from './state.ts';

export interface Surroundings {
  tools: typeof tools;
  /** What the choice shows only once there is a session. */
  later: Pick<typeof import('../flow/flow.ts'), 'notes' | 'backButton'> | undefined;
  say: Say;
  /** A decimal string in the order's currency, as the language writes it; `` for none. */
  money(amount: string | null | undefined): string;
  /** BCP 47. */
  language: string;
  order: OrderView;
  state: SessionState;
  /** The amount to pay, as far as it is known and valid. */
  amount: string | null;
  /** Where checkout links open. */
  target: '_self' | '_blank' | '_top';
  /** Does something with the session: at once, or as soon as it is there. */
  run(act: (session: Session) => void): void;
}

/** Each panel has one heading; it takes the focus when the panel before it held the focus. */
const heading = (text: string): TemplateResult => html`<h2 part="heading" tabindex="-1">${text}</h2>`;

/** The text of its code; a code that came later than this file gets one by whether trying again can help. */
function problem({ code, retryable, requestId }: Trouble, say: Say): TemplateResult {
  // A screen reader is told when a text of class `spoken` changes.
  return html`<p class="note wrong spoken" part="error">
    ${say(code as MessageKey) || say(retryable ? 'tryLater' : 'tryNever')}
    ${requestId ? html`<small>${say('reference', { id: requestId })}</small>` : ''}
  </p>`;
}

const PATHS = {
  DIRECT: 'M4 8V7a2 2 0 0 1 2-2h11v3M4 8v9a2 2 0 0 0 2 2h14V8zm12 5.5h.01',
  CHECKOUT:
    'M5 4.5h14a2 2 0 0 1 2 2v11a2 2 0 0 1-2 2H5a2 2 0 0 1-2-2v-11a2 2 0 0 1 2-2M3 9h18m-8.5 7.5 2.5-2.5-2.5-2.5M15 14H8',
  JETGO: 'M8.5 2.5h7a2 2 0 0 1 2 2v15a2 2 0 0 1-2 2h-7a2 2 0 0 1-2-2v-15a2 2 0 0 1 2-2M13 7l-3 5h4l-3 5',
  QR: 'M4 4h6v6H4zm10 0h6v6h-6zM4 14h6v6H4zm10 0h2v2h-2zm4 4h2v2h-2z',
} satisfies Record<Method, string>;

/** A method's, or the path given. */
const icon = (name: string, path: string = PATHS[name as Method]): TemplateResult =>
  html`<svg class="icon ${name}" part="icon" viewBox="0 0 24 24" aria-hidden="true"><path d=${path} /></svg>`;

export const tools = { html, render, heading, problem, icon };
