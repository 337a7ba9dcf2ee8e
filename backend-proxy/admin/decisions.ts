// Refunding a payment and closing its order, on the operator's page: each asks first, and says what would happen.
import { randomUUID } from 'node:crypto';
import { html } from 'hono/html';
import type { Order, OrderAt } from '../ledger/model.ts';
import { decimalOf } from '../protocol/money.ts';
import {
  NOT_REFUNDABLE,
  failedRefundOf,
  isReserved,
  leftOf,
  limitOf,
  owedOf,
  paysNothing,
  sendableOf,
  whyNotRefundable,
  type RefundRules,
} from '../protocol/refundable.ts';
import {
  STAGES,
  TYPES,
  type Transaction,
  isAwaited,
  isBeingChecked,
  isDenied,
  isOpen,
  isPayable,
  succeededAt,
} from '../protocol/transaction.ts';
import type { AdminParts, Backs, Problems } from './layout.ts';
import { cards, hidden, linkTo, nameField, nameOf, optionalField, statusAndReason, textField } from './layout.ts';
import { status, statusName, owedText, whyBack, type Back, type Left } from './words.ts';
import { amount, serverClock, details, time, wallet, walletEnd, type Html, moneyOf } from './values.ts';

export interface RefundForm {
  amount: string;
  note: string;
  by: string;
  problems: Problems;
}

export interface ResolutionForm {
  status: string;
  by: string;
  note: string;
  refused: Problems;
}

export function leftOfPayment(payment: Transaction, order: Order, rules: RefundRules, now: number): Left {
  const left = leftOf(payment, order.refunds);
  const limit = limitOf(payment, order.refunds, now);
  const isUncertain = ({ refundOf, stage, needsReview }: Transaction) =>
    refundOf === payment.id && (isOpen(stage) || needsReview);
  return {
    cause: whyNotRefundable(payment, rules.refundMethods) ?? limit?.cause ?? null,
    left,
    sendable: sendableOf(left, payment.currency, rules),
    isComing: order.refunds.some(isUncertain),
    failed: failedRefundOf(payment, order.refunds),
  };
}

/** Something of it can be refunded now. */
export function isRefundable(payment: Transaction, { order, now }: OrderAt, rules: RefundRules): boolean {
  return order !== undefined && canSend(leftOfPayment(payment, order, rules, now));
}

/** As far as the gateway takes it. */
const isBack = ({ sendable, isComing }: Left) => sendable === 0 && !isComing;

export const canSend = ({ cause, sendable }: Left) => cause === null && sendable > 0;

/** Whether to ask for what is owed. It is settled only once its refunds have ended, because one may still fail. */
const isDue = (left: Left) => canSend(left) || !left.isComing;

/** Whether money has to go back: what pays no order, and what failed to go back. */
export const isToSendBack = (payment: Transaction, { refunds }: Order, left: Left): boolean =>
  owedOf(payment, refunds) > 0 ? isDue(left) : left.failed !== undefined && canSend(left);

/** What only the order says of one that is open or paid. */
const asksOrder = (transaction: Transaction) =>
  TYPES[transaction.type].paysOrder &&
  (isAwaited(transaction) || (transaction.stage === 'succeeded' && !transaction.needsReview));

export async function backsOf(
  transactions: readonly Transaction[],
  { ledger, refundRules }: AdminParts,
): Promise<Backs> {
  const asked = Map.groupBy(transactions.filter(asksOrder), ({ orderId }) => orderId);
  const found = [...asked].map(async ([orderId, payments]) => {
    const at = await ledger.orderAt(orderId);
    return payments.map((payment) => [payment.id, backOf(payment, at, refundRules)] as const);
  });
  return new Map((await Promise.all(found)).flat());
}

