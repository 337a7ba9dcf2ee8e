// The desk's list: what is to review and to refund, the newest by day with totals, and how each transaction stands.
import { html } from 'hono/html';
import type { Payment, Refund, Transaction } from '../../backend-proxy/client.ts';
import { CURRENCY, centsOf, formatMoney, money } from './catalog.ts';
import { isByRequest, isDenied, isInDoubt, isLost, isOpen, isPayable, isPayout, lastDecision } from './fulfillment.ts';
import { causeOf, isRefused, isUnpaid, paysNothing, refundState, refundsOf, remainderOf } from './fulfillment.ts';
import { page, type Markup, type Site } from './page.ts';

/** `bought`: what the shop's order is for. `isClosed`: the order of a payment that waits. */
export type Entry = Transaction & { bought?: string | undefined; isClosed?: boolean };

export const SHOWN = { rows: 100, days: 7 }; // The days are with today.
const days = new Intl.DateTimeFormat('en', { day: 'numeric', month: 'short', timeZoneName: 'short' });
const times = new Intl.DateTimeFormat('en-GB', { timeStyle: 'short' });

export function deskPage(list: Markup, site: Site): Markup {
  return deskFrame(
    'Payments',
    site,
    html`<div class="stack">
      <div class="head">
        <h1>Payments</h1>
        <button hidden class="act" type="button">Pause updates</button>
        <input hidden type="search" aria-label="Find a payment" placeholder="Order, goods, amount or wallet" />
        <a class="button plain" href="/desk/send">Send a payout</a>
      </div>
      <output class="message"></output>
      <div data-live>${list}</div>
    </div>`,
  );
}

export function deskFrame(title: string, site: Site, body: Markup): Markup {
  const footer = 'Anyone who can open this page can send money. In your own shop, put it behind your staff’s sign-in.';
  const links = [{ href: '/', text: 'The shop', isCurrent: false }];
  const menu = { label: 'Desk', home: '/desk', tag: 'Desk', links, footer };
  const files = { styles: ['/assets/desk.css'], scripts: ['/assets/desk.js'] };
  return page({ title: `${title} · Desk`, place: 'desk', menu, ...files, site }, body);
}

/** The part that desk.js refreshes: first what waits, oldest first. `doneId`: of what was just sent or closed. */
export function deskList(entries: readonly Entry[], now: Date, doneId?: string, operatorUrl?: string): Markup {
  const today = days.format(now);
  const section = (name: string, note: string, listed: readonly Entry[], figures: Markup | '' = '') =>
    html`<section aria-label="${name}">
      <h2>${name}${note && html`<small>${note}</small>`}</h2>
      <div class="card">
        ${figures}
        <details class="transactions" ${(figures === '' || name.endsWith(today)) && 'open'}>
          <summary><span class="act">Show ${listed.length === 1 ? 'it' : `all ${listed.length}`}</span></summary>
          <ul>
            ${listed.map((entry) => row(entry, entries, today, operatorUrl))}
          </ul>
        </details>
      </div>
    </section>`;
  const newest = new Set(entries.slice(0, SHOWN.rows));
  return html`${entries.filter(({ gatewayOrderId }) => gatewayOrderId === doneId).map((entry) => justDone(entry, entries))}
    ${Object.entries(TO_DO).map(([what, how]) => {
      const listed = entries.filter((entry) => toDo(entry, entries) === what).toReversed();
      return listed.length > 0 && section(what, how, listed);
    })}
    ${[...Map.groupBy(entries, ({ createdAt }) => dayOf(createdAt))].map(([day, all]) => {
      const shown = all.filter((entry) => newest.has(entry));
      // The row of a payment has its refunds.
      const listed = shown
        .filter((entry) => !toDo(entry, entries) && !shown.some((one) => refundsOf(one, [entry]).length > 0))
        .toSorted((a, b) => Date.parse(timeOf(b).at) - Date.parse(timeOf(a).at));
      return shown.length > 0 && section(day === today ? `Today, ${day}` : day, '', listed, totals(all));
    })}
    ${entries.length === 0 && html`<p class="message">No payment. Pay for an <a href="/">order in the shop</a>.</p>`}
    <p class="quiet">
      ${entries.length > SHOWN.rows && `The newest ${SHOWN.rows}. `}These are the last ${SHOWN.days} days.
      ${operatorUrl && html`All are on the <a href="${operatorUrl}">operator’s page</a>, with its own sign-in.`}
    </p>`;
}

