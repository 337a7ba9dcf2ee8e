// The overview's two lists of transactions: those that wait, the newest first, and those that have ended, the last
// first, each day but today under its date. A row says in words what a transaction is and how it stands, and has the
// buttons that end it. The rest is in its details: its history in words and in the gateway's own codes, the IPNs with
// the answers to them, and the other ways on.
import { STATUS_CODES } from 'node:http';
import { html } from 'hono/html';
import { payer, type Action, type ControlOptions } from './controls.ts';
import type { Customer } from './customers.ts';
import type { Delivery } from './ipn.ts';
import { NAMES } from './methods.ts';
import { formatMoney, partOf } from './money.ts';
import { byDay, clockTime, countdown, folded, json, time, type Markup, type ShopPages } from './page.ts';
import { isFinal, isPayment, walletIn, type Payment, type Payout, type Transaction } from './transaction.ts';

const LISTS = { waiting: 'Waiting', ended: 'Ended' } as const;
const SHOWN = 5;
/** More are only at the controls. */
const MAX_SHOWN = 100;
/** How long a row that has just ended stands out. */
const NEWS_MS = 5_000;
/** A line begins with a word. */
const DOT = '\u00a0· ';

type Tone = '' | 'good' | 'bad' | 'plain';

const FAILURES: Readonly<Record<string, [string, Tone]>> = {
  DECLINED: ['Declined', 'plain'],
  INSUFFICIENT_BALANCE: ['Balance too low', 'plain'],
  USER_CANCELLED: ['Canceled', 'plain'],
  TOKEN_EXPIRED: ['Expired', 'plain'],
};

/** Where the word for a failure does not say why. */
const REASONS: Readonly<Record<string, string>> = { UNKNOWN_CUSTOMER: 'No such customer' };

const WORDS: Readonly<Record<string, string>> = {
  ...NAMES,
  INITIALIZED: 'Waiting',
  SUCCESS: 'Succeeded',
};

const UNDER_WAY = { Payment: 'Opened', Payout: 'On its way', Refund: 'On its way' };

/** A code of the gateway; a sentence stays as it is. */
export const inWords = (code: string, kind: Kind): string =>
  code === 'PROCESSING' ? UNDER_WAY[kind] : (REASONS[code] ?? FAILURES[code]?.[0] ?? WORDS[code] ?? code);

const DELIVERY_NAMES: Record<Delivery['state'], string> = {
  WAITING: 'waiting',
  DELIVERED: 'delivered',
  GIVEN_UP: 'given up',
  WITHHELD: 'withheld by a fault',
};

const PAID = { Payment: 'Paid', Payout: 'Paid out', Refund: 'Refunded' };
type Kind = keyof typeof PAID;

type Standing = Pick<Transaction, 'status' | 'message'> & Partial<Pick<Payout, 'isHeld'>>;

function standing(kind: Kind, { status, message, isHeld }: Standing): [string, Tone] {
  switch (status) {
    case 'INITIALIZED':
      return ['Waiting', ''];
    case 'PROCESSING':
      return [isHeld ? 'Held until you decide' : UNDER_WAY[kind], ''];
    case 'SUCCESS':
      return [PAID[kind], 'good'];
    case 'FAILED':
      return FAILURES[message] ?? ['Failed', 'bad'];
    default:
      return status satisfies never;
  }
}

export function list(name: keyof typeof LISTS, options: ControlOptions & ShopPages): Markup {
  const all = options.processor.transactions().filter((each) => isFinal(each) === (name === 'ended'));
  if (name === 'ended') all.sort((one, other) => other.updatedAt - one.updatedAt);
  if (name === 'ended' && all.length === 0) return html``;
  const newest = all.slice(0, MAX_SHOWN).map((each) => ({ at: changedAt(each), row: row(each, options) }));
  const rows = byDay(newest, options.clock.now());
  return html`<h2 class="title">${LISTS[name]} <small>${all.length}</small></h2>
    <div class="card ${name}">
      ${all.length === 0 ? html`<div class="lines soft"><p>${nothing(options)}</p></div>` : folded(name, rows, SHOWN, all.length)}
    </div>`;
}

function nothing({ processor, shopUrl }: ControlOptions & ShopPages): Markup {
  const shop = shopUrl === undefined ? 'the shop' : html`<a href="${shopUrl}">the shop</a>`;
  return processor.transactions().length === 0
    ? html`Buy something in ${shop}. Its payment appears here, and each request to the gateway below.`
    : html`Nothing waits. Start a payment in ${shop}.`;
}

/** When it began to wait, or ended. */
const changedAt = (each: Transaction) => (isFinal(each) ? each.updatedAt : each.createdAt);

