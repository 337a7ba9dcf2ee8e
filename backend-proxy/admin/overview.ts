// The operator's first page: what to review, what to fix, figures of today and the latest transactions; its health, and
// IPNs without a transaction.
// Each review has its reason, age, amount and one action.
import { html } from 'hono/html';
import type { Counts, Sum, Sums, Webhook, UnmatchedIpn } from '../ledger/model.ts';
import { MINUTE_MS } from '../protocol/durations.ts';
import type { Warning } from '../protocol/log.ts';
import { paysNothing } from '../protocol/refundable.ts';
import { TYPES, type Transaction } from '../protocol/transaction.ts';
import { canSend } from './decisions.ts';
import { asOf, linkTo, cards, transactionTable, type Backs } from './layout.ts';
import { redeliverForm } from './lists.ts';
import {
  answerName,
  STATUS_NAMES,
  TYPE_NAMES,
  failureOf,
  kindAndWallet,
  reviewReason,
  status,
  whatToAsk,
  whyBack,
  type Back,
  type Left,
  outcomeName,
} from './words.ts';
import { age, amount, capital, plural, type Html, moneyOf, serverClock, NOTHING, time } from './values.ts';

/** A payment that pays no order or whose refund failed, and what of it can be refunded or is to be settled. */
export interface Owed extends Left {
  payment: Transaction;
}

/** There is no other list of them; the newest. */
export const MAX_OWED = 50;