const dayOf = (at: string) => days.format(new Date(at));
const verbOf = (label: string) => (/^(Failed|Not started)$/.test(label) ? 'tried\u00A0' : 'started\u00A0');

function justDone(entry: Entry, entries: readonly Entry[]): Markup | '' {
  if (isPayment(entry) && !entry.isClosed) return '';
  const { orderId, amount, currency, customer, isClosed } = entry;
  const { tone, label } = isClosed ? { tone: 'over' as const, label: 'Closed' } : badgeOf(entry, entries);
  const sum = `${formatMoney(amount, currency)}${'refundOf' in entry ? ` of ${entry.refundOf}` : ''}`;
  const what = isClosed ? `Order ${orderId}` : `${sum} to ${walletEnd(customer ?? '')}`;
  return html`<p class="message ${tone}" role="status">
    ${what}: ${label.toLowerCase()}. ${isClosed ? 'What was started may still be paid.' : adviceOf(entry, entries)}
  </p>`;
}

/** Of a day, in this shop's currency: what came in, also what pays nothing, and what was sent; not what is denied. */
function totals(ofDay: readonly Entry[]): Markup {
  const ours = ofDay.filter(({ currency }) => currency === CURRENCY);
  const done = ours.filter(({ status }) => status === 'SUCCESS');
  const { in: Received = [], out: Sent = [] } = Object.groupBy(done, (entry) => (isPayment(entry) ? 'in' : 'out'));
  const isGoing = (entry: Entry) => isOpen(entry) && !isPayment(entry) && !entry.needsReview;
  const going = Object.groupBy(ours.filter(isGoing), (entry) => openName(entry).replace(/^.*, b/, 'B'));
  return html`<dl class="totals">
    ${Object.entries({ Received, Sent, ...going, Waiting: ours.filter(isWaiting) }).map(([name, all]) => {
      const counted = all.filter((entry) => !isDenied(entry));
      const denied = all.length > counted.length ? `, ${all.length - counted.length}\u00A0denied` : '';
      const sum = money(counted.reduce((cents, { amount }) => cents + centsOf(amount), 0));
      if (all !== Received && all.length === 0) return '';
      return html`<div>
        <dt><small>${counted.length} ${name.toLowerCase()}${denied}</small></dt>
        <dd>${all === Received || all === Sent ? html`<b>${sum}</b>` : sum}</dd>
      </div>`;
    })}
  </dl>`;
}

function row(entry: Entry, entries: readonly Entry[], today: string, operatorUrl?: string): Markup {
  const { orderId, gatewayOrderId: id } = entry;
  const hasMore = ofOrder(entry, entries).some((one) => one !== entry && (isPayment(one) || toDo(one, entries)));
  const [{ tone, label }, advice, { at, isMoved }] = [badgeOf(entry, entries), adviceOf(entry, entries), timeOf(entry)];
  const [what, left] = [toDo(entry, entries), leftOf(entry, entries)];
  const isOwed = what && what !== 'To review' && paysNothing(entry) && entry.currency === CURRENCY;
  const again = what === 'To refund' && !isOwed && failedBack(entry, entries);
  const sum = isOwed ? money(left.most + left.rest) : formatMoney((again || entry).amount, entry.currency);
  const ofList = what ? today : dayOf(entry.createdAt);
  const name = `${dayOf(at) === today ? 'Today, ' : ''}${dayOf(at)}`;
  return html`<li id="${id}" class="${what && 'warn'}" data-moved="${isMoved && !isDenied(entry) && 'yes'}">
    <b>${hasMore ? html`<a href="/desk?find=${encodeURIComponent(orderId)}">${id}</a>` : id}</b>
    <span class="chip ${tone}"><span aria-hidden="true">${SIGNS[tone]}</span> ${label}</span>
    <span class="about"> ${aboutOf(entry, entries).map((part) => html`<span>${part}</span> `)} </span>
    <time datetime="${at}" title="${name}">${!isMoved && verbOf(label)}${clockOf(at, ofList)}</time>
    <b class="amount">${isPayment(entry) ? '' : '−'}${sum}</b>
    ${advice && html`<p>${advice}${what && closeLink(entry, entries)}</p>`} ${action(entry, entries, operatorUrl)}
    ${refundsOf(entry, entries).map((one, place) => refundLine(one, entries, ofList, place === 0 ? left : NOTHING))}
  </li>`;
}

