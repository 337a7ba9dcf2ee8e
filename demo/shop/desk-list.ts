// The desk's list: the newest payments, payouts and refunds by day, and the totals above them. What is to review is
// what the operator's page has under that name: `needsReview`, or money that pays no order and is not yet sent back.
import { html } from 'hono/html';
import type { Payment, Refund, Transaction } from '../../backend-proxy/client.ts';
import { CURRENCY, centsOf, decimal, formatMoney } from './catalog.ts';
import { page, type Markup, type Site } from './page.ts';

/** Of the last seven days, newest first. */
export interface DeskList {
  entries: readonly Transaction[];
  /** Why there are none. */
  problem?: string;
}

const MAX_SHOWN = 100;

const days = new Intl.DateTimeFormat('en-IE', { weekday: 'long', day: 'numeric', month: 'long' });
const times = new Intl.DateTimeFormat('en-IE', { timeStyle: 'short', hourCycle: 'h23' });

export function deskPage(list: Markup, site: Site): Markup {
  return deskFrame(
    'Payments and payouts',
    site,
    html`<div class="head">
        <h1>Payments and payouts</h1>
        <a class="button" href="/desk/send">Send a payout</a>
      </div>
      <div data-live>${list}</div>`,
  );
}

export function deskFrame(title: string, site: Site, body: Markup): Markup {
  const menu = {
    label: 'Desk',
    home: '/desk',
    tag: 'Desk',
    links: [{ href: '/', text: 'The shop', isCurrent: false }],
    footer:
      'Anyone who can open this page can send money. In your own shop, put this page behind your staff’s sign-in.',
  };
  const files = { styles: ['/assets/desk.css'], scripts: ['/assets/desk.js'] };
  return page({ title: `${title} · Desk`, place: 'desk', menu, ...files, site }, body);
}

/** The part that desk.js refreshes. */
export function deskList({ entries, problem }: DeskList, now: Date, operatorUrl?: string): Markup {
  if (problem !== undefined) return html`<p class="message bad" role="alert">${problem}</p>`;
  const shown = entries.filter((entry, at) => at < MAX_SHOWN || isToReview(entry, entries));
  const byDay = Map.groupBy(shown, ({ createdAt }) => days.format(new Date(createdAt)));
  const rows = [...byDay].map(
    ([day, ofDay], at) =>
      html`<section aria-labelledby="day-${at}">
        <h2 id="day-${at}">${day === days.format(now) ? `Today, ${day}` : day}</h2>
        <ul class="transactions card">
          ${ofDay.map((entry) => row(entry, entries, operatorUrl))}
        </ul>
      </section>`,
  );
  return html`${totals(entries, now)} ${rows}
  ${entries.length === 0 ? html`<p class="message">No payment yet. Pay for an <a href="/">order in the shop</a>.</p>` : ''}
  ${entries.length > MAX_SHOWN ? html`<p class="quiet">The newest ${MAX_SHOWN}. The operator’s page has all.</p>` : ''}`;
}

function totals(entries: readonly Transaction[], now: Date): Markup {
  const today = days.format(now);
  const paid = entries.filter(
    ({ status, createdAt }) => status === 'SUCCESS' && days.format(new Date(createdAt)) === today,
  );
  // All that came in, also what pays nothing: what is sent back of it counts as sent.
  const received = paid.filter(isPayment);
  const sent = paid.filter((entry) => !isPayment(entry));
  const waiting = entries.filter(isWaiting);
  const toReview = entries.filter((entry) => isToReview(entry, entries));
  const [first] = toReview;
  return html`<dl class="totals card">
    <div class="${first ? 'warn' : ''}">
      <dt>To review</dt>
      <dd>
        ${toReview.length}
        <small>${first ? html`<a href="#${first.gatewayOrderId}">see below</a>` : 'all clear'}</small>
      </dd>
    </div>
    ${total('Received today', received)} ${total('Sent today', sent)} ${total('Waiting', waiting)}
  </dl>`;
}

/** Another currency cannot be added, so it does not count; this shop's tokens have only one. */
function total(name: string, entries: readonly Transaction[]): Markup {
  const ours = entries.filter(({ currency }) => currency === CURRENCY);
  const cents = ours.reduce((sum, { amount }) => sum + centsOf(amount), 0);
  const counts = [...Map.groupBy(ours, ({ type }) => `${KINDS[type]}`.toLowerCase())].map(
    ([kind, { length }]) => `${length} ${kind}${length === 1 ? '' : 's'}`,
  );
  return html`<div>
    <dt>${name}</dt>
    <dd>${formatMoney(decimal(cents), CURRENCY)} <small>${counts.join(', ') || 'none'}</small></dd>
  </div>`;
}

