// The first page: what needs a person now, the most urgent first, and nothing else.
import { html } from 'hono/html';
import type { Counts, Webhook } from '../ledger/ledger.ts';
import type { Warning } from '../protocol/log.ts';
import type { Transaction } from '../protocol/transaction.ts';
import { age, amount, kind, plural, status, typeName, type Html } from './format.ts';
import { linkTo } from './transaction-table.ts';

export interface Overview {
  counts: Counts;
  /** Newest first, at most a page. */
  reviews: readonly Transaction[];
  dead: readonly Webhook[];
  /** Why the proxy cannot serve; undefined if it can. */
  problem: string | undefined;
  warnings: readonly Warning[];
  now: number;
}

export function overview({ counts, reviews, dead, problem, warnings, now }: Overview): Html {
  const deadCount = counts.webhooks.find(({ state }) => state === 'dead')?.count ?? 0;
  const waiting: Html[] = [
    ...(problem === undefined
      ? []
      : [html`<li class="urgent"><a href="/admin/health">The proxy cannot serve</a></li>`]),
    ...(counts.needReview === 0
      ? []
      : [
          html`<li class="urgent">
            <a href="/admin/transactions?needsReview=true"
              >${plural(counts.needReview, 'transaction needs', 'transactions need')} a person</a
            >
          </li>`,
        ]),
    ...(deadCount === 0
      ? []
      : [
          html`<li class="urgent">
            <a href="/admin/webhooks?state=dead"
              >${plural(deadCount, 'webhook')} given up: not delivered to your server</a
            >
          </li>`,
        ]),
    ...(counts.unmatchedIpns === 0
      ? []
      : [html`<li><a href="/admin/ipns">${plural(counts.unmatchedIpns, 'IPN')} without a transaction</a></li>`]),
    ...(warnings.length === 0
      ? []
      : [html`<li><a href="/admin/health">${plural(warnings.length, 'warning')} about the proxy</a></li>`]),
  ];
  return html`${
      waiting.length === 0
        ? html`<p class="verdict good">Nothing needs you.</p>`
        : html`<p class="verdict bad">${plural(waiting.length, 'thing needs', 'things need')} you.</p>
            <ul class="waiting">
              ${waiting}
            </ul>`
    }
    ${
      reviews.length === 0
        ? ''
        : html`<h2>Needs review</h2>
            ${reviews.map((each) => review(each, now))}`
    }
    ${
      dead.length === 0
        ? ''
        : html`<h2>Webhooks given up</h2>
            ${dead.map((each) => deadWebhook(each, now))}`
    }
    <h2>Open transactions</h2>
    ${summary(counts)}
    <p><a href="/admin/transactions">All transactions</a></p>`;
}

function review(transaction: Transaction, now: number): Html {
  const at = askedAt(transaction);
  return html`<article class="item">
    <h3><a href="${linkTo(transaction)}">${transaction.orderId}</a> ${amount(transaction)}</h3>
    <p>${whyReview(transaction)}</p>
    <p class="facts">${kind(transaction)} · ${status(transaction)} · waiting for ${age(now - at)}</p>
  </article>`;
}

function deadWebhook({ id, orderId, type, lastAnswer, createdAt }: Webhook, now: number): Html {
  return html`<article class="item">
    <h3><a href="/admin/webhooks/${id}">${type}</a> ${orderId}</h3>
    <p class="facts">Last answer: ${lastAnswer ?? 'none'} · made ${age(now - createdAt)} ago</p>
  </article>`;
}

function askedAt({ history, updatedAt }: Transaction): number {
  return history.findLast(({ event }) => event === 'needs_review')?.at ?? updatedAt;
}

/** In words: what the last request for a review says. */
export function whyReview({ history, mismatch, conflict }: Transaction): string {
  const detail = history.findLast(({ event }) => event === 'needs_review')?.detail ?? null;
  const [field, figures] = history.findLast(({ event }) => event === 'mismatch')?.detail?.split(': ') ?? [];
  if (detail === 'mismatch' || (detail === null && mismatch)) {
    return `The gateway reports another ${field ?? 'amount, currency, type or payment id'} than was requested${figures ? `: ${figures}` : ''}.`;
  }
  if (detail === 'conflict' || (detail === null && conflict)) {
    const what = history.findLast(({ event }) => event === 'conflict')?.detail;
    return `The gateway contradicts an earlier report or a person${what ? `: ${what}` : ''}.`;
  }
  return detail === null ? 'The gateway has not reported an outcome in time.' : `${detail}.`;
}

function summary({ transactions }: Counts): Html {
  if (transactions.length === 0) return html`<p class="empty">Nothing is open.</p>`;
  return html`<ul class="figures">
    ${transactions.map(
      ({ type, status: shown, count }) =>
        html`<li>
          <a href="/admin/transactions?type=${type}&amp;status=${shown}"><b>${count}</b> ${typeName(type)}s ${shown}</a>
        </li>`,
    )}
  </ul>`;
}
