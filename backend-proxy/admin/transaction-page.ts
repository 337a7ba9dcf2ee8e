// One transaction: its data, history and webhooks, the form for a review, and what a resolution will do.
import { html } from 'hono/html';
import type { Order, OrderAt, Preview, Resolution, Webhook } from '../ledger/model.ts';
import { iso } from '../protocol/durations.ts';
import { WEBHOOKS, type WebhookType } from '../protocol/merchant-view.ts';
import { PAYS_BY } from '../protocol/wire.ts';
import { AFTER_CLOSE, NOT_REFUNDABLE, owedOf, whyNotRefundable, type RefundRules } from '../protocol/refundable.ts';
import {
  TYPES,
  isByPerson,
  isOpen,
  mayBeResolved,
  type HistoryEntry,
  type Transaction,
  STAGES,
  type Flag,
  type TransactionType,
  succeededAt,
} from '../protocol/transaction.ts';
import {
  changedMessage,
  decision,
  isToSendBack,
  leftOfPayment,
  refunding,
  type RefundForm,
  type ResolutionForm,
} from './decisions.ts';
import { DOT, asOf, hidden, nameField, nameOf, problem, textField, linkTo, whichOf } from './layout.ts';
import { webhookTable } from './lists.ts';
import {
  type Back,
  askedFor,
  status,
  detailOf,
  eventName,
  explanationOf,
  isUnpaid,
  moved,
  reviewReason,
  sourceName,
  reportsOf,
  STOP_ORDER,
  whatToAsk,
} from './words.ts';
import {
  amount,
  dayAndClock,
  details,
  linkToOrder,
  serverClock,
  time,
  wallet,
  type Html,
  moneyOf,
  capital,
} from './values.ts';

const DUPLICATE =
  'The gateway says that it had this id before. What it reports may be somebody else’s payment, so it pays nothing here.';

/** What was typed into a form that was refused. */
export interface Typed {
  resolution?: ResolutionForm;
  refund?: RefundForm;
}

interface Given {
  transaction: Transaction;
  /** The order of a payment; undefined for anything else. */
  at: OrderAt | undefined;
  /** Of a refund, its payment. */
  refunded?: Transaction | undefined;
  refundRules: RefundRules;
  webhooks: readonly Webhook[];
  form: string;
  /** Of the person, as it was given before. */
  name: string;
  typed?: Typed;
  now: number;
  /** Of a review: what each answer would do. */
  effects?: Partial<Record<Resolution['status'], string>>;
}

export function transactionPage(given: Given): Html {
  const { transaction, at, refunded, refundRules, webhooks, form, name, now, typed = {} } = given;
  const { note } = transaction;
  // Money that came after the closing is refunded or settled, which ends its review.
  const { order, now: askedAt = now } = at ?? {};
  const isOwed = order !== undefined && owedOf(transaction, order.refunds) > 0;
  const isAsked = mayBeResolved(transaction) && !isOwed;
  const review = isAsked ? reviewForm(given) : '';
  const refund = refunding(transaction, at, refundRules, form, { by: name, ...typed.refund }, typed.resolution);
  const { closed, paidBy } = order ?? {};
  const mayBeClosed = closed === null && paidBy === null;
  const record: Facts = [
    ...(isAsked ? [] : idsOf(transaction)),
    ['Refund of', refunded === undefined ? null : nameOf(refunded)],
    ['Asked for', askedFor(transaction)],
    ...walletGiven(transaction),
    ['Note', note],
  ];
  const toClose = html`<section class="panel" aria-labelledby="order">
    <h2 id="order">Order</h2>
    <p>A closed order takes no new payment.</p>
    <a class="button quiet" href="${linkTo(transaction)}/close">Close the order…</a>
  </section>`;
  const hasFacts = record.some(([, value]) => value !== null);
  const facts = hasFacts
    ? html`<section class="panel" aria-labelledby="details">
        <h2 id="details">Details</h2>
        ${details(record)}
      </section>`
    : '';
  const history = html`<section class="panel" aria-labelledby="history">
    <h2 id="history">History</h2>
    ${historyList(transaction, order)}
  </section>`;
  // Beside a form, which is high; else below what there is.
  const isBeside =
    isAsked ||
    (order !== undefined && isToSendBack(transaction, order, leftOfPayment(transaction, order, refundRules, askedAt)));
  const isChanging =
    (isOpen(transaction.stage) && !transaction.needsReview) || webhooks.some(({ state }) => state === 'pending');
  return html`${lead(transaction, order, ownName(transaction))}
    ${isChanging && !given.typed ? asOf(now, linkTo(transaction)) : ''}
    <div class="columns">
      <div>${review} ${refund} ${isBeside ? '' : facts}</div>
      <div>${isBeside ? facts : ''} ${history} ${mayBeClosed ? toClose : ''}</div>
    </div>
    <h2>Webhooks</h2>
    ${webhookTable('Webhooks of this transaction', webhooks, given, true)}`;
}