/** Of an open payment whose order is closed, and of a paid one of which money went back or cannot go back. */
export function backOf(payment: Transaction, { order, now }: OrderAt, rules: RefundRules): Back | undefined {
  if (order === undefined || !asksOrder(payment)) return undefined;
  const { closed, refunds } = order;
  if (payment.stage !== 'succeeded') return closed === null ? undefined : ['over', 'Closed · may still be paid'];
  const all = leftOfPayment(payment, order, rules, now);
  const { left, sendable } = all;
  // Nothing more of it can be refunded.
  const isAll = sendable === 0;
  const isOwed = paysNothing(payment) && left > 0 && isDue(all);
  const owed = isAll && isOwed ? [`${moneyIn(left, payment)} still owed`] : [];
  const settled = payment.settledMinor > 0 ? [`${moneyIn(payment.settledMinor, payment)} settled another way`] : [];
  const sums = sumsOf(payment, refunds);
  const failed = canSend(all) && all.failed;
  if (sums.size === 0 && !failed && (!paysNothing(payment) || !isAll)) return undefined;
  const isDone = !failed && sums.keys().every((where) => where === BACK);
  const rest = isAll && left > 0 && !paysNothing(payment) ? restText(left, payment) : '';
  const parts = [...sums].map(([where, sum]) => `${sum} ${where === BACK ? '' : 'refund '}${where}`);
  if (failed) parts.push(`refund of ${moneyOf(failed)} failed`);
  const isUrgent = failed || isOwed || isDenied(payment) || sums.has(REVIEWED);
  const toned = (usual: string) => (isUrgent ? 'warn' : sums.has(CHECKED) ? 'wait' : usual);
  const back = sums.get(BACK);
  if (back !== undefined && !paysNothing(payment) && !isDenied(payment)) {
    const [tone, name] = isDone && isAll ? ['over', 'Refunded'] : ['part', 'Partly refunded'];
    // Once each: the name says refunded, and the amount is beside it.
    const said = !isDone ? parts : back === moneyOf(payment) ? [] : [back];
    return [toned(tone), [name, ...said].join(' · '), rest];
  }
  const tone = !paysNothing(payment) ? 'good' : isDone ? 'over' : 'wait';
  return [toned(tone), [statusName(payment), ...parts, ...owed, ...settled].join(' · '), rest];
}

const [BACK, CHECKED, REVIEWED] = ['refunded', 'being checked', 'under review'];

function whereIs(refund: Transaction): string {
  if (refund.needsReview) return REVIEWED;
  if (isBeingChecked(refund)) return CHECKED;
  return refund.stage === 'succeeded' ? BACK : statusName(refund).toLowerCase();
}

/** What counts as sent of a payment, by how far it is. */
function sumsOf(payment: Transaction, refunds: readonly Transaction[]): Map<string, string> {
  const sent = refunds.filter((each) => each.refundOf === payment.id && isReserved(each));
  const sumOf = (of: readonly Transaction[]) => of.reduce((sum, { amountMinor }) => sum + amountMinor, 0);
  return new Map([...Map.groupBy(sent, whereIs)].map(([where, of]) => [where, moneyIn(sumOf(of), payment)]));
}

const NOTHING_YET = ', so there is nothing to do yet';
const SENT_ELSEWHERE = 'Nothing was sent: it was refunded or settled since you looked.';