/** A refund below its payment; the newest also says what is left of that. */
function refundLine(refund: Refund & Entry, entries: readonly Entry[], ofList: string, left: typeof NOTHING): Markup {
  const [{ tone, label }, { at, isMoved }] = [badgeOf(refund, entries), timeOf(refund)];
  const time = `${isMoved ? '' : `· ${verbOf(label)}`}${clockOf(at, ofList)}`;
  const card = left.onCard > 0 && `${money(left.onCard)} is on the customer’s coffee card`;
  const said = [time, noteOf(refund), !toDo(refund, entries) && adviceOf(refund, entries), card];
  return html`<p class="refund">
    −${formatMoney(refund.amount, refund.currency)}
    <b class="${tone}">${SIGNS[tone]} ${label}</b> ${said.filter(Boolean).join(' · ')}
    <span>· ${refund.gatewayOrderId}</span>
  </p>`;
}

/** With the day, unless it is the one that the list is of. */
const clockOf = (at: string, ofList: string) =>
  (dayOf(at) === ofList ? '' : `${dayOf(at).split(/[ ,]/, 2).join('\u00A0')},\u00A0`) + times.format(new Date(at));

/** When the money moved, also if a person recorded it later; else when it began. */
function timeOf({ history, createdAt }: Entry): { at: string; isMoved: boolean } {
  const end = history.find(({ event }) => event === 'succeeded');
  const before = history.slice(0, end && end.detail === 'RESOLVED' ? history.indexOf(end) : 0);
  const isReport = /^mismatch |^\w+ SUCCESS/;
  const moved = before.findLast((one) => one.source === 'check' && isReport.test(`${one.event} ${one.detail}`)) ?? end;
  return { at: moved?.at ?? createdAt, isMoved: moved !== undefined };
}

/** How, by or to which wallet, what was bought, the note, and what was settled. */
function aboutOf(entry: Entry, entries: readonly Entry[]): unknown[] {
  // The gateway cannot cancel, so what only the proxy has ended may come all the same.
  const isAtGateway = entry.history.every(({ event }) => event !== 'declined') && !entry.needsReview;
  const isEndedHere = entry.isClosed || (isAtGateway && /^(REPLACED|EXPIRED)$/.test(entry.reason ?? ''));
  const may = isPayment(entry) && isPayable(entry) && isEndedHere && 'may still be paid';
  const [settled, { onCard }] = [isPayment(entry) ? centsOf(entry.settled) : 0, leftOf(entry, entries)];
  const another = settled > onCard && `${money(settled)} settled another way`;
  const lost = isPayment(entry) && isOpen(entry) && isLost(entry) && 'the gateway’s answer was lost';
  const sent = `${isPayout(entry) ? 'Payout' : 'Refund'} ${walletEnd(entry.customer ?? '')}`;
  return [isPayment(entry) ? wayOf(entry) : sent, entry.bought, may, lost, noteOf(entry), another].filter(Boolean);
}

const noteOf = (entry: Entry) => 'note' in entry && entry.note !== backNote(entry.orderId) && entry.note;

/** The method, and the wallet that paid, was asked, or was entered and led to the website. */
export function wayOf({ method, payer, customer }: Payment): string {
  const asked = customer && `, ${isByRequest({ method }) ? 'asked' : 'entered'} ${walletEnd(customer)}`;
  return `${HOW[method ?? ''] ?? method}${payer ? ` ${walletEnd(payer)}` : (asked ?? '')}`;
}

export const paidBy = (one: Payment) => `${wayOf(one)}, paid ${clockOf(timeOf(one).at, '')}`;

/** Of a refund, unless another is typed: its row has the order. */
export const backNote = (order: string) => `Refund for ${order}`;

