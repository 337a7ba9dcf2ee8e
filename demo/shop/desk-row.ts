// One payment, payout or refund of the desk: a line, and what opens below it.
import { html, raw } from 'hono/html';
import { formatMoney } from './catalog.ts';
import type { Clock } from './desk-clock.ts';
import {
  badgeOf,
  detailOf,
  eventName,
  explanationOf,
  methodOf,
  sourceName,
  stateOf,
  walletEnd,
  type Badge,
  type State,
} from './desk-words.ts';
import type { Markup } from './page.ts';
import { isPayment, type Refund, type Transaction } from './proxy-client.ts';
import { refundable, refundsOf } from './refunds.ts';

/** Each tone has a shape too, for those who do not see its color. */
const SHAPES: Record<Badge['tone'], string> = {
  good: '<circle cx="8" cy="8" r="7.25" fill="currentColor"/><path d="m4.8 8.3 2.2 2.2 4.2-4.6" stroke="var(--wash)"/>',
  bad: '<circle cx="8" cy="8" r="6.5"/><path d="m5.6 5.6 4.8 4.8M10.4 5.6l-4.8 4.8"/>',
  warn: '<path d="M8 1.9 14.7 13.8H1.3z" fill="currentColor"/><path d="M8 6.2v3.4M8 11.6v.1" stroke="var(--wash)"/>',
  wait: '<circle cx="8" cy="8" r="6.5"/><path d="M8 4.4V8l2.4 1.6"/>',
  over: '<circle cx="8" cy="8" r="6.5"/><path d="M5 8h6"/>',
};

export function transactionRow(entry: Transaction, refunds: readonly Refund[], clock: Clock): Markup {
  const { orderId, createdAt, status } = entry;
  const state = stateOf(entry, refunds);
  const badge = badgeOf(entry, state);
  const sent = isPayment(entry) ? refundsOf(entry, refunds) : [];
  const wallet = isPayment(entry) ? entry.payer : entry.customer;
  const about = [wallet && walletEnd(wallet), noteOf(entry), ...sent.map(sentBack)];
  return html`<li
    class="${state === 'review' ? 'warn' : ''}"
    data-status="${status}"
    data-key="${orderId} ${createdAt}"
  >
    <details>
      <summary>
        <b class="amount">${amountOf(entry)}</b>
        <span class="chip ${badge.tone}">${shapeOf(badge)}${badge.label}</span>
        <span class="names"><span class="what">${methodOf(entry)}</span> <span class="id">${orderId}</span></span>
        <span class="about">${about.filter(Boolean).join(' · ')}</span>
        <time datetime="${createdAt}">${clock.timeOf(new Date(createdAt))}</time>
      </summary>
      ${opened(entry, state, refunds, clock)}
    </details>
  </li>`;
}

/** A payout is shown with a minus sign. */
function amountOf(entry: Transaction): string {
  return `${isPayment(entry) ? '' : '−'}${formatMoney(entry.amount, entry.currency)}`;
}

function noteOf(entry: Transaction): string | null {
  return isPayment(entry) ? null : entry.note;
}

function shapeOf({ tone }: Badge) {
  return raw(`<svg viewBox="0 0 16 16" aria-hidden="true">${SHAPES[tone]}</svg>`);
}

function sentBack({ status, amount, currency }: Refund): string {
  return `${formatMoney(amount, currency)} ${status === 'SUCCESS' ? 'sent back' : 'on its way back'}`;
}

function opened(entry: Transaction, state: State, refunds: readonly Refund[], clock: Clock): Markup {
  const sent = isPayment(entry) ? refundsOf(entry, refunds) : [];
  const facts = [
    ['Order', entry.orderId],
    ['Method', methodOf(entry)],
    [isPayment(entry) ? 'Wallet asked' : 'Wallet', entry.customer],
    ['Paid by', isPayment(entry) ? entry.payer : null],
    ['Note', noteOf(entry)],
    ...sent.map((refund) => ['Refund', `${sentBack(refund)}, as ${refund.gatewayOrderId}`] as const),
  ] as const;
  const explanation = explanationOf(entry, state);
  return html`<div class="opened">
    ${explanation === undefined ? '' : html`<p>${explanation}</p>`}
    <dl>
      ${facts.map(([name, value]) =>
        value
          ? html`<div>
              <dt>${name}</dt>
              <dd>${value}</dd>
            </div>`
          : '',
      )}
    </dl>
    <ol class="history" aria-label="What happened">
      ${entry.history.map((step) => {
        const detail = detailOf(step);
        return html`<li>
          <time datetime="${step.at}">${clock.exactTimeOf(new Date(step.at))}</time>
          <span><b>${eventName(step)}</b> ${sourceName(step)}${detail && html` · ${detail}`}</span>
        </li>`;
      })}
    </ol>
    ${refundLink(entry, refunds)}
  </div>`;
}

/** The link has the payment's id: a URL must not have a wallet id. */
function refundLink(entry: Transaction, refunds: readonly Refund[]): Markup | '' {
  if (!isPayment(entry) || refundable(entry, refunds) === 0) return '';
  return html`<p>
    <a
      class="button plain"
      href="/desk?back=${encodeURIComponent(entry.gatewayOrderId)}#send"
      aria-label="Send money back for ${entry.orderId}"
      >Send money back</a
    >
  </p>`;
}
