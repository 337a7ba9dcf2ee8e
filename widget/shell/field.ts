// A field of the choice: its label, its input, and below it the hint or what is wrong. Also lists what the second
// bundle draws with.
import { html, render, type TemplateResult } from 'lit';
import type { Choice } from './choice.ts';
import { heading, icon, type PanelContext } from './panel.ts';

/** What only the amount has: it surrounds the input, and its errors name amounts. */
export interface Extras {
  before?: TemplateResult | '';
  after?: TemplateResult;
  values?: Record<string, string>;
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
      placeholder=${extras ? '' : '1234\u00a05678'}
      required
      aria-describedby="help-${name}"
      aria-invalid=${!!error}
      ?readonly=${busy}
      .value=${state.form[key] ?? ''}
      @input=${edit}
    />
    ${extras?.after}
    <small id="help-${name}" class=${error ? 'wrong announce' : ''} part=${error ? 'error' : 'help'}
      >${error ?? help}</small
    >
  </div>`;
}

/** What the second bundle draws with (flow/lit.ts). */
export const drawing = { html, render, heading, icon, field };
export type Drawing = typeof drawing;
