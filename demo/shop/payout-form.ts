// The form that sends a payout. The server creates the payout's order id and the form contains it, so submitting a form
// twice sends one payout.
import { html } from 'hono/html';
import { CURRENCY, formatMoney } from './catalog.ts';
import type { Markup } from './page.ts';
import type { Payment } from './proxy-client.ts';

/** The values typed so far, and the error message. */
export interface PayoutForm {
  orderId: string;
  amount?: string | undefined;
  customer?: string | undefined;
  note?: string | undefined;
  /** The payment that the payout refunds. */
  back?: Payment | undefined;
  problem?: string | undefined;
}

export function payoutForm({ orderId, amount = '', customer = '', note = '', back, problem }: PayoutForm): Markup {
  return html`<section class="send card" id="send" aria-labelledby="send-title">
    <h2 id="send-title">${back === undefined ? 'Send a payout' : 'Send money back'}</h2>
    ${
      back === undefined
        ? ''
        : html`<p class="quiet">
            ${formatMoney(back.amount, back.currency)} came in for ${back.orderId}. A payout is a whole amount.
          </p>`
    }
    ${problem === undefined ? '' : html`<p class="message bad" role="alert">${problem}</p>`}
    <form method="post" action="/desk/payouts" autocomplete="off">
      <input type="hidden" name="orderId" value="${orderId}" />
      <label
        >Amount, in whole ${CURRENCY}
        <input
          name="amount"
          value="${amount}"
          inputmode="numeric"
          pattern="[1-9][0-9]{0,6}"
          title="A whole amount"
          required
      /></label>
      <label
        >Wallet ID
        <input name="customer" value="${customer}" inputmode="numeric" pattern="[0-9]+" maxlength="32" required
      /></label>
      <label>Note to the customer <input name="note" value="${note}" maxlength="120" placeholder="Optional" /></label>
      <div class="buttons">
        <button class="button">Send payout</button>
        <a href="/desk">Cancel</a>
        <small>Order id ${orderId}</small>
      </div>
    </form>
  </section>`;
}
