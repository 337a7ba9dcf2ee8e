// The overview's list of transactions, those that wait first. A row says in words what a transaction is and how it stands, and has the buttons
// that end it. The rest is in its details: its history in the gateway's own codes, the IPNs with the answers to them, and
// the other ways on.
import { html } from 'hono/html';
import type { Action, ControlOptions } from './controls.ts';
import type { Customer } from './customers.ts';
import type { Delivery } from './ipn.ts';
import { NAMES } from './methods.ts';
import { formatMoney } from './money.ts';
import { time, type Markup } from './page.ts';
import { isFinal, isPayment, type Payment, type Transaction } from './transaction.ts';

const MAX_SHOWN = 100;

type Tone = '' | 'good' | 'bad' | 'plain';

const FAILURES: Readonly<Record<string, [string, Tone]>> = {
  DECLINED: ['Declined', 'bad'],
  INSUFFICIENT_BALANCE: ['Balance too low', 'bad'],
  UNKNOWN_CUSTOMER: ['No such customer', 'bad'],
  USER_CANCELLED: ['Canceled', 'plain'],
  TOKEN_EXPIRED: ['Expired', 'plain'],
};

const DELIVERY_NAMES: Record<Delivery['state'], string> = {
  WAITING: 'waiting',
  DELIVERED: 'delivered',
  GIVEN_UP: 'given up',
  WITHHELD: 'withheld by a fault',
};

/** Of the transaction now, or at an entry of its history. */
function standing(
  transaction: Transaction,
  { status, message }: Pick<Transaction, 'status' | 'message'> = transaction,
): [string, Tone] {
  switch (status) {
    case 'INITIALIZED':
      return ['Waiting', ''];
    case 'PROCESSING':
      return [isPayment(transaction) ? 'Confirming' : 'On its way', ''];
    case 'SUCCESS':
      return [isPayment(transaction) ? 'Paid' : 'Paid out', 'good'];
    case 'FAILED':
      return FAILURES[message] ?? ['Failed', 'bad'];
    default:
      return status satisfies never;
  }
}

export function list(options: ControlOptions): Markup {
  const all = options.processor.transactions();
  const waiting = all.filter((transaction) => !isFinal(transaction));
  const more = all.length - MAX_SHOWN;
  return html`<div class="row between">
      <h2 class="title">Transactions</h2>
      ${all.length === 0 ? '' : html`<p class="soft">${all.length} in all, ${waiting.length || 'none'} waiting</p>`}
    </div>
    ${
      all.length === 0
        ? html`<p class="card soft">Nothing yet. Start a payment in the shop, and it appears here.</p>`
        : html`<ol class="card lines">
            ${[...waiting, ...all.filter(isFinal)].slice(0, MAX_SHOWN).map((each) => row(each, options, each === waiting[0]))}
          </ol>`
    }
    ${more > 0 ? html`<p class="soft">${more} older ones are at <code>/_sandbox/transactions</code>.</p>` : ''}`;
}

function row(transaction: Transaction, options: ControlOptions, isNewest: boolean): Markup {
  const { ipns, requestLog, processor, clock } = options;
  const { orderId, paymentId, minor, currency, createdAt } = transaction;
  const [word, tone] = standing(transaction);
  const name = isPayment(transaction) ? NAMES[transaction.method] : 'Payout';
  const requests = requestLog.requestsFor(orderId);
  const deliveries = ipns.about(transaction);
  return html`<li class="transaction">
    <details id="details-${paymentId}">
      <summary id="summary-${paymentId}">
        <span><span class="chip ${tone}">${word}</span></span>
        <span class="amount">${formatMoney(minor, currency)}</span>
        <span class="what">
          <strong class="order">${orderId}</strong>
          <small>${name} · ${whoIn(transaction, processor.customers)} · ${time(createdAt, clock.now())}</small>
        </span>
        <small class="ipns">
          ${deliveries.map((delivery) => ipnChips(delivery))}
          ${requests > 1 ? html`<span class="chip bad">${requests} create requests</span>` : ''}
        </small>
      </summary>
      <div class="inside stack">
        ${waysOn(transaction, processor.customers)} ${history(transaction, deliveries, clock.now())}
      </div>
    </details>
    ${
      isFinal(transaction)
        ? ''
        : html`<div class="answer">
            ${button(transaction, 'decline', 'Decline')} ${button(transaction, 'approve', 'Approve', isNewest)}
          </div>`
    }
  </li>`;
}