function row(entry: Transaction, entries: readonly Transaction[], operatorUrl: string | undefined): Markup {
  const { orderId, createdAt, status } = entry;
  const { tone, label } = badgeOf(entry, entries);
  // A method that a newer proxy has is shown by its name.
  const kind = (isPayment(entry) && entry.method) || entry.type;
  const wallet = isPayment(entry) ? entry.payer : entry.customer;
  const sent = isPayment(entry) ? refundsOf(entry, entries).map(sentBack) : [];
  const at = html`<time datetime="${createdAt}">${times.format(new Date(createdAt))}</time>`;
  const kept = isPayment(entry) && paysNothing(entry) && tone === 'good' ? centsLeft(entry, entries) : 0;
  const stays = kept > 0 && `${formatMoney(decimal(kept), entry.currency)} stays with you`;
  const about = [wallet && walletEnd(wallet), isPayment(entry) ? null : entry.note, ...sent, stays];
  const advice = adviceOf(entry, entries);
  const tint = isToReview(entry, entries) ? 'warn' : '';
  return html`<li id="${entry.gatewayOrderId}" class="${tint}" data-status="${status}" data-order="${orderId}">
    <b class="amount">${isPayment(entry) ? '' : '−'}${formatMoney(entry.amount, entry.currency)}</b>
    <span class="chip ${tone}"><span aria-hidden="true">${SIGNS[tone]}</span> ${label}</span>
    <span class="names">${KINDS[kind] ?? kind} <span class="id">${orderId}</span></span>
    <span class="about">${at}${about.filter(Boolean).map((text) => ` · ${text}`)}</span>
    ${action(entry, entries, operatorUrl)} ${advice === undefined ? '' : html`<p>${advice}</p>`}
  </li>`;
}

function action(entry: Transaction, entries: readonly Transaction[], operatorUrl: string | undefined): Markup | '' {
  const order = encodeURIComponent(entry.orderId);
  if (entry.needsReview && operatorUrl) {
    const href = `${operatorUrl}/transactions/${encodeURIComponent(entry.gatewayOrderId)}#review`;
    return html`<a href="${href}" aria-label="Review ${entry.orderId}">Review</a>`;
  }
  if (isPayment(entry) && refundable(entry, entries) > 0 && !hasExtra(entry, entries)) {
    // It has the payment's id: a URL must not have a wallet id.
    const href = `/desk/send?order=${order}&payment=${encodeURIComponent(entry.gatewayOrderId)}`;
    return html`<a href="${href}" aria-label="Send back the money for ${entry.orderId}">Send back</a>`;
  }
  const pays = (other: Transaction) => isPayment(other) && other.status === 'SUCCESS' && !paysNothing(other);
  // A paid order cannot be closed.
  const isPaid = entries.some((other) => other.orderId === entry.orderId && pays(other));
  if (isPaid || !isWaiting(entry)) return '';
  return html`<a href="/desk/close?order=${order}" aria-label="Close the order ${entry.orderId}">Close</a>`;
}

function sentBack({ status, needsReview, amount, currency }: Refund): string {
  const how = needsReview ? 'back, to review' : status === 'SUCCESS' ? 'sent back' : 'on its way back';
  return `${formatMoney(amount, currency)} ${how}`;
}

const KINDS: Record<string, string> = {
  PAY: 'Payment',
  PAYOUT: 'Payout',
  REFUND: 'Refund',
  DIRECT: 'Wallet app',
  CHECKOUT: 'Wallet website',
  JETGO: 'JetGo',
  QR: 'QR code',
};

/** Each tone has a sign too, for those who do not see its color. */
const SIGNS = { good: '✓', bad: '✕', warn: '!', wait: '…', over: '–' };

/** By the gateway's code, or by the reason. */
const ENDED: Record<string, string> = {
  USER_CANCELLED: 'Canceled',
  INSUFFICIENT_BALANCE: 'Too little money',
  DECLINED: 'Declined',
  EXPIRED: 'Expired',
  REPLACED: 'Replaced',
  REJECTED: 'Refused',
  NOT_CREATED: 'Not started',
  RESOLVED: 'Closed by staff',
};

