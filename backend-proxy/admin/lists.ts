// The operator's lists: transactions, newest first, with filters; webhooks by state, and one with its body.
import { html } from 'hono/html';
import { z } from '@hono/zod-openapi';
import type { TransactionPage, TransactionQuery, Webhook, WebhookState } from '../ledger/model.ts';
import { isCursorOf } from '../ledger/queries/transaction-list.ts';
import {
  TRANSACTION_TYPES,
  TYPES,
  isAwaited,
  isBeingChecked,
  type Transaction,
  type TransactionType,
} from '../protocol/transaction.ts';
import { decimalOf } from '../protocol/money.ts';
import { REASONS, STATUSES, type Status } from '../protocol/wire.ts';
import { asOf, transactionTable, cards, linkTo, nameOf, type Backs, type Column } from './layout.ts';
import { answerName, endOfReason, STATUS_NAMES, TYPE_NAMES } from './words.ts';
import {
  type Html,
  isDay,
  serverClock,
  NOTHING,
  details,
  linkToOrder,
  money,
  moneyOf,
  plural,
  dayAndClock,
  time,
  walletEnd,
} from './values.ts';

const PAGE_SIZE = 50;
/** For anything but a whole id, the newest. */
export const MAX_SEARCHED = 200;

/** In the form a status of its own, the first to look for. */
const REVIEW = 'REVIEW';
const CHOICES = { [REVIEW]: 'Needs review', ...STATUS_NAMES };
const WAITING: ReadonlySet<string> = new Set<Status>(['INITIALIZED', 'PROCESSING']);

/** The submitted fields of the form. */
type Filters = Partial<
  Record<'orderId' | 'type' | 'status' | 'awaited' | 'checked' | 'closed' | 'from' | 'to' | 'cursor', string>
>;

/** The query that the form asks for, or why it is impossible, in words. */
export function queryOf(filters: Filters): TransactionQuery | string {
  const { orderId = '', type = '', status = '', from = '', to = '', cursor = '' } = filters;
  const isOf = <Word extends string>(words: readonly Word[], word: string): word is Word | '' =>
    word === '' || (words as readonly string[]).includes(word);
  if (!/^\P{Cc}{0,64}$/u.test(orderId)) return 'What is looked for has up to 64 characters.';
  if (!isOf(TRANSACTION_TYPES, type) || !isOf([...STATUSES, REVIEW], status)) return 'There is no such type or status.';
  if ([from, to].some((day) => day !== '' && !isDay(day))) return 'A day is written as 2026-11-20.';
  if (from !== '' && to !== '' && from > to) return 'The first day is after the last.';
  if (cursor !== '' && !isCursorOf(cursor, '-createdAt')) return 'This page of the list does not exist.';
  return {
    sort: '-createdAt',
    limit: PAGE_SIZE,
    ...(orderId !== '' && { orderId }),
    ...(type !== '' && { type: type satisfies TransactionType }),
    ...(status === REVIEW && { needsReview: true }),
    ...(status !== '' && status !== REVIEW && { status: status satisfies Status }),
    ...(from !== '' && { createdFrom: serverClock.start(from) }),
    ...(to !== '' && { createdBefore: serverClock.end(to) }),
    ...(cursor !== '' && { cursor }),
  };
}

export function transactionsPage(filters: Filters, page: TransactionPage | string, backs: Backs): Html {
  if (typeof page === 'string') return filterForm(filters, page);
  const { transactions, nextCursor } = page;
  // Nobody waits for a payment of a closed order.
  const isOfClosed = ({ id }: Transaction) => backs.get(id) !== undefined;
  const isListed = (each: Transaction) => {
    if (filters.checked) return isBeingChecked(each);
    if (filters.awaited) return isAwaited(each) && isOfClosed(each) === (filters.closed === 'true');
    return each.needsReview || !isOfClosed(each);
  };
  const shown = WAITING.has(filters.status ?? '') ? transactions.filter(isListed) : transactions;
  // A page is of a limited number of transactions that were looked at: before the last one, none may match.
  const match = `No transaction matches.${filters.orderId ? ` Anything but a whole ID is looked for in the newest ${MAX_SEARCHED} only.` : ''}`;
  const nothing = isNarrowed(filters) ? match : 'No transaction yet.';
  const none = nextCursor === null ? nothing : 'None among those looked at. Older ones may match:';
  const isAll = nextCursor === null && !filters.cursor;
  const isPart = filters.orderId && shown.some(({ orderId }) => orderId !== filters.orderId);
  const found = isPart ? ` found among the newest ${MAX_SEARCHED}` : isNarrowed(filters) ? ' found' : '';
  const where = isAll ? found : ' on this page';
  const caption = `${plural(shown.length, 'transaction')}${where}, newest first`;
  return html`${filterForm(filters)} ${transactionTable(shown, caption, none, backs)}
  ${pager('/admin/transactions', filters, nextCursor)}`;
}