function row(transaction: Transaction, options: ControlOptions): Markup {
  const { ipns, requestLog, processor, clock } = options;
  const { orderId, paymentId, minor, currency } = transaction;
  const kind = kindOf(transaction, processor);
  const back = processor.customer(transaction.customer)?.sentBack(paymentId) ?? 0n;
  const [word, tone] = back < minor ? standing(kind, transaction) : ['Refunded', 'plain'];
  const missing = missingIn(transaction, processor.customer(walletIn(transaction)));
  const said = [
    isPayment(transaction) ? NAMES[transaction.method] : kind,
    whoIn(transaction, processor.customers),
    REASONS[transaction.message] ?? '',
    missing > 0n ? `Missing ${formatMoney(missing, currency)}` : '',
  ];
  const what = said.filter(Boolean).map((part) => part.replaceAll(' ', '\u00a0'));
  const requests = requestLog.requestsFor(orderId);
  const deliveries = ipns.about(transaction);
  const falsehoods = requestLog.falseAnswersFor(orderId);
  const isDelivered = deliveries.length > 0 && deliveries.every(wasSimple);
  const isNews = isFinal(transaction) && clock.now() - transaction.updatedAt < NEWS_MS;
  const at = changedAt(transaction);
  const unseen = requestLog.hasNoAnswer(orderId) && !isFinal(transaction) ? notSeen(transaction) : '';
  const look = unseen ? '' : 'main';
  return html`<li class="transaction ${isNews ? 'news' : ''}">
    <details id="details-${paymentId}">
      <summary id="summary-${paymentId}">
        <span class="amount">${isPayment(transaction) ? '' : '−'}${formatMoney(minor, currency)}</span>
        <strong class="order">${orderId}</strong>
        <small class="sub"
          ><span class="what">${what.join(DOT)}</span><span class="dot">${DOT}</span
          ><span class="at"
            >${clockTime(at, at)}
            ${isDelivered ? html`<span role="img" aria-label="IPN delivered" title="IPN delivered">· IPN ✓</span>` : ''}</span
          ></small
        >
        <span class="standing">${word === 'Waiting' ? '' : html`<span class="chip ${tone}">${word}</span>`}</span>
        <small class="ipns">
          ${back > 0n && back < minor ? html`<span>Refunded ${partOf(back, minor, currency)}</span>` : ''}
          ${deliveries.filter((delivery) => !wasSimple(delivery)).map((delivery) => ipnChips(delivery))}
          ${[...falsehoods.keys()].map(reported)}
          ${requests > 1 ? html`<span class="chip plain">Requested ${requests} times</span>` : ''}
        </small>
      </summary>
      <div class="inside stack">
        ${requests > 1 ? html`<p class="soft">${requests} requests came to create it. One was accepted.</p>` : ''}
        <div class="row">${waysOn(transaction, processor.customers, clock.now(), look)}</div>
        ${history(kind, transaction, options)}
      </div>
    </details>
    ${unseen}
    ${
      isFinal(transaction)
        ? ''
        : html`<div class="answer">
            ${button(transaction, 'decline', 'Decline')}
            ${button(transaction, 'approve', approval(transaction, options), look)}
          </div>`
    }
  </li>`;
}

/** Says that a balance is too low, and who pays, if it is not who is named beside it. */
function approval(transaction: Transaction, { processor }: ControlOptions): string {
  const customer = payer(processor, transaction);
  const isAnother = isPayment(transaction) && customer.walletId !== walletIn(transaction);
  const approve = missingIn(transaction, customer) > 0n ? 'Top up and approve' : 'Approve';
  return isAnother ? `${approve} as ${customer.name.split(' ')[0]}` : approve;
}

/** What approving adds to the customer's balance. */
function missingIn(transaction: Transaction, customer: Customer | undefined): bigint {
  return isFinal(transaction) || !isPayment(transaction) || !customer ? 0n : customer.missing(transaction);
}

/** The shop could not show what its answer would have had. */
function notSeen(transaction: Transaction): Markup | '' {
  const { checkout, code } = isPayment(transaction) ? transaction : { checkout: null, code: null };
  const what = checkout ? 'page' : code ? 'code' : '';
  return (
    what &&
    html`<small
      >A fault lost the answer: the shopper has no ${what}, and reads that the payment was not started. Approve it to
      see a payment that staff has to review.</small
    >`
  );
}

export function kindOf(transaction: Transaction, processor: ControlOptions['processor']): Kind {
  if (isPayment(transaction)) return 'Payment';
  return processor.isRefund(transaction) ? 'Refund' : 'Payout';
}

function whoIn(transaction: Transaction, people: readonly Customer[]): string {
  const walletId = walletIn(transaction);
  if (walletId === null)
    return isFinal(transaction) ? '' : transaction.status === 'PROCESSING' ? 'logged out' : 'nobody yet';
  return people.find((person) => person.walletId === walletId)?.name ?? `wallet ${walletId}`;
}