type Facts = Parameters<typeof details>[0];

/** The gateway's support knows both. */
const idsOf = ({ id, paymentId }: Transaction): Facts => [
  ['Our ID at the gateway', id],
  ['The gateway’s number', paymentId],
];

/** If another one paid, which its name says. */
function walletGiven({ method, payer, customer }: Transaction): Facts {
  if (method === null || customer === null || payer === null || payer === customer) return [];
  return [[PAYS_BY[method] === 'prompt' ? 'Wallet asked' : 'Wallet ID entered', wallet(customer)]];
}

/** The amount and the status. */
export const heading = (transaction: Transaction, back?: Back): Html =>
  html`${amount(transaction)} ${status(transaction, back)}`;

/** Which one it is, and what no status says. `name`: with what no heading has. */
export function lead(transaction: Transaction, order: Order | undefined, name: Html): Html {
  const explanation = explanationOf(transaction, order);
  return html`<p class="lead">${name}</p>
    ${explanation && html`<p class="lead reason">${explanation}</p>`}`;
}

/** On its own page; the link leads to all of its order. */
function ownName(transaction: Transaction): Html {
  const { id, type, orderId } = transaction;
  return html`${id}${DOT}${whichOf(transaction)}${TYPES[type].isOfOrder ? html`${DOT}${linkToOrder(orderId, 'Order ')}` : ''}`;
}

/** With the closing of its order, and the start and end of each refund. */
function historyList(transaction: Transaction, order?: Order): Html {
  const next = order?.payments.find(({ attempt }) => attempt === transaction.attempt + 1);
  const textOf = (entry: HistoryEntry) => {
    const detail = detailOf(entry, transaction);
    const by = entry.event === 'replaced' && next ? html`by <a href="${linkTo(next)}">${next.id}</a>` : '';
    return html`<b>${eventName(entry, transaction)}</b> ${by || sourceName(entry)}${detail && html` · ${detail}`}`;
  };
  // Another entry says it.
  const own = transaction.history.filter((entry) => entry.detail !== AFTER_CLOSE && !isByPerson(entry));
  const entries = own.map((entry) => ({ at: entry.at, text: textOf(entry) }));
  const add = (at: number, text: Html) =>
    void entries.splice(1 + entries.findLastIndex((entry) => entry.at <= at), 0, { at, text });
  const { closed = null, refunds = [] } = order ?? {};
  if (closed !== null) add(closed.at, html`<b>Order closed</b>${closed.reason && html` · ${closed.reason}`}`);
  for (const refund of refunds.filter(({ refundOf }) => refundOf === transaction.id)) {
    const [sum, { status: is }] = [moneyOf(refund), STAGES[refund.stage]];
    const line = (what: string) => html`<b>${what}</b> · <a href="${linkTo(refund)}">${refund.id}</a>`;
    add(refund.createdAt, line(`Refund of ${sum} started`));
    for (const entry of refund.history.filter(({ event }) => event === 'reported_failed' || event === 'needs_review'))
      add(entry.at, line(`Refund of ${sum} ${eventName(entry, refund).toLowerCase()}`));
    if (isOpen(refund.stage)) continue;
    const end = refund.history.find(({ event }) => event === refund.stage)?.at ?? refund.updatedAt;
    add(succeededAt(refund) ?? end, line(is === 'SUCCESS' ? `${sum} refunded` : `Refund of ${sum} failed`));
  }
  const byDay = Map.groupBy(entries, ({ at }) => dayAndClock(at).day);
  const row = ({ at, text }: { at: number; text: Html }) =>
    html`<li>
      <time datetime="${iso(at)}">${dayAndClock(at).clock}</time>
      <span>${text}</span>
    </li>`;
  return html`<div class="history">
    ${[...byDay].map(
      ([day, ofDay]) =>
        html`<h3>${day}</h3>
          <ol>
            ${ofDay.map(row)}
          </ol>`,
    )}
  </div>`;
}

const reportLine = ({ what, at }: { what: string; at: number }): Html => html`<b>${what}</b> · ${time(at)}`;

/** Why it is asked, what the page's heading and history do not have, and what to do. */
function whatToDo(transaction: Transaction): Html {
  const why = transaction.needsReview ? reviewReason(transaction) : DUPLICATE;
  const reports = reportsOf(transaction).map((report) => html`<div>${reportLine(report)}</div>`);
  return html`<p class="why">${why}</p>
    ${details([['Reported', reports.length === 0 ? null : html`${reports}`], ...idsOf(transaction)])}
    <p>${whatToAsk(transaction)} ${isUnpaid(transaction) ? '' : 'Then say what you know.'}</p>`;
}

