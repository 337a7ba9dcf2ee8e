// The desk's list: totals, what is to review and to send back as on the operator's page, and the newest by day.
import { html } from 'hono/html';
import type { Payment, Refund, Transaction } from '../../backend-proxy/client.ts';
import { CURRENCY, centsOf, decimal, formatMoney } from './catalog.ts';
import { page, type Markup, type Site } from './page.ts';

/** `isClosed`: the order of a payment that waits. */
export type Entry = Transaction & { isClosed?: boolean };

export const MAX_SHOWN = 100;
const days = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium' });
const times = new Intl.DateTimeFormat('en-GB', { timeStyle: 'short' });

export function deskPage(list: Markup, site: Site): Markup {
  return deskFrame(
    'Payments',
    site,
    html`<div class="head">
        <h1>Payments</h1>
        <a class="button plain" href="/desk/send">Send a payout</a>
        <input hidden type="search" aria-label="Find a payment or payout" placeholder="Find a payment" />
      </div>
      <output></output>
      <div data-live>${list}</div>`,
  );
}

export function deskFrame(title: string, site: Site, body: Markup): Markup {
  const links = [{ href: '/', text: 'The shop', isCurrent: false }];
  const footer = 'Anyone who can open this page can send money. In your own shop, put it behind your staff’s sign-in.';
  const menu = { label: 'Desk', home: '/desk', tag: 'Desk', links, footer };
  const files = { styles: ['/assets/desk.css'], scripts: ['/assets/desk.js'] };
  return page({ title: `${title} · Desk`, place: 'desk', menu, ...files, site }, body);
}

/** The part that desk.js refreshes: first what waits for a person. `doneId`: of what was just sent or closed. */
export function deskList(entries: readonly Entry[], now: Date, doneId?: string, operatorUrl?: string): Markup {
  const today = days.format(now);
  const section = (name: string, listed: readonly Entry[], count?: number) =>
    html`<section aria-label="${name}">
      <h2>${name} <span class="quiet">${count}</span></h2>
      <ul class="transactions card">
        ${listed.map((entry) => row(entry, entries, today, doneId, operatorUrl))}
      </ul>
    </section>`;
  const newest = entries.slice(0, MAX_SHOWN).filter((entry) => !toDo(entry, entries));
  return html`${entries.filter(({ gatewayOrderId }) => gatewayOrderId === doneId).map((entry) => justDone(entry, entries))}
  ${(['To review', 'To send back'] as const).map((what) => {
    const listed = entries.filter((entry) => toDo(entry, entries) === what);
    return listed.length === 0 ? '' : section(what, listed, listed.length);
  })}
  ${totals(entries, today)}
  ${[...Map.groupBy(newest, dayOf)].map(([day, listed]) => section(day === today ? `Today, ${day}` : day, listed))}
  ${entries.length === 0 ? html`<p class="message">No payment yet. Pay for an <a href="/">order in the shop</a>.</p>` : ''}
  ${entries.length > MAX_SHOWN ? html`<p class="quiet">The newest ${MAX_SHOWN}. The operator’s page has all.</p>` : ''}`;
}

const dayOf = ({ createdAt }: Entry) => days.format(new Date(createdAt));

const SENT = { wait: 'is being sent', good: 'was sent', warn: 'may have been sent', bad: 'was not sent', over: '' };

/** What was closed or sent, as it stands now. */
function justDone(entry: Entry, entries: readonly Entry[]): Markup | '' {
  if (isPayment(entry) && !entry.isClosed) return '';
  const { tone } = badgeOf(entry, entries);
  const why = tone === 'bad' ? `: ${endOf(entry)[1]}. No money moved.` : '.';
  const sent = `${formatMoney(entry.amount, entry.currency)} ${SENT[tone]} to ${walletEnd(entry.customer ?? '')}${why}`;
  return html`<p class="message ${tone}" role="status">${isPayment(entry) ? `${entry.orderId} is closed.` : sent}</p>`;
}

function totals(entries: readonly Entry[], today: string): Markup {
  const done = entries.filter((entry) => entry.status === 'SUCCESS' && dayOf(entry) === today);
  // All that came in, also what pays nothing: what is sent back of it counts as sent.
  const [received, sent] = [done.filter(isPayment), done.filter((entry) => !isPayment(entry))];
  const closed = entries.filter(({ isClosed }) => isClosed).length;
  return html`<dl class="totals card">
    ${total('Received today', received)} ${total('Sent today', sent)}
    ${total('Waiting', entries.filter(isWaiting), closed === 0 ? '' : html`<br />${closed} closed, may still be paid`)}
  </dl>`;
}

