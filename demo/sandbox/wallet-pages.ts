// The markup of the customer's phone, with a list beside it to change the customer. The parts that change by
// themselves are regions with an id: live.js replaces each one alone, so that nothing flickers and a half-typed code
// stays.
import type { Context } from 'hono';
import { html } from 'hono/html';
import type { Customer, Movement } from './customers.ts';
import { formatMoney, partOf } from './money.ts';
import {
  SANDBOX,
  ago,
  byDay,
  clockTime,
  countdown,
  device,
  duration,
  fact,
  folded,
  initials,
  isSameDay,
  localTime,
  logo,
  mark,
  type Markup,
  page,
  pictureOf,
  sentences,
  type ShopPages,
  pageLink,
} from './page.ts';
import { isFinal, type Payment } from './transaction.ts';

export interface PhoneView extends Pick<ShopPages, 'shopUrl'> {
  customer: Customer;
  people: readonly Customer[];
  merchant: string;
  merchantLogo?: string | undefined;
  /** Newest first, as are those declined. */
  prompts: Payment[];
  declined: Payment[];
  /** The order of a payment, as the shopper knows it. */
  orderOf: (payment: Payment) => string;
  paidBefore: (payment: Payment) => Payment | undefined;
  code: string;
  codeLeftMs: number;
  version: string;
  now: number;
  /** By how much the clock was moved. */
  aheadMs: number;
}

const ABOUT = 'The customer’s phone asks to confirm payments, opens scanned codes, and receives payouts and refunds.';
const MAX_MOVEMENTS = 30;
const SHOWN_MOVEMENTS = 5;
const SHOWN_REQUESTS = 3;
const OLD_MS = 15 * 60_000;
const UNKNOWN_CODE = 'This is not a code of this wallet, or it is from an earlier run.';
const AND = new Intl.ListFormat('en');

export function homePage(c: Context, view: PhoneView, unknownCode?: string) {
  const isWrong = unknownCode !== undefined;
  const screen = html`<div class="stack" data-live="/wallet/live" data-version="${view.version}">
    <div id="prompts" class="stack" aria-live="polite">${prompts(view)}</div>
    <div id="balances">${balances(view)}</div>
    <div id="older">${olderRequests(view)}</div>
    <form method="get" action="/wallet/scan">
      <label for="code">Paste a code from the shop</label>
      <div class="row scan">
        <input
          id="code"
          name="code"
          placeholder="The text of the code"
          autocomplete="off"
          spellcheck="false"
          required
          value="${unknownCode ?? ''}"
          ${isWrong ? html`aria-describedby="problem" aria-invalid="true" autofocus` : ''}
        />
        <button>Open</button>
      </div>
      ${isWrong ? html`<p class="problem" id="problem" role="alert">${UNKNOWN_CODE}</p>` : ''}
    </form>
    <div id="security-code">${securityCode(view)}</div>
    <div id="activity">${activity(view)}</div>
  </div>`;
  const title = `Phone of ${view.customer.name}`;
  return page(c, { title, layout: 'wallet', body: stage(view, screen), status: isWrong ? 422 : 200 });
}

/** Without it the times would seem wrong. */
export const bannerOf = ({ aheadMs }: Pick<PhoneView, 'aheadMs'>): { banner: Markup } => ({
  banner: html`${SANDBOX}${aheadMs === 0 ? '' : `. The clock is ${duration(aheadMs)} ahead.`}`,
});

/** The regions that live.js replaces, by id. */
export function regionsOf(view: PhoneView): Record<string, Markup> {
  return {
    ...bannerOf(view),
    prompts: prompts(view),
    balances: balances(view),
    older: olderRequests(view),
    'security-code': securityCode(view),
    activity: activity(view),
  };
}

export interface Opened {
  payment: Payment;
  /** Opened by a link on this device. */
  fromApp: boolean;
  /** The answer, or somebody else's scan, came after the payment had ended. */
  isLate?: boolean;
}