/** It is the whole wallet id, or each word is in the id, the amount or what is shown of the wallet. */
export function isFound({ id, payer, customer, ...sum }: Transaction, typed: string): boolean {
  const party = payer ?? customer ?? '';
  if (party !== '' && typed.replaceAll(/[\s\p{Pd}]/gu, '') === party) return true;
  const decimal = decimalOf(sum.amountMinor, sum.currency);
  const text = `${id} ${moneyOf(sum)} ${decimal} ${walletEnd(party)}`.toLowerCase();
  const words = typed.toLowerCase().split(/\s+/);
  return words.every((word) => text.includes(word) || text.includes(word.replace(/,(?=\d\d$)/, '.')));
}

const isNarrowed = (filters: Filters) => Object.values(filters).some((value) => value !== '');

/** On a phone an id is asked for, and what else narrows the list is folded. */
function filterForm(filters: Filters, refused?: string): Html {
  const { orderId = '', cursor: _, ...others } = filters;
  return html`${refused === undefined ? '' : html`<p class="message bad" role="alert">${refused}</p>`}
    <form class="filters" method="get" action="/admin/transactions">
      <div class="field order">
        <label for="orderId">ID, amount or wallet</label>
        <input id="orderId" name="orderId" type="search" value="${orderId}" maxlength="64" autocomplete="off" />
      </div>
      <details class="fold" ${isNarrowed(others) ? 'open' : ''}>
        <summary>More filters</summary>
        <div class="filters">
          <div class="field"><label for="type">Type</label>${select('type', TYPE_NAMES, filters.type)}</div>
          <div class="field"><label for="status">Status</label>${select('status', CHOICES, filters.status)}</div>
          <div class="field day">
            <label for="from">First day, ${serverClock.zone}</label>
            <input id="from" name="from" type="date" value="${filters.from ?? ''}" />
          </div>
          <div class="field day">
            <label for="to">Last day, ${serverClock.zone}</label>
            <input id="to" name="to" type="date" value="${filters.to ?? ''}" />
          </div>
        </div>
      </details>
      <div class="buttons">
        <button>Search</button> ${isNarrowed(filters) ? html`<a href="/admin/transactions">Show all</a>` : ''}
      </div>
    </form>`;
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
function pager(path: string, filters: Readonly<Record<string, string>>, nextCursor: string | null): Html {
  const { cursor = '', ...others } = filters;
  const query = (more: Record<string, string>) =>
    String(new URLSearchParams(Object.entries({ ...others, ...more }).filter(([, value]) => value !== '')));
  if (cursor === '' && nextCursor === null) return html``;
  return html`<nav class="pager" aria-label="Pages of the list">
    ${cursor === '' ? '' : html`<a href="${path}?${query({})}">Newest</a>`}
    ${nextCursor === null ? '' : html`<a href="${path}?${query({ cursor: nextCursor })}">Older</a>`}
  </nav>`;
}

// Webhooks: lists by state, and one with its body.

const STATES: Record<WebhookState, string> = { dead: 'Failed', pending: 'Queued', delivered: 'Delivered' };

const TONES: Record<WebhookState, string> = { dead: 'bad', pending: 'wait', delivered: 'done' };

export function isState(text: string | undefined): text is WebhookState {
  return text !== undefined && Object.hasOwn(STATES, text);
}

interface List {
  /** Undefined: all. */
  state: WebhookState | undefined;
  webhooks: readonly Webhook[];
  /** Of this page; empty for the newest. */
  cursor: string;
  nextCursor: string | null;
  form: string;
  now: number;
}

export function webhooksPage({ state, webhooks, cursor, nextCursor, ...rest }: List): Html {
  const address = (each = '') => `/admin/webhooks${each && `?state=${each}`}`;
  const tabs = Object.entries({ '': 'All', ...STATES }).map(
    ([each, name]) =>
      html`<li><a href="${address(each)}" ${each === (state ?? '') ? html` aria-current="true"` : ''}>${name}</a></li>`,
  );
  return html`<nav class="tabs" aria-label="States">
      <ul>
        ${tabs}
      </ul>
    </nav>
    ${webhookTable(state === undefined ? 'Webhooks' : `${STATES[state]} webhooks`, webhooks, rest)}
    ${pager('/admin/webhooks', { state: state ?? '', cursor }, nextCursor)}`;
}

/** `isOfOne`: all are of one transaction, which its page names; oldest first, as its history. */
export function webhookTable(
  caption: string,
  webhooks: readonly Webhook[],
  { form, now }: Pick<List, 'form' | 'now'>,
  isOfOne = false,
): Html {
  if (webhooks.length === 0) return html`<p class="empty">No ${caption.toLowerCase()}.</p>`;
  const about: readonly Column[] = isOfOne ? [] : ['Transaction', ['Amount', 'right']];
  return cards(
    `${caption}, ${isOfOne ? 'oldest' : 'newest'} first`,
    ['Type', ...about, 'State', ['Action', 'action'], `Created, ${serverClock.zone}`],
    (isOfOne ? webhooks.toReversed() : webhooks).map((webhook) => [
      html`<a href="/admin/webhooks/${webhook.id}">${webhook.type}</a> ${reasonIn(webhook)}`,
      ...(isOfOne ? [] : [transactionIn(webhook), amountOf(webhook)]),
      html`${stateOf(webhook, now)} ${answerOf(webhook)}`,
      webhook.state === 'dead' ? redeliverForm(webhook, form) : '',
      time(webhook.createdAt),
    ]),
    'lines',
  );
}

function reasonIn(webhook: Webhook): Html | '' {
  const [label] = endIn(webhook) ?? [];
  return label === undefined ? '' : html`<small>${label}</small>`;
}

/** Why it is not delivered, also on a phone. */
function answerOf({ state, lastAnswer }: Webhook): Html | '' {
  if (lastAnswer === null) return '';
  return state === 'delivered'
    ? html`<span class="hint">· ${lastAnswer}</span>`
    : html`<small class="reason">${answerName(lastAnswer)}</small>`;
}

const transactionIn = ({ transactionId: id }: Webhook): Html => html`<a href="${linkTo({ id })}">${id}</a>`;

const BODY = z.object({
  data: z.object({
    type: z.enum(TRANSACTION_TYPES),
    amount: z.string(),
    currency: z.string(),
    status: z.enum(STATUSES),
    reason: z.enum(REASONS).nullish(),
  }),
});

/** Nothing once the body is erased. */
const saidIn = ({ body }: Webhook) => (body === '' ? undefined : BODY.safeParse(JSON.parse(body)).data?.data);

/** Of a failed payment more than that it failed: it may still be paid. */
function endIn(webhook: Webhook): readonly [label: string, explanation: string] | undefined {
  const { type, reason } = saidIn(webhook) ?? {};
  return type && TYPES[type].paysOrder && reason && reason !== 'DECLINED' ? endOfReason(reason) : undefined;
}

function amountOf(webhook: Webhook): Html {
  const said = saidIn(webhook);
  if (said === undefined) return NOTHING;
  const sum = `${TYPES[said.type].isOutgoing ? '−' : ''}${money(said.amount, said.currency)}`;
  return html`<span class="${said.status === 'SUCCESS' ? '' : 'unmoved'}"><span class="amount">${sum}</span></span>`;
}

/** One that waits is being sent or is tried again. */
function stateOf(webhook: Webhook, now: number): Html {
  const { state: name, attempts, nextAt, lastAnswer } = webhook;
  // The attempt under way is counted.
  const isTried = name === 'pending' && attempts > 0;
  const tries = attempts === 0 ? '' : plural(attempts, 'attempt');
  const retry = nextAt > now ? `Retry at ${dayAndClock(nextAt).clock.slice(0, 5)}` : 'Retry due';
  const said = !isTried ? STATES[name] : lastAnswer === null ? 'Being sent' : retry;
  return html`<span class="status ${TONES[name]}">${said}</span> <span class="hint">${tries}</span>`;
}

/** Empty if the body was erased, because it cannot be sent. */
export function redeliverForm({ id, type, orderId, body }: Webhook, form: string): Html {
  if (body === '') return html``;
  return html`<form method="post" action="/admin/webhooks/${id}/redeliver">
    <input type="hidden" name="form" value="${form}" />
    <button class="quiet" aria-label="Send again: ${type} of ${orderId}">Send again</button>
  </form>`;
}

/** `transaction`: undefined if it is not stored. */
export function webhookPage(webhook: Webhook, form: string, now: number, transaction?: Transaction): Html {
  const { id, orderId, lastAnswer, nextAt, createdAt } = webhook;
  return html`<p class="lead">${stateOf(webhook, now)}</p>
    ${webhook.state === 'pending' ? asOf(now, `/admin/webhooks/${id}`) : ''} ${redeliverForm(webhook, form)}
    ${details([
      ['Webhook ID', id],
      ['Order', linkToOrder(orderId)],
      ['Transaction', transaction === undefined ? transactionIn(webhook) : nameOf(transaction)],
      ['Reason', endIn(webhook)?.join('. ') ?? null],
      ['Last answer', lastAnswer && answerName(lastAnswer)],
      ['Next attempt', webhook.state === 'pending' && nextAt > now ? time(nextAt) : null],
      ['Created', time(createdAt)],
    ])}
    <details>
      <summary class="button quiet">Show the body</summary>
      <p class="hint">Laid out for reading; wallet ids are shown only by their ends, but sent in full.</p>
      <pre tabindex="0" aria-label="Body">${shownBody(webhook.body)}</pre>
    </details>`;
}

const WALLETS = new Set(['customer', 'payer']);

function shownBody(body: string): string {
  const hide = (key: string, value: unknown) =>
    WALLETS.has(key) && typeof value === 'string' ? `•••• ${walletEnd(value)}` : value;
  try {
    return JSON.stringify(JSON.parse(body), hide, 2);
  } catch {
    return 'The body was erased.';
  }
}
