// The first page: one list of what needs attention, each with its reason, age, amount and one action; and what is open.
import { html } from 'hono/html';
import type { Counts, Webhook } from '../ledger/ledger.ts';
import type { Warning } from '../protocol/log.ts';
import type { Transaction } from '../protocol/transaction.ts';
import { age, amount, plural, type Html } from './format.ts';
import { linkTo } from './transaction-table.ts';
import { redeliverForm } from './webhooks-page.ts';
import { STATUS_NAMES, TYPE_NAMES, kindOf, reviewReason } from './words.ts';

export interface Overview {
  counts: Counts;
  /** Newest first, at most a page. */
  reviews: readonly Transaction[];
  dead: readonly Webhook[];
  /** Why the proxy cannot serve; undefined if it can. */
  problem: string | undefined;
  warnings: readonly Warning[];
  now: number;
  /** Of the session, for the buttons. */
  form: string;
}

const deadIn = ({ webhooks }: Counts) => webhooks.find(({ state }) => state === 'dead')?.count ?? 0;

/** `3 things need attention`: as many as the list has, with those that it only counts. */
export function titleOf({ counts, reviews, dead, problem, warnings }: Overview): string {
  const others = (problem === undefined ? 0 : 1) + (counts.unmatchedIpns === 0 ? 0 : 1) + warnings.length;
  const count = Math.max(counts.needReview, reviews.length) + Math.max(deadIn(counts), dead.length) + others;
  return count === 0 ? 'All clear' : `${plural(count, 'thing needs', 'things need')} attention`;
}

export function overview({ counts, reviews, dead, problem, warnings, now, form }: Overview): Html {
  const toHealth = html`<a class="button" href="/admin/health">Open health</a>`;
  const items = [
    ...(problem === undefined ? [] : [item(html`The proxy cannot serve. ${problem}`, '', toHealth)]),
    ...reviews.map((each) => review(each, now)),
    ...more(counts.needReview - reviews.length, 'to review', '/admin/transactions?needsReview=true'),
    ...dead.map((each) => failedWebhook(each, now, form)),
    ...more(deadIn(counts) - dead.length, 'failed', '/admin/webhooks?state=dead'),
    ...(counts.unmatchedIpns === 0 ? [] : [unmatched(counts.unmatchedIpns)]),
    ...warnings.map(({ warning, detail }) => item(warning, detail ?? '', toHealth)),
  ];
  return html`${
      items.length === 0
        ? ''
        : html`<ul class="attention">
            ${items}
          </ul>`
    }
    <h2>Open</h2>
    ${summary(counts)}
    <p><a href="/admin/transactions">All transactions</a></p>`;
}

function item(reason: Html | string, facts: Html | string, action: Html, money: Html | string = ''): Html {
  return html`<li>
    <p>${reason}</p>
    <p class="facts">${facts}</p>
    ${money} ${action}
  </li>`;
}

function review(transaction: Transaction, now: number): Html {
  const { orderId, history, updatedAt } = transaction;
  const askedAt = history.findLast(({ event }) => event === 'needs_review')?.at ?? updatedAt;
  const facts = html`${orderId} · ${kindOf(transaction)} · waiting for ${age(now - askedAt)}`;
  const action = html`<a class="button" href="${linkTo(transaction)}" aria-label="Review ${orderId}">Review</a>`;
  return item(reviewReason(transaction), facts, action, amount(transaction));
}

function failedWebhook(webhook: Webhook, now: number, form: string): Html {
  const { id, orderId, type, lastAnswer, createdAt } = webhook;
  const reason = html`Your server did not take a webhook${lastAnswer === null ? '' : `: ${lastAnswer}`}.`;
  const link = html`<a href="/admin/webhooks/${id}">${type}</a>`;
  return item(reason, html`${orderId} · ${link} · ${age(now - createdAt)} old`, redeliverForm(webhook, form));
}

function unmatched(count: number): Html {
  const reason = `The gateway reports ${plural(count, 'transaction')} that this proxy never started.`;
  return item(reason, 'Of the last 7 days', html`<a class="button" href="/admin/ipns">See IPNs</a>`);
}

/** The rest, which the list only counts. */
function more(count: number, what: string, href: string): Html[] {
  if (count <= 0) return [];
  return [
    html`<li>
      <p>And ${count} more ${what}</p>
      <a class="button" href="${href}">Show all</a>
    </li>`,
  ];
}

function summary({ transactions }: Counts): Html {
  if (transactions.length === 0) return html`<p class="empty">Nothing is open.</p>`;
  return html`<ul class="figures">
    ${transactions.map(
      ({ type, status, count }) =>
        html`<li>
          <a href="/admin/transactions?type=${type}&amp;status=${status}"
            ><b>${count}</b> ${TYPE_NAMES[type]}${count === 1 ? '' : 's'} ${STATUS_NAMES[status].toLowerCase()}</a
          >
        </li>`,
    )}
  </ul>`;
}
