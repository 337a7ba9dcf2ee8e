// How the operator's page shows values: amounts, times, statuses, wallet ids.
import { html } from 'hono/html';
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '../protocol/durations.ts';
import { iso } from '../protocol/iso-time.ts';
import { decimalOf } from '../protocol/money.ts';
import { STAGES, TYPES, reasonOf, type Transaction, type TransactionType } from '../protocol/transaction.ts';
import type { Reason } from '../protocol/wire.ts';

export type Html = ReturnType<typeof html>;

export const NOTHING = html`<span class="none">–</span>`;

export function amount({ amountMinor, currency }: Pick<Transaction, 'amountMinor' | 'currency'>): Html {
  return html`<span class="amount">${decimalOf(amountMinor, currency)} ${currency}</span>`;
}

/** `2026-11-20 12:00:05`; all times of the page are UTC. */
export function time(ms: number): Html {
  const text = iso(ms);
  return html`<time datetime="${text}">${text.slice(0, 10)} ${text.slice(11, 19)}</time>`;
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

const REASONS: Record<Reason, string> = {
  DECLINED: 'declined',
  EXPIRED: 'out of time',
  REPLACED: 'another method was chosen',
  REJECTED: 'refused by the gateway',
  NOT_CREATED: 'unknown to the gateway',
  RESOLVED: 'ended by a person',
};

export function status(transaction: Transaction): Html {
  const { status: shown } = STAGES[transaction.stage];
  const reason = reasonOf(transaction);
  return html`<span class="status ${shown.toLowerCase()}">${shown}</span>${
      reason === null ? '' : html` <span class="reason">${REASONS[reason]}</span>`
    }`;
}

/** What a person should notice besides the status. */
export function marks({ needsReview, late, surplus, afterClose, mismatch, conflict }: Transaction): Html {
  const words = Object.entries({
    'needs review': needsReview,
    late,
    surplus,
    'after close': afterClose,
    mismatch,
    conflict,
  });
  const set = words.filter(([, is]) => is).map(([word]) => word);
  return html`${set.map((word) => html`<span class="mark ${word === 'needs review' ? 'urgent' : ''}">${word}</span> `)}`;
}

export function kind({ type, method }: Transaction): string {
  return method === null ? typeName(type) : `${typeName(type)}, ${method}`;
}

/** `Payment`. */
export function typeName(type: TransactionType): string {
  const { webhooks } = TYPES[type];
  return webhooks.charAt(0).toUpperCase() + webhooks.slice(1);
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
