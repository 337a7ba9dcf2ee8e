// The choice of a method, with the amount, the wallet id and the button; and what all panels share.
// The methods are radio inputs. The choice is a real form, so that Enter pays and that password managers and screen
// readers recognize it. Enter clicks the button, and the click pays, because a sandboxed frame may not be allowed to
// submit a form. While a start is being sent, everything keeps its place and its focus; the button shows the progress,
// and further clicks do nothing. The field of a method is always there and is folded by CSS, so a row opens before the
// session is loaded, too.
import { html, type TemplateResult } from 'lit';
import { PAYS_BY, type Method } from '../../backend-proxy/protocol/wire.ts';
import type { MessageKey } from '../locales/en.ts';
import { asksWalletId, chosenMethod, isCode, offeredMethods, opensApp, sharesRow, type Choice } from './choice.ts';
import type { Say } from './language.ts';
import type { FieldErrors, SessionState } from './state.ts';

// What all panels share: the context they are given, the heading, the icons.
// A panel is a function of (what to show, context) that returns a template; it keeps no state and decides nothing.

/** What the shopper can do in a panel. Done by the session (flow/session.ts). */
export interface Actions {
  pay(by?: Method): void;
  again(method: Method): void;
  reset(): void;
  payAnotherWay(by?: Method): void;
  edit(change: Partial<SessionState['form']>, errors?: FieldErrors): void;
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
export const heading = (text: string | TemplateResult): TemplateResult =>
  html`<h2 part="heading" tabindex="-1">${text}</h2>`;

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

// The panel of the choice.

/** What the second bundle adds (flow/choice-notes.ts, flow/provided.ts). */
interface Additions {
  notesAboveMethods(shown: Choice, context: PanelContext): TemplateResult;
  notesAbovePay(shown: Choice, context: PanelContext): TemplateResult | '';
  payRank(context: PanelContext): string;
  helpOf(method: Method, context: PanelContext): string;
  notesBelowPay(shown: Choice, context: PanelContext): TemplateResult;
}

export function choose(shown: Choice, context: PanelContext, flow: Additions | undefined): TemplateResult {
  const { say, run, money, amount, state } = context;
  const { busy, trouble, errors } = shown;
  const methods = rowsOf(shown);
  const values = { amount: errors.amount ? '' : money(amount) };
  // By its first start an order is placed, and what is left is to pay it.
  const isPlaced = state.order.payment && state.claims?.purpose === 'order';
  const purpose = !isPlaced && state.claims?.purpose;
  const press = (event: Event) => {
    event.preventDefault();
    // Read from the form: before the session is loaded, the state does not follow the shopper's choice.
    const fields = (event.currentTarget as Element).closest('form')?.elements;
    const method = fields?.namedItem('method') as { value: Method } | null | undefined;
    run((session) => session.pay(method?.value));
  };
  // The fields' events are not the element's.
  const keep = (event: Event) => event.stopPropagation();
  return html`<form novalidate aria-label=${say('choose')} @submit=${press} @input=${keep}>
    ${flow?.notesAboveMethods(shown, context)}
    ${
      methods.length > 1
        ? html`<fieldset part="methods" @click=${(event: Event) => busy && event.preventDefault()}>
            <legend>${heading(say('choose'))}</legend>
            ${methods.map((method) => methodRow(method, shown, context, flow))}
          </fieldset>`
        : methods.map((method) => onlyMethod(method, shown, context, flow))
    }
    ${flow?.notesAbovePay(shown, context) ?? (trouble && html`<p part="error">${say('network')}</p>`)}
    <slot name="terms"></slot>
    <button part="pay" class=${flow?.payRank(context) ?? 'primary'} aria-disabled=${!!busy} @click=${press}>
      ${busy ? html`<i></i><span class="announce">${say('sending')}</span>` : say(`pay_${purpose}` as MessageKey, values) || say('pay', values)}
    </button>
    ${flow?.notesBelowPay(shown, context)}
    <small>${say('safe')}</small>
  </form>`;
}

/** One row stands for all codes that open the app. */
function rowsOf({ methods, chosen, unavailable }: Choice): Method[] {
  const available = methods.filter((method) => !unavailable.includes(method));
  const shown = [chosen, ...available, ...methods].find(isCode);
  return methods.filter((method) => method === shown || !opensApp(method));
}

function methodRow(method: Method, shown: Choice, context: PanelContext, flow?: Additions): TemplateResult {
  const { say, run, state } = context;
  const isUnavailable = shown.unavailable.includes(method);
  return html`<div part="method" class="method">
    <label>
      <input
        type="radio"
        name="method"
        value=${method}
        aria-labelledby=${method}
        aria-describedby="help-${method}"
        ?disabled=${isUnavailable}
        .checked=${method === shown.chosen}
        @change=${() => run((session) => session.edit({ method }))}
      />
      ${mark(method)}
      <span
        ><b id=${method}>${nameOf(method, context)}</b
        ><small id="help-${method}">${isUnavailable ? say('unavailable') : helpOf(method, context, flow)}</small></span
      >
    </label>
    ${asksWalletId(method, state.claims) ? html`<div class="fold"><div>${walletField(shown, context)}</div></div>` : ''}
  </div>`;
}

/** Without a choice there is nothing to choose: the method is named, and its field follows. */
function onlyMethod(method: Method, shown: Choice, context: PanelContext, flow?: Additions): TemplateResult {
  return html`<div part="method" class="only">
      ${mark(method)}
      <span>${heading(nameOf(method, context))}<small>${helpOf(method, context, flow)}</small></span>
    </div>
    ${asksWalletId(method, context.state.claims) ? walletField(shown, context) : ''}`;
}

const mark = (method: Method): TemplateResult =>
  html`<slot name="icon-${method}">${icon(opensApp(method) ? 'JETGO' : method)}</slot>`;

/** What the shopper does, or the merchant's own name, with what the shopper does below it. */
const nameOf = (method: Method, context: PanelContext): string =>
  context.state.claims?.methodNames?.[method] ?? actionOf(method, context);

const helpOf = (method: Method, context: PanelContext, flow?: Additions): string | undefined =>
  context.state.claims?.methodNames?.[method] ? actionOf(method, context) : flow?.helpOf(method, context);

function actionOf(method: Method, { say, state }: PanelContext): string {
  if (PAYS_BY[method] === 'prompt') return say(asksWalletId(method, state.claims) ? 'byId' : 'direct');
  return say(opensApp(method) ? 'app' : `${method}_help`) || method;
}

const walletField = (shown: Choice, context: PanelContext): TemplateResult =>
  field('wallet', 'customer', context.say('walletHelp'), shown, context);

/** What only the amount has: it surrounds the input, and its errors name amounts. */
interface Extras {
  before?: TemplateResult | '';
  unit?: TemplateResult | '';
  after?: TemplateResult | '';
  values?: Record<string, string>;
  placeholder?: string;
}

/** `key`: in the form's state, and among its errors. */
export function field(
  name: 'amount' | 'wallet',
  key: 'amount' | 'customer',
  help: string,
  { errors, busy }: Choice,
  { say, run, state }: PanelContext,
  extras?: Extras,
): TemplateResult {
  const error = errors[key] && say(errors[key], { ...extras?.values, ...errors });
  const edit = ({ target }: InputEvent & { target: HTMLInputElement }) => {
    // Read now: until the session is loaded, `act` waits, and the event loses its target meanwhile.
    const { value } = target;
    run((session) => session.edit({ [key]: value }));
  };
  return html`<div class="field ${name}">
    <label for=${name}><b>${say(name)}</b></label>
    ${extras?.before}
    <input
      id=${name}
      name=${name}
      part=${name}
      inputmode=${extras ? 'decimal' : 'numeric'}
      enterkeyhint="go"
      autocomplete=${extras ? 'transaction-amount' : 'on'}
      placeholder=${extras?.placeholder ?? '1234\u00a05678'}
      required
      aria-describedby="help-${name}"
      aria-invalid=${!!error}
      ?readonly=${busy}
      .value=${state.form[key] ?? ''}
      @input=${edit}
    />
    ${extras?.unit}
    <small id="help-${name}" class=${error ? 'wrong announce' : ''} part=${error ? 'error' : 'help'}
      >${error ?? help}</small
    >
    ${extras?.after}
  </div>`;
}

/** What the second bundle uses of this one (flow/provided.ts). */
export const shared = {
  html,
  heading,
  icon,
  field,
  nameOf,
  opensApp,
  sharesRow,
  asksWalletId,
  offeredMethods,
  chosenMethod,
};
export type Shared = typeof shared;