/** `at`: undefined for what is no payment. */
export function refunding(
  payment: Transaction,
  at: OrderAt | undefined,
  rules: RefundRules,
  form: string,
  typed: Partial<RefundForm>,
  settling?: ResolutionForm,
): Html | '' {
  if (at?.order === undefined || payment.stage !== 'succeeded') return '';
  const { order, now } = at;
  const all = leftOfPayment(payment, order, rules, now);
  const { cause, left, sendable, failed } = all;
  const own = order.refunds.filter(({ refundOf }) => refundOf === payment.id);
  // The review is asked first.
  if (cause === 'under_review' && own.length === 0) return '';
  const isSendable = canSend(all);
  const offered = Math.min(sendable, failed?.amountMinor ?? sendable);
  const isTooMuch = (one: Transaction) =>
    paysNothing(one) && !isDenied(one) && !isBack(leftOfPayment(one, order, rules, now));
  const extra = paysNothing(payment) ? undefined : order.payments.find(isTooMuch);
  const isSecond = isSendable && extra !== undefined && isRefundable(extra, at, rules);
  const isUrgent = !isSecond && isToSendBack(payment, order, all);
  const paying = paysNothing(payment) ? order.payments.find(({ id }) => id === order.paidBy) : undefined;
  const money = moneyIn(left, payment);
  return html`<section class="panel ${isUrgent ? 'urgent' : ''}" aria-labelledby="refunds">
    <h2 id="refunds">${isSendable && isUrgent ? 'To refund' : isUrgent ? `Still owed ${money}` : 'Refunds'}</h2>
    ${
      isUrgent
        ? html`<p class="why">${whyBack(payment, all)}</p>
            ${details([
              ['Came in', html`${amount(payment)} · ${time(succeededAt(payment) ?? payment.updatedAt)}`],
              ['From', wallet(payment.payer)],
              ['Order paid by', paying === undefined ? null : nameOf(paying, succeededAt(paying))],
              ['Order closed', order.closed && time(order.closed.at)],
            ])}`
        : ''
    }
    ${typed.problems && !isSendable ? html`<p class="message bad" role="alert">${SENT_ELSEWHERE}</p>` : ''}
    ${own.length === 0 ? '' : refundTable(own)} ${whatIsNext()}
  </section>`;

  function whatIsNext(): Html {
    const other = own.length > 0 ? 'The other ' : '';
    if (isSecond) return html`<p>This payment pays the order. Refund the other one first: ${nameOf(extra)}.</p>`;
    if (isUrgent)
      return isSendable
        ? refundForm(payment, offered, rules, form, typed)
        : settleForm(payment, form, typed.by, settling);
    if (payment.settledMinor > 0)
      return html`<p>${other}${moneyIn(payment.settledMinor, payment)} was settled another way.</p>`;
    if (cause !== null) return html`<p>It cannot be refunded, because ${NOT_REFUNDABLE[cause]}.</p>`;
    if (left === 0) {
      const open = [...sumsOf(payment, own)].filter(([where]) => where !== BACK);
      const said = open.map(([where, sum]) => `${sum} is ${where}${where === CHECKED ? NOTHING_YET : ''}.`);
      return html`<p>${said.join(' ') || 'All of it is refunded.'}</p>`;
    }
    if (sendable === 0) {
      const how = paysNothing(payment)
        ? 'Settle it another way once the refund has arrived.'
        : 'How you settle it with the customer is not recorded here.';
      return html`<p>${restText(left, payment, other)} ${how}</p>`;
    }
    return html`${extra === undefined ? '' : html`<p>This payment pays the order. The one too many is ${nameOf(extra)}.</p>`}
      <p>
        ${moneyIn(sendable, payment)} can be refunded to the wallet that paid, ${wallet(payment.payer)}.
        ${restText(left - sendable, payment)}
      </p>
      <details ${typed.problems ? 'open' : ''}>
        <summary class="button quiet">Refund${extra === undefined ? '' : ' as well'}…</summary>
        ${refundForm(payment, offered, rules, form, typed)}
      </details>`;
  }
}

/** When the money moved, or when it was started. */
function timeOf(refund: Transaction): Html {
  const at = succeededAt(refund);
  const verb = STAGES[refund.stage].status === 'FAILED' ? 'tried' : 'started';
  return at === undefined ? html`${verb} ${time(refund.createdAt)}` : time(at);
}

