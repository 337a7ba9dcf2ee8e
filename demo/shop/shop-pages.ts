// The customer's pages: the shop front, and the order page with the widget. An order's paid status comes from the order
// store, never from the widget.
import { html } from 'hono/html';
import { card, picture, shore } from './artwork.ts';
import { CURRENCY, MAX_OF_ONE, PRODUCTS, centsOf, formatMoney, money, type Line, type Product } from './catalog.ts';
import { isComing, leftOf, stateOf, type Back, type Order, type OrderState } from './order-store.ts';
import { DEMO_WALLET, NEXT_WALLET, page, walletPhone, type Markup, type Site } from './page.ts';

const WHOLE = 'refunds are in whole euros only';
/** A blank line, between what becomes of the order and money that is owed. */
const APART = '\n\n';
/** After the last visit, in place of a sign-in. */
export const SESSION_DAYS = 30;
export const KEPT = `in this browser until ${SESSION_DAYS} days after your last visit`;
export const COMING = 'Refund on its way';
export const CHECKED = 'Refund being checked';
const DENIED = 'We could not confirm your payment. Contact us.';
const SOON = 'If it takes more than two days, contact us.';
const AGAIN = `We will send the refund again. ${SOON}`;

const SENTENCES: Record<Order['kind'], Record<Exclude<OrderState, 'closed' | 'refunded'>, string>> = {
  goods: {
    paid: 'We will send your order on {day}.',
    checking: 'We pack your order once your payment is confirmed.',
    denied: DENIED,
    unrefunded: `We are not sending this order. ${AGAIN}`,
    unpaid: 'We pack your order once it is paid.',
  },
  'top-up': {
    paid: 'Your coffee card is topped up.',
    checking: 'Your card is topped up once your payment is confirmed.',
    denied: DENIED,
    unrefunded: AGAIN,
    unpaid: 'Your card is topped up once it is paid.',
  },
};

const DAY_MS = 24 * 60 * 60 * 1000;
const WEEKDAY = new Intl.DateTimeFormat('en', { weekday: 'long', month: 'short', day: 'numeric', timeZone: 'UTC' });
const DATE = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeZone: 'UTC' });

/** `dates.js` writes it in the customer's time zone, as the widget's receipt does. */
export function dayOf({ createdAt }: Order): Markup {
  return html`<time datetime="${createdAt.toISOString()}">${DATE.format(createdAt).replaceAll(' ', '\u00a0')}</time>`;
}

/** An order is packed on the Tuesday after its payment, and sent on the day after that. */
export function daysOf(paidAt: Date): { packed: string; sent: string } {
  const tuesday = paidAt.getTime() + (7 - ((paidAt.getUTCDay() + 5) % 7)) * DAY_MS;
  return { packed: WEEKDAY.format(tuesday), sent: WEEKDAY.format(tuesday + DAY_MS) };
}

export function shopFront(site: Site): Markup {
  return page(
    { title: 'Coffee', place: 'shop', scripts: ['/assets/basket.js'], site },
    html`<section class="hero">
        ${shore}
        <h1>Coffee for slow mornings</h1>
        <p>Three coffees and one good dripper. <span>Small batches, roasted by the water.</span></p>
      </section>
      <form method="post" action="/checkout" autocomplete="off">
        <ul class="products">
          ${PRODUCTS.map(productCard)}
        </ul>
        <div class="basket">
          <p role="status" data-basket>Choose what you would like.</p>
          <button class="button">Check out</button>
        </div>
      </form>`,
  );
}

function productCard({ id, name, note, size, cents, artwork }: Product): Markup {
  return html`<li class="product">
    ${picture(artwork)}
    <h2>${name}</h2>
    <p class="quiet">${note}</p>
    <div class="buy">
      <p><strong>${money(cents)}</strong> <small>${size}</small></p>
      <div class="stepper card" data-cents="${cents}">
        <button type="button" data-step="-1" aria-label="One less ${name}" hidden>−</button>
        <input
          name="${id}"
          type="number"
          inputmode="numeric"
          min="0"
          max="${MAX_OF_ONE}"
          value="0"
          aria-label="Quantity of ${name}"
        />
        <button type="button" data-step="1" data-name="${name}" aria-label="Add ${name}">Add</button>
      </div>
    </div>
  </li>`;
}