function reviewForm({ transaction, form, name, typed, effects }: Given): Html {
  const { status: chosen = '', by = name, note, refused = {} } = typed?.resolution ?? {};
  const done = TYPES[transaction.type].isOutgoing ? 'sent' : 'received';
  const radio = (value: Resolution['status'], label: string) =>
    html`<label class="choice">
      <input
        type="radio"
        name="status"
        value="${value}"
        required
        ${chosen === value ? 'checked' : ''}
        ${refused['status'] === undefined ? '' : html`aria-describedby="status-problem" autofocus`}
      />
      <span>${label}<small class="reason">${effects?.[value]}</small></span></label
    >`;
  const answer = html`<form method="post" action="${linkTo(transaction)}/resolve" novalidate>
    ${hidden({ form, version: transaction.version })}
    <fieldset>
      <legend>What happened?</legend>
      ${radio('SUCCESS', `The money was ${done}`)} ${radio('FAILED', `No money was ${done}`)}
      ${refused['status'] === undefined ? '' : problem('status', refused['status'])}
    </fieldset>
    ${nameField('review', by, refused)}
    ${textField({ form: 'review', name: 'note', label: 'How you know', value: note, maxlength: 500, problems: refused })}
    <button>Continue</button>
    <p class="hint">Nothing changes yet: the next page says what will happen.</p>
  </form>`;
  const folded = html`<details ${typed?.resolution ? 'open' : ''}>
    <summary class="button quiet">Say what happened</summary>
    ${answer}
  </details>`;
  return html`<section class="panel urgent" aria-labelledby="review">
    <h2 id="review">${transaction.needsReview ? 'Needs review' : 'A duplicate'}</h2>
    ${whatToDo(transaction)} ${isUnpaid(transaction) ? folded : answer}
  </section>`;
}

interface Confirmation {
  preview: Preview;
  resolution: Resolution;
  /** The webhook `payment.succeeded`; undefined if none was queued. */
  paidWebhook: Webhook | undefined;
  /** Whether the form was confirmed before, when it would have had another effect. */
  hasChanged: boolean;
  form: string;
  /** False if no WEBHOOK_URL is set. */
  sendsWebhooks: boolean;
  refundRules: RefundRules;
}

export function confirmationPage(confirmation: Confirmation): Html {
  const { preview, resolution, hasChanged, form, sendsWebhooks, refundRules, paidWebhook } = confirmation;
  const { transaction, expected, webhook, gatewayReports } = preview;
  const { status: said, by, note } = resolution;
  const later = said === 'SUCCESS' ? laterOf(transaction, refundRules) : [];
  const reports = said === 'SETTLED' ? [] : reportsOf(transaction).map(reportLine);
  const reported: [string, Html[]][] = reports.length === 0 ? [] : [['The gateway reported', reports]];
  const isExact = !transaction.mismatch || reports.length === 0;
  const differing: [string, string[]][] = isExact
    ? []
    : [['If the amount differs', ['Only all or nothing can be recorded: settle a difference another way.']]];
  const shopperSees: [string, string[]][] =
    denies(transaction, said) && expected.paidBy === transaction.id
      ? [['The shopper sees', ['The shop could not confirm this payment.']]]
      : [];
  const unsent = webhook !== null && !sendsWebhooks ? ['No WEBHOOK_URL is set, so it is not sent now.'] : [];
  return html`${lead(transaction, undefined, nameOf(transaction))}
  ${hasChanged ? changedMessage('the payment or its order') : ''}
  ${gatewayReports === null ? '' : contradiction(gatewayReports, said)}
  ${decision({
    rows: [
      ...reported,
      ['What happens', [...effectOf(preview, said, paidWebhook), ...unsent]],
      ...differing,
      ...later,
      ...shopperSees,
      ['The history says', [`${capital(moved(said))}, says ${by}: ${note}`]],
      [
        'If this is wrong',
        [
          said === 'SETTLED'
            ? 'This cannot be undone. If a refund of it fails, that amount is to be refunded again.'
            : gatewayReports === null
              ? 'If the gateway later says otherwise, this comes back for review.'
              : 'Only a different report of the gateway brings this back for review.',
        ],
      ],
    ],
    action: `${linkTo(transaction)}/resolve`,
    fields: hidden({
      form,
      version: expected.version,
      paidBy: expected.paidBy ?? '',
      closed: expected.closed ? 'yes' : 'no',
      owed: expected.owed,
      confirmed: 'yes',
      status: said,
      by,
      note,
      ...(gatewayReports !== null && { gatewayReports }),
    }),
    button: resolutionTitle(transaction, said),
    isDanger: gatewayReports !== null || denies(transaction, said),
    back: linkTo(transaction),
  })}`;
}