function refundTable(refunds: readonly Transaction[]): Html {
  return cards(
    'Refunds, oldest first',
    ['Refund', ['Amount', 'right'], 'Status', `Time, ${serverClock.zone}`],
    refunds.map((refund) => [
      html`<a href="${linkTo(refund)}">${refund.id}</a>`,
      amount(refund),
      statusAndReason(refund),
      timeOf(refund),
    ]),
    'lines',
  );
}

function refundForm(
  payment: Transaction,
  offered: number,
  { payoutDecimals }: RefundRules,
  form: string,
  typed: Partial<RefundForm>,
): Html {
  const { currency } = payment;
  const offer = decimalOf(offered, currency);
  const { amount: asked = payoutDecimals ? offer : offer.replace(/\.0+$/, ''), note, by, problems } = typed;
  return html`<form method="post" action="${linkTo(payment)}/refund" novalidate>
    ${hidden({ form })}
    ${textField({
      form: 'refund',
      name: 'amount',
      label: `Amount (${payoutDecimals ? '' : 'whole '}${currency})`,
      value: asked,
      maxlength: 20,
      problems,
      isDecimal: true,
    })}
    ${nameField('refund', by, problems)}
    ${optionalField('refund', 'note', 'Note to the customer (optional)', note, problems)}
    <button>Continue</button>
    <p class="hint">Nothing is sent yet: the next page says what will happen.</p>
  </form>`;
}

/** Ends what is owed: with the form of a review, which asks for no outcome. */
function settleForm(payment: Transaction, form: string, name: string | undefined, typed?: ResolutionForm): Html {
  const { by = name, note, refused } = typed ?? {};
  return html`<form method="post" action="${linkTo(payment)}/resolve" novalidate>
    ${hidden({ form, version: payment.version, status: 'SETTLED' })} ${nameField('settle', by, refused)}
    ${textField({ form: 'settle', name: 'note', label: 'How it was settled', value: note, maxlength: 500, problems: refused })}
    <button>Continue</button>
    <p class="hint">Nothing changes yet: the next page says what will happen.</p>
  </form>`;
}

/** Of a payment that pays its order: the cents that the gateway does not take. */
const restText = (amountMinor: number, payment: Transaction, other = 'The other ') =>
  amountMinor > 0
    ? `${other}${moneyIn(amountMinor, payment)} cannot be refunded: the gateway sends whole amounts only.`
    : '';

const moneyIn = (amountMinor: number, { currency }: Transaction) => moneyOf({ amountMinor, currency });

/** What is wrong with an amount, in words; undefined if it can be sent. */
export function problemOf(
  amountMinor: number | undefined,
  payment: Transaction,
  { left, sendable }: Left,
  rules: RefundRules,
) {
  const most = moneyIn(sendable, payment);
  if (amountMinor === undefined)
    return `An amount in ${payment.currency}, such as ${rules.payoutDecimals ? '4.50' : '4'}.`;
  if (amountMinor > sendable)
    return left === sendable
      ? `At most ${most} can be refunded.`
      : `At most ${most} can be refunded: the gateway sends whole amounts only.`;
  if (amountMinor === 0) return 'More than 0.';
  const isWhole = sendableOf(amountMinor, payment.currency, rules) === amountMinor;
  return isWhole ? undefined : 'A whole amount: the gateway sends no decimals.';
}

/** `Refund €4.00 to •••• 6789?` */
export const refundTitle = (payment: Transaction, amountMinor: number) =>
  `Refund ${moneyIn(amountMinor, payment)} to ••••\u00A0${walletEnd(payment.payer ?? '')}?`;