export function paymentPage(c: Context, view: PhoneView, opened: Opened) {
  const { payment, fromApp, isLate } = opened;
  const live = `/wallet/payments/${payment.paymentId}/live${fromApp ? '?app' : ''}`;
  const followed = isLate ? '' : html`data-live="${live}" data-version="${view.version}"`;
  const screen = html`<div id="others" aria-live="polite">${moreRequests(view, opened)}</div>
    <section id="payment" class="result stack" aria-live="polite" ${followed}>${sheet(view, opened)}</section>`;
  return page(c, { title: `Pay ${view.merchant}`, layout: 'wallet', body: stage(view, screen) });
}

/** What else the customer is asked, once this one has ended. */
export function moreRequests(view: PhoneView, { payment }: Opened): Markup {
  const { length } = recent(view);
  if (!isFinal(payment) || length === 0) return html``;
  return html`<a class="card way" href="/wallet">${length} more ${length === 1 ? 'request' : 'requests'}</a>`;
}

export const sheet = (view: PhoneView, opened: Opened): Markup =>
  isFinal(opened.payment) ? result(view, opened) : request(view, opened);

/** Keeps `query`, so that a scanned link leads to its payment after the choice. */
export function choicePage(
  c: Context,
  view: Pick<PhoneView, 'people' | 'aheadMs' | 'merchant' | 'merchantLogo' | 'shopUrl'>,
  query: URLSearchParams,
  payment?: Payment,
) {
  const kept = [...query].map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}" />`);
  const screen = html`${logo()} ${payment && !isFinal(payment) ? asked(view, payment) : ''}
    <h1>Whose phone is this?</h1>
    <p>Choose ${view.people[0]?.name}, the demo’s customer, or another one. ${ABOUT}</p>
    <form class="stack" method="get">
      ${kept}
      ${view.people.map(
        (person) => html`<button name="as" value="${person.walletId}" class="person card">${identity(person)}</button>`,
      )}
    </form>
    ${elsewhere(view)}`;
  const body = device(html`<div class="stack">${screen}</div>`, '', bannerOf(view).banner);
  return page(c, { title: 'Whose phone is this?', layout: 'wallet', body });
}

function stage(view: PhoneView, screen: Markup): Markup {
  const { customer, people } = view;
  const screenOfCustomer = html`<header class="owner">
      <h1><a class="person home" href="/wallet">${identity(customer)}</a></h1>
      <a class="way switch" href="/wallet?as=">Switch phone</a>
    </header>
    ${screen}`;
  const beside = html`<aside class="beside stack" aria-label="About this phone">
    ${logo()}
    <p class="soft">${ABOUT}</p>
    <h2>Whose phone is this?</h2>
    <ul class="stack">
      ${people.map(
        (person) =>
          html`<li>
            <a
              class="person card"
              href="/wallet?as=${person.walletId}"
              ${person === customer ? html`aria-current="true"` : ''}
              >${identity(person)}</a
            >
          </li>`,
      )}
    </ul>
    ${elsewhere(view)}
  </aside>`;
  return device(screenOfCustomer, beside, bannerOf(view).banner);
}

/** The other pages of the demo. */
const elsewhere = ({ shopUrl }: Pick<PhoneView, 'shopUrl'>): Markup =>
  html`<nav class="row" aria-label="Demo">${pageLink('Shop', shopUrl)} ${pageLink('Gateway page', '/')}</nav>`;

function identity({ name, shownWalletId }: Customer): Markup {
  return html`${initials(name)} <span>${name} <small>Wallet ${shownWalletId}</small></span>`;
}

const isOld = ({ createdAt }: Payment, now: number) => now - createdAt > OLD_MS;
const recent = ({ prompts: all, now }: PhoneView) => all.filter((each) => !isOld(each, now));