interface Overview {
  counts: Counts;
  sums: Sums;
  /** Newest first, and what their orders say of them. */
  latest: readonly Transaction[];
  backs: Backs;
  owed: readonly Owed[];
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

/** Those that are not to refund, of which the figure has some too. */
const reviewsIn = ({ needReview }: Counts, owed: readonly Owed[]) =>
  needReview - owed.filter(({ payment }) => payment.needsReview).length;

/** Empty unless the last attempt of the oldest webhook in the queue failed. */
function retriedIn({ oldestPendingWebhookAnswer: answer }: Counts): Html | '' {
  if (answer === null) return '';
  const said = answerName(answer).replace(/ \(.*/, '');
  return html`<a href="/admin/webhooks?state=pending">retrying, ${said}</a>`;
}

const deadIn = ({ webhooks }: Counts) => webhooks.find(({ state }) => state === 'dead')?.count ?? 0;

/** `3 payments to review, 1 to refund`: with those that the list only counts; then what is not about money. */
export function titleOf({ counts, sums, owed, reviews, dead, problem, warnings }: Overview): string {
  const toReview = Math.max(reviewsIn(counts, owed), reviews.length);
  const notMoney = (problem === undefined ? 0 : 1) + (counts.unmatchedIpns === 0 ? 0 : 1) + warnings.length;
  const rest = Math.max(deadIn(counts), dead.length) + notMoney;
  const noun = reviews.every(({ type }) => TYPES[type].paysOrder) ? 'payment' : 'transaction';
  const [toRefund, toSettle] = partsOf(owed);
  const all = { 'to review': toReview, 'to refund': toRefund, 'to settle': toSettle };
  const found = Object.entries(all).filter(([, count]) => count > 0);
  const parts = found.map(([what, count], at) =>
    at === 0 ? `${plural(count, noun)} ${what}` : `${count}\u00A0${what}`,
  );
  if (parts.length === 0 && rest > 0) parts.push(`${plural(rest, 'thing needs', 'things need')} attention`);
  const checked = checkedIn(sums);
  const [kind = '', ...others] = new Set(checked.map(({ type }) => TYPE_NAMES[type].toLowerCase()));
  const ofKind = plural(add(checked, 'count'), others.length === 0 ? kind : 'transaction');
  if (checked.length > 0) parts.push(`${ofKind.replace(' ', '\u00A0')} being\u00A0checked`);
  return parts.join(', ') || 'Nothing to review, refund or settle';
}

const checkedIn = ({ open }: Sums) => open.filter((sum) => sum.isBeingChecked);

const add = (of: readonly Sum[], what: 'count' | 'amountMinor') => of.reduce((sum, each) => sum + each[what], 0);

function partsOf(owed: readonly Owed[]): readonly [toRefund: number, toSettle: number] {
  const toRefund = owed.filter(canSend).length;
  return [toRefund, owed.length - toRefund];
}

export function overview(shown: Overview): Html {
  const { counts, owed, reviews, dead, problem, warnings, latest, backs, now, form } = shown;
  const toHealth = html`<a class="button quiet" href="/admin/health">Open health</a>`;
  const toReview = [
    ...reviews.map((each) => review(each, now)),
    ...more(reviewsIn(counts, owed) - reviews.length, 'to review', '/admin/transactions?status=REVIEW'),
    ...owed.map((each) => owedItem(each, now)),
    ...(owed.length < MAX_OWED ? [] : [item('Older ones follow as these end.', '', '', html``)]),
  ];
  const others = [
    ...dead.map((each) => failedWebhook(each, now, form)),
    ...more(deadIn(counts) - dead.length, 'failed', '/admin/webhooks?state=dead'),
    ...(counts.unmatchedIpns === 0 ? [] : [unmatched(counts.unmatchedIpns)]),
    ...warnings.map(({ warning, detail }) => item(warning, '', detail ?? '', toHealth)),
  ];
  const isBoth = toReview.length > 0 && others.length > 0;
  return html`${asOf(now, '/admin')}
    ${problem === undefined ? '' : html`<p class="verdict bad">The proxy cannot serve. ${problem}</p>`}
    ${list('attention urgent', toReview)} ${isBoth ? html`<h2>Not about money</h2>` : ''} ${list('attention', others)}
    ${figures(shown)}
    <div class="heading">
      <h2>Latest transactions</h2>
      <a href="/admin/transactions" aria-label="Show all transactions">Show all</a>
      <form class="buttons" action="/admin/transactions">
        <input
          name="orderId"
          type="search"
          placeholder="ID, amount, wallet"
          aria-label="ID, amount or wallet"
          maxlength="64"
          autocomplete="off"
        />
        <button class="quiet">Search</button>
      </form>
    </div>
    ${transactionTable(latest, 'Transactions, newest first', 'No transaction yet: the first one appears here.', backs)}`;
}

function list(kind: string, items: readonly Html[]): Html | '' {
  if (items.length === 0) return '';
  return html`<ul class="${kind}">
    ${items}
  </ul>`;
}

function item(
  name: Html | string,
  facts: Html | string,
  reason: Html | string,
  action: Html,
  money: Html | string = '',
): Html {
  return html`<li>
    <p>${name} <span class="facts">${facts}</span></p>
    ${reason && html`<p>${reason}</p>`} ${money} ${action}
  </li>`;
}

function review(transaction: Transaction, now: number): Html {
  const { history, updatedAt } = transaction;
  const askedAt = history.findLast(({ event }) => event === 'needs_review')?.at ?? updatedAt;
  return toDo(transaction, now - askedAt, `${reviewReason(transaction)} ${whatToAsk(transaction)}`, 'Review');
}

function owedItem({ payment, ...left }: Owed, now: number): Html {
  const since = payment.history.findLast(({ event }) => event === 'surplus' || event === 'after_close')?.at;
  return toDo(
    payment,
    now - (since ?? left.failed?.updatedAt ?? payment.updatedAt),
    whyBack(payment, left, left.failed && failureOf(left.failed)),
    canSend(left) ? 'Refund' : 'Settle',
    paysNothing(payment) ? left.left : left.failed?.amountMinor,
    paysNothing(payment) ? undefined : ['warn', 'Refund failed'],
  );
}

/** One action for each, which is named as its button is. */
function toDo(
  transaction: Transaction,
  ms: number,
  reason: string,
  action: string,
  amountMinor = transaction.amountMinor,
  back?: Back,
): Html {
  const { id, orderId } = transaction;
  // A line begins with a word.
  const since = `\u00A0· ${`open for ${age(ms)}`.replaceAll(' ', '\u00A0')}`;
  const facts = html`${id} · ${kindAndWallet(transaction)}${since}`;
  const link = html`<a class="button" href="${linkTo(transaction)}" aria-label="${action} ${orderId}">${action}</a>`;
  return item(status(transaction, back), facts, reason, link, amount({ ...transaction, amountMinor }));
}

function failedWebhook(webhook: Webhook, now: number, form: string): Html {
  const { id, orderId, type, lastAnswer, createdAt } = webhook;
  const name = html`<span class="status bad">Webhook failed</span>`;
  const facts = html`${orderId} · <a href="/admin/webhooks/${id}">${type}</a> ·
    ${`${age(now - createdAt)} old`.replaceAll(' ', '\u00A0')}`;
  const reason = `Your server did not take it${lastAnswer === null ? '' : `: ${answerName(lastAnswer)}`}.`;
  return item(name, facts, reason, redeliverForm(webhook, form));
}

function unmatched(count: number): Html {
  const name = `The gateway reports ${plural(count, 'transaction')} that this proxy never started.`;
  return item(name, '', 'Reported in the last 7 days.', html`<a class="button quiet" href="/admin/ipns">See IPNs</a>`);
}

/** The rest, which the list only counts. */
function more(count: number, what: string, href: string): Html[] {
  const link = html`<a class="button quiet" href="${href}">Show all</a>`;
  return count <= 0 ? [] : [item(`And ${count} more ${what}`, '', '', link)];
}

// What came in and went out today, what is open, and webhooks to send again.

function figures({ sums, counts, now }: Overview): Html {
  const { created, open, isWhole } = sums;
  const done = created.filter(({ status: each }) => each === 'SUCCESS');
  const isIn = ({ type }: Sum) => TYPES[type].paysOrder;
  const isOut = ({ type }: Sum) => TYPES[type].isOutgoing;
  const waiting = open.filter((sum) => sum.isAwaited);
  const { closed = [], awaited = [] } = Object.groupBy(waiting.filter(isIn), ({ isClosed }) =>
    isClosed ? 'closed' : 'awaited',
  );
  const today = `&from=${serverClock.day(now)}`;
  const zone = html`<span class="fine">, ${serverClock.zone}</span>`;
  const part = isWhole ? '' : ', at least';
  const dead = deadIn(counts);
  const retried = retriedIn(counts);
  return html`<dl class="totals">
    ${total(html`Received today${zone}${part}`, done.filter(isIn), today)}
    ${total(html`Sent today${zone}${part}`, done.filter(isOut), today)}
    ${total(`Waiting${part}`, awaited, '&awaited=yes', closed)}
    ${waiting.some(isOut) ? total(`On its way${part}`, waiting.filter(isOut), '&awaited=yes') : ''}
    ${checkedIn(sums).length > 0 ? total(`Being checked${part}`, checkedIn(sums), '&checked=yes') : ''}
    <div>
      <dt>Webhooks failed</dt>
      <dd class="amount">${dead === 0 ? 'None' : dead}</dd>
      ${dead === 0 ? '' : html`<dd class="facts"><a href="/admin/webhooks?state=dead">to send again</a></dd>`}
      ${retried && html`<dd class="status warn">${retried}</dd>`}
    </div>
  </dl>`;
}

/** Currencies are not added up, nor what is denied. Each count leads to its list. `closed`: of closed orders. */
function total(name: Html | string, sums: readonly Sum[], query: string, closed: readonly Sum[] = []): Html {
  const isCounted = ({ isDenied }: Sum) => !isDenied;
  const values = [...Map.groupBy(sums.filter(isCounted), ({ currency }) => currency)].map(([currency, of]) =>
    moneyOf({ currency, amountMinor: add(of, 'amountMinor') }),
  );
  const ordered = Object.keys(TYPE_NAMES).flatMap((each) => sums.filter(({ type }) => type === each));
  const links = (of: readonly Sum[], filter: string, nameOf: (same: readonly Sum[]) => string) =>
    [...Map.groupBy(of, ({ type, status: each }) => `type=${type}&status=${each}`)].map(
      ([key, same]) => html` <a href="/admin/transactions?${key}${query}${filter}">${nameOf(same)}</a>`,
    );
  const nameOf = (same: readonly Sum[]) => {
    const [{ type, status: each, isBeingChecked }, counted] = [same[0] as Sum, add(same.filter(isCounted), 'count')];
    const denied = add(same, 'count') - counted;
    const ofOpen = each === 'INITIALIZED' ? ` ${STATUS_NAMES[each].toLowerCase()}` : '';
    const what = isBeingChecked ? (each === 'PROCESSING' ? ' reported failed' : ' refused or unclear') : ofOpen;
    return `${plural(counted, TYPE_NAMES[type].toLowerCase())}${what}${denied > 0 ? `, ${denied}\u00A0denied` : ''}`;
  };
  return html`<div>
    <dt>${name}</dt>
    ${(values.length === 0 ? [NOTHING] : values).map((value) => html`<dd class="amount">${value}</dd>`)}
    ${links(ordered, '', nameOf).map((link) => html`<dd class="facts">${link}</dd>`)}
    ${
      closed.length === 0
        ? ''
        : html`<dd class="facts">
            ${links(closed, '&closed=true', (same) => `${add(same, 'count')} closed`)}, not counted
          </dd>`
    }
  </div>`;
}

// Whether the proxy can serve, what its operator should fix, and what is running.

interface Health {
  problem: string | undefined;
  warnings: readonly Warning[];
  /** Empty while the gateway answers. */
  silent: readonly Warning[];
  counts: Counts | undefined;
  /** As on the overview. */
  owed: readonly Owed[];
  isTest: boolean;
  version: string;
  now: number;
}

const textOf = ({ warning, detail }: Warning) => `${warning}${detail ? ` (${detail})` : ''}`;

type Check = readonly [isFine: boolean, name: string, state: Html | string];

export function healthPage({ problem, warnings, silent, counts, owed, isTest, version, now }: Health): Html {
  const checks: Check[] = [
    [problem === undefined, 'Payments', problem ?? 'They can start, and the database can be written.'],
    [
      silent.length === 0,
      'Gateway',
      silent.map(textOf).join() || (isTest ? 'A test gateway: no money moves.' : 'A live gateway.'),
    ],
    ...(counts === undefined ? [] : work(counts, owed)),
    ...warnings.map((warning) => [false, 'Warning', textOf(warning)] as const),
  ];
  const isAllFine = checks.every(([isFine]) => isFine);
  const what = isAllFine ? 'and nothing' : 'but something';
  const verdict = problem === undefined ? `The proxy is ready, ${what} needs attention.` : 'The proxy cannot serve.';
  const tone = problem !== undefined ? 'bad' : isAllFine ? 'good' : 'warn';
  return html`${asOf(now, '/admin/health')}
    <p class="verdict ${tone}">${verdict}</p>
    <ul class="checks">
      ${checks.map(
        ([isFine, name, state]) =>
          html`<li>
            <span class="sign ${isFine ? 'good' : 'warn'}" aria-hidden="true">${isFine ? '✓' : '!'}</span>
            <b>${name}</b> <span>${state}</span>
          </li>`,
      )}
    </ul>
    <p class="hint">Proxy ${version} · Node ${process.version}</p>`;
}

function work(counts: Counts, owed: readonly Owed[]): Check[] {
  const { checks, webhooks, unmatchedIpns, oldestDueCheckMs, oldestPendingWebhookMs: oldest } = counts;
  const planned = checks.map(({ state, count }) => `${count} ${state}`).join(', ');
  const isOverdue = oldestDueCheckMs > MINUTE_MS;
  const dead = deadIn(counts);
  const queued = webhooks.find(({ state }) => state === 'pending')?.count ?? 0;
  const inQueue = queued === 0 ? 'none queued' : `${queued} queued, the oldest for ${age(oldest)}`;
  const retried = retriedIn(counts);
  const toReview = reviewsIn(counts, owed);
  const reviews = html`<a href="/admin">${toReview} to review</a>`;
  const [toRefund, toSettle] = partsOf(owed);
  const extra = (count: number, what: string) =>
    count === 0 ? 'Nothing.' : html`<a href="/admin">${count} ${what}</a>`;
  const failed = html`<a href="/admin/webhooks?state=dead">${dead} failed</a>`;
  const unknown = html`<a href="/admin/ipns">${unmatchedIpns} without a transaction</a>`;
  return [
    [toReview === 0, 'Reviews', toReview === 0 ? 'None.' : reviews],
    [toRefund === 0, 'To refund', extra(toRefund, toRefund === 1 ? 'payment' : 'payments')],
    [toSettle === 0, 'To settle', extra(toSettle, 'owed that cannot be refunded here')],
    [!isOverdue, 'Status checks', `${planned}${isOverdue ? `, the oldest for ${age(oldestDueCheckMs)}` : ''}`],
    [
      dead === 0 && !retried,
      'Webhooks',
      html`${dead === 0 ? 'None failed' : failed}, ${inQueue}${retried && ': '}${retried}`,
    ],
    [unmatchedIpns === 0, 'IPNs', unmatchedIpns === 0 ? 'Each has its transaction.' : unknown],
  ];
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

const COLUMNS = ['ID at the gateway', 'Type', ['Amount', 'right'], 'Reported', 'First', ['Times', 'right']] as const;

function cellsOf({ reading, seen, firstAt }: UnmatchedIpn) {
  const { transactionId, type, currency, outcome } = reading;
  const money = html`<span class="amount">${reading.amount ?? NOTHING} ${currency ?? ''}</span>`;
  return [
    transactionId,
    TYPE_NAMES[type],
    money,
    outcome === null ? NOTHING : capital(outcomeName(outcome, type)),
    time(firstAt),
    seen,
  ];
}
