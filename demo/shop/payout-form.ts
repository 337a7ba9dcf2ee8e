// The form that sends a payout, or a payment's money back, in two steps: the second names amount and wallet, and its
// button sends. The server creates the payout's order id, or the refund's key, and both steps contain it, so submitting
// one twice sends money once.
import { html } from 'hono/html';
import { CURRENCY, centsOf, decimal, formatMoney } from './catalog.ts';
import { walletEnd } from './desk-words.ts';
import type { Markup } from './page.ts';
import type { Payment } from './proxy-client.ts';

/** The values typed so far, and the error message. */
export interface PayoutForm {
  /** Of a refund its key. */
  orderId: string;
  amount?: string | undefined;
  customer?: string | undefined;
  note?: string | undefined;
  /** The payment whose money goes back. */
  back?: Payment | undefined;
  problem?: string | undefined;
  /** The second step, before money leaves. */
  isReview?: boolean;
}

export function payoutForm(form: PayoutForm): Markup {
  const { orderId, back, problem, isReview = false } = form;
  const title = isReview ? question(form) : back === undefined ? 'Send a payout' : 'Send money back';
  return html`<section class="send card" id="send" aria-labelledby="send-title">
    <h2 id="send-title">${title}</h2>
    ${back === undefined ? '' : origin(back)}
    ${problem === undefined ? '' : html`<p class="message bad" role="alert">${problem}</p>`}
    <form method="post" action="${back === undefined ? '/desk/payouts' : '/desk/refunds'}" autocomplete="off">
      <input type="hidden" name="orderId" value="${orderId}" />
      ${
        back === undefined
          ? ''
          : html`<input type="hidden" name="order" value="${back.orderId}" />
              <input type="hidden" name="payment" value="${back.gatewayOrderId}" />`
      }
      ${isReview ? review(form) : fields(form)}
    </form>
  </section>`;
}

/** The gateway takes whole units only. */
const moneyOf = ({ amount = '' }: PayoutForm) => formatMoney(amount, CURRENCY).replace(/\.00$/, '');

/** `Send €40 to •••• 5678?` */
function question(form: PayoutForm): string {
  return `Send ${moneyOf(form)} to ${walletEnd(form.back?.payer ?? form.customer ?? '')}?`;
}

function origin({ amount, currency, orderId, payer }: Payment): Markup {
  const cents = centsOf(amount) % 100;
  const kept = formatMoney(decimal(cents), currency);
  return html`<p class="quiet">
    ${formatMoney(amount, currency)} came in for ${orderId}. It goes back to the wallet that paid,
    ${walletEnd(payer ?? '')}.
    ${cents === 0 ? '' : `${kept} stays with you, because this gateway sends whole amounts only.`}
  </p>`;
}

function fields({ orderId, amount = '', customer = '', note = '', back }: PayoutForm): Markup {
  return html`<label
      >Amount (whole ${CURRENCY})
      <input
        name="amount"
        value="${amount}"
        inputmode="numeric"
        pattern="[1-9][0-9]{0,6}"
        title="A whole amount"
        required
    /></label>
    ${
      back === undefined
        ? html`<label
            >Wallet ID
            <input name="customer" value="${customer}" inputmode="numeric" pattern="[0-9]+" maxlength="32" required
          /></label>`
        : ''
    }
    <label>Note to the customer <input name="note" value="${note}" maxlength="120" placeholder="Optional" /></label>
    <div class="buttons">
      <button class="button">${back === undefined ? 'Review payout' : 'Review'}</button>
      <a href="/desk">Cancel</a>
      <small>${back === undefined ? 'Order id' : 'Key'} ${orderId}</small>
    </div>`;
}

function review(form: PayoutForm): Markup {
  const { amount = '', customer = '', note = '', back } = form;
  return html`<input type="hidden" name="amount" value="${amount}" />
    <input type="hidden" name="customer" value="${customer}" />
    <input type="hidden" name="note" value="${note}" />
    <p class="facts">
      ${back === undefined ? html`To the wallet <b>${customer}</b>.` : ''}
      ${note === '' ? '' : html`The customer reads “${note}”.`} Sent money cannot be called back.
    </p>
    <div class="buttons">
      <button class="button" name="step" value="send">Send ${moneyOf(form)}</button>
      <button class="button plain" name="step" value="edit">Change</button>
      <a href="/desk">Cancel</a>
    </div>`;
}