/** The newest in full, each other one as a way to it. */
function prompts(view: PhoneView): Markup {
  const { customer, orderOf, merchant, merchantLogo, now } = view;
  const [newest, ...others] = recent(view);
  if (!newest) return html``;
  const { minor, currency, createdAt } = newest;
  const after = customer.balance(currency) - minor;
  return html`<section class="card asks">
      <strong class="payee">
        ${pictureOf(merchant, merchantLogo)}
        <span>${merchant} <small>Asked ${ago(createdAt, now)}</small></span>
      </strong>
      <p class="amount">${formatMoney(minor, currency)}</p>
      <dl class="facts">${fact('Order', orderOf(newest))} ${website(newest)} ${balanceAfter(after, currency)}</dl>
      ${alreadyPaid(newest, view)} ${answerForm(newest, view, false)}
    </section>
    ${
      others.length === 0
        ? ''
        : html`<section>
            <h2>${others.length} more ${others.length === 1 ? 'request' : 'requests'}</h2>
            ${folded(
              'requests',
              others.map((each) => wayTo(each, view)),
              SHOWN_REQUESTS,
              others.length,
            )}
          </section>`
    }`;
}

/** Their shopper hardly waits for the answer. */
function olderRequests(view: PhoneView): Markup {
  const older = view.prompts.filter((each) => isOld(each, view.now));
  if (older.length === 0) return html``;
  return html`<details id="older-requests" class="more">
    <summary id="older-requests-of">
      ${older.length} ${older.length === 1 ? 'request' : 'requests'} older than 15 minutes
    </summary>
    <ol class="lines">
      ${older.map((each) => wayTo(each, view))}
    </ol>
  </details>`;
}

function wayTo(payment: Payment, view: PhoneView): Markup {
  const { paymentId, minor, currency, createdAt } = payment;
  const [amount, when] = [formatMoney(minor, currency), ago(createdAt, view.now)];
  const shown = { name: view.merchant, amount, about: [view.orderOf(payment)], when };
  return html`<li>
    <a id="request-${paymentId}" class="movement" href="/wallet/payments/${paymentId}">${line(view, shown)}</a>
  </li>`;
}

interface Line {
  /** The merchant, or what it is if no merchant is part of it. */
  name: string;
  amount: string;
  about: readonly string[];
  when: string | Markup;
  isIn?: boolean;
}

/** Two rows of text beside a picture. */
function line({ merchant, merchantLogo }: PhoneView, { name, amount, about, when, isIn = false }: Line): Markup {
  return html`${name === merchant ? pictureOf(merchant, merchantLogo) : initials('+')}
    <div>
      <strong class="row between">${name} <span class="${isIn ? 'in' : ''}">${amount}</span></strong>
      <small class="row between">
        <span class="what">${about.map((part) => part && html`<span class="order">${part}</span>`)}</span>
        <span>${when}</span>
      </small>
    </div>`;
}

const website = ({ returnUrl }: Payment): Markup => fact('Website', new URL(returnUrl).host);

/** What is left, or what is missing: such a payment would be declined. */
const balanceAfter = (minor: bigint, currency: string): Markup =>
  minor < 0n
    ? fact('Missing', formatMoney(-minor, currency), 'short')
    : fact('Balance after', formatMoney(minor, currency));

/** The shop asks for it by another request. */
function alreadyPaid(payment: Payment, { paidBefore, now }: PhoneView): Markup | '' {
  const paid = paidBefore(payment);
  return paid ? html`<p class="problem">You already paid this order ${ago(paid.updatedAt, now)}.</p>` : '';
}

function answerForm(payment: Payment, { customer, paidBefore }: PhoneView, fromApp: boolean): Markup {
  const { paymentId, minor, currency } = payment;
  const isPaid = paidBefore(payment) !== undefined;
  const isShort = customer.balance(currency) < minor;
  const button = (answer: string, text: string, look = '') =>
    html`<button name="answer" value="${answer}" id="${answer}-${paymentId}" class="${look}">${text}</button>`;
  return html`<form method="post" action="/wallet/answer" class="answer">
    <input type="hidden" name="paymentId" value="${paymentId}" />
    ${fromApp ? html`<input type="hidden" name="app" value="1" />` : ''}
    ${button('decline', 'Decline', isPaid ? 'main' : '')}
    ${
      isShort
        ? html`${button('top-up', 'Top up and approve', isPaid ? '' : 'main')}
            <div class="hint row between">Test a decline: ${button('approve', 'Approve anyway')}</div>`
        : button('approve', `Approve ${formatMoney(minor, currency)}${isPaid ? ' again' : ''}`, isPaid ? '' : 'main')
    }
  </form>`;
}