/** Another currency cannot be added, so it does not count; this shop's tokens have only one. */
function total(name: string, entries: readonly Entry[], more: Markup | '' = ''): Markup {
  const ours = entries.filter(({ currency }) => currency === CURRENCY);
  const counts = Object.entries(TYPES).flatMap(([each, kind]) => {
    const { length } = ours.filter(({ type }) => type === each);
    return length === 0 ? [] : `${length} ${kind.toLowerCase()}${length === 1 ? '' : 's'}`;
  });
  return html`<div>
    <dt><small>${name}</small></dt>
    <dd>${formatMoney(decimal(sumOf(ours)), CURRENCY)} <small>${counts.join(', ') || 'none'}${more}</small></dd>
  </div>`;
}

function row(entry: Entry, entries: readonly Entry[], today: string, doneId?: string, operatorUrl?: string): Markup {
  const { orderId, createdAt, status } = entry;
  const [{ tone, label }, advice] = [badgeOf(entry, entries), adviceOf(entry, entries)];
  // A method that a newer proxy has is shown by its name.
  const kind = isPayment(entry) && entry.method ? (HOW[entry.method] ?? entry.method) : TYPES[entry.type];
  const wallet = isPayment(entry) ? entry.payer : entry.customer;
  const sent = isPayment(entry) ? Map.groupBy(refundsOf(entry, entries), sentBack) : [];
  const sums = [...sent].map(([how, of]) => `${formatMoney(decimal(sumOf(of)), entry.currency)} ${how}`);
  const kept = isPayment(entry) && isBack(entry, entries) ? centsLeft(entry, entries) : 0;
  const stays = kept > 0 && `${formatMoney(decimal(kept), entry.currency)} stays with you`;
  const note = isPayment(entry) ? entry.isClosed && 'may still be paid' : entry.note;
  const tint = toDo(entry, entries) ? 'warn' : entry.gatewayOrderId === doneId ? 'new' : '';
  const day = tint !== 'warn' || dayOf(entry) === today ? '' : `${dayOf(entry)}, `;
  const about = [wallet && walletEnd(wallet), note, ...sums, stays].filter(Boolean);
  return html`<li id="${entry.gatewayOrderId}" class="${tint}" data-status="${status}" data-order="${orderId}">
    <span class="names">${kind} <span class="id">${orderId}</span></span>
    <b class="amount">${isPayment(entry) ? '' : '−'}${formatMoney(entry.amount, entry.currency)}</b>
    <span class="chip ${tone}"><span aria-hidden="true">${SIGNS[tone]}</span> ${label}</span>
    <span class="about">
      <time datetime="${createdAt}">${day}${times.format(new Date(createdAt))}</time>
      ${about.map((text) => html`· ${text} `)}
    </span>
    ${action(entry, entries, operatorUrl)} ${advice && html`<p>${advice}</p>`}
  </li>`;
}

function action(entry: Entry, entries: readonly Entry[], operatorUrl?: string): Markup | '' {
  const { orderId: order, gatewayOrderId: payment } = entry;
  const ids = String(new URLSearchParams({ order, payment }));
  const what = toDo(entry, entries);
  if (isPayment(entry) && refundable(entry, entries) > 0) {
    if (!what && hasExtra(entry, entries)) return '';
    // It has the payment's id: a URL must not have a wallet id.
    const label = `Send back the money for ${order}`;
    return html`<a class="${what && 'button'}" href="/desk/send?${ids}" aria-label="${label}">Send back</a>`;
  }
  if (what && operatorUrl) {
    const name = what === 'To review' ? 'Review' : 'Open';
    const href = `${operatorUrl}/transactions/${encodeURIComponent(payment)}`;
    return html`<a class="button" href="${href}" aria-label="${name} ${order}">${name}</a>`;
  }
  // A paid order cannot be closed.
  const isPaid = ofOrder(entry, entries).some((other) => other.status === 'SUCCESS' && !paysNothing(other));
  if (isPaid || !isWaiting(entry)) return '';
  return html`<a href="/desk/close?${ids}" aria-label="Close order ${order}">Close order</a>`;
}

const ofOrder = ({ orderId }: Entry, entries: readonly Entry[]) =>
  entries.filter(isPayment).filter((other) => other.orderId === orderId);

/** It goes back first, so that nobody sends back the payment that paid the order instead. */
const hasExtra = (entry: Entry, entries: readonly Entry[]) =>
  ofOrder(entry, entries).some((other) => paysNothing(other) && refundable(other, entries) > 0);

