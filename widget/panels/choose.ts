// The choice: methods as radio inputs, the amount and the wallet id where they are asked for, and the one button.
// A real form, so that Enter pays and password managers and screen readers know what it is. While a start is under way
// everything stays in its place, focus too; the button says what happens, and further clicks do nothing.
import { html, nothing, type TemplateResult } from 'lit';
import type { Method } from '../../backend-proxy/protocol/wire.ts';
import type { MessageKey } from '../locales/en.ts';
import type { Shown } from '../view.ts';
import { heading, icon, reference, type Surroundings } from './pieces.ts';

type Choice = Extract<Shown, { panel: 'choose' }>;

export function choose(shown: Choice, around: Surroundings): TemplateResult {
  const { say, act, money, amount } = around;
  const busy = shown.busy !== false;
  return html`<form novalidate aria-busy=${busy} @submit=${act.pay}>
    ${shown.askAmount ? amountField(shown, around) : nothing}
    <fieldset part="methods" @click=${(event: Event) => busy && event.preventDefault()}>
      <legend>${heading(say('choose'))}</legend>
      ${shown.methods.map((method) => methodRow(method, shown, around))}
    </fieldset>
    ${shown.askWallet ? walletField(shown, around) : nothing} ${errorText(shown, around)}
    <button part="pay" class="primary" aria-disabled=${busy}>
      ${busy ? html`<i class="spinner"></i>${say('sending')}` : say('pay', { amount: money(amount) }).trim()}
    </button>
    ${
      shown.canReturn
        ? html`<button part="back" class="quiet" type="button" @click=${act.follow}>${say('back')}</button>`
        : nothing
    }
  </form>`;
}

function methodRow(method: Method, { chosen }: Choice, { say, act }: Surroundings): TemplateResult {
  return html`<label part="method" class="method">
    <input
      type="radio"
      name="method"
      value=${method}
      aria-describedby=${method}
      .checked=${method === chosen}
      @change=${() => act.edit({ method })}
    />
    ${icon(method)}
    <span><b>${say(method)}</b><small id=${method}>${say(`${method}_help`)}</small></span>
  </label>`;
}

function amountField(shown: Choice, around: Surroundings): TemplateResult {
  const { say, money, claims, draft, order } = around;
  const bounds: [MessageKey, string | undefined][] = [
    ['atLeast', claims?.minAmount],
    ['atMost', claims?.maxAmount],
  ];
  const values = { min: money(claims?.minAmount), max: money(claims?.maxAmount) };
  const help = bounds.flatMap(([key, bound]) => (bound ? say(key, values) : [])).join(' · ');
  const error = shown.errors.amount;
  // Written as this language writes a number, without its currency and grouping.
  const example = new Intl.NumberFormat(around.language, { minimumFractionDigits: 2 }).format(10);
  return field({
    name: 'amount',
    label: `${say('amount')} (${order.currency})`,
    value: draft.amount || (order.amount ?? ''),
    mode: 'decimal',
    help,
    error: error && say(error, { ...values, example }),
    shown,
    onInput: (amount) => around.act.edit({ amount }),
  });
}

function walletField(shown: Choice, { say, draft, act }: Surroundings): TemplateResult {
  const error = shown.errors.customer;
  return field({
    name: 'wallet',
    label: say('wallet'),
    value: draft.customer,
    mode: 'numeric',
    help: say('walletHelp'),
    error: error && say(error),
    shown,
    onInput: (customer) => act.edit({ customer }),
  });
}

interface Field {
  name: 'amount' | 'wallet';
  label: string;
  value: string;
  mode: 'decimal' | 'numeric';
  help: string;
  error: string | undefined;
  shown: Choice;
  onInput(value: string): void;
}

function field({ name, label, value, mode, help, error, shown, onInput }: Field): TemplateResult {
  return html`<label class="field" for=${name}>${label}</label>
    <input
      id=${name}
      part=${name}
      dir="ltr"
      inputmode=${mode}
      autocomplete="off"
      aria-describedby="${name}-help"
      aria-invalid=${error ? 'true' : 'false'}
      ?readonly=${shown.busy !== false}
      .value=${value}
      @input=${(event: Event & { currentTarget: HTMLInputElement }) => onInput(event.currentTarget.value)}
    />
    <small id="${name}-help" class=${error ? 'wrong' : ''} part=${error ? 'error' : 'help'}>${error ?? help}</small>`;
}

function errorText({ trouble, busy }: Choice, { say }: Surroundings): TemplateResult | typeof nothing {
  if (busy === 'slow') return html`<p class="note" part="status">${say('slow')}</p>`;
  if (!trouble) return nothing;
  return html`<div class="note wrong" part="error">
    ${say(troubleKey(trouble))} ${reference(say, trouble.requestId)}
  </div>`;
}

const KNOWN = new Set<string>([
  'network',
  'invalid_token',
  'token_expired',
  'invalid_request',
  'already_paid',
  'order_changed',
  'method_unavailable',
  'too_many_payments',
  'too_many_requests',
  'forbidden_origin',
] satisfies MessageKey[]);

/** The text of a problem's code; one that came later than this file gets a text by whether a retry can help. */
export function troubleKey({ code, retryable }: { code: string; retryable: boolean }): MessageKey {
  if (KNOWN.has(code)) return code as MessageKey;
  return retryable ? 'tryLater' : 'tryNever';
}
