// The desk's list: totals, what is to review and to send back as on the operator's page, and the newest by day.
import { html } from 'hono/html';
import type { Refund } from '../../backend-proxy/client.ts';
import { CURRENCY, decimal, formatMoney } from './catalog.ts';
import { page, type Markup, type Site } from './page.ts';
import {
  HOW,
  SIGNS,
  TYPES,
  badgeOf,
  capital,
  centsLeft,
  decidedIn,
  endOf,
  eventOf,
  neverBack,
  hasExtra,
  isBack,
  isInDoubt,
  isPayment,
  isWaiting,
  ofOrder,
  paysNothing,
  refundable,
  refundsOf,
  sumOf,
  toDo,
  walletEnd,
  type Entry,
} from './transactions.ts';

export const MAX_SHOWN = 100;
const days = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium' });
const times = new Intl.DateTimeFormat('en-GB', { timeStyle: 'short' });

export function deskPage(list: Markup, site: Site): Markup {
  return deskFrame(
    'Payments',
    site,
    html`<div class="head">
        <h1>Payments</h1>
        <input hidden type="search" aria-label="Find a payment or payout" placeholder="Order, amount, wallet or day" />
        <a class="button" href="/desk/send">Send a payout</a>
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
  const section = (name: string, listed: readonly Entry[], count: number | string, figures?: Markup) =>
    html`<section aria-label="${name}">
      <h2>${name} <span class="quiet">${count}</span></h2>
      <div class="card">
        ${figures}
        <ul class="transactions">
          ${listed.map((entry) => row(entry, entries, today, doneId, operatorUrl))}
        </ul>
      </div>
    </section>`;
  const newest = new Set(entries.slice(0, MAX_SHOWN));
  return html`${entries.filter(({ gatewayOrderId }) => gatewayOrderId === doneId).map((entry) => justDone(entry, entries))}
  ${(['To review', 'To send back'] as const).map((what) => {
    const listed = entries.filter((entry) => toDo(entry, entries) === what);
    return listed.length === 0 ? '' : section(what, listed, listed.length);
  })}
  ${[...Map.groupBy(entries, dayOf)].map(([day, all]) => {
    const shown = all.filter((entry) => newest.has(entry));
    const listed = shown.filter((entry) => !toDo(entry, entries));
    return shown.length > 0 && section(day === today ? `Today, ${day}` : day, listed, '', totals(all));
  })}
  ${entries.length === 0 ? html`<p class="message">No payment yet. Pay for an <a href="/">order in the shop</a>.</p>` : ''}
  ${entries.length > MAX_SHOWN ? html`<p class="quiet">The newest ${MAX_SHOWN}. The operator’s page has all.</p>` : ''}`;
}

const dayOf = ({ createdAt }: Entry) => days.format(new Date(createdAt));

/** With its day, unless that is `day`; the year is the last part of it. */
function timeOf(at: string, day: string): string {
  const date = new Date(at);
  return `${days.format(date) === day ? '' : `${days.format(date).slice(0, -5)}, `}${times.format(date)}`;
}

const SENT = { wait: 'is being sent', good: 'was sent', warn: 'may have been sent', bad: 'was not sent', over: '' };

/** What was closed or sent, as it stands now. */
function justDone(entry: Entry, entries: readonly Entry[]): Markup | '' {
  const isClosing = isPayment(entry);
  if (isClosing && !entry.isClosed) return '';
  const tone = isClosing ? 'good' : badgeOf(entry, entries).tone;
  const why = tone === 'bad' ? `: ${endOf(entry)[1]}. No money moved.` : '.';
  const sent = `${formatMoney(entry.amount, entry.currency)} ${SENT[tone]} to ${walletEnd(entry.customer ?? '')}${why}`;
  const said = isClosing ? `${entry.orderId} is closed.` : sent;
  return html`<p class="message ${tone}" role="status"><span aria-hidden="true">${SIGNS[tone]}</span> ${said}</p>`;
}

/** Of a day: all that came in, also what pays nothing; what is sent back of it counts as sent. */
function totals(entries: readonly Entry[]): Markup {
  const done = entries.filter(({ status }) => status === 'SUCCESS');
  const sent = done.filter((entry) => !isPayment(entry));
  const closed = entries.filter(({ isClosed }) => isClosed).length;
  const figures = { Received: done.filter(isPayment), Sent: sent, Waiting: entries.filter(isWaiting) };
  return html`<dl class="totals">
    ${Object.entries(figures).map(([name, of]) => {
      // Another currency cannot be added, so it does not count; this shop's tokens have only one.
      const ours = of.filter(({ currency }) => currency === CURRENCY);
      const more = name === 'Waiting' && closed > 0 && html`<small>and ${closed} closed</small>`;
      if (name !== 'Received' && ours.length === 0 && !more) return '';
      return html`<div>
        <dt><small>${name} · ${ours.length}</small></dt>
        <dd>${formatMoney(decimal(sumOf(ours)), CURRENCY)} ${more}</dd>
      </div>`;
    })}
  </dl>`;
}

/** One line; opened, its history and what can be done. What is to do is seen below it. */
function row(entry: Entry, entries: readonly Entry[], today: string, doneId?: string, operatorUrl?: string): Markup {
  const { orderId, gatewayOrderId, paymentId, createdAt, status, history } = entry;
  const [{ tone, label }, advice] = [badgeOf(entry, entries), adviceOf(entry, entries)];
  // A method that a newer proxy has is shown by its name.
  const kind = isPayment(entry) && entry.method ? (HOW[entry.method] ?? entry.method) : TYPES[entry.type];
  const wallet = isPayment(entry) ? entry.payer : entry.customer;
  const sent = isPayment(entry) ? Map.groupBy(refundsOf(entry, entries), sentBack) : [];
  const sums = [...sent].map(([how, of]) => `${formatMoney(decimal(sumOf(of)), entry.currency)} ${how}`);
  const kept = isPayment(entry) && isBack(entry, entries) ? centsLeft(entry, entries) : 0;
  const stays = kept > 0 && `${formatMoney(decimal(kept), entry.currency)} stays with you`;
  const note = isPayment(entry) ? entry.isClosed && 'may still be paid' : entry.note;
  const isToDo = toDo(entry, entries) !== undefined;
  const about = [wallet && walletEnd(wallet), note, ...sums, stays].filter(Boolean).join(' · ');
  const act = action(entry, entries, operatorUrl);
  const tint = isToDo ? 'warn' : gatewayOrderId === doneId ? 'new' : '';
  return html`<li id="${gatewayOrderId}" class="${tint}" data-status="${status}" data-order="${orderId}">
    <details>
      <summary>
        <span class="names">${kind} <span class="id">${orderId}</span></span>
        <span class="chip ${tone}"><span aria-hidden="true">${SIGNS[tone]}</span> ${label}</span>
        <span class="about">${about}</span>
        <time datetime="${createdAt}">${timeOf(createdAt, isToDo ? today : dayOf(entry))}</time>
        <b class="amount">${isPayment(entry) ? '' : '−'}${formatMoney(entry.amount, entry.currency)}</b>
      </summary>
      <div class="more">
        <dl>
          <dt>Gateway ID</dt>
          <dd>${gatewayOrderId}${paymentId && ` · payment ${paymentId}`}</dd>
          ${history.map((each) => step(each, entry))}
        </dl>
        ${isToDo ? '' : act}
      </div>
    </details>
    ${
      advice || isToDo
        ? html`<div class="to-do">
            <p>${advice}</p>
            ${isToDo ? act : ''}
          </div>`
        : ''
    }
  </li>`;
}

function step(happened: Entry['history'][number], entry: Entry): Markup | '' {
  const { at, event, detail } = happened;
  // A person's decision says it.
  if (event === 'sending' || detail === 'RESOLVED') return '';
  const [name, more] = eventOf(happened, entry);
  return html`<dt><time datetime="${at}">${timeOf(at, dayOf(entry))}</time></dt>
    <dd>${name} <small>${inWords(more)}</small></dd>`;
}

function action(entry: Entry, entries: readonly Entry[], operatorUrl?: string): Markup | '' {
  const { orderId: order, gatewayOrderId: payment } = entry;
  const ids = String(new URLSearchParams({ order, payment }));
  const what = toDo(entry, entries);
  if (isPayment(entry) && refundable(entry, entries) > 0) {
    if (!what && hasExtra(entry, entries)) return '';
    // It has the payment's id: a URL must not have a wallet id.
    const label = `Send back the money for ${order}`;
    return html`<a class="button ${what ? '' : 'plain'}" href="/desk/send?${ids}" aria-label="${label}">Send back</a>`;
  }
  if (what && operatorUrl) {
    const name = what === 'To review' ? 'Review' : 'Open';
    const href = `${operatorUrl}/transactions/${encodeURIComponent(payment)}`;
    return html`<a class="button" href="${href}" aria-label="${name} ${order}">${name}</a>`;
  }
  // A paid order cannot be closed.
  const isPaid = ofOrder(entry, entries).some((other) => other.status === 'SUCCESS' && !paysNothing(other));
  if (isPaid || !isWaiting(entry)) return '';
  return html`<a class="button plain" href="/desk/close?${ids}" aria-label="Close order ${order}">Close order</a>`;
}

const sentBack = ({ status, needsReview }: Refund) =>
  needsReview ? 'back, to review' : status === 'SUCCESS' ? 'sent back' : 'on its way back';

function adviceOf(entry: Entry, entries: readonly Entry[]): string | undefined {
  if (isInDoubt(entry)) return reviewReason(entry);
  const decided = decidedIn(entry);
  if (!isPayment(entry))
    return entry.status === 'FAILED' && !decided ? capital(`${endOf(entry)[1]}. No money moved.`) : decided;
  const [what, left] = [toDo(entry, entries), refundable(entry, entries)];
  const never = neverBack(entry);
  const extra = left > 0 && hasExtra(entry, entries) && 'This payment pays the order: send back the other one first.';
  if (!what) return [decided, extra, never].filter(Boolean).join(' ');
  const [all, whole] = [left, left - (left % 100)].map((cents) => formatMoney(decimal(cents), CURRENCY));
  const back = `Send back ${whole}${whole === all ? '' : ` of ${all}: the gateway sends whole amounts only`}.`;
  const then = what === 'To review' ? 'Nothing can be sent back: end the review.' : (never ?? back);
  return `The order was ${entry.surplus ? 'already paid' : 'closed before'}. ${then}`;
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
  const isRight = entry.history
    .slice(at + 1)
    .some(({ event, detail }) => event === 'succeeded' && detail !== 'RESOLVED');
  const said = entry.history[at]?.detail ?? 'the gateway has not said in time how it ended';
  const later = isRight ? ', and the right one later' : '';
  const ask = `Ask the gateway’s support before you ${isPayment(entry) ? 'ship' : 'send it again'}.`;
  return capital(`${inWords(said)}${later}. ${ask}`);
}

function inWords(detail: string): string {
  const money = detail.replaceAll(/(\d+\.\d\d) ([A-Z]{3})\b/g, (_, amount, currency) => formatMoney(amount, currency));
  return SAYS.reduce((text, [found, instead]) => text.replace(found, instead), money);
}
