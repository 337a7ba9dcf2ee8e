// The choice: the methods as radio inputs, the amount and the wallet id if they are asked for, and the one button. It
// is a real form, so that Enter pays and that password managers and screen readers recognise it. While a start is
// being sent, everything keeps its place and its focus; the button shows the progress, and further clicks do nothing.
import { html, type TemplateResult } from 'lit';
import type { Method } from '../../backend-proxy/protocol/wire.ts';
import type { MessageKey } from '../locales/en.ts';
import type { Choice } from './choice.ts';
import { heading, icon, problem, type PanelContext } from './panel.ts';

/** What the second bundle adds (flow/panels/open-payment.ts). */
interface Additions {
  choiceNotes(shown: Choice, context: PanelContext): TemplateResult;
  backButton(context: PanelContext): TemplateResult | '';
}

export function choose(shown: Choice, context: PanelContext, flow: Additions | undefined): TemplateResult {
  const { say, run, money, amount } = context;
  const { busy, trouble } = shown;
  const text = say('pay', { amount: money(amount) }).trim();
  // In some languages the amount comes first. Without one the verb begins the text, so it needs a capital.
  const payText = text.charAt(0).toLocaleUpperCase(context.language) + text.slice(1);
  const submit = (event: Event) => {
    event.preventDefault();
    // Read from the form: before the session is loaded, the state does not follow the shopper's choice.
    const { method } = (event.target as HTMLFormElement).elements as unknown as { method?: { value: Method } };
    run((session) => session.pay(method?.value));
  };
  return html`<form novalidate @submit=${submit}>
    ${shown.askAmount ? amountField(shown, context) : ''}
    <fieldset part="methods" @click=${(event: Event) => busy && event.preventDefault()}>
      <legend>${heading(say('choose'))}</legend>
      ${shown.methods.map(
        (method) =>
          html`<label part="method" class="method">
              <input
                type="radio"
                name="method"
                value=${method}
                aria-labelledby=${method}
                aria-describedby="help-${method}"
                .checked=${method === shown.chosen}
                @change=${() => run((session) => session.edit({ method }))}
              />
              <span
                ><b id=${method}>${say(method) || method}</b
                ><small id="help-${method}">${say(`${method}_help`)}</small></span
              >
              <slot name="icon-${method}">${icon(method)}</slot>
            </label>
            ${method === shown.chosen && shown.askWallet ? walletField(shown, context) : ''}`,
      )}
    </fieldset>
    ${flow?.choiceNotes(shown, context)} ${trouble ? problem(trouble, say) : ''}
    <button part="pay" class="primary" aria-disabled=${!!busy}>
      ${busy ? html`<i></i><span class="announce">${say('sending')}</span>` : payText}
    </button>
    ${flow?.backButton(context)}
  </form>`;
}

function amountField({ errors, busy }: Choice, { say, money, state, run }: PanelContext) {
  const { claims, form, order } = state;
  const values = { min: money(claims?.minAmount), max: money(claims?.maxAmount) };
  const bound = (key: MessageKey, value: string) => (value ? [say(key, values)] : []);
  return field({
    name: 'amount',
    label: `${say('amount')} (${order.currency})`,
    value: form.amount ?? '',
    mode: 'decimal',
    help: [...bound('atLeast', values.min), ...bound('atMost', values.max)].join(' · '),
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
  value: string;
  mode: 'decimal' | 'numeric';
  help: string;
  error: string | undefined;
  busy: Choice['busy'];
  onInput(value: string): void;
}

function field({ name, label, value, mode, help, error, busy, onInput }: Field): TemplateResult {
  return html`<div class="field">
    <label for=${name}><b>${label}</b></label>
    <input
      id=${name}
      part=${name}
      inputmode=${mode}
      autocomplete="off"
      required
      aria-describedby="help-${name}"
      aria-invalid=${!!error}
      ?readonly=${busy}
      .value=${value}
      @input=${(event: InputEvent & { target: HTMLInputElement }) => onInput(event.target.value)}
    />
    <small id="help-${name}" class=${error ? 'wrong announce' : ''} part=${error ? 'error' : 'help'}
      >${error ?? help}</small
    >
  </div>`;
}
