// Transactions as a table.
import { html } from 'hono/html';
import type { Transaction } from '../protocol/transaction.ts';
import { cards } from './cards.ts';
import { amount, status, time, type Html } from './format.ts';
import { kindOf } from './words.ts';

export const linkTo = ({ id }: Pick<Transaction, 'id'>) => `/admin/transactions/${encodeURIComponent(id)}`;

export function transactionTable(caption: string, transactions: readonly Transaction[], none: string): Html {
  if (transactions.length === 0) return html`<p class="empty">${none}</p>`;
  return cards(
    caption,
    ['Order', 'Type', ['Amount', 'right'], 'Status', 'Created'],
    transactions.map((each) => [
      html`<a href="${linkTo(each)}">${each.orderId}</a>`,
      kindOf(each),
      amount(each),
      status(each),
      time(each.createdAt),
    ]),
  );
}