const sentBack = ({ status, needsReview }: Refund) =>
  needsReview ? 'back, to review' : status === 'SUCCESS' ? 'sent back' : 'on its way back';

const TYPES = { PAY: 'Payment', REFUND: 'Refund', PAYOUT: 'Payout' };
const HOW: Record<string, string> = { DIRECT: 'Wallet app', CHECKOUT: 'Wallet website', JETGO: 'JetGo', QR: 'QR code' };

/** Each tone has a sign too, for those who do not see its color. */
const SIGNS = { good: '✓', bad: '✕', warn: '!', wait: '…', over: '–' };

/** By the gateway's code or by the reason: of a payment its status, and why a payout or refund failed. */
const ENDED: Record<string, readonly [status: string, why: string]> = {
  USER_CANCELLED: ['Canceled', 'canceled by the customer'],
  INSUFFICIENT_BALANCE: ['Balance too low', 'balance too low at the gateway'],
  UNKNOWN_CUSTOMER: ['No such customer', 'no such customer'],
  DECLINED: ['Declined', 'declined by the gateway'],
  EXPIRED: ['Expired', 'nobody paid in time'],
  REPLACED: ['Replaced', 'the customer chose another way to pay'],
  REJECTED: ['Refused', 'the gateway refused it'],
  NOT_CREATED: ['Not started', 'it never reached the gateway'],
  RESOLVED: ['Not paid', 'a colleague confirmed it'],
};

function endOf({ history, reason }: Entry): readonly [status: string, why: string] {
  const end = history.findLast(({ event }) => /^(declined|rejected|uncertain)$/.test(event))?.detail ?? '';
  const code = end.replace(/^HTTP \d+ /, '').replace('WALLET_NOT_FOUND', 'UNKNOWN_CUSTOMER');
  return (reason !== 'RESOLVED' && ENDED[code]) || (ENDED[reason ?? ''] ?? ['Failed', 'failed']);
}

function badgeOf(entry: Entry, entries: readonly Entry[]): { tone: keyof typeof SIGNS; label: string } {
  const paid = isPayment(entry) && (entry.surplus ? 'Paid twice' : entry.afterClose ? 'Paid after closing' : 'Paid');
  const done = paid || (isRefund(entry) ? 'Sent back' : 'Paid out');
  if (isInDoubt(entry))
    return { tone: 'warn', label: entry.status === 'SUCCESS' ? `${done}, needs review` : 'Needs review' };
  if (isPayment(entry) && paysNothing(entry)) {
    const sent = refundsOf(entry, entries).length === 0 ? 'over' : isBack(entry, entries) ? 'good' : 'wait';
    return { tone: toDo(entry, entries) ? 'warn' : sent, label: done };
  }
  if (entry.isClosed) return { tone: 'over', label: 'Closed' };
  if (isPayment(entry) && isBack(entry, entries)) return { tone: 'over', label: 'Refunded' };
  if (isOpen(entry)) return { tone: 'wait', label: isPayment(entry) ? 'Waiting' : 'On its way' };
  if (entry.status === 'SUCCESS') return { tone: 'good', label: done };
  return isPayment(entry) ? { tone: 'over', label: endOf(entry)[0] } : { tone: 'bad', label: 'Failed' };
}

function adviceOf(entry: Entry, entries: readonly Entry[]): string | undefined {
  if (isInDoubt(entry)) return reviewReason(entry);
  if (!isPayment(entry)) return entry.status === 'FAILED' ? capital(`${endOf(entry)[1]}. No money moved.`) : undefined;
  const [what, left] = [toDo(entry, entries), refundable(entry, entries)];
  const extra = left > 0 && hasExtra(entry, entries) && 'This payment pays the order: send back the other one first.';
  if (!what) return extra || undefined;
  const [all, whole] = [left, left - (left % 100)].map((cents) => formatMoney(decimal(cents), CURRENCY));
  const back = `Send back ${whole}${whole === all ? '' : ` of ${all}: the gateway sends whole amounts only`}`;
  const unknown = 'It cannot be sent back, because the gateway did not name the whole wallet that paid';
  const then = what === 'To review' ? 'Nothing can be sent back: end the review' : left === 0 ? unknown : back;
  return `The order was ${entry.surplus ? 'already paid' : 'closed before'}. ${then}.`;
}

