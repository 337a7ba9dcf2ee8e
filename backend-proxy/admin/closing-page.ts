// Closing an order from one of its payments: the form on the payment's page, and what it will do before it is done.
import { html } from 'hono/html';
import type { Order } from '../ledger/ledger.ts';
import { canBePaid, type Transaction } from '../protocol/transaction.ts';
import { decision } from './decision.ts';
import { hidden, nameField, textField, type Problems } from './fields.ts';
import { time, type Html } from './format.ts';
import { linkTo } from './transaction-table.ts';

export interface ClosingForm {
  by: string;
  reason: string;
  problems: Problems;
}

/** Of a payout, and of an order that is paid, there is nothing to close. */
export function closing(transaction: Transaction, order: Order | undefined, form: string, typed?: ClosingForm) {
  if (order?.closed) {
    const { at, reason } = order.closed;
    return html`<p class="message">Closed on ${time(at)}${reason === null ? '' : ` · ${reason}`}</p>`;
  }
  if (order === undefined || order.paidBy !== null) return '';
  const { by, reason, problems } = typed ?? {};
  return html`<section class="panel" aria-labelledby="closing">
    <h2 id="closing">Close the order</h2>
    <form method="post" action="${linkTo(transaction)}/close">
      ${hidden({ form })} ${nameField('closing', by, problems)}
      ${textField({
        form: 'closing',
        name: 'reason',
        label: 'Reason, for you only (optional)',
        value: reason,
        maxlength: 200,
        problems,
        isWide: true,
        isOptional: true,
      })}
      <button class="quiet">Close the order…</button>
      <p class="hint">Nothing changes yet: the next page says what will happen.</p>
    </form>
  </section>`;
}

export function closingPage(transaction: Transaction, order: Order, typed: ClosingForm, form: string): Html {
  const { by, reason } = typed;
  const payable = order.payments.filter(({ stage }) => canBePaid(stage)).map(({ id }) => id);
  const mayBePaid = `The gateway cannot cancel: ${payable.join(', ')} may still be paid. It would then come up for review.`;
  return decision({
    subject: `Order ${order.orderId}`,
    rows: [
      [
        'What happens',
        [
          'No payment of it starts any more, and it cannot be opened again.',
          ...(payable.length === 0 ? [] : [mayBePaid]),
        ],
      ],
      ['The shopper sees', ['The shop has closed the order, and whom to ask if it is paid.']],
    ],
    action: `${linkTo(transaction)}/close`,
    fields: hidden({ form, confirmed: 'yes', by, reason }),
    button: 'Close the order',
    back: linkTo(transaction),
  });
}