/** `label` is the same in many rows, so the name for screen readers has the order. */
function button({ orderId, paymentId }: Transaction, action: Action, label: string, look = ''): Markup {
  return html`<form method="post" action="/overview/${action}">
    <input type="hidden" name="orderId" value="${orderId}" />
    <button id="${action}-${paymentId}" class="${look}" aria-label="${label} ${orderId}">${label}</button>
  </form>`;
}

function waysOn(transaction: Transaction, people: readonly Customer[], now: number, look: string): Markup | '' {
  const toPhone = phone(transaction, people);
  if (isFinal(transaction)) return html`${button(transaction, 'ipn', 'Send IPN again')} ${toPhone}`;
  if (!isPayment(transaction)) return toPhone;
  const { checkout, code, orderId } = transaction;
  const isForAnybody = checkout !== null || code !== null;
  return html`${link(transaction)} ${toPhone} ${checkout ? button(transaction, 'expire', 'Expire') : ''}
  ${checkout ? html`<small>expires in ${countdown(checkout.expiresAt - now)}</small>` : ''}
  ${
    isForAnybody
      ? html`<form method="post" action="/overview/approve" class="row">
          <input type="hidden" name="orderId" value="${orderId}" />
          <button class="${look}">Approve as</button>
          <select name="customer" aria-label="Customer">
            ${people.map((person) => choice(transaction, person))}
          </select>
        </form>`
      : ''
  }`;
}

function choice(transaction: Payment, person: Customer): Markup {
  const { walletId, name } = person;
  const missing = missingIn(transaction, person);
  const text = missing > 0n ? `${name}, top up ${formatMoney(missing, transaction.currency)}` : name;
  return html`<option value="${walletId}" ${walletId === walletIn(transaction) ? 'selected' : ''}>${text}</option>`;
}

function link({ checkout, code }: Payment): Markup | '' {
  if (checkout) return html`<a class="button" href="/pay?token=${checkout.token}">Open checkout</a>`;
  if (code) return html`<a class="button" href="/wallet/scan?code=${code}">Scan with the phone</a>`;
  return '';
}

/** Of who pays or is paid, if this wallet exists. */
function phone(transaction: Transaction, people: readonly Customer[]): Markup | '' {
  const person = people.find(({ walletId }) => walletId === walletIn(transaction));
  return person ? html`<a class="button" href="/wallet?as=${person.walletId}">Open the phone</a>` : '';
}

/** The first attempt was answered as it should be. */
const wasSimple = ({ state, attempts }: Delivery) => state === 'DELIVERED' && attempts.length === 1;

/** The details have each attempt. */
function ipnChips({ state, attempts }: Delivery): Markup {
  const times = attempts.length > 1 ? `, sent ${attempts.length} times` : '';
  const last = attempts.at(-1);
  return html`<span
    >IPN ${DELIVERY_NAMES[state]}${times} ${last && state !== 'DELIVERED' ? answerChip(last) : ''}</span
  >`;
}

function answerChip({ answer, error }: Delivery['attempts'][number]): Markup {
  const isFine = error === null && (answer ?? 200) === 200;
  const said =
    answer === null ? (error ?? 'no answer yet') : `answer ${answer}${isFine ? '' : ` ${STATUS_CODES[answer]}`}`;
  return html`<span class="chip ${isFine ? 'plain' : 'bad'}">${said}</span>`;
}

/** By a status check or another answer, which a fault changed. */
const reported = (text: string): Markup => html`<span class="chip bad">Reported ${text}</span>`;

/** In the order in which it happened. */
function history(kind: Kind, transaction: Transaction, { ipns, requestLog, clock }: ControlOptions): Markup {
  const steps = transaction.history.map(({ at, status, message }) => {
    const words = [standing(kind, { status, message })[0], REASONS[message]].filter(Boolean);
    const codes = new Set([isPayment(transaction) ? transaction.method : transaction.type, status, message]);
    return { at, what: html`<span>${words.join(DOT)}</span> <code>${[...codes].join(' ')}</code>` };
  });
  const attempts = ipns.about(transaction).flatMap((delivery) => delivery.attempts);
  const sent = attempts.map((attempt) => ({
    at: attempt.at,
    what: html`<span>IPN sent ${answerChip(attempt)}</span> ${json(attempt.body)}`,
  }));
  const answers = [...requestLog.falseAnswersFor(transaction.orderId)];
  const changed = answers.map(([text, at]) => ({ at, what: reported(text) }));
  const all = [...steps, ...sent, ...changed].toSorted((one, other) => one.at - other.at);
  return html`<ol class="history lines">
    ${all.map(({ at, what }) => html`<li>${time(at, clock.now())} ${what}</li>`)}
  </ol>`;
}