function contradiction(gatewayReports: Resolution['status'], said: Resolution['status']): Html {
  return html`<p class="message bad" role="alert">
    The gateway reports that ${moved(gatewayReports)}, and you say that ${moved(said)}.
  </p>`;
}

/** What a payment that becomes paid by it cannot do. */
function laterOf(transaction: Transaction, { refundMethods }: RefundRules): [string, string[]][] {
  if (!TYPES[transaction.type].paysOrder || transaction.stage === 'succeeded') return [];
  const paid: Transaction = { ...transaction, stage: 'succeeded', needsReview: false, resolved: 'succeeded' };
  const cause = whyNotRefundable(paid, refundMethods);
  return cause === null ? [] : [['Later', [`It cannot be refunded here, because ${NOT_REFUNDABLE[cause]}.`]]];
}

// What a resolution will do, in words, before it is made. The ledger decides it: its preview applies the same rules.

/** Those that a resolution can queue: all but those that ask for a review or say why. */
type Queued = Exclude<WebhookType, `${string}.${Exclude<Flag, 'surplus' | 'after_close'>}`>;

const BECOMES: Record<Queued, (orderId: string) => string> = {
  'payment.succeeded': (orderId) => `Order ${orderId} becomes paid.`,
  'payment.surplus': (orderId) => `Order ${orderId} is paid already: this is money paid twice.`,
  'payment.after_close': (orderId) => `Order ${orderId} is closed and stays unpaid: the money has to go back.`,
  'payment.failed': (orderId) => `The payment of order ${orderId} counts as unpaid.`,
  'payout.succeeded': (orderId) => `Payout ${orderId} counts as paid out.`,
  'payout.failed': (orderId) => `Payout ${orderId} counts as not sent.`,
  'refund.succeeded': (orderId) => `The refund of order ${orderId} counts as sent.`,
  'refund.failed': (orderId) => `The refund of order ${orderId} counts as not sent.`,
};

/** First what becomes of it. */
export function effectOf(
  { transaction, webhook, expected }: Preview,
  word: Resolution['status'],
  paidWebhook?: Webhook,
): string[] {
  if (word === 'SETTLED') return ['Nothing is sent: it counts as settled, and cannot be refunded any more.'];
  const hasPaid = denies(transaction, word) && expected.paidBy === transaction.id;
  const stop = hasPaid
    ? [...(paidWebhook ? [deliveryOf(paidWebhook)] : []), `It stays SUCCESS in the API. ${STOP_ORDER}`]
    : [];
  const toShip = TYPES[transaction.type].paysOrder && word === 'SUCCESS' ? ', so tell your shop that it can ship' : '';
  if (webhook === null)
    return [onlyEndsReview(transaction, word), `Your server gets no webhook of this${toShip}.`, ...stop];
  const becomes = webhook in BECOMES ? BECOMES[webhook as Queued](transaction.orderId) : undefined;
  const isAsAsked = transaction.mismatch && word === 'SUCCESS';
  const counts = `It counts as ${moneyOf(transaction)}, as it was asked for, whatever the gateway reported.`;
  return [
    ...(becomes === undefined ? [] : [becomes]),
    ...(isAsAsked ? [counts] : []),
    `Your server gets ${webhook}: “${WEBHOOKS[webhook]}”.`,
  ];
}

const deliveryOf = ({ type, createdAt, state }: Webhook) =>
  `${type} was queued on ${serverClock.words(createdAt)} and is ${state === 'delivered' ? '' : 'not '}delivered.`;

/** What has succeeded cannot be made to fail; but what a person denies is not refunded (`isContradicted`). */
const denies = ({ stage }: Transaction, word: Resolution['status']) =>
  STAGES[stage].status === 'SUCCESS' && word === 'FAILED';

function onlyEndsReview(transaction: Transaction, word: Resolution['status']): string {
  const { type } = transaction;
  if (!denies(transaction, word)) return `It is already counted as ${counted(type, word)}. This only ends the review.`;
  return `It is listed as denied, ${TYPES[type].paysOrder ? 'is not counted, and cannot be refunded' : 'and is not counted'}.`;
}

/** `Record €48.00 as received`, and of a payout or refund `as sent`; on a button without the amount. */
export function resolutionTitle(transaction: Transaction, word: Resolution['status'], sum = ''): string {
  if (denies(transaction, word)) return `Note that no money was ${counted(transaction.type, 'SUCCESS')}`;
  return `Record${sum && ` ${sum}`} as ${counted(transaction.type, word)}`;
}

function counted(type: TransactionType, word: Resolution['status']): string {
  if (word === 'SETTLED') return 'settled';
  return `${word === 'FAILED' ? 'not ' : ''}${TYPES[type].isOutgoing ? 'sent' : 'received'}`;
}