function action(entry: Entry, entries: readonly Entry[], operatorUrl?: string): Markup | false | '' | undefined {
  const [id, what, extra] = [entry.gatewayOrderId, toDo(entry, entries), extraOf(entry, entries)];
  const link = (name: string, to: string) =>
    html`<a class="act ${what && 'button'}" href="${to}" aria-label="${name} ${id}">${name}</a>`;
  if (refundable(entry, entries) > 0 && (what || !extra || refundable(extra, entries) === 0))
    return link(extra && !what ? 'Refund as well' : 'Refund', `/desk/send?${idsOf(entry)}`);
  const there = `${operatorUrl}/transactions/${encodeURIComponent(id)}`;
  if (what) return operatorUrl && link(what === 'To review' ? 'Review' : 'Settle', there);
  if (isToSend(entry, entries)) return link('Send again', `/desk/send?payout=${encodeURIComponent(id)}`);
  return closeLink(entry, entries);
}

/** A payout that failed, if no later one is the same: the newest are first. */
const isToSend = (one: Entry, entries: readonly Entry[]) =>
  isPayout(one) && one.status === 'FAILED' && entries.find((each) => sentBy(each) === sentBy(one)) === one;
const sentBy = ({ type, amount, customer }: Entry) => `${type} ${amount} ${customer}`;

function closeLink(entry: Entry, entries: readonly Entry[]): Markup | false {
  const isPaid = ofOrder(entry, entries).some((other) => other.status === 'SUCCESS' && !paysNothing(other));
  if (isPaid || !isWaiting(entry)) return false;
  const label = html`aria-label="Close order ${entry.orderId}"`;
  return html` <a class="act" href="/desk/close?${idsOf(entry)}" ${label}>Close order</a>`;
}

/** A URL must not have a wallet id, so it has the payment's. */
const idsOf = ({ orderId: order, gatewayOrderId: payment }: Entry) => String(new URLSearchParams({ order, payment }));

/** Why it waits, or what a person decided, and what of it can be refunded. */
function adviceOf(entry: Entry, entries: readonly Entry[]): string {
  if (isInDoubt(entry)) return `${reviewReason(entry)}. ${whatToAsk(entry)}`;
  const said = decidedIn(entry);
  const ended = entry.status === 'FAILED' ? `${endOf(entry)}. No money moved.` : '';
  if (!isPayment(entry)) return said ?? (isChecked(entry) ? 'There is nothing to do yet.' : ended);
  const [{ most, rest }, why, extra] = [leftOf(entry, entries), whyNotBack(entry), extraOf(entry, entries)];
  const other = extra && `This payment pays the order: ${extra.gatewayOrderId} is the one too many.`;
  const part = rest > 0 && `Refund ${money(most)} of ${money(most + rest)}: ${WHOLE}.`;
  if (isDenied(entry) && !paysNothing(entry))
    return `${said} If it was shipped or counted as paid, stop the order and tell the customer.`;
  const failed = most > 0 && failedBack(entry, entries);
  const was = most > 0 && paysNothing(entry) && `The order was ${entry.surplus ? 'already paid' : 'closed before'}.`;
  const back = paysNothing(entry) ? part : failed ? 'Refund it again.' : other;
  const next = most > 0 && (why ? `It cannot be refunded, because ${why}.` : back);
  return [said, failed && `The refund of ${formatMoney(failed.amount)} failed.`, was, next].filter(Boolean).join(' ');
}

function reviewReason(entry: Entry): string {
  const { at, said } = causeOf(entry);
  const end = entry.history.slice(at).find(({ event }) => /^(succeeded|declined)$/.test(event))?.event;
  const [done, failed] = isPayment(entry) ? ['paid', ', and it ended unpaid'] : ['sent', ', and it failed'];
  const later = end === 'succeeded' ? ', and the right one later' : end ? failed : '';
  const [, asked = '', reported = ''] = /asked ([\d.]+) EUR, reported ([\d.]+) EUR/.exec(said) ?? [];
  if (asked && isUnpaid(entry))
    return `Nobody has paid yet. The gateway named ${formatMoney(reported)} for a request of ${formatMoney(asked)}`;
  if (said.includes('duplicate')) return `The gateway says ${done}, but it had refused this order as a duplicate`;
  if (/ after SUCCESS/.test(said)) return `The gateway says failed, but it had said ${done}`;
  if (/ after FAILED/.test(said)) return `The gateway says ${done}, but it had said failed`;
  if (asked) return `The gateway reported ${formatMoney(reported)} instead of ${formatMoney(asked)}${later}`;
  if (said in FIELDS) return `The gateway reported a different ${FIELDS[said]} than was asked for${later}`;
  if (said === '') return 'The gateway has not said in time how it ended';
  return said.replace(/^SUCCESS/, `The gateway says ${done}`).replace(/^./, (letter) => letter.toUpperCase());
}

