// The choice: methods as radio inputs, the amount and the wallet id where they are asked for, and the one button.
// A real form, so that Enter pays and password managers and screen readers know what it is. While a start is under way
// everything stays in its place, focus too; the button says what happens, and further clicks do nothing.
import { html, type TemplateResult } from 'lit';
import type { Method } from '../../backend-proxy/protocol/wire.ts';
import type { MessageKey } from '../locales/en.ts';
import type { Choice } from './choice.ts';
import { tools, type Surroundings } from './panel.ts';

export function choose(shown: Choice, around: Surroundings): TemplateResult {
  const { say, run, money, amount } = around;
  const { busy, trouble } = shown;
  const text = say('pay', { amount: money(amount) }).trim();
  // Where the amount comes first and is not known yet, the verb begins the line.
  const payText = text.charAt(0).toLocaleUpperCase(around.language) + text.slice(1);
  const submit = (event: Event) => {
    event.preventDefault();
    // What is shown as chosen when it is sent: before the session is there, the shopper may have changed it since.
    const { method } = (event.target as HTMLFormElement).elements as unknown as { method?: { value: Method } };
    run((session) => session.pay(method?.value));
  };
  return html`<form novalidate @submit=${submit}>
    ${shown.askAmount ? amountField(shown, around) : ''}
    <fieldset part="methods" @click=${(event: Event) => busy && event.preventDefault()}>
      <legend>${tools.heading(say('choose'))}</legend>
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
              <slot name="icon-${method}">${tools.icon(method)}</slot>
            </label>
            ${method === shown.chosen && shown.askWallet ? walletField(shown, around) : ''}`,
      )}
    </fieldset>
    ${around.later?.notes(shown, around)} ${trouble ? tools.problem(trouble, say) : ''}
    <button part="pay" class="primary" aria-disabled=${!!busy}>
      ${busy ? html`<i></i><span class="spoken">${say('sending')}</span>` : payText}
    </button>
    ${around.later?.backButton(around)}
  </form>`;
}

function amountField({ errors, busy }: Choice, { say, money, state, order, run }: Surroundings) {
  const { claims, draft } = state;
  const values = { min: money(claims?.minAmount), max: money(claims?.maxAmount) };
  const bound = (key: MessageKey, value: string) => (value ? [say(key, values)] : []);
  return field({
    name: 'amount',
    label: `${say('amount')} (${order.currency})`,
    value: draft.amount ?? '',
    mode: 'decimal',
    help: [...bound('atLeast', values.min), ...bound('atMost', values.max)].join(' · '),
    error: errors.amount && say(errors.amount, { ...values, ...errors }),
    busy,
    onInput: (amount) => run((session) => session.edit({ amount })),
  });
}

function walletField({ errors, busy }: Choice, { say, state, run }: Surroundings): TemplateResult {
  return field({
    name: 'wallet',
    label: say('wallet'),
    value: state.draft.customer,
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
    <small id="help-${name}" class=${error ? 'wrong spoken' : ''} part=${error ? 'error' : 'help'}
      >${error ?? help}</small
    >
  </div>`;
}
