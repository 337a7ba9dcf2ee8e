// The operator's first page: what to review, what to fix, what is open, and IPNs without a transaction.
// Each review has its reason, age, amount and one action.
import { html } from 'hono/html';
import type { Counts, Webhook, UnmatchedIpn } from '../ledger/model.ts';
import type { Warning } from '../protocol/log.ts';
import { TYPES, type Transaction } from '../protocol/transaction.ts';
import { linkTo, cards } from './layout.ts';
import { redeliverForm, STATES } from './lists.ts';
import {
  age,
  amount,
  plural,
  wallet,
  type Html,
  STATUS_NAMES,
  TYPE_NAMES,
  kindOf,
  moneyOf,
  reviewReason,
  statusName,
  details,
  NOTHING,
  time,
} from './words.ts';

/** A payment that pays no order, and the minor units of it that are left. */
export interface ToSendBack {
  payment: Transaction;
  left: number;
}

interface Overview {
  counts: Counts;
  owed: readonly ToSendBack[];
  /** Oldest first, at most a page. */
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

/** `3 payments to review`: as many as the list has, with those that it only counts; then what is not about money. */
export function titleOf({ counts, owed, reviews, dead, problem, warnings }: Overview): string {
  const toReview = Math.max(counts.needReview, reviews.length) + owed.length;
  const others = (problem === undefined ? 0 : 1) + (counts.unmatchedIpns === 0 ? 0 : 1) + warnings.length;
  const rest = Math.max(deadIn(counts), dead.length) + others;
  const arePayments = reviews.every(({ type }) => TYPES[type].paysOrder);
  if (toReview > 0) return `${plural(toReview, arePayments ? 'payment' : 'transaction')} to review`;
  return rest === 0 ? 'All clear' : `${plural(rest, 'thing needs', 'things need')} attention`;
}

export function overview({ counts, owed, reviews, dead, problem, warnings, now, form }: Overview): Html {
  const toHealth = html`<a class="button quiet" href="/admin/health">Open health</a>`;
  const toReview = [
    ...reviews.map((each) => review(each, now)),
    ...more(counts.needReview - reviews.length, 'to review', '/admin/transactions?needsReview=true'),
    ...owed.map((each) => sendBack(each, now)),
  ];
  const others = [
    ...dead.map((each) => failedWebhook(each, now, form)),
    ...more(deadIn(counts) - dead.length, 'failed', '/admin/webhooks?state=dead'),
    ...(counts.unmatchedIpns === 0 ? [] : [unmatched(counts.unmatchedIpns)]),
    ...warnings.map(({ warning, detail }) => item(warning, detail ?? '', toHealth)),
  ];
  const isBoth = toReview.length > 0 && others.length > 0;
  return html`${problem === undefined ? '' : html`<p class="verdict bad">The proxy cannot serve. ${problem}</p>`}
    ${list('attention urgent', toReview)} ${isBoth ? html`<h2>Not about money</h2>` : ''} ${list('attention', others)}
    <h2>Open</h2>
    ${summary(counts)}
    <p><a href="/admin/transactions">All transactions</a></p>`;
}

function list(kind: string, items: readonly Html[]): Html | '' {
  if (items.length === 0) return '';
  return html`<ul class="${kind}">
    ${items}
  </ul>`;
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
  const facts = html`${orderId} · ${kindOf(transaction)} · for ${age(now - askedAt)}`;
  const action = html`<a class="button" href="${linkTo(transaction)}" aria-label="Review ${orderId}">Review</a>`;
  return item(reviewReason(transaction), facts, action, amount(transaction));
}

function sendBack({ payment, left }: ToSendBack, now: number): Html {
  const { orderId, payer, currency, updatedAt } = payment;
  const money = moneyOf({ amountMinor: left, currency });
  const reason = html`${statusName(payment)}: ${money} too much from
  ${payer === null ? 'an unknown wallet' : wallet(payer)}.`;
  const facts = html`${orderId} · ${kindOf(payment)} · for ${age(now - updatedAt)}`;
  const label = `Send back ${money} of ${orderId}`;
  const action = html`<a class="button" href="${linkTo(payment)}" aria-label="${label}">Send back</a>`;
  return item(reason, facts, action, amount(payment));
}

function failedWebhook(webhook: Webhook, now: number, form: string): Html {
  const { id, orderId, type, lastAnswer, createdAt } = webhook;
  const reason = html`Your server did not take a webhook${lastAnswer === null ? '' : `: ${lastAnswer}`}.`;
  const link = html`<a href="/admin/webhooks/${id}">${type}</a>`;
  return item(reason, html`${orderId} · ${link} · ${age(now - createdAt)} old`, redeliverForm(webhook, form));
}

function unmatched(count: number): Html {
  const reason = `The gateway reports ${plural(count, 'transaction')} that this proxy never started.`;
  return item(reason, 'Of the last 7 days', html`<a class="button quiet" href="/admin/ipns">See IPNs</a>`);
}

/** The rest, which the list only counts. */
function more(count: number, what: string, href: string): Html[] {
  if (count <= 0) return [];
  return [
    html`<li>
      <p>And ${count} more ${what}</p>
      <a class="button quiet" href="${href}">Show all</a>
    </li>`,
  ];
}

/** What is under review is in the list above, and waits for a person. */
function summary({ transactions }: Counts): Html {
  const waiting = transactions
    .map(({ count, inReview, ...each }) => ({ ...each, count: count - inReview }))
    .filter(({ count }) => count > 0);
  if (waiting.length === 0) return html`<p class="empty">Nothing is open.</p>`;
  return html`<ul class="figures">
    ${waiting.map(
      ({ type, status, count }) =>
        html`<li>
          <a href="/admin/transactions?type=${type}&amp;status=${status}&amp;needsReview=false"
            ><b>${count}</b> ${TYPE_NAMES[type]}${count === 1 ? '' : 's'} ${STATUS_NAMES[status].toLowerCase()}</a
          >
        </li>`,
    )}
  </ul>`;
}

// Whether the proxy can serve, what its operator should fix, and what is running.

interface Health {
  problem: string | undefined;
  warnings: readonly Warning[];
  counts: Counts | undefined;
  version: string;
}

export function healthPage({ problem, warnings, counts, version }: Health): Html {
  return html`${
      problem === undefined
        ? html`<p class="verdict good">The proxy is ready: its database can be written.</p>`
        : html`<p class="verdict bad">The proxy cannot serve.</p>
            <p>${problem}</p>`
    }
    <h2>Warnings</h2>
    ${
      warnings.length === 0
        ? html`<p class="empty">None.</p>`
        : html`<ul class="warnings">
            ${warnings.map(({ warning, detail }) => html`<li>${warning}${detail && ` (${detail})`}</li>`)}
          </ul>`
    }
    ${counts === undefined ? '' : figures(counts)}
    <h2>Running</h2>
    ${details([
      ['Proxy', version],
      ['Node', process.version],
    ])}`;
}

function figures({ checks, webhooks, unmatchedIpns }: Counts): Html {
  const rows = [
    ...checks.map(({ state, count }) => [`Status checks ${state}`, count] as const),
    ...webhooks.map(({ state, count }) => [`${STATES[state]} webhooks`, count] as const),
    ['IPNs without a transaction', html`<a href="/admin/ipns">${unmatchedIpns}</a>`] as const,
  ];
  return html`<h2>Work</h2>
    ${details(rows)}`;
}

// IPNs of the last 7 days whose transaction is not in the database.

export function ipnsPage(ipns: readonly UnmatchedIpn[]): Html {
  if (ipns.length === 0) return html`<p class="empty">Every IPN of the last 7 days has its transaction.</p>`;
  return html`<p>
      The gateway reports transactions that this proxy has never started. They belong to another shop or a test on the
      same account, or the database has lost them: after a restore see the page on operations.
    </p>
    ${cards('IPNs without a transaction, newest first', COLUMNS, ipns.map(cellsOf))}`;
}

const COLUMNS = ['Gateway ID', 'Type', ['Amount', 'right'], 'Reported', 'First', ['Times', 'right']] as const;

function cellsOf({ reading, seen, firstAt }: UnmatchedIpn) {
  const { transactionId, type, currency, outcome } = reading;
  const money = html`<span class="amount">${reading.amount ?? NOTHING} ${currency ?? ''}</span>`;
  return [transactionId, TYPE_NAMES[type], money, outcome ?? NOTHING, time(firstAt), seen];
}
