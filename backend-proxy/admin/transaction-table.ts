// Transactions as a table; on a narrow screen each row is a card.
import { html } from 'hono/html';
import type { Transaction } from '../protocol/transaction.ts';
import { amount, kind, marks, status, time, type Html } from './format.ts';

export const linkTo = ({ id }: Pick<Transaction, 'id'>) => `/admin/transactions/${encodeURIComponent(id)}`;

export function transactionTable(caption: string, transactions: readonly Transaction[]): Html {
  if (transactions.length === 0) return html`<p class="empty">No transaction.</p>`;
  // The roles are explicit, because a table that is laid out as cards would lose its own.
  return html`<table role="table" class="cards">
    <caption class="unseen">
      ${caption}
    </caption>
    <thead role="rowgroup">
      <tr role="row">
        <th role="columnheader" scope="col">Order</th>
        <th role="columnheader" scope="col">Kind</th>
        <th role="columnheader" scope="col" class="right">Amount</th>
        <th role="columnheader" scope="col">Status</th>
        <th role="columnheader" scope="col">Created</th>
      </tr>
    </thead>
    <tbody role="rowgroup">
      ${transactions.map(row)}
    </tbody>
  </table>`;
}

function row(transaction: Transaction): Html {
  return html`<tr role="row">
    <th role="rowheader" scope="row"><a href="${linkTo(transaction)}">${transaction.orderId}</a></th>
    <td role="cell" data-label="Kind">${kind(transaction)}</td>
    <td role="cell" data-label="Amount" class="right">${amount(transaction)}</td>
    <td role="cell" data-label="Status">${status(transaction)} ${marks(transaction)}</td>
    <td role="cell" data-label="Created">${time(transaction.createdAt)}</td>
  </tr>`;
}
