// The choice: the methods as radio inputs, the amount and the wallet id if they are asked for, and the one button. It
// is a real form, so that Enter pays and that password managers and screen readers recognise it. While a start is
// being sent, everything keeps its place and its focus; the button shows the progress, and further clicks do nothing.
// The field of a method is always there and is folded by CSS, so a row opens before the session is loaded, too.
import { html, type TemplateResult } from 'lit';
import { PAYS_BY } from '../../backend-proxy/protocol/methods.ts';
import type { Method } from '../../backend-proxy/protocol/wire.ts';
import { asksWalletId, type Choice } from './choice.ts';
import { heading, icon, problem, type PanelContext } from './panel.ts';

/** What the second bundle adds (flow/panels/choice-notes.ts). */
interface Additions {
  notesAbovePay(shown: Choice, context: PanelContext): TemplateResult;
  notesBelowPay(shown: Choice, context: PanelContext): TemplateResult;
}

export function choose(shown: Choice, context: PanelContext, flow: Additions | undefined): TemplateResult {
  const { say, run, money, amount } = context;
  const { busy, trouble, methods } = shown;
  const text = say('pay', { amount: money(amount) }).trim();
  // In some languages the amount comes first. Without one the verb begins the text, so it needs a capital.
  const payText = text.charAt(0).toLocaleUpperCase(context.language) + text.slice(1);
  const submit = (event: Event) => {
    event.preventDefault();
    // Read from the form: before the session is loaded, the state does not follow the shopper's choice.
    const { method } = (event.target as HTMLFormElement).elements as unknown as { method?: { value: Method } };
    run((session) => session.pay(method?.value));
  };
  return html`<form novalidate aria-label=${say('choose')} @submit=${submit}>
    ${shown.askAmount ? amountField(shown, context) : ''}
    ${
      methods.length > 1
        ? html`<fieldset part="methods" @click=${(event: Event) => busy && event.preventDefault()}>
            <legend>${heading(say('choose'))}</legend>
            ${methods.map((method) => methodRow(method, shown, context))}
          </fieldset>`
        : methods.map((method) => onlyMethod(method, shown, context))
    }
    ${flow?.notesAbovePay(shown, context)} ${trouble ? problem(trouble, say) : ''}
    <button part="pay" class="primary" aria-disabled=${!!busy}>
      ${busy ? html`<i></i><span class="announce">${say('sending')}</span>` : payText}
    </button>
    ${flow?.notesBelowPay(shown, context)}
  </form>`;
}

function methodRow(method: Method, shown: Choice, context: PanelContext): TemplateResult {
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
        ><b id=${method}>${say(method) || method}</b
        ><small id="help-${method}">${isUnavailable ? say('unavailable') : helpOf(method, context)}</small></span
      >
    </label>
    ${asksWalletId(method, state.claims) ? html`<div class="fold"><div>${walletField(shown, context)}</div></div>` : ''}
  </div>`;
}

/** Without a choice there is nothing to choose: the method is named, and its field follows. */
function onlyMethod(method: Method, shown: Choice, context: PanelContext): TemplateResult {
  return html`<div part="method" class="only">
      ${mark(method)}
      <span>${heading(context.say(method) || method)}<small>${helpOf(method, context)}</small></span>
    </div>
    ${asksWalletId(method, context.state.claims) ? walletField(shown, context) : ''}`;
}

const mark = (method: Method): TemplateResult => html`<slot name="icon-${method}">${icon(method)}</slot>`;

/** A phone cannot scan its own screen, and only the gateway's answer says whether there is a link to the app. */
function helpOf(method: Method, { say }: PanelContext): string {
  const isCodeOnPhone = PAYS_BY[method] === 'code' && matchMedia('(pointer: coarse)').matches;
  return say(isCodeOnPhone ? 'codeOnPhone' : `${method}_help`);
}

function amountField({ errors, busy }: Choice, { say, money, state, run }: PanelContext) {
  const { claims, form, order } = state;
  const values = { min: money(claims?.minAmount), max: money(claims?.maxAmount) };
  const { min, max } = values;
  const oneBound = min ? say('atLeast', values) : max && say('atMost', values);
  return field({
    name: 'amount',
    label: say('amount'),
    unit: order.currency,
    value: form.amount ?? '',
    mode: 'decimal',
    help: (min && max && money(claims?.minAmount, claims?.maxAmount)) || oneBound,
    error: errors.amount && say(errors.amount, { ...values, ...errors }),
    busy,
    onInput: (amount) => run((session) => session.edit({ amount })),
  });
}

function walletField({ errors, busy }: Choice, { say, state, run }: PanelContext): TemplateResult {
  return field({
    name: 'wallet',
    label: say('wallet'),
    value: state.form.customer,
    mode: 'numeric',
    help: say('walletHelp'),
    error: errors.customer && say(errors.customer),
    busy,
    onInput: (customer) => run((session) => session.edit({ customer })),
  });
}

interface Field {
  name: 'amount' | 'wallet';
  label: string;
  /** Shown inside the field, at its end, and part of its name. */
  unit?: string;
  value: string;
  mode: 'decimal' | 'numeric';
  help: string;
  error: string | undefined;
  busy: Choice['busy'];
  onInput(value: string): void;
}

function field({ name, label, unit, value, mode, help, error, busy, onInput }: Field): TemplateResult {
  return html`<div class="field">
    <label for=${name}><b>${label}</b></label>
    <div class="input">
      <input
        id=${name}
        name=${name}
        part=${name}
        inputmode=${mode}
        enterkeyhint="go"
        autocomplete=${unit ? 'transaction-amount' : 'on'}
        required
        aria-describedby="help-${name}"
        aria-invalid=${!!error}
        ?readonly=${busy}
        .value=${value}
        @input=${(event: InputEvent & { target: HTMLInputElement }) => onInput(event.target.value)}
      />
      ${unit ? html`<label for=${name}>${unit}</label>` : ''}
    </div>
    <small id="help-${name}" class=${error ? 'wrong announce' : ''} part=${error ? 'error' : 'help'}
      >${error ?? help}</small
    >
  </div>`;
}