/** As on the operator's page. */
function whatToAsk(entry: Entry): string {
  if (isUnpaid(entry) && causeOf(entry).said) return 'Wait until it is paid or ends.';
  const isDone = entry.status === 'SUCCESS';
  if (isDone && !isPayment(entry)) return 'It counts as sent. Ask the gateway’s support before anything else.';
  if (isDone && !paysNothing(entry)) return 'It counts as paid. Not shipped yet? Ask the gateway’s support first.';
  const what = isDone ? 'before you refund it' : isPayment(entry) ? 'what was paid' : 'before you send it again';
  return `Ask the gateway’s support ${what}.`;
}

/** Who decided, and what; without a name once it is erased. */
function decidedIn(entry: Entry): string | undefined {
  const [, said, by = 'A person'] = /^(\w+)(?: by (.+?): )?/.exec(lastDecision(entry) ?? '') ?? [];
  const verb = isDenied(entry) ? 'denied' : 'confirmed';
  return said && `${by} ${verb} that ${entry.status === 'SUCCESS' ? 'the' : 'no'} money moved.`;
}

const isPayment = (entry: Entry): entry is Payment & Entry => 'payer' in entry;
const isChecked = (entry: Entry) => isOpen(entry) && openName(entry).endsWith('being checked');
export const isWaiting = (entry: Entry) =>
  isPayment(entry) && isOpen(entry) && isPayable(entry) && !entry.isClosed && (!entry.needsReview || isUnpaid(entry));

/** What pays no order, or failed to go back, is to refund; owed until it is settled is what pays none and cannot be. */
function toDo(entry: Entry, entries: readonly Entry[]): keyof typeof TO_DO | undefined {
  if (isInDoubt(entry)) return 'To review';
  if ((paysNothing(entry) || failedBack(entry, entries)) && refundable(entry, entries) > 0) return 'To refund';
  return paysNothing(entry) && !isDenied(entry) && leftOf(entry, entries).most > 0 ? 'Still owed' : undefined;
}

/** The last refund, if it failed. */
export const failedBack = (entry: Entry, entries: readonly Entry[]) =>
  refundsOf(entry, entries).find((one, place) => place === 0 && refundState(one) === 'failed');

export const refundable = (entry: Entry, entries: readonly Entry[]) =>
  !isPayment(entry) || isInDoubt(entry) || whyNotBack(entry) ? 0 : leftOf(entry, entries).most;

const NOTHING = { most: 0, rest: 0, sentBack: 0, isBack: false, onCard: 0 };
export const leftOf = (entry: Entry, entries: readonly Entry[]) =>
  isPayment(entry) && entry.status === 'SUCCESS' ? remainderOf(entry, entries) : NOTHING;

/** In the operator's words; undefined if it can be, as far as anything is left. */
function whyNotBack(payment: Payment): string | undefined {
  if (payment.history.some(({ event, detail }) => event === 'uncertain' && /409|DUPLICATE/.test(detail ?? '')))
    return 'the gateway reported its id as a duplicate';
  if (isDenied(payment)) return 'the gateway or a person has said that no money moved';
  if (payment.currency !== CURRENCY) return 'the desk sends only euros';
  if (payment.payer !== null) return undefined;
  if (payment.erasedAt) return 'the wallet that paid is erased';
  if (lastDecision(payment)) return 'a person has resolved it, so the wallet that paid is not verified';
  return 'the gateway did not name the whole wallet that paid';
}

const ofOrder = ({ orderId }: Entry, entries: readonly Entry[]) => entries.filter((one) => one.orderId === orderId);

/** It goes back first, so that nobody refunds the payment that paid the order instead. */
const extraOf = (entry: Entry, entries: readonly Entry[]) =>
  ofOrder(entry, entries).find((one) => paysNothing(one) && !isDenied(one) && !leftOf(one, entries).isBack);

/** `•••• 5678`: at most half of a short id. */
export const walletEnd = (id: string) => `••••\u00A0${id.slice(Math.max(id.length - 4, Math.ceil(id.length / 2)))}`;