const SAYS: readonly (readonly [RegExp, string])[] = [
  [/^\w+: asked (.+), reported (.+)/, 'the gateway reported $2 instead of $1'],
  [/^(gatewayOrderId|type|paymentId|customer)$/, 'the gateway reported another $1 than was asked for'],
  [/ \(asked (.+), reported (.+)\)$/, ': $2, not $1'],
  [/ for an order id that the gateway reported as a duplicate/, ', but it had refused this order as a duplicate'],
  [/ after SUCCESS/, ', but it had said paid'],
  [/ after FAILED/, ', but it had said failed'],
  [/^SUCCESS/, 'the gateway says paid'],
  [/^FAILED/, 'the gateway says failed'],
  [/\bgatewayOrderId\b/, 'order id'],
  [/\bpaymentId\b/, 'payment id'],
  [/\bcustomer\b/, 'wallet'],
];

/** The last that the history says; a mismatch and a conflict say why before the review. */
function reviewReason(entry: Entry): string {
  const flags = /^(mismatch|conflict|needs_review)$/;
  const at = entry.history.findLastIndex(({ event, detail }) => flags.test(event) && detail && !flags.test(detail));
  const isRight = entry.history.slice(at + 1).some(({ event, source }) => event === 'succeeded' && source !== 'person');
  const said = entry.history[at]?.detail ?? 'the gateway has not said in time how it ended';
  const money = said.replaceAll(/(\d+\.\d\d) ([A-Z]{3})\b/g, (_, amount, currency) => formatMoney(amount, currency));
  const words = SAYS.reduce((text, [found, instead]) => text.replace(found, instead), money);
  const later = isRight ? ', and the right one later' : '';
  const ask = `Ask the gateway’s support before you ${isPayment(entry) ? 'ship' : 'send it again'}.`;
  return capital(`${words}${later}. ${ask}`);
}

const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);
const paysNothing = ({ surplus, afterClose }: Payment) => surplus || afterClose;
export const isPayment = (entry: Entry): entry is Payment & Entry => 'payer' in entry;
const isRefund = (entry: Entry): entry is Refund => 'refundOf' in entry;
export const isWaiting = (entry: Entry) => isPayment(entry) && isOpen(entry) && !entry.needsReview && !entry.isClosed;
const isOpen = ({ status }: Entry) => status === 'INITIALIZED' || status === 'PROCESSING';

/** Sending back what came after the closing ends its review. */
function isInDoubt(entry: Entry): boolean {
  const isLate = isPayment(entry) && entry.afterClose;
  return entry.needsReview && !(isLate && entry.history.every(({ event }) => !/^(mismatch|conflict)$/.test(event)));
}

/** Money that pays no order is to send back until it is on its way. */
function toDo(entry: Entry, entries: readonly Entry[]): 'To review' | 'To send back' | undefined {
  const isOwed = isPayment(entry) && paysNothing(entry) && refundable({ ...entry, payer: '' }, entries) > 0;
  return isOwed ? 'To send back' : entry.needsReview ? 'To review' : undefined;
}

/** Those of this payment that did not fail: the money has arrived, or may still arrive. */
const refundsOf = ({ gatewayOrderId }: Payment, entries: readonly Entry[]) =>
  entries.filter(isRefund).filter(({ refundOf, status }) => refundOf === gatewayOrderId && status !== 'FAILED');

/** Cents that are left; 0 if none can be sent: the gateway takes no decimals, and the payment must not be in doubt. */
export function refundable(payment: Payment, entries: readonly Entry[]): number {
  const { status, payer, currency, history } = payment;
  const isDenied = history.findLast(({ event }) => event === 'resolved')?.detail?.startsWith('FAILED');
  if (status !== 'SUCCESS' || isInDoubt(payment) || isDenied || payer === null || currency !== CURRENCY) return 0;
  const left = centsLeft(payment, entries);
  return left < 100 ? 0 : left;
}

const sumOf = (entries: readonly Entry[]) => entries.reduce((sum, { amount }) => sum + centsOf(amount), 0);
const centsLeft = (paid: Payment, entries: readonly Entry[]) => centsOf(paid.amount) - sumOf(refundsOf(paid, entries));

/** All that the gateway can send. */
function isBack(payment: Payment, entries: readonly Entry[]): boolean {
  const sent = refundsOf(payment, entries);
  return sent.length > 0 && sent.every(({ status }) => status === 'SUCCESS') && centsLeft(payment, entries) < 100;
}

/** `•••• 5678`: at most half of a short id. */
export const walletEnd = (id: string) => `••••\u00A0${id.slice(Math.max(id.length - 4, Math.ceil(id.length / 2)))}`;
