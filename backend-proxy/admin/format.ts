// How the operator's page shows values: amounts, times, statuses, wallet ids. The words are in words.ts.
import { html } from 'hono/html';
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '../protocol/durations.ts';
import { iso } from '../protocol/iso-time.ts';
import { STAGES, type Transaction } from '../protocol/transaction.ts';
import type { Status } from '../protocol/wire.ts';
import { serverClock } from './server-clock.ts';
import { moneyOf, statusName } from './words.ts';

export type Html = ReturnType<typeof html>;

export const NOTHING = html`<span class="none">–</span>`;

export function amount(of: Pick<Transaction, 'amountMinor' | 'currency'>): Html {
  return html`<span class="amount">${moneyOf(of)}</span>`;
}

export function time(ms: number): Html {
  return html`<time datetime="${iso(ms)}" title="${iso(ms)}">${serverClock.words(ms)}</time>`;
}

const UNITS = [
  ['d', DAY_MS],
  ['h', HOUR_MS],
  ['min', MINUTE_MS],
] as const;

/** A duration such as `3 h`, in the largest unit that fits. */
export function age(ms: number): string {
  const [unit, length] = UNITS.find(([, each]) => ms >= each) ?? ['s', SECOND_MS];
  return `${Math.max(0, Math.floor(ms / length))} ${unit}`;
}

const TONES: Record<Status, string> = { INITIALIZED: 'wait', PROCESSING: 'wait', SUCCESS: 'good', FAILED: 'over' };

/** The status in a word, and what a person should notice besides it; a review in its place, for it asks for action. */
export function status(transaction: Transaction): Html {
  const { stage, needsReview, late, surplus, afterClose } = transaction;
  const tone = surplus || afterClose ? 'warn' : TONES[STAGES[stage].status];
  const isStatusShown = !needsReview || surplus || afterClose;
  return html`${isStatusShown ? html`<span class="status ${tone}">${statusName(transaction)}</span>` : ''}
  ${needsReview ? html`<span class="status warn">Needs review</span>` : ''}
  ${late ? html`<span class="status over">Late</span>` : ''}`;
}

/** The last four digits, and at most half of a short id: enough to compare, too little to use. */
export function walletEnd(customer: string): string {
  return customer.slice(Math.max(customer.length - 4, Math.ceil(customer.length / 2)));
}

export function wallet(customer: string | null): Html {
  if (customer === null) return NOTHING;
  return html`<span class="wallet">•••• ${walletEnd(customer)}</span>`;
}

export function plural(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}

export function linkToOrder(orderId: string): Html {
  return html`<a href="/admin/transactions?orderId=${encodeURIComponent(orderId)}">${orderId}</a>`;
}

/** Each value beside its name. */
export function details(rows: readonly (readonly [name: string, value: Html | string | number])[]): Html {
  return html`<dl class="details">
    ${rows.map(
      ([name, value]) =>
        html`<dt>${name}</dt>
          <dd>${value}</dd>`,
    )}
  </dl>`;
}