export interface OrderPage {
  order: Order;
  /** Of the customer's coffee card. */
  balance: string;
  token: string;
  proxyUrl: string;
  site: Site;
  now: Date;
}

/** The order beside the widget. `order.js` comes first, so that it listens before the widget sends an event. */
export function orderPage({ order, balance, token, proxyUrl, site, now }: OrderPage): Markup {
  const title = `Order ${order.orderId}`;
  return page(
    {
      title: stateOf(order) === 'paid' ? `Paid · ${title}` : title,
      place: 'order',
      scripts: ['/assets/order.js', '/assets/dates.js', `${proxyUrl}/widget.js`],
      site,
      order: { id: order.orderId, refund: refundOf(order) },
    },
    html`<div class="stack" data-order="${order.orderId}">
      <section class="stack head" aria-labelledby="summary">
        <div class="title">
          <small><span>Order</span> ${order.orderId} <span>· ${dayOf(order)}</span></small>
          <h1 id="summary">${headingOf(order)}</h1>
        </div>
        <p class="message" role="status" data-state="${stateOf(order)}">${linked(fulfillmentOf(order))}</p>
        ${order.kind === 'goods' ? '' : coffeeCard(balance)}
      </section>
      ${order.kind === 'goods' ? orderSummary(order.lines, order.amount) : ''}
      <section class="payment" aria-label="Payment">
        <payment-widget order="${token}"
          ><img slot="mark" src="/assets/wallet.svg" alt="" />
          <a slot="help" href="/contact" target="_blank" rel="noopener">Contact the shop</a></payment-widget
        >
        ${site.walletUrl === undefined ? '' : trial(site.walletUrl)}
      </section>
      ${order.kind === 'goods' ? nextSteps(order, now) : ''} ${onward(order)}
    </div>`,
  );
}

/** For a visitor of the demo, who has no wallet. */
function trial(walletUrl: string): Markup {
  const { id, shown, name } = DEMO_WALLET;
  return html`<p class="trial" data-way="DIRECT" data-next="${JSON.stringify(NEXT_WALLET)}">
    <span class="fill">Demo: Use wallet <b>${shown}</b> (<span data-name>${name}</span>).</span>
    <button class="fill button plain" type="button" data-fill="${id}">Fill in</button>
    <span class="request">Approve it on the ${walletPhone(walletUrl)}.</span>
    <span class="soon">Demo: After Pay, open the ${walletPhone(walletUrl)}.</span>
    <span class="code">Demo: Open the ${walletPhone(walletUrl)} with this code.</span>
    <span class="app">Demo: The button opens the wallet phone.</span>
    <span class="website">Demo: Log in as <span data-name>${name}</span> on the wallet’s website.</span>
  </p>`;
}

export function headingOf(order: Order): string {
  const isGoods = order.kind === 'goods';
  const state = stateOf(order);
  if (state === 'closed') return isGoods ? 'Order closed' : 'Top-up closed';
  if (state === 'paid') return partBack(order) ?? 'Thank you';
  if (state === 'unrefunded') return 'Refund failed';
  if (state === 'checking') return 'Payment being checked';
  if (state === 'denied') return 'Payment not confirmed';
  if (state === 'unpaid' && !['none', 'open'].includes(order.tries)) return 'Not paid yet';
  if (state !== 'refunded') return isGoods ? 'Your order' : 'Top up your coffee card';
  return partBack(order) ?? comingIn(order.back)?.what ?? (isGoods ? 'Order refunded' : 'Top-up refunded');
}

/** Of any money that goes back. */
function refundOf({ back, extra }: Order): 'due' | 'started' | 'arrived' {
  if (isComing(back) || isComing(extra)) return 'started';
  return back.sentBack === '0.00' && extra.sentBack === '0.00' ? 'due' : 'arrived';
}