/** Its form has a key of its own, so that a second press sends nothing more, and what was left when it was made. */
export function refundPage(
  payment: Transaction,
  { amountMinor, left, ...typed }: Pick<RefundForm, 'amount' | 'note' | 'by'> & { amountMinor: number; left: number },
  rules: RefundRules,
  form: string,
): Html {
  const stays = left - amountMinor;
  const owed = paysNothing(payment) ? owedTexts(stays, payment, rules) : [];
  const later = sendableOf(stays, payment.currency, rules);
  const most = later > 0 ? moneyIn(later, payment) : stays > 0 ? '' : 'Nothing.';
  const refundable: [string, string[]][] = paysNothing(payment)
    ? []
    : [['Can still be refunded', [most, restText(stays - later, payment)].filter(Boolean)]];
  return decision({
    rows: [
      ['What happens', ['The money goes to the wallet that paid, once, and cannot be called back.', ...owed]],
      ...refundable,
      ['The shopper sees', ['The refund is on its way, once the gateway has accepted it.']],
      ['Note to the customer', [typed.note === '' ? 'None.' : `“${typed.note}”`]],
      ['If the answer is lost', ['Status checks find out what happened. Nothing is sent twice.']],
    ],
    action: `${linkTo(payment)}/refund`,
    fields: hidden({ form, confirmed: 'yes', key: randomUUID(), left, ...typed }),
    button: `Refund ${moneyIn(amountMinor, payment)}`,
    back: linkTo(payment),
  });
}

/** Of money that pays no order: all that does not go back is owed. */
function owedTexts(stays: number, payment: Transaction, rules: RefundRules): string[] {
  const later = sendableOf(stays, payment.currency, rules);
  return [
    ...(later === 0 ? [] : [`${moneyIn(later, payment)} is still to be refunded.`]),
    ...(later === stays ? [] : [owedText(moneyIn(stays - later, payment))]),
  ];
}

// Closing an order that is not paid, from one of its payments.

export interface ClosingForm {
  by: string;
  reason: string;
  problems: Problems;
}

export function closingPage(transaction: Transaction, order: Order, typed: ClosingForm, form: string): Html {
  const { by, reason, problems } = typed;
  const payable = order.payments.filter(isPayable).map(({ id }) => id);
  const mayBePaid = `The gateway cannot cancel: ${payable.join(', ')} may still be paid. Money that still comes has to be refunded.`;
  const question = decision({
    rows: [
      [
        'What happens',
        [
          'No payment of it starts any more, and it cannot be opened again.',
          ...(payable.length === 0 ? [] : [mayBePaid]),
        ],
      ],
      ['The shopper sees', ['The shop has closed the order, and whom to ask if it is paid.']],
    ],
    action: `${linkTo(transaction)}/close`,
    fields: html`${hidden({ form })} ${nameField('closing', by, problems)}
    ${optionalField('closing', 'reason', 'Reason, for you only (optional)', reason, problems)}`,
    button: 'Close the order',
    back: linkTo(transaction),
  });
  return html`<p class="lead">${nameOf(transaction)} · ${amount(transaction)} · ${status(transaction)}</p>
    ${question}`;
}

// The second step of what an operator does: the page's heading asks, then what happens, and one button that does it.

interface Decision {
  /** What changes, each under its name. */
  rows: readonly (readonly [name: string, sentences: readonly (string | Html)[]])[];
  action: string;
  /** Of the form. */
  fields: Html;
  button: string;
  isDanger?: boolean;
  back: string;
}

export function decision({ rows, action, fields, button, isDanger, back }: Decision): Html {
  return html`<section class="panel decision">
    <dl>
      ${rows.map(
        ([name, sentences]) =>
          html`<div>
            <dt>${name}</dt>
            ${sentences.map((sentence) => html`<dd>${sentence}</dd>`)}
          </div>`,
      )}
    </dl>
    <form method="post" action="${action}" novalidate>
      ${fields}
      <div class="buttons">
        <button ${isDanger ? html`class="danger"` : ''}>${button}</button> <a href="${back}">Cancel</a>
      </div>
    </form>
  </section>`;
}

/** What was confirmed is not what would happen now. */
export function changedMessage(what: string): Html {
  return html`<p class="message bad" role="alert">
    Nothing was done: ${what} has changed since you looked. This is what would happen now.
  </p>`;
}