const DONE = { PAY: 'Paid', REFUND: 'Refunded', PAYOUT: 'Paid out' };
const HOW: Record<string, string> = { DIRECT: 'Wallet app', CHECKOUT: 'Wallet website', JETGO: 'JetGo', QR: 'QR code' };
export const WHOLE = 'the gateway sends whole amounts only';
const TO_DO = {
  'To review': 'Once you know how it ended, record it on the operator’s page.',
  'To refund': '',
  'Still owed': 'Settle it another way, and say so on the operator’s page.',
};
/** Each tone has a sign too, for those who do not see its color. */
const SIGNS = { good: '✓', bad: '✕', warn: '!', wait: '…', over: '–', part: '◐' };

const FIELDS: Record<string, string> = { customer: 'wallet', gatewayOrderId: 'order id', paymentId: 'payment id' };
const ENDED: Record<string, string> = {
  USER_CANCELLED: 'Canceled',
  INSUFFICIENT_BALANCE: 'Balance too low',
  UNKNOWN_CUSTOMER: 'No such customer',
  REJECTED: 'Refused',
  NOT_CREATED: 'Not started',
  RESOLVED: 'Not paid',
};
const NOT_SENT: Record<string, string> = {
  DECLINED: 'Declined by the gateway',
  NOT_CREATED: 'The gateway does not have it',
};

function endOf(entry: Entry): string {
  const { history, reason } = entry;
  const end = history.findLast(({ event }) => /^(declined|rejected|uncertain)$/.test(event))?.detail ?? '';
  const code = end.replace(/^HTTP \d+ /, '').replace('WALLET_NOT_FOUND', 'UNKNOWN_CUSTOMER');
  const refused = reason === 'NOT_CREATED' && isRefused(entry) && 'The gateway refused it';
  const notSent = isPayment(entry) ? undefined : refused || NOT_SENT[reason ?? ''];
  const known = (reason !== 'RESOLVED' && ENDED[code]) || notSent || ENDED[reason ?? ''];
  return known ?? (reason ?? 'Failed').replace(/\B\w+/, (rest) => rest.toLowerCase());
}

function badgeOf(entry: Entry, entries: readonly Entry[]): { tone: keyof typeof SIGNS; label: string } {
  const extra = isPayment(entry) && ((entry.surplus && 'Paid twice') || (entry.afterClose && 'Paid after closing'));
  const done = isUnpaid(entry) ? openName(entry) : `${extra || DONE[entry.type]}${isDenied(entry) ? ', denied' : ''}`;
  const [{ isBack, sentBack }, refunds] = [leftOf(entry, entries), refundsOf(entry, entries)];
  const review = entry.status === 'SUCCESS' || isUnpaid(entry) ? `${done}, needs review` : 'Needs review';
  const toSend = !paysNothing(entry) && toDo(entry, entries) === 'To refund' ? 'Refund failed' : done;
  if (isDenied(entry) || toDo(entry, entries)) return { tone: 'warn', label: isInDoubt(entry) ? review : toSend };
  const back = extra ? `${extra}, refund` : 'Refund';
  if (refunds.some(isInDoubt)) return { tone: 'warn', label: `${back} under review` };
  if (refunds.some(isChecked)) return { tone: 'wait', label: `${back} being checked` };
  if (refunds.some(isOpen)) return { tone: 'wait', label: `${back} on its way` };
  if (isBack && sentBack > 0) return { tone: 'over', label: `${back}ed` };
  if (extra || entry.isClosed) return { tone: 'over', label: extra || 'Closed' };
  if (sentBack > 0) return { tone: 'part', label: 'Partly refunded' };
  if (isOpen(entry)) return { tone: isPayment(entry) && !isPayable(entry) ? 'over' : 'wait', label: openName(entry) };
  if (entry.status === 'SUCCESS') return { tone: 'good', label: done };
  return isPayment(entry) ? { tone: 'over', label: endOf(entry) } : { tone: 'bad', label: 'Failed' };
}

function openName(entry: Entry): string {
  if (isPayment(entry) && !isPayable(entry)) return 'Not started';
  if (entry.status === 'INITIALIZED')
    return isLost(entry) ? `${isRefused(entry) ? 'Refused' : 'No clear answer'}, being checked` : 'Being sent';
  return isPayment(entry) ? 'Waiting' : entry.reportedFailedAt ? 'Reported failed, being checked' : 'On its way';
}
