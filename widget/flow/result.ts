// The result: paid, with the details; closed by the shop; failed, with the reason, what happened to the money, and what
// the shopper can do next; or that nothing more can be done with this token.
import type { TemplateResult } from 'lit';
import type { Reason } from '../../backend-proxy/protocol/wire.ts';
import type { MessageKey } from '../locales/en.ts';
import type { PanelContext } from '../shell/choose.ts';
import type { Trouble } from '../shell/state.ts';
import { backButton, canReturn } from './choice-notes.ts';
import {
  againButton,
  both,
  button,
  helpLink,
  nothingIn,
  onePaymentNote,
  orderName,
  otherNote,
  othersOf,
  otherMethodButton,
  payName,
  reference,
  shopLink,
  sign,
  startedPayment,
  timeOf,
  waysOut,
} from './parts.ts';
import { asksWalletId, heading, html, offeredMethods } from './provided.ts';
import type { Shown } from './view.ts';

/** Also of an order that the shop closed before the money came. */
export function paid(context: PanelContext): TemplateResult {
  const { say, money, state } = context;
  const { order } = state;
  const {
    payment,
    closed: isClosed,
    owedAmount,
    received,
    refunds,
    surplusAmount,
    refundInDoubtAmount,
    refundFailedAmount,
  } = order;
  const isTwice = !!received[1];
  const only = isTwice ? null : payment;
  const back = sumOf(refunds.filter(({ status }) => status === 'SUCCESS'));
  const gone = sumOf(refunds);
  // What neither goes back nor is owed went another way, which no row has. Without the noise of floating point.
  const addsUp = gone ? !refundInDoubtAmount && (owedAmount || gone + 0.001 > Number(surplusAmount)) : isTwice;
  // In the order of their urgency.
  const sums: Record<string, number> = {
    refundInDoubt: Number(refundInDoubtAmount),
    onItsWay: gone - back,
    refundFailed: Number(refundFailedAmount),
    refunded: back,
  };
  const refund = !owedAmount && Object.keys(sums).find((each) => sums[each]);
  const title = refund || (isClosed ? 'closed' : owedAmount ? 'surplus' : 'paid');
  // The shop has to act.
  const isDue = owedAmount || title === 'refundFailed';
  const look = isDue ? 'warning' : title === 'paid' ? title : 'ended';
  const drawn = isDue || !refund ? look : title === 'refunded' ? 'paid' : 'clock';
  // Without that noise, to as many digits as any currency has, and with a minus rather than a hyphen.
  const shown = (value: number) => money(value.toFixed(4)).replace('-', '\u2212');
  return html`${sign(look, drawn)}${heading(say(title as MessageKey, { amount: shown(sums[title] ?? 0) }))}
    ${refund && (isClosed || isTwice) ? html`<small>${say(isClosed ? 'closed' : 'surplus')}</small>` : ''}
    ${refund && refundInDoubtAmount ? html`<p>${say('checking_help')}</p>` : ''}
    ${owedAmount ? html`<p class="announce">${say('owed', { amount: money(owedAmount) })}</p>` : ''}
    ${otherNote('doNotConfirm', context)}
    <dl part="details">
      ${
        isTwice
          ? received.map((each) =>
              detail(html`${payName(each, context)}<small>${timeOf(each.paidAt, context)}</small>`, money(each.amount)),
            )
          : detail(say('amount'), money(order.amount))
      }
      ${detail(say('sentBack'), back && shown(-back))} ${detail(say('refunding'), gone > back && shown(back - gone))}
      ${detail(say(gone ? 'net' : 'total'), addsUp && shown(sumOf(received) - gone), 'sum')}
      ${detail(say('refundInDoubt'), !refund && money(refundInDoubtAmount))}
      ${detail(say('refundFailed'), title !== 'refundFailed' && money(refundFailedAmount))}
      ${detail(say('method'), only && payName(only, context))}
      ${detail(say('order'), html`<bdi dir="ltr">${order.orderId}</bdi>`)}
      ${detail(say('date'), only && timeOf(only.paidAt, context))}
    </dl>
    ${isDue ? waysOut('shop', context) : shopLink('primary', context)}
    ${button('print', 'quiet', say('print'), () => print())} ${isClosed ? '' : html`<slot name="success"></slot>`}`;
}

const sumOf = (all: { amount: string }[]): number => all.reduce((sum, { amount }) => sum + Number(amount), 0);

/** Nothing without a value. */
const detail = (
  name: string | TemplateResult,
  value: string | TemplateResult | 0 | false | null,
  role = '',
): TemplateResult | '' =>
  value
    ? html`<div class=${role}>
        <dt>${name}</dt>
        <dd>${value}</dd>
      </div>`
    : '';

