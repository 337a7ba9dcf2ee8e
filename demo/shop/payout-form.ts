// The form that sends a payout, or a payment's money back. The server creates the payout's order id, or the refund's
// key, and the form contains it, so submitting a form twice sends money once.
import { html } from 'hono/html';
import { CURRENCY, formatMoney } from './catalog.ts';
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
}

export function payoutForm({ orderId, amount = '', customer = '', note = '', back, problem }: PayoutForm): Markup {
  return html`<section class="send card" id="send" aria-labelledby="send-title">
    <h2 id="send-title">${back === undefined ? 'Send a payout' : 'Send money back'}</h2>
    ${
      back === undefined
        ? ''
        : html`<p class="quiet">
            ${formatMoney(back.amount, back.currency)} came in for ${back.orderId}. It goes back to the wallet that
            paid, ending in ${back.payer?.slice(-4)}, in whole ${CURRENCY}.
          </p>`
    }
    ${problem === undefined ? '' : html`<p class="message bad" role="alert">${problem}</p>`}
    <form method="post" action="${back === undefined ? '/desk/payouts' : '/desk/refunds'}" autocomplete="off">
      <input type="hidden" name="orderId" value="${orderId}" />
      ${
        back === undefined
          ? ''
          : html`<input type="hidden" name="order" value="${back.orderId}" />
              <input type="hidden" name="payment" value="${back.gatewayOrderId}" />`
      }
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
        <button class="button">${back === undefined ? 'Send payout' : 'Send money back'}</button>
        <a href="/desk">Cancel</a>
        <small>${back === undefined ? 'Order id' : 'Key'} ${orderId}</small>
      </div>
    </form>
  </section>`;
}