function whoIn(transaction: Transaction, people: readonly Customer[]): string {
  const scannedBy = isPayment(transaction) ? transaction.scannedBy : null;
  const walletId = transaction.customer ?? scannedBy;
  if (walletId === null) return isFinal(transaction) ? 'no customer' : 'no customer yet';
  const name = people.find((person) => person.walletId === walletId)?.name ?? `wallet ${walletId}`;
  return transaction.customer === null ? `scanned by ${name}` : name;
}

/** `label` is the same in many rows, so the name for screen readers has the order. */
function button({ orderId, paymentId }: Transaction, action: Action, label: string, isMain = false): Markup {
  return html`<form method="post" action="/overview/${action}">
    <input type="hidden" name="orderId" value="${orderId}" />
    <button id="${action}-${paymentId}" class="${isMain ? 'main' : ''}" aria-label="${label} ${orderId}">
      ${label}
    </button>
  </form>`;
}

function waysOn(transaction: Transaction, people: readonly Customer[]): Markup | '' {
  if (isFinal(transaction)) return html`<div class="row">${button(transaction, 'ipn', 'Send IPN again')}</div>`;
  if (!isPayment(transaction)) return '';
  return html`<div class="row">
      ${link(transaction)} ${transaction.checkout ? button(transaction, 'expire', 'Expire') : ''}
    </div>
    <form method="post" action="/overview/approve" class="row">
      <input type="hidden" name="orderId" value="${transaction.orderId}" />
      <select name="customer" aria-label="Customer">
        ${people.map(({ walletId, name }) => html`<option value="${walletId}">${name}</option>`)}
      </select>
      <button>Approve as this customer</button>
    </form>`;
}

function link({ checkout, code, customer }: Payment): Markup {
  if (checkout) return html`<a class="button" href="/pay?token=${checkout.token}">Open checkout</a>`;
  if (code) return html`<a class="button" href="/wallet/scan?code=${code}">Scan with the phone</a>`;
  return html`<a class="button" href="/wallet?as=${customer}">Open the phone</a>`;
}

function ipnChips({ state, attempts }: Delivery): Markup {
  return html`<span>IPN ${DELIVERY_NAMES[state]} ${attempts.map((attempt) => answerChip(attempt))}</span>`;
}

const answerChip = ({ answer, error }: Delivery['attempts'][number]): Markup =>
  html`<span class="chip ${answer === 200 ? 'plain' : 'bad'}">${answer ?? error ?? 'under way'}</span>`;

function history(transaction: Transaction, deliveries: readonly Delivery[], now: number): Markup {
  const attempts = deliveries.flatMap((delivery) => delivery.attempts);
  return html`<ol class="history lines">
    ${transaction.history.map(({ at, status, message }) => {
      const [word, tone] = standing(transaction, { status, message });
      const codes = new Set([isPayment(transaction) ? transaction.method : transaction.type, status, message]);
      return html`<li>
        ${time(at, now)} <span class="chip ${tone}">${word}</span> <code>${[...codes].join(' ')}</code>
      </li>`;
    })}
    ${attempts.map(
      (attempt) =>
        html`<li>
          ${time(attempt.at, now)} <span>IPN, answered ${answerChip(attempt)}</span> <code>${attempt.body}</code>
        </li>`,
    )}
  </ol>`;
}