/** Also where a payment is under way, and of a payment that a person of the shop has ended after its success. */
export function closed(context: PanelContext): TemplateResult {
  const { say, state } = context;
  const { payment, closed: isClosed } = state.order;
  if (payment?.paidAt && !payment.reason) return paid(context);
  return html`${sign('ended')}${heading(say(isClosed ? 'closed' : 'RESOLVED'))}
    <p>${isClosed ? both('closed_help', 'RESOLVED_help', context) : say('RESOLVED_help')}</p>
    ${payment && !payment.reason ? html`<p>${startedPayment(payment, context)}</p>` : ''}
    <small>${orderName(context)}</small>
    ${waysOut('help', context)}`;
}

export function failed(
  { method, reason, cause }: Extract<Shown, { panel: 'failed' }>,
  context: PanelContext,
): TemplateResult {
  const { say, state } = context;
  // A reason newer than this file has no text of its own. The view has the newest payment, which nothing replaced.
  const key = (reason && say(`${reason}_help` as MessageKey) ? reason : 'DECLINED') as Exclude<Reason, 'REPLACED'>;
  // A shopper who typed nothing in this page has no details to check.
  const isTyped = (asksWalletId(method, state.claims) && state.form.customer) || state.form.amount;
  const isLow = cause === 'LOW_BALANCE';
  // What the gateway itself has ended can no longer be confirmed, so nothing more is said of it.
  const isPlain = (key === 'REJECTED' && !isTyped) || cause === 'TOKEN_EXPIRED';
  const help = isLow ? cause : isPlain ? 'DECLINED' : key;
  const isOver = !/EXPIRED|RESOLVED/.test(help);
  // An earlier payment may have been paid, such as a request whose answer was lost; the note below names it.
  const isOther = isOver && !!othersOf(state)[0];
  const mayBePaid = isOther || help === 'EXPIRED';
  // Where there is no other way, none is named.
  const isOnly = isOver && !isLow && !offeredMethods(state)[1];
  // A person at the shop closed the payment, so the shop decides about another try.
  const isResolved = key === 'RESOLVED';
  return html`${sign(SIGNS[key] ?? 'ended')}${heading((cause && say(cause as MessageKey)) || say(key))}
    ${isOther ? '' : html`<p class="announce" part="error">${say(isOnly ? 'notTaken' : `${help}_help`)}</p>`}
    <slot name="failed"></slot>
    ${isResolved ? html`<small>${orderName(context)}</small>` : ''} ${onePaymentNote(context, mayBePaid)}
    ${backButton(context)}
    ${isResolved ? waysOut('help', context) : againButton(method, context, mayBePaid ? 'second' : 'primary')}
    ${otherMethodButton(context)} ${isResolved ? '' : helpLink('quiet', context)}`;
}

/** Red is what the shopper has to act on; a clock is what may still change by itself. */
const SIGNS: Partial<Record<Reason, 'wrong' | 'clock'>> = { REJECTED: 'wrong', EXPIRED: 'clock' };

/**
 * Nothing more can be done with this token, or no new payment is accepted: says what happened, whether money moved, and
 * what to do. A code newer than this file gets a text of its own. If a new page helps, a button reloads it; if only new
 * payments are refused, another button returns to the open one.
 */
export function trouble(refused: Trouble, context: PanelContext): TemplateResult {
  const { say, state } = context;
  const { payment } = state.order;
  // The open payment may be paid by now, but this page no longer receives views. A reloaded page does.
  const mayBePaid = state.activity.at === 'stopped' && payment && payment.status !== 'FAILED';
  const code = mayBePaid ? 'token_expired' : refused.code;
  const isOver = code === 'token_expired';
  if (code === 'already_paid')
    return html`${sign('paid')}${heading(say('already_paid'))}
      <p>${say('already_paid_help')}</p>
      ${waysOut('shop', context)}`;
  const help = `${code}_help` as 'too_many_payments_help';
  const isKnown = say(help);
  // The open payment has the terms of before.
  const isBack = canReturn(state) && code !== 'order_changed';
  const text = isKnown ? help : 'too_many_payments_help';
  return html`${sign(isOver ? 'clock' : 'wrong')}${heading(say(isKnown ? (code as MessageKey) : 'NOT_CREATED'))}
    <p class="announce" part="error">
      ${isBack ? both('notStarted', 'otherOpen', context) : say(text, nothingIn(context))}
    </p>
    ${reference(refused.requestId, context)}
    ${isOver ? button('again', 'primary', say('reload'), () => location.reload()) : ''}
    ${isBack ? backButton(context) : ''} ${waysOut(code === 'order_changed' ? 'shop' : 'help', context)}`;
}