/** Of money that has not arrived yet, the part that is in doubt first. */
export function comingIn({ onItsWay, inDoubt }: Back): { what: string; part: string } | undefined {
  if (inDoubt !== '0.00') return { what: CHECKED, part: inDoubt };
  return onItsWay === '0.00' ? undefined : { what: COMING, part: onItsWay };
}

/** Undefined if nothing or all of it goes back. What was sent back before is on the widget's receipt. */
function partBack(order: Order): string | undefined {
  const { amount, back } = order;
  if (amount === null) return undefined;
  const left = leftOf(amount, back);
  if (left === 0 || left === centsOf(amount)) return undefined;
  const { what, part } = comingIn(back) ?? { what: 'Refunded', part: back.sentBack };
  return `${what}: ${formatMoney(part, CURRENCY)} of ${formatMoney(amount, CURRENCY)}`;
}

export function fulfillmentOf(order: Order): string {
  const state = stateOf(order);
  if (state === 'closed') return closedSentence(order);
  const { kind, paidAt, extra, failedRefund } = order;
  if (state === 'unpaid') return SENTENCES[kind].unpaid;
  const day = paidAt === null ? '' : daysOf(paidAt).sent;
  const whole = state === 'refunded' ? refundedSentence(order) : SENTENCES[kind][state].replace('{day}', day);
  const isPartFailed = state === 'paid' && failedRefund !== '0.00';
  const failed = `The refund of ${formatMoney(failedRefund, CURRENCY)} did not go through. ${AGAIN}`;
  const sentence = isPartFailed ? `${whole}${APART}${failed}` : whole;
  if (paidAt === null || extra.received === '0.00') return sentence;
  return `${sentence}${APART}${extraSentence(extra, 'too much')}`;
}

/** Heading and widget say what was sent back. Until it has arrived, it may fail. */
function refundedSentence({ kind, amount, back }: Order): string {
  const isSent = !isComing(back);
  return [
    kind === 'goods' && `We ${isSent ? 'will not send' : 'are not sending'} this order.`,
    cardSentence(leftOf(amount ?? '0.00', back), isSent || kind === 'top-up'),
    back.inDoubt !== '0.00' && 'If the refund takes more than two days, contact us.',
  ]
    .filter(Boolean)
    .join(' ');
}

/** Of cents that cannot be sent back. */
function cardSentence(cents: number, isOnCard: boolean): string {
  const [other, goes] = isOnCard ? ['The', 'is'] : ['Once the refund has arrived, the', 'goes'];
  return cents === 0 ? '' : `${other} other ${money(cents)} ${goes} on your coffee card, because ${WHOLE}.`;
}

/** The shop's staff send from the desk what the wallet takes; then the rest goes on the card. */
function extraSentence(extra: Order['extra'], how: string): string {
  const paid = `paid ${formatMoney(extra.received, CURRENCY)} ${how}.`;
  if (extra.inReview)
    return [`We are checking whether you ${paid} If so, it comes back.`, ...backSentences(extra), SOON].join(' ');
  const [most, rest] = restOf(extra);
  const otherWay = centsOf(extra.settled) - centsOf(extra.onCard);
  const settled = otherWay > 0 ? [`${money(otherWay)} was settled another way.`] : [];
  const sent = [...backSentences(extra), ...settled];
  const what = rest > 0 ? money(most) : sent.length > 0 ? `the other ${money(most)}` : 'it';
  return [
    `You ${paid}`,
    ...sent,
    cardSentence(centsOf(extra.onCard), true),
    most > 0 && `We will send ${what} back.`,
    cardSentence(rest, false),
    most > 0 && SOON,
  ]
    .filter(Boolean)
    .join(' ');
}

/** Cents that do not go back: those that the wallet takes, and the others. */
export function restOf({ received, whole, settled, ...back }: Order['extra']): [most: number, rest: number] {
  const left = leftOf(received, back) - centsOf(settled);
  const most = Math.min(leftOf(whole, back), left);
  return [most, left - most];
}

