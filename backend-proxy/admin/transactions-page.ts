// The list of transactions, newest first, with its filters.
import { html } from 'hono/html';
import type { TransactionPage, TransactionQuery } from '../ledger/ledger.ts';
import { isCursorOf } from '../ledger/queries/transaction-list.ts';
import { TRANSACTION_TYPES, type TransactionType } from '../protocol/transaction.ts';
import { STATUSES, type Status } from '../protocol/wire.ts';
import type { Html } from './format.ts';
import { isDay, serverClock } from './server-clock.ts';
import { transactionTable } from './transaction-table.ts';
import { STATUS_NAMES, TYPE_NAMES } from './words.ts';

const PAGE_SIZE = 50;

/** The submitted fields of the form. */
export type Filters = Partial<Record<'orderId' | 'type' | 'status' | 'needsReview' | 'from' | 'to' | 'cursor', string>>;

/** The query that the form asks for, or why it is impossible, in words. */
export function queryOf(filters: Filters): TransactionQuery | string {
  const { orderId = '', type = '', status = '', needsReview = '', from = '', to = '', cursor = '' } = filters;
  const isOf = <Word extends string>(words: readonly Word[], word: string): word is Word | '' =>
    word === '' || (words as readonly string[]).includes(word);
  if (!/^[!-~]{0,64}$/.test(orderId)) return 'An order id has up to 64 characters and no spaces.';
  if (!isOf(TRANSACTION_TYPES, type) || !isOf(STATUSES, status)) return 'There is no such type or status.';
  if ([from, to].some((day) => day !== '' && !isDay(day))) return 'A day is written as 2026-11-20.';
  if (from !== '' && to !== '' && from > to) return 'The first day is after the last.';
  if (cursor !== '' && !isCursorOf(cursor, '-createdAt')) return 'This page of the list does not exist.';
  return {
    sort: '-createdAt',
    limit: PAGE_SIZE,
    ...(orderId !== '' && { orderId }),
    ...(type !== '' && { type: type satisfies TransactionType }),
    ...(status !== '' && { status: status satisfies Status }),
    ...(['true', 'false'].includes(needsReview) && { needsReview: needsReview === 'true' }),
    ...(from !== '' && { createdFrom: serverClock.start(from) }),
    ...(to !== '' && { createdBefore: serverClock.end(to) }),
    ...(cursor !== '' && { cursor }),
  };
}

export function transactionsPage(filters: Filters, page: TransactionPage | string): Html {
  if (typeof page === 'string') return form(filters, page);
  const { transactions, nextCursor } = page;
  // A page is of a limited number of transactions that were looked at: before the last one, none may match.
  const none = nextCursor === null ? 'No transaction.' : 'None among those looked at. Older ones may match:';
  return html`${form(filters)} ${transactionTable('Transactions, newest first', transactions, none)}
  ${pager(filters, nextCursor)}`;
}

function form(filters: Filters, refused?: string): Html {
  const isNarrowed = Object.values(filters).some((value) => value !== '');
  return html`${refused === undefined ? '' : html`<p class="message bad" role="alert">${refused}</p>`}
    <details class="fold" ${isNarrowed ? 'open' : ''}>
      <summary>Filter</summary>
      <form class="filters" method="get" action="/admin/transactions">
        <div class="field order">
          <label for="orderId">Order</label>
          <input id="orderId" name="orderId" value="${filters.orderId ?? ''}" maxlength="64" autocomplete="off" />
        </div>
        <div class="field"><label for="type">Type</label>${select('type', TYPE_NAMES, filters.type)}</div>
        <div class="field"><label for="status">Status</label>${select('status', STATUS_NAMES, filters.status)}</div>
        <div class="field day">
          <label for="from">First day (${serverClock.zone})</label>
          <input id="from" name="from" type="date" value="${filters.from ?? ''}" />
        </div>
        <div class="field day">
          <label for="to">Last day (${serverClock.zone})</label>
          <input id="to" name="to" type="date" value="${filters.to ?? ''}" />
        </div>
        <div class="field check">
          <input
            id="needsReview"
            name="needsReview"
            type="checkbox"
            value="true"
            ${filters.needsReview === 'true' ? 'checked' : ''}
          />
          <label for="needsReview">Needs review</label>
        </div>
        <div class="buttons">
          <button>Filter</button> ${isNarrowed ? html`<a href="/admin/transactions">Show all</a>` : ''}
        </div>
      </form>
    </details>`;
}

function select(name: string, names: Readonly<Record<string, string>>, chosen: string | undefined): Html {
  return html`<select id="${name}" name="${name}">
    <option value="">All</option>
    ${Object.entries(names).map(
      ([value, text]) => html`<option value="${value}" ${value === chosen ? 'selected' : ''}>${text}</option>`,
    )}
  </select>`;
}

/** Links to the newest and to the next page of a list. */
function pager(filters: Filters, nextCursor: string | null): Html {
  const { cursor = '', ...others } = filters;
  const query = (more: Record<string, string>) =>
    String(new URLSearchParams(Object.entries({ ...others, ...more }).filter(([, value]) => value !== '')));
  if (cursor === '' && nextCursor === null) return html``;
  return html`<nav class="pager" aria-label="Pages of the list">
    ${cursor === '' ? '' : html`<a href="/admin/transactions?${query({})}">Newest</a>`}
    ${nextCursor === null ? '' : html`<a href="/admin/transactions?${query({ cursor: nextCursor })}">Older</a>`}
  </nav>`;
}