function balances({ customer }: PhoneView): Markup {
  const [first, ...others] = [...customer.balances];
  if (!first) return html``;
  return html`<section class="card balance">
    <h2>Balance</h2>
    <p class="amount">${formatMoney(first[1], first[0])}</p>
    ${others.length === 0 ? '' : html`<p>Also ${AND.format(others.map(([of, minor]) => formatMoney(minor, of)))}</p>`}
  </section>`;
}

function securityCode({ code, codeLeftMs }: PhoneView): Markup {
  return html`<section class="card row between">
    <div>
      <h2>Security code</h2>
      <small>New code in ${countdown(codeLeftMs)}</small>
    </div>
    <p class="amount"><output>${code.slice(0, 3)} ${code.slice(3)}</output></p>
  </section>`;
}

function activity(view: PhoneView): Markup {
  const { customer, merchant, orderOf } = view;
  const moved = customer.movements.slice(-MAX_MOVEMENTS).map(({ at, kind, minor, currency, about, paymentId }) => {
    const amount = formatMoney(minor, currency, 'en', true).replace('-', '−');
    const name = kind === 'TOP_UP' ? 'Money added' : merchant;
    const back = paymentId === undefined ? 0n : customer.sentBack(paymentId);
    const isAllBack = back >= -minor;
    const gone = back === 0n ? '' : `Refunded${isAllBack ? '' : ` ${partOf(back, -minor, currency)}`}`;
    return { name, amount, about: [...about, gone], at, isIn: minor > 0n, look: '', paymentId };
  });
  const declined = view.declined.map((payment) => {
    const amount = formatMoney(payment.minor, payment.currency);
    const why = payment.message === 'DECLINED' ? 'Declined' : 'Balance too low';
    const { updatedAt: at, paymentId } = payment;
    return { name: merchant, amount, about: [why, orderOf(payment)], at, look: 'old', paymentId };
  });
  const latest = [...moved, ...declined].toSorted((one, other) => one.at - other.at).slice(-MAX_MOVEMENTS);
  const whenOf = (at: number) => (isSameDay(at, view.now) ? ago(at, view.now) : clockTime(at, at));
  const rows = latest.toReversed().map(({ at, look, paymentId, ...each }) => {
    const text = line(view, { ...each, when: whenOf(at) });
    const row =
      paymentId === undefined
        ? html`<li class="movement">${text}</li>`
        : html`<li><a class="movement ${look}" href="/wallet/payments/${paymentId}">${text}</a></li>`;
    return { at, row };
  });
  return html`<section>
    <h2>Activity</h2>
    ${folded('activity', byDay(rows, view.now), SHOWN_MOVEMENTS, rows.length)}
  </section>`;
}

const asked = ({ merchant, merchantLogo }: Pick<PhoneView, 'merchant' | 'merchantLogo'>, payment: Payment): Markup =>
  html`${pictureOf(merchant, merchantLogo)}
    <h2 class="title">Pay ${merchant}</h2>
    <p class="amount">${formatMoney(payment.minor, payment.currency)}</p>`;

function request(view: PhoneView, { payment, fromApp }: Opened): Markup {
  const { customer, orderOf, now } = view;
  const { minor, currency, createdAt } = payment;
  const balance = customer.balance(currency);
  const isShort = balance < minor;
  return html`${asked(view, payment)} ${alreadyPaid(payment, view)}
    ${isShort ? html`<p class="problem">The balance is ${formatMoney(minor - balance, currency)} too low.</p>` : ''}
    <dl class="facts lines">
      ${fact('Order', orderOf(payment))} ${website(payment)} ${fact('Asked', ago(createdAt, now))}
      ${isShort ? fact('Balance', formatMoney(balance, currency)) : balanceAfter(balance - minor, currency)}
    </dl>
    ${answerForm(payment, view, fromApp)}`;
}