/** Empty if nothing goes back. */
function backSentences({ sentBack, onItsWay, inDoubt }: Back): string[] {
  return Object.entries({
    'We have sent back {}.': sentBack,
    '{} is on its way back.': onItsWay,
    'A refund of {} is being checked.': inDoubt,
  }).flatMap(([said, amount]) => (amount === '0.00' ? [] : said.replace('{}', formatMoney(amount, CURRENCY))));
}

/** The widget says that it is closed and not to be paid. */
function closedSentence({ extra, inReview }: Order): string {
  if (extra.received !== '0.00') return extraSentence(extra, 'after the order was closed');
  return inReview ? 'We are checking your payment. If you have questions, contact us.' : '';
}

/** `text` with its way to the contact page. */
function linked(text: string): Markup {
  const parts = text.split(/(contact us)/i);
  return html`${parts.map((part, index) => (index % 2 === 0 ? part : html`<a href="/contact">${part}</a>`))}`;
}

/** Folded on a phone until it is paid, so that the payment is seen first; open where it has a column of its own. */
function orderSummary(lines: readonly Line[], amount: string): Markup {
  return html`<details class="summary">
    <summary>
      <span><span class="show">Show</span><span class="hide">Hide</span> order · ${formatMoney(amount, CURRENCY)}</span>
    </summary>
    ${receipt(lines, amount)}
  </details>`;
}

/** `order.js` marks the same step when the order is paid while its page is open. */
function nextSteps(order: Order, now: Date): Markup {
  const { packed, sent } = daysOf(order.paidAt ?? now);
  const steps = [html`<b>Payment</b>`, html`<b>Packing</b> on ${packed}`, html`<b>Shipping</b> on ${sent}`];
  const current = stateOf(order) === 'paid' ? 1 : 0;
  return html`<section class="next" aria-labelledby="next">
    <h2 id="next">What happens next</h2>
    <ol class="steps">
      ${steps.map((step, index) => html`<li ${index === current ? html`aria-current="step"` : ''}>${step}</li>`)}
    </ol>
  </section>`;
}

/** Where the order is found again; once nothing is left to pay here, also the way on. */
function onward({ kind }: Order): Markup {
  return html`<section class="onward" aria-labelledby="onward">
    <h2 id="onward">Find your ${kind === 'goods' ? 'order' : 'top-up'} again</h2>
    <p>
      It is under <a href="/account">your orders</a> ${KEPT}. A&nbsp;question?&nbsp;<a href="/contact"
        >Contact&nbsp;us</a
      >.
    </p>
    <p><a class="button" href="/">Back to the coffee</a></p>
  </section>`;
}

function receipt(lines: readonly Line[], amount: string): Markup {
  return html`<table class="receipt" aria-label="What you ordered">
    <tbody>
      ${lines.map(
        ({ product, quantity }) =>
          html`<tr>
            <td>${picture(product.artwork)}</td>
            <th scope="row">${product.name}<small>${quantity} × ${product.size}</small></th>
            <td>${money(product.cents * quantity)}</td>
          </tr>`,
      )}
    </tbody>
    <tfoot>
      <tr class="quiet">
        <td></td>
        <th scope="row">Shipping</th>
        <td>Free</td>
      </tr>
      <tr>
        <td></td>
        <th scope="row">Order total</th>
        <td><b>${formatMoney(amount, CURRENCY)}</b></td>
      </tr>
    </tfoot>
  </table>`;
}

export function coffeeCard(balance: string): Markup {
  return html`<div class="coffee-card">
    ${card}
    <p><small>Balance</small> <span data-balance>${formatMoney(balance, CURRENCY)}</span></p>
  </div>`;
}

export const boughtIn = (order: Order) => (order.kind === 'goods' ? goodsOf(order.lines) : 'Coffee card');

export function goodsOf(lines: readonly Line[]): string {
  return lines
    .map(({ product, quantity }) => (quantity > 1 ? `${quantity}\u00a0×\u00a0${product.name}` : product.name))
    .join(', ');
}
