// Sending a payment's money back: its refunds and the form on the payment's page, and the question before it is sent.
import { randomUUID } from 'node:crypto';
import { html } from 'hono/html';
import type { Order } from '../ledger/ledger.ts';
import { decimalOf } from '../protocol/money.ts';
import { NOT_REFUNDABLE, leftOf, sendableOf, whyNotRefundable, type RefundRules } from '../protocol/refundable.ts';
import type { Transaction } from '../protocol/transaction.ts';
import { amount, status, time, wallet, walletEnd, type Html } from './format.ts';
import { cards } from './cards.ts';
import { linkTo } from './transaction-table.ts';
import { moneyOf } from './words.ts';

/** `order`: undefined for what is no payment. */
export function refunding(payment: Transaction, order: Order | undefined, rules: RefundRules, form: string): Html | '' {
  if (order === undefined || payment.stage !== 'succeeded') return '';
  const cause = whyNotRefundable(payment, order.refunds, rules.refundMethods);
  const left = leftOf(payment, order.refunds);
  const sendable = sendableOf(left, payment.currency, rules);
  const own = order.refunds.filter(({ refundOf }) => refundOf === payment.id);
  return html`<section class="panel" aria-labelledby="refunds">
    <h2 id="refunds">Refunds</h2>
    ${own.length === 0 ? '' : refundTable(own)}
    ${
      cause !== null
        ? html`<p>It cannot be refunded, because ${NOT_REFUNDABLE[cause]}.</p>`
        : left === 0
          ? html`<p>All of it is refunded, or on its way.</p>`
          : sendable === 0
            ? html`<p>${moneyIn(left, payment)} is left, and the gateway accepts no decimals in payouts.</p>`
            : refundForm(payment, { sendable, left }, form)
    }
  </section>`;
}

function refundTable(refunds: readonly Transaction[]): Html {
  return cards(
    'Refunds, oldest first',
    ['Refund', 'Amount', 'Status', 'Time'],
    refunds.map((refund) => [
      html`<a href="${linkTo(refund)}">${refund.id}</a>`,
      amount(refund),
      status(refund),
      time(refund.createdAt),
    ]),
  );
}

function refundForm(payment: Transaction, { sendable, left }: Record<'sendable' | 'left', number>, form: string): Html {
  const { currency, payer } = payment;
  const most = decimalOf(sendable, currency);
  const rest = moneyIn(left - sendable, payment);
  return html`<p>
      ${moneyIn(sendable, payment)} can be sent back to the wallet that paid, ${wallet(payer)}.
      ${left === sendable ? '' : `The other ${rest} cannot, because payouts take whole amounts only.`}
    </p>
    <form method="post" action="${linkTo(payment)}/refund">
      <input type="hidden" name="form" value="${form}" />
      <div class="field">
        <label for="amount">Amount, ${currency}</label>
        <input
          id="amount"
          name="amount"
          value="${most}"
          inputmode="decimal"
          maxlength="20"
          required
          autocomplete="off"
        />
      </div>
      <div class="field wide">
        <label for="refund-note">Note to the customer (optional)</label>
        <input id="refund-note" name="note" maxlength="200" autocomplete="off" />
      </div>
      <button>Review the refund</button>
      <p class="hint">Nothing is sent yet: the next page says what will happen.</p>
    </form>`;
}

const moneyIn = (amountMinor: number, { currency }: Transaction) => moneyOf({ amountMinor, currency });

/** `Send €4.00 to •••• 6789?` */
export const refundTitle = (payment: Transaction, money: string) =>
  `Send ${money} to ••••\u00A0${walletEnd(payment.payer ?? '')}?`;

/** Its form has a key of its own, so that a second press sends nothing more. */
export function refundPage(
  payment: Transaction,
  typed: { amount: string; note: string; money: string },
  form: string,
): Html {
  return html`<section class="panel">
    <ul class="effect">
      <li>The money goes to the wallet that paid ${payment.id}, and cannot be called back.</li>
      <li>The shopper reads that it is on its way, once the gateway has accepted it.</li>
      <li>If the gateway’s answer is lost, status checks find out what happened. Nothing is sent twice.</li>
    </ul>
    <form method="post" action="${linkTo(payment)}/refund">
      <input type="hidden" name="form" value="${form}" />
      <input type="hidden" name="confirmed" value="yes" />
      <input type="hidden" name="key" value="${randomUUID()}" />
      <input type="hidden" name="amount" value="${typed.amount}" />
      <input type="hidden" name="note" value="${typed.note}" />
      <div class="buttons"><button>Send ${typed.money}</button> <a href="${linkTo(payment)}">Cancel</a></div>
    </form>
  </section>`;
}