function badgeOf(entry: Transaction, entries: readonly Transaction[]): { tone: keyof typeof SIGNS; label: string } {
  if (isPayment(entry) && paysNothing(entry)) {
    const sent = refundsOf(entry, entries);
    if (isToReview(entry, entries)) return { tone: 'warn', label: causeOf(entry) };
    if (sent.length === 0) return { tone: 'over', label: causeOf(entry) };
    const isBack = sent.every(({ status }) => status === 'SUCCESS');
    return { tone: isBack ? 'good' : 'wait', label: `${causeOf(entry)} · ${isBack ? 'sent back' : 'on its way back'}` };
  }
  const done = isPayment(entry) ? 'Paid' : isRefund(entry) ? 'Sent back' : 'Paid out';
  if (entry.needsReview)
    return { tone: 'warn', label: entry.status === 'SUCCESS' ? `${done}, to review` : 'Needs review' };
  if (isOpen(entry)) return { tone: 'wait', label: isPayment(entry) ? 'Waiting' : 'On its way' };
  // Nobody has to act on a payment that did not happen; a payout or refund may have to be sent again.
  const code = isPayment(entry) && entry.history.findLast(({ event }) => event === 'declined')?.detail;
  const end = ENDED[code || ''] ?? ENDED[entry.reason ?? ''] ?? 'Failed';
  if (entry.status === 'FAILED') return { tone: isPayment(entry) ? 'over' : 'bad', label: end };
  return { tone: 'good', label: done };
}

function adviceOf(entry: Transaction, entries: readonly Transaction[]): string | undefined {
  if (!isToReview(entry, entries)) return isPayment(entry) || entry.status !== 'FAILED' ? undefined : unsent(entry);
  if (!isPayment(entry) || !paysNothing(entry)) return reviewReason(entry);
  return `The order was ${entry.surplus ? 'paid already' : 'closed before'}. Send this money back to the customer.`;
}

/** A payout or refund that failed: the chip says how. */
function unsent({ history }: Transaction): string {
  const code = history.findLast(({ event }) => event === 'declined' || event === 'rejected')?.detail ?? 'DECLINED';
  const why = code === 'DECLINED' ? '' : `The gateway says: ${ENDED[code]?.toLowerCase() ?? code}. `;
  return `${why}No money moved, so you can send it again.`;
}

/** The last that the history says; a mismatch and a conflict say why before the review. */
function reviewReason({ history }: Transaction): string {
  const flags = /^(mismatch|conflict|needs_review)$/;
  const at = history.findLastIndex(({ event, detail }) => flags.test(event) && detail !== null && !flags.test(detail));
  const isConfirmed = history.some(({ event, source }, i) => i > at && event === 'succeeded' && source !== 'person');
  const said = history[at]?.detail ?? 'no outcome in time';
  const words = said.replaceAll('SUCCESS', 'success').replaceAll('FAILED', 'failure');
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}${isConfirmed ? '; the gateway confirmed it later' : ''}.`;
}

const paysNothing = ({ surplus, afterClose }: Payment) => surplus || afterClose;
const causeOf = ({ surplus }: Payment) => (surplus ? 'Paid twice' : 'Paid after closing');
const isPayment = (entry: Transaction): entry is Payment => 'payer' in entry;
const isRefund = (entry: Transaction): entry is Refund => 'refundOf' in entry;
const isWaiting = (entry: Transaction) => isPayment(entry) && isOpen(entry) && !entry.needsReview;
const isOpen = ({ status }: Transaction) => status === 'INITIALIZED' || status === 'PROCESSING';

/** Money that pays no order is to review until it is on its way back. */
function isToReview(entry: Transaction, entries: readonly Transaction[]): boolean {
  if (entry.needsReview || !isPayment(entry) || !paysNothing(entry)) return entry.needsReview;
  return entry.payer === null || refundable(entry, entries) > 0;
}

/** The extra money of its order goes back first, so that nobody sends back the payment that paid it instead. */
function hasExtra(entry: Payment, entries: readonly Transaction[]): boolean {
  const extra = entries.filter(isPayment).filter((other) => other.orderId === entry.orderId && paysNothing(other));
  return !paysNothing(entry) && extra.some((other) => refundable(other, entries) > 0);
}

/** Those of this payment that did not fail: the money has arrived, or may still arrive. */
function refundsOf({ gatewayOrderId }: Payment, entries: readonly Transaction[]): Refund[] {
  return entries.filter(isRefund).filter(({ refundOf, status }) => refundOf === gatewayOrderId && status !== 'FAILED');
}

/**
 * Cents that are left, if a whole unit is: the gateway accepts no decimals. 0 if nothing can be sent back: the wallet
 * that paid has to be known, and nothing is sent while it is in doubt whether the money came. The proxy decides.
 */
export function refundable(payment: Payment, entries: readonly Transaction[]): number {
  const { status, payer, currency, needsReview } = payment;
  if (status !== 'SUCCESS' || needsReview || payer === null || currency !== CURRENCY) return 0;
  const left = centsLeft(payment, entries);
  return left < 100 ? 0 : left;
}

function centsLeft(payment: Payment, entries: readonly Transaction[]): number {
  return refundsOf(payment, entries).reduce((left, { amount }) => left - centsOf(amount), centsOf(payment.amount));
}

/** `•••• 5678`: at most half of a short id. */
export function walletEnd(id: string): string {
  return `••••\u00A0${id.slice(Math.max(id.length - 4, Math.ceil(id.length / 2)))}`;
}