const REASONS: Readonly<Record<string, string>> = {
  DECLINED: 'This payment was declined.',
  INSUFFICIENT_BALANCE: 'The balance is too low.',
};

function result(view: PhoneView, { payment, fromApp, isLate = false }: Opened): Markup {
  const { customer, orderOf, merchant } = view;
  const { minor, currency } = payment;
  const isPaid = payment.status === 'SUCCESS';
  const back = customer.sentBack(payment.paymentId);
  const isAllBack = back >= minor;
  const isTheirWallet = payment.customer === customer.walletId;
  const isTheirs = isTheirWallet && !isLate;
  const sent = isAllBack ? `${merchant} sent the money back.` : `Sent to ${merchant}.`;
  const already = isTheirWallet ? 'This payment is already paid.' : 'Another wallet has paid this payment.';
  const paid = isTheirs ? sent : already;
  const isDeclinedHere = payment.message === 'DECLINED' && isTheirs && payment.openedBy === customer.walletId;
  const reason = isDeclinedHere ? 'You declined this payment.' : REASONS[payment.message];
  return html`${mark(isPaid ? 'good' : 'ended')}
    <h2 class="title">${isAllBack ? 'Refunded' : isPaid ? 'Paid' : 'Not paid'}</h2>
    <p class="amount">${formatMoney(minor, currency)}</p>
    <p>${sentences(isPaid ? paid : `${reason ?? 'This payment has ended.'} No money was taken.`)}</p>
    <dl class="facts lines">
      ${fact('Order', orderOf(payment))} ${fact(isPaid ? 'Paid on' : 'Ended on', localTime(payment.updatedAt))}
      ${back > 0n && !isAllBack ? fact('Refunded', partOf(back, minor, currency)) : ''}
      ${fact('Balance now', formatMoney(customer.balance(currency), currency))}
    </dl>
    <div class="answer">${waysOn(payment, fromApp, view)}</div>`;
}

/** The receipt of money that came from the merchant. */
export function receivedPage(c: Context, view: PhoneView, { minor, currency, about, at, refunds }: Movement) {
  const { customer, merchant } = view;
  const title = refunds === undefined ? 'Payout received' : 'Refund received';
  const screen = html`<section id="payment" class="result stack">
    ${mark('good')}
    <h2 class="title">${title}</h2>
    <p class="amount">${formatMoney(minor, currency)}</p>
    <p>${about.filter(Boolean).join(' · ')}</p>
    <dl class="facts lines">
      ${fact('From', merchant)} ${fact('Received on', localTime(at))}
      ${fact('Balance now', formatMoney(customer.balance(currency), currency))}
    </dl>
    <div class="answer">
      ${refunds === undefined ? '' : html`<a class="button" href="/wallet/payments/${refunds}">Show the payment</a>`}
      <a class="button main" href="/wallet">Done</a>
    </div>
  </section>`;
  return page(c, { title, layout: 'wallet', body: stage(view, screen) });
}

/**
 * The main one is the last: to the shop if it opened the app; else the shop may be on another device, and it is to the
 * start, so that a second tap pays nothing.
 */
function waysOn({ returnUrl }: Payment, fromApp: boolean, { merchant }: PhoneView): Markup {
  const way = (href: string, text: string, look = '') => html`<a class="button ${look}" href="${href}">${text}</a>`;
  const back = (look = '') => way(returnUrl, `Back to ${merchant}`, look);
  if (fromApp) return html`${way('/wallet', 'Done')} ${back('main')}`;
  return html`${back()} ${way('/wallet', 'Done', 'main')}`;
}
