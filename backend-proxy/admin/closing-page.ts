// Closing an order from one of its payments: the form on the payment's page, and what it will do before it is done.
import { html } from 'hono/html';
import type { Order } from '../ledger/ledger.ts';
import { canBePaid, type Transaction } from '../protocol/transaction.ts';
import { time, type Html } from './format.ts';
import { linkTo } from './transaction-table.ts';

/** Of a payout, and of an order that is paid, there is nothing to close. */
export function closing(transaction: Transaction, order: Order | undefined, form: string): Html | '' {
  if (order?.closed) {
    const { at, reason } = order.closed;
    return html`<p class="message">The order is closed since ${time(at)}${reason === null ? '' : `: ${reason}`}.</p>`;
  }
  if (order === undefined || order.paidBy !== null) return '';
  return html`<section class="panel" aria-labelledby="closing">
    <h2 id="closing">Close the order</h2>
    <form method="post" action="${linkTo(transaction)}/close">
      <input type="hidden" name="form" value="${form}" />
      <div class="field wide">
        <label for="reason">Reason, for you only (optional)</label>
        <input id="reason" name="reason" maxlength="200" autocomplete="off" />
      </div>
      <button class="quiet">Close the order…</button>
      <p class="hint">Nothing changes yet: the next page says what will happen.</p>
    </form>
  </section>`;
}

export function closingPage(
  transaction: Transaction,
  { orderId, payments }: Order,
  reason: string,
  form: string,
): Html {
  const payable = payments.filter(({ stage }) => canBePaid(stage)).map(({ id }) => id);
  return html`<section class="panel" aria-labelledby="effect">
    <h2 id="effect">Close order ${orderId}</h2>
    <ul class="effect">
      <li>No payment of it starts any more, and it cannot be opened again.</li>
      <li>The shopper reads that the shop has closed the order, and whom to ask if it is paid.</li>
      ${
        payable.length === 0
          ? ''
          : html`<li>The gateway cannot cancel: ${payable.join(', ')} may still be paid, and needs a person then.</li>`
      }
    </ul>
    <form method="post" action="${linkTo(transaction)}/close">
      <input type="hidden" name="form" value="${form}" />
      <input type="hidden" name="confirmed" value="yes" />
      <input type="hidden" name="reason" value="${reason}" />
      <div class="buttons">
        <button class="danger">Close the order</button> <a href="${linkTo(transaction)}">Cancel</a>
      </div>
    </form>
  </section>`;
}
